//! The final check: ranks that leave a communicator tell each other which calls they have made, and compare
//! them.
//!
//! 1. [`Engine::leave`] compares the calls of this rank with messages that have come and were not received,
//!    and with the records of other ranks. Then it tells the others.
//! 2. Later records of others are compared when they come. [`Driver::leave`] waits for them if the ranks
//!    leave together. After that, `compare_late_message` compares them; it keeps the calls of communicators
//!    that not all ranks have left.
//!
//! A disagreement fails the communicator, if it still exists. The caller that ends the communicator gets that
//! failure, unless a call has returned it before. A disagreement that is found later is returned at the end
//! of the first communicator, or of one that outlives it.
//!
//! A rank waits for ranks that have not begun to leave only in the first communicator, which all ranks leave
//! together. A rank that leaves while another one waits for it in a call has not made another call: the
//! waiting rank has lost it.
//!
//! Ranks that are not connected do not compare their calls.
//!
//! Decision: docs/adr/0033-calls-are-compared-at-the-end.md.

use std::time::Duration;

use super::context::CommId;
use super::disagreement::{Difference, History, Verdict, describe};
use super::engine::Engine;
use super::left_comms::LeftComm;
use super::wait::Driver;
use crate::base::{Error, Rank, Result};
use crate::log_line;
use crate::sys::clock;
use crate::transport::control::ControlMessage;
use crate::transport::{Header, failure};

/// Most communicators of the past whose calls are kept because not all ranks have left them.
const MOST_LEFT_COMMS: usize = 256;

impl Driver {
    /// Leaves a communicator: this rank makes no more calls in it. With `patience`, waits that long until the
    /// others have left as well or are gone. An error says that the ranks have made different calls, or why
    /// calls on streams have ended, if no call of this rank has said so.
    pub fn leave(&self, id: CommId, patience: Option<Duration>) -> Result<()> {
        let mut engine = self.lock();
        engine.leave(id);
        let end = patience.map(|patience| clock::now() + patience);
        while let Some(end) = end {
            engine.read_control();
            let comm = engine.comms.get(id);
            if comm.failure.is_some() || engine.all_left() || clock::now() >= end {
                break;
            }
            self.look_later(&mut engine, Some(end));
        }
        let unreported = engine.take_unreported(id);
        let is_last_chance = id == CommId::FIRST || engine.comms.find(CommId::FIRST).is_none();
        let late = if is_last_chance { engine.left.mismatch.take() } else { None };
        if engine.remove_comm(id) {
            engine.say_bye();
        }
        unreported.or(late).map_or(Ok(()), Err)
    }
}

impl Engine {
    /// Leaves a communicator: this rank makes no more calls in it, and tells the others which it has made.
    pub(super) fn leave(&mut self, id: CommId) {
        if self.comms.get(id).has_announced_leave {
            return;
        }
        self.read_control();
        self.comms.get_mut(id).has_announced_leave = true;
        for rank in 0..self.comms.get(id).size() {
            self.compare_unmatched(id, rank);
            self.compare_calls(id, rank);
        }
        let comm = self.comms.get(id);
        let is_whole = comm.failure.is_none() && !comm.is_quit();
        let (context, calls) = (comm.context, is_whole.then(|| comm.collectives.record()));
        self.tell_members(id, |sent| ControlMessage::Left { context, sent, calls: calls.clone() });
    }

    /// Keeps the calls of a communicator that is being removed, until all ranks have left it.
    pub(super) fn remember_calls(&mut self, id: CommId) {
        let comm = self.comms.get_mut(id);
        if comm.failure.is_some() || comm.is_quit() || comm.is_alone(&self.endpoints) {
            return;
        }
        let stays = |rank: &Rank| {
            let member = &comm.members[*rank as usize];
            // Those with whom a rank is connected compare their calls with its own.
            let is_connected = !self.endpoints[member.endpoint as usize].is_unconnected();
            *rank != comm.rank && !member.has_left && is_connected
        };
        let missing = (0..comm.size()).filter(stays).map(|rank| (comm.members[rank as usize].endpoint, rank));
        let missing: Vec<(u32, Rank)> = missing.collect();
        if missing.is_empty() {
            return;
        }
        let left = LeftComm {
            context: comm.context,
            name: comm.name.clone(),
            rank: comm.rank,
            missing,
            calls: std::mem::take(&mut comm.collectives),
        };
        if self.left.comms.len() == MOST_LEFT_COMMS {
            self.left.comms.remove(0);
        }
        self.left.comms.push(left);
    }

    /// The failure of a communicator, if the end of the communicator has to return it.
    pub(super) fn take_unreported(&mut self, id: CommId) -> Option<Error> {
        let comm = self.comms.get_mut(id);
        let is_unreported = std::mem::take(&mut comm.is_unreported);
        comm.failure.clone().filter(|_| is_unreported)
    }

    /// Fails a communicator that this rank leaves, if a rank has sent something that contradicts a call of
    /// this rank.
    fn compare_unmatched(&mut self, id: CommId, rank: Rank) {
        let comm = self.comms.get(id);
        let endpoint = comm.members[rank as usize].endpoint;
        let inbox = &mut self.endpoints[endpoint as usize].inbox;
        let stashed = inbox.first_stashed(comm.context).map(|(_, header)| header);
        // A broken link does not matter to a rank that leaves.
        let head = inbox.link.head().ok().flatten().filter(|head| head.context == comm.context);
        let Some(Header { sequence: number, call: theirs, .. }) = stashed.or(head) else { return };
        if let Some(difference) = contradiction(&comm.collectives, number, theirs) {
            let error = differ(&comm.name, comm.rank, rank, &difference);
            self.fail(id, error);
        }
    }

    /// Fails a communicator if a rank that has left it has made other calls.
    pub(super) fn compare_calls(&mut self, id: CommId, rank: Rank) {
        let comm = self.comms.get(id);
        let calls = comm.members[rank as usize].calls.as_deref().filter(|_| !comm.is_quit());
        let Some(calls) = calls else { return };
        if let Some(difference) = comm.collectives.difference(calls, comm.has_announced_leave) {
            let error = differ(&comm.name, comm.rank, rank, &difference);
            self.fail(id, error);
        }
    }

    /// Handles a control message about a communicator that this rank has left.
    pub(super) fn compare_late_message(&mut self, endpoint: u32, message: &ControlMessage) {
        let (ControlMessage::Left { context, .. }
        | ControlMessage::Quit { context, .. }
        | ControlMessage::Stall { context, .. }
        | ControlMessage::Notice { context, .. }) = message
        else {
            return;
        };
        let Some(at) = self.left.comms.iter().position(|left| left.context == *context) else { return };
        let left = &self.left.comms[at];
        let Some(&(_, rank)) = left.missing.iter().find(|missing| missing.0 == endpoint) else { return };
        let differ = |difference| differ(&left.name, left.rank, rank, &difference);
        let error = match message {
            ControlMessage::Left { calls, .. } => {
                calls.as_ref().and_then(|calls| left.calls.difference(calls, true)).map(differ)
            }
            // The rank waits in a call.
            ControlMessage::Stall { sequence: number, call, .. } => {
                contradiction(&left.calls, *number, *call).map(differ)
            }
            // The rank has noticed a disagreement itself.
            ControlMessage::Notice { kind, subject, text, .. } => {
                let label = &self.endpoints[endpoint as usize].label;
                Some(failure::from_notice(*kind, *subject, text, label))
                    .filter(|error| matches!(error, Error::Mismatch(_)))
            }
            _ => None,
        };
        if let Some(error) = error
            && self.left.mismatch.is_none()
        {
            log_line!(Error, "rank {} of \"{}\", which it has left: {error}", left.rank, left.name);
            self.left.mismatch = Some(error);
        }
        let left = &mut self.left.comms[at];
        if matches!(message, ControlMessage::Left { .. } | ControlMessage::Quit { .. }) {
            left.missing.retain(|missing| missing.0 != endpoint);
        }
        if left.missing.is_empty() {
            self.left.comms.remove(at);
        }
    }
}

/// How a call of a peer contradicts the one made here under the same number.
fn contradiction(calls: &History, number: u32, theirs: [u64; 2]) -> Option<Difference> {
    match calls.judge(number, theirs) {
        Verdict::Contradicts(mine) => Some(Difference::Call { number, mine, theirs }),
        // The peer waits in a call that this rank has not made. It learns that this rank has left.
        Verdict::Future | Verdict::Agrees | Verdict::Forgotten => None,
    }
}

/// The error that says how the calls of this rank, `own`, differ from those of `peer`.
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
            "the ranks disagree in \"{name}\": rank {own} and rank {peer} have made different calls, too long ago \
             to be remembered"
        ),
    })
}
