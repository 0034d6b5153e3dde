//! Opening of links. A link through shared memory is opened when a call or a message of this rank needs it,
//! or when the peer has rung: it has sent something there. If the two are not connected yet, that comes
//! first ([`super::on_demand`]).

use std::io;
use std::time::Duration;

use super::calls::ActiveCall;
use super::context::CommId;
use super::control_state::Joining;
use super::engine::{Engine, Step, Trouble};
use crate::base::{Error, Rank};
use crate::endpoint::{Endpoint, Presence};
use crate::log_line;
use crate::p2p::Conversation;
use crate::sys::clock;
use crate::sys::poll::{Interest, PollSet, Token};
use crate::transport::control::ControlChannel;

/// Least time between two reads of the doorbells of ranks that have not talked, while other ranks keep this
/// one busy.
const HEAR_PAUSE: Duration = Duration::from_micros(500);

impl Engine {
    /// The end of a pass while some links are not open: opens what is needed, if a look is due. Returns
    /// whether anything moved.
    #[inline(never)]
    pub(super) fn visit_opened(&mut self, moved: bool) -> Step<bool> {
        if !self.opening.is_over(moved) {
            return Ok(moved);
        }
        let unopened = self.unopened;
        let has_connected = self.take_arrivals();
        self.open_needed()?;
        let mut talking = self.messaging.comms.iter().map(|id| &self.comms.get(*id).conversation);
        if self.opening.awaits_anybody || talking.any(Conversation::waits_for_any_source) {
            self.connect_with_anybody();
            self.hear_first_talkers();
            self.open_departed();
        }
        if self.unopened == unopened && !has_connected {
            return Ok(moved);
        }
        self.opening.note_change();
        // What is to be sent goes out in the same pass, because the caller may not come again soon.
        self.visit_once().map(|_| true)
    }

    /// Reads what some ranks have said that have not talked yet, unless that was done a moment ago. Such a
    /// rank has rung if it has sent something.
    pub(super) fn hear_first_talkers(&mut self) {
        if self.unopened == 0 || clock::since(self.control.heard_at) < HEAR_PAUSE {
            return;
        }
        self.control.heard_at = clock::now();
        self.opening.awaits_anybody = false;
        let mut set = PollSet::new();
        let endpoints = &self.endpoints;
        let open_control = |at: u32| {
            let endpoint = &endpoints[at as usize];
            let control = endpoint.control.as_deref().filter(|control| !control.is_closed());
            control.filter(|_| endpoint.inbox.link.is_unopened())
        };
        let is_silent = |at: &u32| open_control(*at).is_some();
        let heard = self.opening.next_to_hear(endpoints.len() as u32, is_silent);
        let watch = |at| Some((at, set.add(open_control(at)?, Interest::Read)));
        let watched: Vec<(u32, Token)> = heard.into_iter().filter_map(watch).collect();
        // An error (out of memory) only makes this look again.
        if watched.is_empty() || set.look().is_err() {
            return;
        }
        for (at, token) in watched {
            if set.ready(token) {
                self.hear(at);
            }
        }
    }

    /// Reads what a rank has said.
    fn hear(&mut self, at: u32) {
        let mut has_come = false;
        while let Some(message) = self.next_message(at) {
            self.take_message(at, message);
            has_come = true;
        }
        if has_come {
            // A sleeper may need it, and finds the channel empty. It reads all channels when it wakes up.
            // Done here, that would show the failures of others before the data in the link to be opened.
            self.sleepers.ring_all();
        }
    }

    /// Opens the links to ranks that are gone, for a call that waits for a message of anybody. Such a rank
    /// may have sent one without ringing. A failure is reported where a call needs the link.
    pub(super) fn open_departed(&mut self) {
        if self.unopened == 0 || self.control.first_departure.is_none() {
            return;
        }
        for at in 0..self.endpoints.len() as u32 {
            let endpoint = &self.endpoints[at as usize];
            if endpoint.presence != Presence::Here && endpoint.inbox.link.is_unopened() {
                _ = self.open(at);
            }
        }
    }

    /// Opens the links that unfinished calls and messages need.
    #[cold]
    pub(super) fn open_needed(&mut self) -> Step<()> {
        let of_calls = self.unfinished().flat_map(|active| active.execution.waits_for());
        let of_messages = self.messaging.comms.iter().flat_map(|id| self.partners_of_messages(*id));
        // What a rank that has rung has sent may be for a call that any rank's message can end.
        let rung = self.opening.rung.iter().copied();
        let needed = of_calls.map(|(endpoint, _)| endpoint).chain(of_messages).chain(rung);
        let is_unopened = |at: &u32| self.endpoints[*at as usize].inbox.link.is_unopened();
        let mut needed: Vec<u32> = needed.filter(is_unopened).collect();
        needed.sort_unstable();
        needed.dedup();
        needed.into_iter().try_for_each(|endpoint| self.open_when_needed(endpoint))
    }

    fn open_when_needed(&mut self, at: u32) -> Step<()> {
        if self.endpoints[at as usize].is_unconnected() {
            return self.connect_when_needed(at);
        }
        let Some(unopened) = self.endpoints[at as usize].inbox.link.unopened() else { return Ok(()) };
        if !unopened.can_open() {
            // The file comes over the control channel, and the peer may have rung behind it.
            self.hear(at);
        }
        self.open(at).map(drop).or_else(|source| self.cannot_open(at, source))
    }

    /// The end of what needs a link for which this process has no memory or descriptor.
    fn cannot_open(&self, at: u32, source: io::Error) -> Step<()> {
        let Some((comm, title)) = self.user_of(at) else { return Ok(()) };
        Err(Trouble { comm, error: self.not_shared(at, &title, source) })
    }

    /// A communicator with something under way that needs a link, and the title of that.
    pub(super) fn user_of(&self, at: u32) -> Option<(CommId, String)> {
        let waits = |active: &&ActiveCall| active.execution.waits_for().any(|(endpoint, _)| endpoint == at);
        let by_call = self.unfinished().find(waits).map(|active| (active.comm, self.title(active)));
        let talking = || self.messaging.comms.iter().copied();
        let talks = |id: &CommId| self.partners_of_messages(*id).any(|endpoint| endpoint == at);
        let may_hear = |id: &CommId| {
            let comm = self.comms.get(*id);
            comm.conversation.waits_for_any_source() && comm.rank_of(at).is_some()
        };
        let by_message = || {
            let comm = talking().find(talks).or_else(|| talking().find(may_hear));
            comm.map(|id| (id, self.message_title(id)))
        };
        by_call.or_else(by_message)
    }

    fn not_shared(&self, at: u32, title: &str, source: io::Error) -> Error {
        let who = &self.endpoints[at as usize].label;
        Error::system(format!("cannot share memory with {who} for {title}"), source)
    }

    /// Opens the links to ranks of a communicator that have rung, for a program that looks for messages of
    /// `source`, or of any rank. Without memory for that, the communicator fails.
    pub(super) fn open_rung(&mut self, id: CommId, source: Option<Rank>) {
        for at in self.opening.rung.clone() {
            let rank = self.comms.get(id).rank_of(at);
            if rank.is_some_and(|rank| source.is_none_or(|source| source == rank))
                && let Err(source) = self.open(at)
            {
                let error = self.not_shared(at, &self.message_title(id), source);
                self.fail(id, error);
            }
        }
    }

    /// Opens the link to a peer that has rung, if that has not been done. A failure is reported where a call
    /// needs the link.
    pub(super) fn answer_doorbell(&mut self, at: u32) {
        // It was for a sleeper, which may not have woken up, and finds the channel empty.
        self.sleepers.ring_all();
        if !self.endpoints[at as usize].inbox.link.is_unopened() {
            return;
        }
        if !self.open(at).unwrap_or(false) && !self.opening.rung.contains(&at) {
            self.opening.rung.push(at);
        }
    }

    /// Takes the file of the last event of a control channel. A doorbell may have overtaken it.
    pub(super) fn take_file(&mut self, at: u32) -> io::Result<()> {
        self.endpoints[at as usize].take_file()?;
        if self.opening.rung.contains(&at) {
            self.answer_doorbell(at);
        }
        // A sleeper may need it, and finds the channel empty.
        self.sleepers.ring_all();
        self.opening.note_change();
        Ok(())
    }

    /// Whether the join waits for a file with the memory of a pair. A failure ends the wait.
    pub(super) fn awaits_files(&mut self) -> bool {
        let controls = self.endpoints.iter_mut().skip(self.rank as usize + 1);
        let refused = controls.zip(self.rank + 1..).find_map(|(endpoint, at)| {
            let error = endpoint.control.as_mut()?.take_error_of_first_file();
            error.map(|error| (at, error))
        });
        if let Some((at, source)) = refused {
            let error = self.not_shared(at, "all calls", source);
            self.fail(CommId::FIRST, error);
        }
        let has_failed = self.failure(CommId::FIRST).is_some()
            || matches!(self.control.joining, Joining::UnderWay(Some(_)));
        !has_failed && self.peer_without_file().is_some()
    }

    /// A lower rank that is present and has not passed the file with the memory of a pair, or a higher one
    /// that was not passed it. Other files may come later.
    fn peer_without_file(&self) -> Option<Rank> {
        let mut peers = (0..).zip(&self.endpoints).filter(|(_, peer)| peer.presence == Presence::Here);
        let lacks = |(rank, peer): &(Rank, &Endpoint)| {
            *rank > self.rank && peer.control.as_deref().is_some_and(ControlChannel::keeps_first_file)
                || peer.inbox.link.awaits_file()
        };
        peers.find(lacks).map(|(rank, _)| rank)
    }

    /// The end of the wait for files. If one is missing because a rank has failed, this rank fails as well.
    pub(super) fn end_wait_for_files(&mut self) {
        let Some(peer) = self.peer_without_file() else { return };
        if matches!(self.control.joining, Joining::UnderWay(Some(_))) {
            self.all_have_met();
        } else if self.failure(CommId::FIRST).is_none() {
            let who = &self.endpoints[peer as usize].label;
            log_line!(
                Warn,
                "rank {}: memory shared with {who} was not there in time; calls wait for it",
                self.rank
            );
        }
    }

    fn open(&mut self, at: u32) -> io::Result<bool> {
        let endpoint = &mut self.endpoints[at as usize];
        let has_opened = endpoint.open()?;
        if has_opened {
            self.unopened -= 1;
            self.opening.rung.retain(|rung| *rung != at);
            // All other links know already that this rank sleeps.
            endpoint.inbox.link.set_sleeping(self.is_asleep);
        }
        Ok(has_opened)
    }
}
