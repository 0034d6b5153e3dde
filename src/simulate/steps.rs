//! The messages of a call in logical time, for pictures.
//!
//! Every message takes one step, whatever its length. A message goes in the first step in which its round is
//! open at the sender and the previous message of its queue has gone. A round is over when its last message
//! has gone, which needs both ends to have reached that message's round.

use super::limits::{Limits, Skipped};
use super::symmetry::Fold;
use super::wiring::{WiredMessage, Wiring};
use crate::algo::Algorithm;
use crate::base::Rank;
use crate::plan::{PlanRequest, Span};

/// One message in logical time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrow {
    /// Step in which the message goes, from 0.
    pub step: u32,
    /// Sender.
    pub from: Rank,
    /// Receiver.
    pub to: Rank,
    /// Lane and round of the sender.
    pub lane: u32,
    /// See `lane`.
    pub round: u32,
    /// The elements that are sent, in the sender's memory.
    pub span: Span,
    /// Whether the receiver reduces the message while it arrives.
    pub reduces: bool,
    /// Whether both ranks are on one host.
    pub within_host: bool,
}

/// All messages of a call, in the order of their steps.
pub fn steps(algorithm: &Algorithm, request: &PlanRequest, limits: &Limits) -> Result<Vec<Arrow>, Skipped> {
    let wiring = Wiring::of(algorithm, request, Fold::none(request), limits.messages)?;
    let steps = Walk::new(&wiring).run().ok_or(Skipped::Stuck)?;
    let arrow = |(&step, message): (&u32, &WiredMessage)| {
        let round = &wiring.rounds[message.sent_in as usize];
        Arrow {
            step,
            from: message.from,
            to: message.to,
            lane: round.lane,
            round: round.number,
            span: message.span,
            reduces: message.reduces,
            within_host: message.within_host,
        }
    };
    let mut arrows: Vec<Arrow> = steps.iter().zip(&wiring.messages).map(arrow).collect();
    arrows.sort_by_key(|arrow| (arrow.step, arrow.from, arrow.to));
    Ok(arrows)
}

/// Walks through messages and rounds, each after everything on which it depends.
struct Walk<'a> {
    wiring: &'a Wiring,
    /// For each message, the first step in which it may go, and the number of things for which it still
    /// waits: rounds at both ends, and the previous message.
    messages: Vec<(u32, u8)>,
    /// For each round, the first step in which it may be over, and its number of open transfers.
    rounds: Vec<(u32, u32)>,
    ready: Vec<u32>,
}

impl<'a> Walk<'a> {
    fn new(wiring: &'a Wiring) -> Walk<'a> {
        Walk {
            wiring,
            messages: wiring.messages.iter().map(|message| (0, 2 + u8::from(message.follows))).collect(),
            rounds: wiring.rounds.iter().map(|round| (0, round.transfers)).collect(),
            ready: Vec::new(),
        }
    }

    /// The step of each message; `None` if some can never go.
    fn run(mut self) -> Option<Vec<u32>> {
        for &round in &self.wiring.lanes {
            self.open(round, 0);
        }
        while let Some(message) = self.ready.pop() {
            let after = self.messages[message as usize].0 + 1;
            let WiredMessage { sent_in, received_in, next, .. } = self.wiring.messages[message as usize];
            if let Some(next) = next {
                self.allow(next, after);
            }
            self.transferred(sent_in, after);
            self.transferred(received_in, after);
        }
        let all_gone = self.messages.iter().all(|&(_, waits)| waits == 0);
        all_gone.then(|| self.messages.iter().map(|&(step, _)| step).collect())
    }

    /// Opens a round, and those after it while they have no transfers.
    fn open(&mut self, mut round: u32, step: u32) {
        let wiring = self.wiring;
        while wiring.rounds[round as usize].transfers == 0 {
            if wiring.rounds[round as usize].is_last {
                return;
            }
            round += 1;
        }
        for &message in wiring.sent.of(round).iter().chain(wiring.received.of(round)) {
            self.allow(message, step);
        }
    }

    fn allow(&mut self, message: u32, step: u32) {
        let (earliest, waits) = &mut self.messages[message as usize];
        *earliest = step.max(*earliest);
        *waits -= 1;
        if *waits == 0 {
            self.ready.push(message);
        }
    }

    fn transferred(&mut self, round: u32, after: u32) {
        let (over, open) = &mut self.rounds[round as usize];
        *over = after.max(*over);
        *open -= 1;
        let (over, open) = (*over, *open);
        if open == 0 && !self.wiring.rounds[round as usize].is_last {
            self.open(round + 1, over);
        }
    }
}
