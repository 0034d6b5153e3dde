//! Control messages between the ranks (stalls, failures, goodbyes), and the detection of peers that are gone.

use std::io;
use std::os::fd::AsRawFd;

use super::comm_table::Known;
use super::context::{self, CommId};
use super::control_state::Joining;
use super::disagreement::Verdict;
use super::engine::{Engine, Trouble};
use super::engine_comm::{EndedCall, EngineComm, FIRST_CALL, FormedBy, Stall};
use crate::base::{Error, Rank};
use crate::endpoint::{Endpoint, Presence};
use crate::log_line;
use crate::sys::clock;
use crate::sys::poll::{Interest, PollSet, Token};
use crate::sys::socket::is_undelivered;
use crate::transport::control::{ControlEvent, ControlMessage};
use crate::transport::{FIRST_CONTEXT, Header, failure};

/// How a rank went away that has not taken its leave: the words behind its name in an error. The launcher
/// looks for them.
pub const GONE: &str = "was killed, crashed or ended without finalizing";

/// Most messages that are kept for communicators that this rank has not made yet. A peer is only a few calls
/// ahead.
const MOST_EARLY_MESSAGES: usize = 4096;

impl Engine {
    /// The endpoints from which something may come.
    pub(super) fn connected(&self) -> impl Iterator<Item = &Endpoint> {
        self.connected.iter().map(|at| &self.endpoints[*at as usize])
    }

    /// Reads the control channels of all peers. Called when nothing moves.
    pub(super) fn read_control(&mut self) {
        self.control.read_at = clock::now();
        self.control.heard_at = self.control.read_at;
        self.take_arrivals();
        self.find_ended_processes();
        let mut next = 0;
        // A message may bring another connection.
        while let Some(endpoint) = self.connected.get(next).copied() {
            self.endpoints[endpoint as usize].bytes_since_read = 0;
            while let Some(message) = self.next_message(endpoint) {
                self.take_message(endpoint, message);
            }
            next += 1;
        }
        for comm in self.comms.ids() {
            if self.comms.get(comm).stalls_known {
                self.compare_stalls(comm);
            }
            self.fail_if_quitter_is_needed(comm);
            self.fail_if_ended_elsewhere(comm);
        }
    }

    /// Reads the control channels of the peers to which much was sent since the last read. It looks for
    /// holds, in the middle of a transfer, and leaves all that is not urgent to the next full read. It also
    /// looks for arenas: until one has come, this rank copies what the peer sends.
    pub(super) fn read_due_control(&mut self) {
        let mut has_come = false;
        let any_is_due = self.connected().any(Endpoint::is_control_due);
        let mut next = 0;
        while let Some(at) = self.connected.get(next).copied() {
            next += 1;
            let endpoint = &mut self.endpoints[at as usize];
            let may_bring_arena = any_is_due && endpoint.awaits_arena() && !endpoint.inbox.link.is_unopened();
            if !endpoint.is_control_due() && !may_bring_arena {
                continue;
            }
            endpoint.bytes_since_read = 0;
            while let Some(message) = self.next_message(at) {
                self.take_message(at, message);
                has_come = true;
            }
        }
        if has_come {
            self.read_control();
        }
    }

    /// Checks the processes of all peers at once, before their last messages are read.
    fn find_ended_processes(&mut self) {
        let mut set = PollSet::new();
        let watched: Vec<(u32, Token)> = self
            .connected
            .iter()
            .filter_map(|at| {
                let process = self.endpoints[*at as usize].control.as_ref()?.process()?;
                Some((*at, set.add(process, Interest::Read)))
            })
            .collect();
        // An error (out of memory) only makes this look again.
        if watched.is_empty() || set.look().is_err() {
            return;
        }
        for (at, _) in watched.iter().filter(|(_, token)| set.ready(*token)) {
            self.endpoints[*at as usize].control.iter_mut().for_each(|control| control.note_end());
        }
    }

    pub(super) fn note_departure(&mut self) {
        self.control.first_departure.get_or_insert_with(clock::now);
        self.sleepers.ring_all();
    }

    /// The next control message of a peer about a communicator, if there is one.
    pub(super) fn next_message(&mut self, at: u32) -> Option<ControlMessage> {
        self.endpoints[at as usize].control.as_mut()?.flush();
        loop {
            let mut event = self.endpoints[at as usize].control.as_mut()?.next_event();
            if matches!(event, Ok(Some(ControlEvent::File))) {
                event = self.take_file(at).map(|()| Some(ControlEvent::File));
            }
            let presence = match event {
                Ok(None) => return None,
                Ok(Some(ControlEvent::Message(ControlMessage::Doorbell))) => {
                    self.answer_doorbell(at);
                    continue;
                }
                Ok(Some(ControlEvent::File)) => continue,
                Ok(Some(ControlEvent::Message(ControlMessage::Bye))) => Presence::Left,
                Ok(Some(ControlEvent::Closed)) => Presence::Gone,
                Ok(Some(ControlEvent::Message(message))) => return Some(message),
                Err(source) => {
                    self.cut_off(at, &source);
                    return None;
                }
            };
            let endpoint = &mut self.endpoints[at as usize];
            if endpoint.presence == Presence::Here {
                endpoint.presence = presence;
                let is_gone = presence == Presence::Gone;
                endpoint.gone = is_gone.then(|| (clock::now(), endpoint.inbox.link.arrivals()));
                self.control.first_departure.get_or_insert_with(clock::now);
                self.sleepers.ring_all();
            }
        }
    }

    /// Cuts off a peer that breaks the protocol. All communicators with it lose it, and the peer is told.
    fn cut_off(&mut self, at: u32, why: &io::Error) {
        let label = self.endpoints[at as usize].label.clone();
        let detail = format!("{label} was cut off: {why}");
        // Another rank may have noticed first, and told this one.
        let is_told = |id: CommId| {
            let comm = self.comms.get(id);
            matches!(&comm.failure, Some(Error::PeerLost { rank, .. }) if comm.rank_of(at) == Some(*rank))
        };
        let (mut is_logged, mut last) = (self.comms.ids().any(is_told), None);
        for id in self.comms.ids() {
            let comm = self.comms.get(id);
            if let Some(rank) = comm.rank_of(at).filter(|_| comm.failure.is_none() && !comm.is_over()) {
                let error = Error::PeerLost { rank, detail: detail.clone() };
                if !std::mem::replace(&mut is_logged, true) {
                    self.log_failure(id, &error);
                }
                let notice = failure::notice(&error, comm.context, comm.rank);
                self.end_all_quietly(id, error.clone(), &notice);
                last = Some(error);
            }
        }
        last.iter().for_each(|error| self.write_dump(error));
        if !is_logged {
            log_line!(Error, "rank {}: {detail}", self.rank);
        }
        let endpoint = &mut self.endpoints[at as usize];
        if let Some(control) = &mut endpoint.control {
            control.cut_off();
        }
        endpoint.presence = Presence::CutOff;
        self.note_departure();
    }

    /// Handles a control message of a peer about a communicator.
    pub(super) fn take_message(&mut self, endpoint: u32, message: ControlMessage) {
        let Some(context) = message.context() else { return };
        if let ControlMessage::Unformed { call, .. } = message {
            return self.take_unformed(endpoint, FormedBy { parent: context, call });
        }
        let is_goodbye = matches!(message, ControlMessage::Left { .. } | ControlMessage::Quit { .. });
        if is_goodbye && context == FIRST_CONTEXT {
            self.endpoints[endpoint as usize].has_left_first = true;
        }
        let id = match self.comms.known(context) {
            Known::Here(id) => id,
            Known::Past => return self.compare_late_message(endpoint, &message),
            Known::Future => {
                if self.control.early.len() < MOST_EARLY_MESSAGES {
                    self.control.early.push((endpoint, message));
                }
                return;
            }
        };
        let comm = self.comms.get_mut(id);
        // A message from a rank that is no member is ignored.
        let Some(rank) = comm.rank_of(endpoint) else { return };
        let member = &mut comm.members[rank as usize];
        match message {
            ControlMessage::Stall { context, sequence, call } if !context::is_of_transfers(context) => {
                member.stall = Some(Stall { sequence, call, is_answered: false });
                comm.stalls_known = true;
            }
            ControlMessage::Left { sent, calls, .. } => {
                // A rank that fails tells of its failure before it leaves.
                comm.peer_has_quit |= calls.is_none() && comm.failure.is_none();
                (member.has_left, member.sent, member.calls) = (true, sent, calls.map(Box::new));
                self.note_departure();
                self.compare_calls(id, rank);
            }
            ControlMessage::Quit { sent, calls, reason, .. } => {
                member.sent = sent;
                self.note_quit(id, rank, calls, reason);
                self.note_departure();
            }
            ControlMessage::Notice { .. } => self.take_notice(id, rank, &message),
            ControlMessage::Agree { .. } => comm.heard.push((rank, message)),
            ControlMessage::Hold { context, from } => {
                let held = &mut self.endpoints[endpoint as usize].held_by_peer;
                held.retain(|(held, _)| *held != context);
                held.push((context, from));
            }
            ControlMessage::Release { context } => {
                self.endpoints[endpoint as usize].held_by_peer.retain(|(held, _)| *held != context);
            }
            ControlMessage::Ended { sequence, sent, .. } => {
                member.ended = Some(EndedCall { sequence, sent });
                comm.ended_known = true;
            }
            ControlMessage::Stall { .. }
            | ControlMessage::Unformed { .. }
            | ControlMessage::Doorbell
            | ControlMessage::Bye => {}
        }
    }

    /// Handles a notice that another rank has noticed a failure.
    fn take_notice(&mut self, id: CommId, sender: Rank, notice: &ControlMessage) {
        if id == CommId::FIRST
            && let Joining::UnderWay(kept) = &mut self.control.joining
        {
            kept.get_or_insert_with(|| (sender, notice.clone()));
            return;
        }
        let ControlMessage::Notice { kind, origin, subject, text, .. } = notice else { return };
        let comm = self.comms.get(id);
        // The number is not trusted: a rank that does not exist is replaced by the sender.
        let origin = if *origin < comm.size() { *origin } else { sender };
        let error = failure::from_notice(*kind, *subject, text, &comm.label(origin, &self.endpoints));
        self.end_all(id, error, notice);
    }

    /// Keeps back the notices of other ranks until `all_have_met`. The ranks join by so many calls, whose
    /// numbers come before that of the first call of the program.
    pub fn begin_joining(&mut self, calls: u32) {
        self.comms.get_mut(CommId::FIRST).collectives.start_at(FIRST_CALL.wrapping_sub(calls));
        self.control.joining = Joining::UnderWay(None);
    }

    /// Handles the notice that was kept back, and from now on all notices at once. It is also called if the
    /// ranks do not meet after all.
    pub fn all_have_met(&mut self) {
        if let Joining::UnderWay(Some((sender, notice))) = std::mem::take(&mut self.control.joining) {
            self.take_notice(CommId::FIRST, sender, &notice);
        }
    }

    /// Fails each communicator in which nothing moves because a rank that a call needs has gone. With
    /// `by_any_member`, the death of any rank of the communicator counts.
    pub(super) fn fail_if_member_departed(&mut self, by_any_member: bool) {
        if self.messaging.comms.iter().any(|id| self.comms.get(*id).conversation.waits_for_any_source()) {
            self.open_departed();
        }
        self.take_in_owed_data();
        self.note_late_data();
        for id in self.comms.ids() {
            if self.departed_rank(id, by_any_member).is_none() {
                continue;
            }
            // The rank may have sent the rest before it went, and it has come since the last look.
            if self.progress_until_changed(|engine| engine.moves_in(id)) {
                continue;
            }
            if let Some((rank, how)) = self.departed_rank(id, by_any_member) {
                // It may have left after another call, before this rank made its own.
                self.compare_calls(id, rank);
                if self.comms.get(id).failure.is_some() {
                    continue;
                }
                let waiting = self.unfinished().find(|a| a.comm == id).map(|active| self.title(active));
                let waiting = waiting.or_else(|| self.is_messaging(id).then(|| self.message_title(id)));
                let during =
                    waiting.map_or(String::new(), |title| format!(" while this rank was in {title}"));
                let who = self.comms.get(id).label(rank, &self.endpoints);
                let error = match self.describe_quit(id, rank) {
                    Some(how) => Error::Aborted(how + &during),
                    None => Error::PeerLost { rank, detail: format!("{who} {how}{during}") },
                };
                self.fail(id, error);
            }
        }
    }

    /// How often something has moved in a communicator. Only differences between two values mean anything.
    fn moves_in(&self, id: CommId) -> u32 {
        let of_calls = self.calls.active.iter().filter(|a| a.comm == id).map(|a| a.moves);
        let of_messages = self.comms.get(id).members.iter().map(|member| member.moves);
        of_calls.chain(of_messages).fold(0, u32::wrapping_add)
    }

    /// Takes in what ranks had sent before they left, also if no call waits for it: behind it there may be
    /// what a call waits for.
    fn take_in_owed_data(&mut self) {
        for id in self.comms.ids() {
            for rank in 0..self.comms.get(id).size() {
                while self.comms.get(id).owes_data(rank, &self.endpoints) {
                    let endpoint = self.comms.get(id).members[rank as usize].endpoint;
                    match self.handle_unmatched(endpoint, true) {
                        Ok(true) => {}
                        Ok(false) => break,
                        Err(Trouble { comm, error }) => {
                            self.fail(comm, error);
                            break;
                        }
                    }
                }
            }
        }
    }

    /// The rank that went away, and how. A rank that has left is missed when its last data has come: its
    /// goodbye may have overtaken that.
    fn departed_rank(&self, id: CommId, by_any_member: bool) -> Option<(Rank, &'static str)> {
        const CUT_OFF: &str = "wrote nonsense and was cut off";
        const LEFT: &str = "has already left the communicator";
        let comm = self.comms.get(id);
        let mut waiting = self.unfinished().filter(|a| a.comm == id).peekable();
        let (calls, talks) = (waiting.peek().is_some(), self.is_messaging(id));
        if comm.failure.is_some() || !calls && !talks && !by_any_member {
            return None;
        }
        // A message concerns only two ranks, so the loss of others does not matter.
        let by_any_member = by_any_member && (calls || !talks);
        let is = |rank: &Rank, presence| comm.presence(*rank, &self.endpoints) == presence;
        let mut needed: Vec<Rank> = self.needed_by_messages(comm).collect();
        for active in waiting {
            let sequence = active.execution.header().sequence;
            let ranks = active.execution.waits_for().filter_map(|(endpoint, _)| comm.rank_of(endpoint));
            needed.extend(ranks.filter(|rank| !comm.has_served(*rank, sequence)));
        }
        let mut anybody = 0..comm.size();
        // Only the links of needed ranks are read, so that the end of others is not seen there.
        let may_come =
            |rank: &Rank| needed.contains(rank) && self.may_have_data(comm.members[*rank as usize].endpoint);
        let is_lost = |rank: &Rank| is(rank, Presence::Gone) && !may_come(rank) || is(rank, Presence::CutOff);
        let lost = needed.iter().copied().find(is_lost);
        let lost = lost.or_else(|| anybody.find(|rank| by_any_member && is_lost(rank)));
        let has_left = |rank: &Rank| is(rank, Presence::Left) && !comm.owes_data(*rank, &self.endpoints);
        let left = needed.into_iter().find(has_left);
        let how = |rank: &Rank| if is(rank, Presence::CutOff) { CUT_OFF } else { GONE };
        lost.map(|rank| (rank, how(&rank))).or(left.map(|rank| (rank, LEFT)))
    }

    /// Whether a communicator has messages under way.
    fn is_messaging(&self, id: CommId) -> bool {
        self.messaging.comms.contains(&id)
    }

    /// The ranks without which some message cannot end. If any rank could send the message, only the loss of
    /// all others counts.
    fn needed_by_messages(&self, comm: &EngineComm) -> impl Iterator<Item = Rank> {
        let others = || (0..comm.size()).filter(|rank| *rank != comm.rank);
        let is_here = |rank: Rank| comm.may_send(rank, &self.endpoints);
        let nobody_left =
            comm.conversation.waits_for_any_source() && comm.size() > 1 && !others().any(is_here);
        others().filter(move |rank| nobody_left || comm.conversation.depends_on(*rank))
    }

    /// Tells all other ranks which calls this rank waits in.
    pub(super) fn announce_stalls(&mut self) {
        for active in self.calls.active.iter().filter(|a| a.outcome.is_none()) {
            let Header { context, sequence, call } = *active.execution.header();
            for member in &self.comms.get(active.comm).members {
                if let Some(control) = &mut self.endpoints[member.endpoint as usize].control {
                    control.send(&ControlMessage::Stall { context, sequence, call });
                }
            }
        }
    }

    /// Fails a communicator if a stalled peer waits in another call than the one that this rank made under
    /// the same number.
    pub(super) fn compare_stalls(&mut self, id: CommId) {
        let comm = self.comms.get(id);
        // Only a peer that is ahead of this rank has to be compared again at the next call.
        let mut is_ahead = false;
        let mut forgotten = Vec::new();
        for (rank, member) in (0..).zip(&comm.members) {
            let Some(stall) = member.stall else { continue };
            match self.judge(id, stall.sequence, stall.call) {
                Verdict::Contradicts(mine) => {
                    let trouble = self.mismatch(id, member.endpoint, stall.sequence, stall.call, mine);
                    self.comms.get_mut(id).stalls_known = false;
                    return self.fail(id, trouble.error);
                }
                Verdict::Future => is_ahead = true,
                Verdict::Forgotten => forgotten.push(rank),
                Verdict::Agrees => {}
            }
        }
        forgotten.into_iter().for_each(|rank| self.answer_stall(id, rank));
        self.comms.get_mut(id).stalls_known = is_ahead;
    }

    /// Whether a rank has gone, in whatever way, from a communicator with an unfinished call, or a link has
    /// ended and the reason is not known.
    pub(super) fn misses_member(&self) -> bool {
        let mut busy =
            self.unfinished().map(|active| active.comm).chain(self.messaging.comms.iter().copied());
        let has_ended_link = self.connected().any(|endpoint| endpoint.link_ended_at.is_some());
        (has_ended_link || self.control.first_departure.is_some())
            && busy.any(|id| has_ended_link || self.comms.get(id).has_absent_member(&self.endpoints))
    }

    /// Sends a goodbye to all peers.
    pub fn say_bye(&mut self) {
        // Ranks that have just connected get one, too.
        self.take_arrivals();
        for control in self.endpoints.iter_mut().filter_map(|p| p.control.as_mut()) {
            control.send(&ControlMessage::Bye);
        }
    }

    /// Whether something that was sent has not come to the host of its receiver.
    pub(super) fn has_undelivered(&mut self) -> bool {
        let own = self.rank as usize;
        self.endpoints.iter_mut().enumerate().any(|(rank, endpoint)| {
            let Some(control) = endpoint.control.as_mut().filter(|control| !control.is_closed()) else {
                return false;
            };
            control.flush();
            // Without the memory of the pair, what was sent there is lost. An arena is of no use any more.
            control.has_unsent()
                || rank > own && control.keeps_first_file()
                || is_undelivered(control.as_raw_fd())
                || endpoint.inbox.link.has_undelivered()
        })
    }

    /// Whether every connected peer has left the first communicator, or is gone. A peer that has left it may
    /// still use others.
    pub fn all_left(&self) -> bool {
        self.endpoints.iter().all(|p| p.control.is_none() || p.has_left_first || p.presence != Presence::Here)
    }
}
