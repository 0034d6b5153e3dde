//! What the ranks tell each other beside the data: stalls, failures, goodbyes, and that somebody is gone.

use std::io;
use std::time::Instant;

use super::context::{self, Group, GroupId, Known, Stall};
use super::disagreement::Verdict;
use super::engine::{Engine, Joining};
use crate::base::{Error, Rank};
use crate::endpoint::Presence;
use crate::log_line;
use crate::sys::poll::{Interest, PollSet, Token};
use crate::transport::control::{Control, Event, Message};
use crate::transport::{FIRST_CONTEXT, Header, failure};

/// Most messages that are kept for communicators which this rank has not made yet. A peer is at most a few calls ahead.
const MOST_EARLY: usize = 4096;

impl Engine {
    /// Reads what the peers have to say. Call it when nothing moves.
    pub(super) fn read_control(&mut self) {
        self.heard_at = Instant::now();
        self.find_ended_processes();
        for port in 0..self.ports.len() as u32 {
            self.ports[port as usize].unheard = 0;
            while let Some(message) = self.next_message(port) {
                self.take_message(port, message);
            }
        }
        for group in self.groups.ids() {
            if self.groups.get(group).stalls_known {
                self.compare_stalls(group);
            }
            self.look_for_quitters(group);
        }
    }

    /// Looks at the processes of all peers at once, before their last words are read.
    fn find_ended_processes(&mut self) {
        let mut set = PollSet::new();
        let controls = self.ports.iter_mut().filter_map(|port| port.control.as_mut());
        let watched: Vec<(&mut Control, Token)> = controls
            .filter_map(|control| {
                let token = set.add(control.process()?, Interest::Read);
                Some((control, token))
            })
            .collect();
        // An error (out of memory) only makes this look again.
        if watched.is_empty() || set.look().is_err() {
            return;
        }
        for (control, token) in watched {
            if set.ready(token) {
                control.note_end();
            }
        }
    }

    fn note_departure(&mut self) {
        self.departure.get_or_insert_with(Instant::now);
        self.has_news = true;
    }

    /// The next message of a peer about a communicator, if there is one.
    fn next_message(&mut self, at: u32) -> Option<Message> {
        let port = &mut self.ports[at as usize];
        let control = port.control.as_mut()?;
        control.flush();
        loop {
            let presence = match control.next_event() {
                Ok(None) => return None,
                Ok(Some(Event::Message(Message::Bell))) => continue,
                Ok(Some(Event::Message(Message::Bye))) => Presence::Left,
                Ok(Some(Event::Closed)) => Presence::Gone,
                Ok(Some(Event::Message(message))) => return Some(message),
                Err(source) => {
                    self.cut_off(at, &source);
                    return None;
                }
            };
            if port.presence == Presence::Here {
                port.presence = presence;
                self.departure.get_or_insert_with(Instant::now);
                self.has_news = true;
            }
        }
    }

    /// A peer does not keep to the rules: it is lost to all communicators with it, and told so.
    fn cut_off(&mut self, at: u32, why: &io::Error) {
        let label = self.ports[at as usize].label.clone();
        let detail = format!("{label} was cut off: {why}");
        // Another rank may have seen it first, and have told this one.
        let is_told = |id: GroupId| {
            let group = self.groups.get(id);
            matches!(&group.failure, Some(Error::PeerLost { rank, .. }) if group.rank_of(at) == Some(*rank))
        };
        let mut is_logged = self.groups.ids().any(is_told);
        for id in self.groups.ids() {
            let group = self.groups.get(id);
            if let Some(rank) = group.rank_of(at).filter(|_| group.failure.is_none() && !group.is_over()) {
                let error = Error::PeerLost { rank, detail: detail.clone() };
                if !std::mem::replace(&mut is_logged, true) {
                    self.log_failure(id, &error);
                }
                let notice = failure::notice(&error, group.context, group.rank);
                self.end_all_quietly(id, error, &notice);
            }
        }
        if !is_logged {
            log_line!(Error, "rank {}: {detail}", self.rank);
        }
        let port = &mut self.ports[at as usize];
        if let Some(control) = &mut port.control {
            control.cut_off();
        }
        port.presence = Presence::CutOff;
        self.note_departure();
    }

    /// Something that a peer says about a communicator.
    pub(super) fn take_message(&mut self, port: u32, message: Message) {
        let context = match message {
            Message::Stall { context, .. }
            | Message::Notice { context, .. }
            | Message::Left { context, .. }
            | Message::Quit { context, .. }
            | Message::Hold { context, .. }
            | Message::Release { context }
            | Message::Agree { context, .. } => context,
            Message::Bell | Message::Bye => return,
        };
        let is_goodbye = matches!(message, Message::Left { .. } | Message::Quit { .. });
        if is_goodbye && context == FIRST_CONTEXT {
            self.ports[port as usize].has_parted = true;
        }
        let id = match self.groups.known(context) {
            Known::Here(id) => id,
            Known::Past => return self.hear_of_past(port, &message),
            Known::Future => {
                if self.early.len() < MOST_EARLY {
                    self.early.push((port, message));
                }
                return;
            }
        };
        let group = self.groups.get_mut(id);
        // From a rank that is no member, it is nonsense.
        let Some(rank) = group.rank_of(port) else { return };
        let member = &mut group.members[rank as usize];
        match message {
            Message::Stall { context, sequence, call } if !context::is_of_transfers(context) => {
                member.stall = Some(Stall { sequence, call });
                group.stalls_known = true;
            }
            Message::Left { calls, .. } => {
                (member.has_left, member.calls) = (true, calls);
                self.note_departure();
                self.compare_calls(id, rank);
            }
            Message::Quit { calls, reason, .. } => {
                self.take_quit(id, rank, calls, reason);
                self.note_departure();
            }
            Message::Notice { .. } => self.take_notice(id, rank, &message),
            Message::Agree { .. } => group.heard.push((rank, message)),
            Message::Hold { context, from } => {
                let held = &mut self.ports[port as usize].held;
                held.retain(|(held, _)| *held != context);
                held.push((context, from));
            }
            Message::Release { context } => {
                self.ports[port as usize].held.retain(|(held, _)| *held != context);
            }
            Message::Stall { .. } | Message::Bell | Message::Bye => {}
        }
    }

    /// Another rank has noticed a failure.
    fn take_notice(&mut self, id: GroupId, sender: Rank, notice: &Message) {
        if id == GroupId::FIRST
            && let Joining::UnderWay(kept) = &mut self.joining
        {
            kept.get_or_insert_with(|| (sender, notice.clone()));
            return;
        }
        let Message::Notice { kind, origin, subject, text, .. } = notice else { return };
        let group = self.groups.get(id);
        // The number is foreign: a rank that does not exist is taken for the sender.
        let origin = if *origin < group.size() { *origin } else { sender };
        let error = failure::from_notice(*kind, *subject, text, &group.label(origin, &self.ports));
        self.end_all(id, error, notice);
    }

    /// Until `all_have_met`, what others have noticed does not count.
    pub fn begin_joining(&mut self) {
        self.joining = Joining::UnderWay(None);
    }

    /// From now on it does, and what was kept back too. Also if the ranks do not meet after all.
    pub fn all_have_met(&mut self) {
        if let Joining::UnderWay(Some((sender, notice))) = std::mem::take(&mut self.joining) {
            self.take_notice(GroupId::FIRST, sender, &notice);
        }
    }

    /// Nothing moves any more: fails each communicator where that is because somebody went away for whom a call of this
    /// rank waits, or, `by_anybody`, because one of its ranks died at all.
    pub(super) fn fail_if_deserted(&mut self, by_anybody: bool) {
        for id in self.groups.ids() {
            if let Some((rank, how)) = self.deserter(id, by_anybody) {
                let waiting = self.unfinished().find(|a| a.group == id).map(|active| self.title(active));
                let waiting = waiting.or_else(|| self.talks(id).then(|| self.message_title(id)));
                let during =
                    waiting.map_or(String::new(), |title| format!(" while this rank was in {title}"));
                let who = self.groups.get(id).label(rank, &self.ports);
                let error = match self.how_it_quit(id, rank) {
                    Some(how) => Error::Aborted(how + &during),
                    None => Error::PeerLost { rank, detail: format!("{who} {how}{during}") },
                };
                self.fail(id, error);
            }
        }
    }

    /// Who went away, and how.
    fn deserter(&self, id: GroupId, by_anybody: bool) -> Option<(Rank, &'static str)> {
        const GONE: &str = "was killed, crashed or ended without finalizing";
        const CUT_OFF: &str = "wrote nonsense and was cut off";
        const LEFT: &str = "has already left the communicator";
        let group = self.groups.get(id);
        let mut waiting = self.unfinished().filter(|a| a.group == id).peekable();
        let (calls, talks) = (waiting.peek().is_some(), self.talks(id));
        if group.failure.is_some() || !calls && !talks && !by_anybody {
            return None;
        }
        // A message is the matter of two ranks, whatever becomes of others.
        let by_anybody = by_anybody && (calls || !talks);
        let is = |rank: &Rank, presence| group.presence(*rank, &self.ports) == presence;
        let mut awaited: Vec<Rank> = self.awaited_alone(group).collect();
        for active in waiting {
            let sequence = active.execution.header().sequence;
            let ranks = active.execution.waits_for().filter_map(|(port, _)| group.rank_of(port));
            awaited.extend(ranks.filter(|rank| !group.has_served(*rank, sequence)));
        }
        let mut anybody = 0..group.size();
        let is_lost = |rank: &Rank| is(rank, Presence::Gone) || is(rank, Presence::CutOff);
        let lost = awaited.iter().copied().find(is_lost);
        let lost = lost.or_else(|| anybody.find(|rank| by_anybody && is_lost(rank)));
        let left = awaited.into_iter().find(|rank| is(rank, Presence::Left));
        let how = |rank: &Rank| if is(rank, Presence::CutOff) { CUT_OFF } else { GONE };
        lost.map(|rank| (rank, how(&rank))).or(left.map(|rank| (rank, LEFT)))
    }

    /// Whether messages are under way.
    fn talks(&self, id: GroupId) -> bool {
        self.talking.contains(&id)
    }

    /// The ranks without which some message cannot end. Where any could send it, all of them are needed to be
    /// missed.
    fn awaited_alone(&self, group: &Group) -> impl Iterator<Item = Rank> {
        let others = || (0..group.size()).filter(|rank| *rank != group.rank);
        let is_here = |rank: Rank| group.presence(rank, &self.ports) == Presence::Here;
        let nobody_left =
            group.conversation.waits_for_anybody() && group.size() > 1 && !others().any(is_here);
        others().filter(move |rank| nobody_left || group.conversation.depends_on(*rank))
    }

    /// Tells everybody what this rank waits for.
    pub(super) fn announce_stalls(&mut self) {
        for active in self.actives.iter().filter(|a| a.outcome.is_none()) {
            let Header { context, sequence, call } = *active.execution.header();
            for member in &self.groups.get(active.group).members {
                if let Some(control) = &mut self.ports[member.port as usize].control {
                    control.send(&Message::Stall { context, sequence, call });
                }
            }
        }
    }

    /// Fails if a stalled peer waits in another call than the one made here under the same number.
    pub(super) fn compare_stalls(&mut self, id: GroupId) {
        let group = self.groups.get(id);
        // Only a peer that is ahead of this rank needs another look at the next call.
        let mut is_ahead = false;
        for member in &group.members {
            let Some(stall) = member.stall else { continue };
            match group.collectives.judge(stall.sequence, stall.call) {
                Verdict::Contradicts(mine) => {
                    let trouble = self.mismatch(id, member.port, stall.sequence, stall.call, mine);
                    self.groups.get_mut(id).stalls_known = false;
                    return self.fail(id, trouble.error);
                }
                Verdict::Future => is_ahead = true,
                Verdict::Agrees | Verdict::Forgotten => {}
            }
        }
        self.groups.get_mut(id).stalls_known = is_ahead;
    }

    /// Whether somebody went away, in whatever manner, from a communicator with an unfinished call.
    pub(super) fn somebody_went(&self) -> bool {
        let mut busy = self.unfinished().map(|active| active.group).chain(self.talking.iter().copied());
        self.departure.is_some() && busy.any(|id| self.groups.get(id).misses_somebody(&self.ports))
    }

    /// Says goodbye to everybody.
    pub fn say_bye(&mut self) {
        for control in self.ports.iter_mut().filter_map(|p| p.control.as_mut()) {
            control.send(&Message::Bye);
        }
    }

    /// Whether everybody has parted from the first communicator, or is gone. Who has may still use others, for as long as
    /// it likes.
    pub fn all_left(&self) -> bool {
        self.ports.iter().all(|p| p.control.is_none() || p.has_parted || p.presence != Presence::Here)
    }
}
