//! How the ranks of a communicator part: each tells the others which calls it has made, and they compare.
//!
//! 1. `part` compares what has come and was not received, and what others have told, with the calls of this rank. Then it tells the
//!    others.
//! 2. What others tell later is compared when it comes: by [`Driver::part`], which waits for it where the ranks leave together;
//!    after that by `hear_of_past`, which knows the calls of communicators that not all ranks have left.
//!
//! A disagreement fails the communicator, if it is still there. Whoever ends it gets that failure, unless a call has returned it
//! before. What comes later is the answer to the end of the first communicator, or of one that outlives it.
//!
//! Nobody waits for a rank that has not begun to leave, but in the first communicator, which all ranks leave together. And a rank
//! that leaves while another one waits for it in a call has not made another call: it is lost to the one that waits.
//!
//! See docs/adr/0033-calls-are-compared-at-the-end.md.

use std::time::{Duration, Instant};

use parking_lot::MutexGuard;

use super::context::GroupId;
use super::disagreement::{Difference, History, Verdict, describe};
use super::engine::Engine;
use super::wait::Driver;
use crate::base::{Error, Rank, Result};
use crate::log_line;
use crate::transport::control::Message;
use crate::transport::{Header, failure};

/// Most communicators of the past whose calls are remembered because not all ranks have left them.
const MOST_PARTED: usize = 256;
/// Longest time between two looks: another thread may have read what this one waits for.
const LOOK_TIME: Duration = Duration::from_millis(20);

/// A communicator that this rank has left before others.
pub(super) struct Parted {
    context: u32,
    name: String,
    rank: Rank,
    calls: History,
    /// Ports and ranks of those that have not left.
    missing: Vec<(u32, Rank)>,
}

impl Driver {
    /// Leaves a communicator: this rank makes no more calls in it. With `patience`, waits so long until the others leave, too, or
    /// are gone. An error: the ranks have made different calls, and no call of this rank has said so.
    pub fn part(&self, id: GroupId, patience: Option<Duration>) -> Result<()> {
        let mut engine = self.lock();
        engine.part(id);
        let end = patience.map(|patience| Instant::now() + patience);
        while let Some(end) = end {
            engine.read_control();
            let group = engine.groups.get(id);
            if group.failure.is_some() || engine.all_left() || Instant::now() >= end {
                break;
            }
            let mut set = self.poll_set(&engine);
            MutexGuard::unlocked(&mut engine, || {
                // An error (out of memory) only makes this look again.
                let _ = set.wait(Some(end.min(Instant::now() + LOOK_TIME)));
            });
        }
        let untold = engine.take_untold(id);
        let is_last_chance = id == GroupId::FIRST || engine.groups.find(GroupId::FIRST).is_none();
        let late = if is_last_chance { engine.late.take() } else { None };
        if engine.remove_group(id) {
            engine.say_bye();
        }
        untold.or(late).map_or(Ok(()), Err)
    }
}

impl Engine {
    /// This rank makes no more calls in a communicator, and tells the others which it has made.
    pub(super) fn part(&mut self, id: GroupId) {
        if self.groups.get(id).has_parted {
            return;
        }
        self.read_control();
        self.groups.get_mut(id).has_parted = true;
        for rank in 0..self.groups.get(id).size() {
            self.compare_stray(id, rank);
            self.compare_calls(id, rank);
        }
        let group = self.groups.get(id);
        let is_whole = group.failure.is_none() && !group.is_quit();
        let calls = is_whole.then(|| group.collectives.record());
        let left = Message::Left { context: group.context, calls };
        for member in &group.members {
            if let Some(control) = &mut self.ports[member.port as usize].control {
                control.send(&left);
            }
        }
    }

    /// Keeps the calls of a communicator that is being removed until all ranks have left it.
    pub(super) fn remember_calls(&mut self, id: GroupId) {
        let group = self.groups.get_mut(id);
        if group.failure.is_some() || group.is_quit() || group.is_deserted(&self.ports) {
            return;
        }
        let stays = |rank: &Rank| *rank != group.rank && !group.members[*rank as usize].has_left;
        let missing = (0..group.size()).filter(stays).map(|rank| (group.members[rank as usize].port, rank));
        let parted = Parted {
            context: group.context,
            name: group.name.clone(),
            rank: group.rank,
            missing: missing.collect(),
            calls: std::mem::take(&mut group.collectives),
        };
        if self.parted.len() == MOST_PARTED {
            self.parted.remove(0);
        }
        self.parted.push(parted);
    }

    /// The failure of a communicator that no call of this rank has returned, if it is a disagreement.
    pub(super) fn take_untold(&mut self, id: GroupId) -> Option<Error> {
        let group = self.groups.get_mut(id);
        let is_untold = std::mem::take(&mut group.is_untold);
        group.failure.clone().filter(|_| is_untold)
    }

    /// Fails a communicator that this rank leaves if a rank has sent something that contradicts a call of this one.
    fn compare_stray(&mut self, id: GroupId, rank: Rank) {
        let group = self.groups.get(id);
        let port = group.members[rank as usize].port;
        let inbox = &mut self.ports[port as usize].inbox;
        let stashed = inbox.first_stashed(group.context).map(|(_, header)| header);
        // A link that is broken matters to nobody who leaves.
        let head = inbox.link.head().ok().flatten().filter(|head| head.context == group.context);
        let Some(Header { sequence: number, call: theirs, .. }) = stashed.or(head) else { return };
        if let Some(difference) = contradiction(&group.collectives, number, theirs) {
            let error = differ(&group.name, group.rank, rank, &difference);
            self.fail(id, error);
        }
    }

    /// Fails a communicator if a rank that has left it has made other calls.
    pub(super) fn compare_calls(&mut self, id: GroupId, rank: Rank) {
        let group = self.groups.get(id);
        let calls = group.members[rank as usize].calls.as_ref().filter(|_| !group.is_quit());
        let Some(calls) = calls else { return };
        if let Some(difference) = group.collectives.difference(calls, group.has_parted) {
            let error = differ(&group.name, group.rank, rank, &difference);
            self.fail(id, error);
        }
    }

    /// What a rank says of a communicator that this one has left.
    pub(super) fn hear_of_past(&mut self, port: u32, message: &Message) {
        let (Message::Left { context, .. }
        | Message::Quit { context, .. }
        | Message::Stall { context, .. }
        | Message::Notice { context, .. }) = message
        else {
            return;
        };
        let Some(at) = self.parted.iter().position(|parted| parted.context == *context) else { return };
        let parted = &self.parted[at];
        let Some(&(_, rank)) = parted.missing.iter().find(|missing| missing.0 == port) else { return };
        let differ = |difference| differ(&parted.name, parted.rank, rank, &difference);
        let error = match message {
            Message::Left { calls, .. } => {
                calls.as_ref().and_then(|calls| parted.calls.difference(calls, true)).map(differ)
            }
            // It waits in a call.
            Message::Stall { sequence: number, call, .. } => {
                contradiction(&parted.calls, *number, *call).map(differ)
            }
            // It has noticed a disagreement itself.
            Message::Notice { kind, subject, text, .. } => {
                let label = &self.ports[port as usize].label;
                Some(failure::from_notice(*kind, *subject, text, label))
                    .filter(|error| matches!(error, Error::Mismatch(_)))
            }
            _ => None,
        };
        if let Some(error) = error
            && self.late.is_none()
        {
            log_line!(Error, "rank {} of \"{}\", which it has left: {error}", parted.rank, parted.name);
            self.late = Some(error);
        }
        let parted = &mut self.parted[at];
        if matches!(message, Message::Left { .. } | Message::Quit { .. }) {
            parted.missing.retain(|missing| missing.0 != port);
        }
        if parted.missing.is_empty() {
            self.parted.remove(at);
        }
    }
}

/// How a call of a peer contradicts the one made here under the same number.
fn contradiction(calls: &History, number: u32, theirs: [u64; 2]) -> Option<Difference> {
    match calls.judge(number, theirs) {
        Verdict::Contradicts(mine) => Some(Difference::Call { number, mine, theirs }),
        // It waits for a call that this rank has not made: it is told that this one has left.
        Verdict::Future | Verdict::Agrees | Verdict::Forgotten => None,
    }
}

/// The calls of this rank, `own`, and of `peer` in words.
fn differ(name: &str, own: Rank, peer: Rank, difference: &Difference) -> Error {
    let called = |rank: Rank, call: [u64; 2]| format!("rank {rank} called {}", describe(call));
    Error::Mismatch(match difference {
        Difference::Call { number, mine, theirs } => format!(
            "the ranks disagree in call #{number} of \"{name}\": rank {own} called {mine}, {}",
            called(peer, *theirs)
        ),
        Difference::OnlyTheirs { number, theirs } => format!(
            "the ranks disagree in call #{number} of \"{name}\": {}, rank {own} has left without that call",
            called(peer, *theirs)
        ),
        Difference::OnlyMine { number, mine } => format!(
            "the ranks disagree in call #{number} of \"{name}\": {}, rank {peer} has left without that call",
            called(own, *mine)
        ),
        Difference::Forgotten => format!(
            "the ranks disagree in \"{name}\": rank {own} and rank {peer} have made different calls, so long ago that they \
             are not remembered"
        ),
    })
}
