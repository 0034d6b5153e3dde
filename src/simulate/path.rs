//! The critical path: the chain of steps that determined the time. Each step begins when the one before it
//! ended.

use super::run::{Cause, History, Side};
use super::wiring::{WiredMessage, Wiring};
use crate::base::Rank;

/// Kind of a step of the critical path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HopKind {
    /// Local copies and reductions.
    Compute,
    /// A message, until it has left its sender.
    Send,
    /// A message, until its receiver has it.
    Receive,
    /// The work of a receiver on a message that arrived before it was ready.
    Take,
}

/// One step of the critical path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hop {
    /// Kind of the step.
    pub kind: HopKind,
    /// The rank that was delayed.
    pub rank: Rank,
    /// The other end of the message.
    pub peer: Option<Rank>,
    /// Whether both share a host.
    pub within_host: bool,
    /// Lane and round of `rank`.
    pub lane: u32,
    /// See `lane`.
    pub round: u32,
    /// Bytes of the message, or bytes copied and reduced.
    pub bytes: u64,
    /// Seconds since the call began.
    pub begin: f64,
    /// See `begin`.
    pub end: f64,
}

/// Walks back from the last event and returns the path in the order of time.
pub(super) fn trace(wiring: &Wiring, history: &History) -> Vec<Hop> {
    let walk = Walk { wiring, history };
    let (mut cause, mut block) = (history.end.1, 0);
    let mut path = Vec::new();
    while let Some((hop, before, there)) = walk.step(cause, block) {
        path.push(hop);
        (cause, block) = (before, there);
    }
    path.reverse();
    path
}

struct Walk<'a> {
    wiring: &'a Wiring,
    history: &'a History,
}

impl Walk<'_> {
    fn time(&self, cause: Cause) -> f64 {
        match cause {
            Cause::Begin => 0.0,
            Cause::Computed(round) => self.history.visits[round as usize].computed,
            Cause::Sent(message) => self.history.trips[message as usize].sent,
            Cause::Received(message) => self.history.trips[message as usize].received,
            Cause::Reached(message) => self.history.trips[message as usize].reached,
        }
    }

    /// The step that ended with `cause` on a rank of `block`, the cause of that step, and the block where
    /// that happened.
    fn step(&self, cause: Cause, block: u32) -> Option<(Hop, Cause, u32)> {
        let fold = &self.wiring.fold;
        let (kind, message) = match cause {
            Cause::Begin => return None,
            Cause::Computed(round) => {
                let before = self.history.visits[round as usize].entered;
                return Some((self.computation(round, block, before), before, block));
            }
            Cause::Sent(message) => (HopKind::Send, message),
            Cause::Reached(message) | Cause::Received(message) => (HopKind::Receive, message),
        };
        let WiredMessage { from, to, offset, .. } = self.wiring.messages[message as usize];
        let at_sender = kind == HopKind::Send;
        let (sender, receiver) = match at_sender {
            true => (block, fold.moved(block, offset)),
            false => (fold.moved(block, fold.inverse(offset)), block),
        };
        let trip = &self.history.trips[message as usize];
        let late = trip.late_take.filter(|_| matches!(cause, Cause::Received(_)));
        let (kind, before, there) = match (late, trip.start) {
            (Some(late), _) => (HopKind::Take, late, receiver),
            (None, (start, Side::Sender)) => (kind, start, sender),
            (None, (start, Side::Receiver)) => (kind, start, receiver),
        };
        let (from, to) = (sender * fold.block + from, receiver * fold.block + to);
        let (rank, peer) = if at_sender { (from, to) } else { (to, from) };
        let hop = self.transfer(kind, message, (rank, peer), [before, cause]);
        Some((hop, before, there))
    }

    fn computation(&self, round: u32, block: u32, before: Cause) -> Hop {
        let visited = &self.wiring.rounds[round as usize];
        Hop {
            kind: HopKind::Compute,
            rank: block * self.wiring.fold.block + visited.rank,
            peer: None,
            within_host: true,
            lane: visited.lane,
            round: visited.number,
            bytes: visited.copied + visited.reduced,
            begin: self.time(before),
            end: self.time(Cause::Computed(round)),
        }
    }

    fn transfer(
        &self,
        kind: HopKind,
        message: u32,
        (rank, peer): (Rank, Rank),
        [before, cause]: [Cause; 2],
    ) -> Hop {
        let WiredMessage { sent_in, received_in, within_host, bytes, .. } =
            self.wiring.messages[message as usize];
        let round = if kind == HopKind::Send { sent_in } else { received_in };
        let visited = &self.wiring.rounds[round as usize];
        Hop {
            kind,
            rank,
            peer: Some(peer),
            within_host,
            lane: visited.lane,
            round: visited.number,
            bytes,
            begin: self.time(before),
            end: self.time(cause),
        }
    }
}
