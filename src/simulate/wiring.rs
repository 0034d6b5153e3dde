//! The plans of all simulated ranks, as one graph: rounds, and the messages between them.
//!
//! Messages are matched as the engine matches them: between an ordered pair of ranks, in posting order,
//! (round, lane, position in round). Under a [`Fold`] a pair is a rank of block 0 and a relative rank.

use super::limits::Skipped;
use super::symmetry::{Fold, RelativeRank};
use crate::algo::Algorithm;
use crate::base::Rank;
use crate::plan::{Lane, Plan, PlanRequest, Span, Step};

/// The request of one rank.
pub fn for_rank<'a>(request: &PlanRequest<'a>, rank: Rank) -> PlanRequest<'a> {
    let in_place = request.in_place && (!request.collective.has_root() || rank == request.root);
    PlanRequest { rank, in_place, ..*request }
}

/// One message. Ranks are positions in block 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct WiredMessage {
    pub from: u32,
    pub to: u32,
    /// Group element from the block of the sender to that of the receiver.
    pub offset: u32,
    pub within_host: bool,
    /// Whether the receiver reduces the message while it arrives.
    pub reduces: bool,
    pub bytes: u64,
    /// The elements that are sent, in the sender's memory.
    pub span: Span,
    /// Rounds in which the message is sent and received.
    pub sent_in: u32,
    pub received_in: u32,
    /// The next message in the queue of the same pair.
    pub next: Option<u32>,
    /// Whether there is a previous message in the queue.
    pub follows: bool,
}

/// One round of one lane of one rank.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Round {
    pub rank: u32,
    pub lane: u32,
    /// Number of the round in its lane. Rounds without steps are left out.
    pub number: u32,
    pub is_last: bool,
    pub copied: u64,
    pub reduced: u64,
    pub transfers: u32,
}

/// All rounds and messages, independent of time.
#[derive(Debug)]
pub(super) struct Wiring {
    pub fold: Fold,
    /// The rounds of a lane are consecutive.
    pub rounds: Vec<Round>,
    /// The first round of each lane.
    pub lanes: Vec<u32>,
    pub messages: Vec<WiredMessage>,
    /// The messages sent and those received in each round.
    pub sent: Incidence,
    pub received: Incidence,
    /// The most scratch of any rank, in bytes.
    pub scratch: u64,
}

/// Messages by round.
#[derive(Debug)]
pub(super) struct Incidence {
    starts: Vec<u32>,
    messages: Vec<u32>,
}

impl Incidence {
    /// Groups messages by round. `order` has each message once; those of a round stay in this order.
    fn new(rounds: usize, order: &[u32], round_of: impl Fn(u32) -> u32) -> Incidence {
        let mut starts = vec![0; rounds + 1];
        let mut messages = vec![0; order.len()];
        for &message in order {
            starts[round_of(message) as usize + 1] += 1;
        }
        for round in 0..rounds {
            starts[round + 1] += starts[round];
        }
        let mut ends = starts.clone();
        for &message in order {
            let end = &mut ends[round_of(message) as usize];
            messages[*end as usize] = message;
            *end += 1;
        }
        Incidence { starts, messages }
    }

    pub fn of(&self, round: u32) -> &[u32] {
        let (start, end) = (self.starts[round as usize], self.starts[round as usize + 1]);
        &self.messages[start as usize..end as usize]
    }
}

/// One end of a message: the sender, and the receiver as the sender sees it.
#[derive(Clone, Copy)]
struct End {
    pair: (u32, RelativeRank),
    /// Position in posting order.
    posted: u32,
    round: u32,
    /// The elements in the memory of this end.
    span: Span,
    reduces: bool,
}

/// Collects plans and makes the wiring.
struct Builder<'a> {
    fold: Fold,
    unit: u64,
    within_host: &'a dyn Fn(Rank, Rank) -> bool,
    rounds: Vec<Round>,
    lanes: Vec<u32>,
    sends: Vec<End>,
    receives: Vec<End>,
    scratch: u64,
    /// Number of rounds of plans, including those without steps: making them takes time, too.
    looked_at: usize,
}

/// Upper limit of rounds per message before plans count as too long.
const ROUNDS_PER_MESSAGE: usize = 5;

impl Wiring {
    /// The wiring of an algorithm's plans for a request.
    pub fn of(
        algorithm: &Algorithm,
        request: &PlanRequest,
        fold: Fold,
        limit: usize,
    ) -> Result<Wiring, Skipped> {
        let plan_of = |rank| -> Plan { (algorithm.build)(&for_rank(request, rank)) };
        let within_host = |a, b| request.topology.host_of(a) == request.topology.host_of(b);
        Wiring::build(fold, request.element_bytes, limit, &within_host, plan_of)
    }

    /// The wiring of the ranks of block 0. Gives up beyond `limit` messages.
    pub fn build(
        fold: Fold,
        unit: usize,
        limit: usize,
        within_host: &dyn Fn(Rank, Rank) -> bool,
        plan_of: impl Fn(Rank) -> Plan,
    ) -> Result<Wiring, Skipped> {
        let mut builder = Builder {
            fold,
            unit: unit as u64,
            within_host,
            rounds: Vec::new(),
            lanes: Vec::new(),
            sends: Vec::new(),
            receives: Vec::new(),
            scratch: 0,
            looked_at: 0,
        };
        for rank in 0..fold.block {
            builder.add(rank, &plan_of(rank));
            // The ranks so far are taken as a sample of all.
            let share = f64::from(fold.block) / f64::from(rank + 1) * f64::from(fold.blocks);
            if builder.sends.len() > limit {
                return Err(Skipped::TooMany { messages: builder.sends.len() as f64 * share, limit });
            }
            let limit = ROUNDS_PER_MESSAGE * limit;
            if builder.looked_at > limit {
                return Err(Skipped::TooManyRounds { rounds: builder.looked_at as f64 * share, limit });
            }
        }
        builder.finish()
    }
}

impl Builder<'_> {
    fn add(&mut self, rank: Rank, plan: &Plan) {
        self.scratch = self.scratch.max(plan.scratch as u64 * self.unit);
        let first = self.lanes.len();
        for (lane, steps) in (0..).zip(&plan.lanes) {
            self.looked_at += steps.rounds.len();
            let start = self.rounds.len();
            let busy = (0..).zip(&steps.rounds).filter(|(_, round)| !round.steps.is_empty());
            self.rounds.extend(busy.map(|(number, _)| Round { rank, lane, number, ..Round::default() }));
            if self.rounds.len() > start {
                self.rounds.last_mut().expect("it has grown").is_last = true;
                self.lanes.push(start as u32);
            }
        }
        // Messages are posted round by round, lane by lane.
        let mut next: Vec<u32> = self.lanes[first..].to_vec();
        let most = plan.lanes.iter().map(|lane| lane.rounds.len()).max().unwrap_or(0);
        let lanes = plan.lanes.iter().filter(|lane| lane.rounds.iter().any(|round| !round.steps.is_empty()));
        let lanes: Vec<&Lane> = lanes.collect();
        for number in 0..most {
            for (at, lane) in lanes.iter().enumerate() {
                let Some(round) = lane.rounds.get(number).filter(|round| !round.steps.is_empty()) else {
                    continue;
                };
                for step in &round.steps {
                    self.add_step(rank, next[at], step);
                }
                next[at] += 1;
            }
        }
    }

    fn add_step(&mut self, rank: Rank, number: u32, step: &Step) {
        let fold = self.fold;
        let round = &mut self.rounds[number as usize];
        let mut receive = |from: Rank, span, reduces| {
            round.transfers += 1;
            let seen = fold.relative(rank, from);
            let pair = (seen.position, RelativeRank { offset: fold.inverse(seen.offset), position: rank });
            let posted = self.receives.len() as u32;
            self.receives.push(End { pair, posted, round: number, span, reduces });
        };
        match step {
            Step::Recv { from, dst } => receive(*from, *dst, false),
            Step::RecvReduce { from, dst, .. } => receive(*from, *dst, true),
            Step::Copy { dst, .. } => round.copied += dst.len as u64 * self.unit,
            Step::Narrow { src: dst, .. } | Step::Widen { operand: None, dst, .. } => {
                round.copied += dst.len as u64 * self.unit;
            }
            Step::Reduce { dst, .. } | Step::Widen { dst, .. } => {
                round.reduced += dst.len as u64 * self.unit;
            }
            Step::Send { to, span } => {
                round.transfers += to.len() as u32;
                let first = self.sends.len() as u32;
                self.sends.extend((first..).zip(to).map(|(posted, &to)| End {
                    pair: (rank, fold.relative(rank, to)),
                    posted,
                    round: number,
                    span: *span,
                    reduces: false,
                }));
            }
        }
    }

    fn finish(mut self) -> Result<Wiring, Skipped> {
        // Stable sorts: each queue stays in posting order.
        self.sends.sort_by_key(|end| end.pair);
        self.receives.sort_by_key(|end| end.pair);
        let ends = || self.sends.iter().zip(&self.receives);
        let fits =
            |(send, receive): (&End, &End)| (send.pair, send.span.len) == (receive.pair, receive.span.len);
        if self.sends.len() != self.receives.len() || !ends().all(fits) {
            return Err(Skipped::Unmatched);
        }
        let mut messages: Vec<WiredMessage> = Vec::with_capacity(self.sends.len());
        for (index, (send, receive)) in ends().enumerate() {
            let (from, RelativeRank { offset, position: to }) = send.pair;
            let follows = index > 0 && self.sends[index - 1].pair == send.pair;
            if follows {
                messages[index - 1].next = Some(index as u32);
            }
            messages.push(WiredMessage {
                from,
                to,
                offset,
                within_host: self.fold.one_host || offset == 0 && (self.within_host)(from, to),
                reduces: receive.reduces,
                bytes: send.span.len as u64 * self.unit,
                span: send.span,
                sent_in: send.round,
                received_in: receive.round,
                next: None,
                follows,
            });
        }
        let rounds = self.rounds.len();
        let in_order = |ends: &[End]| {
            let mut order = vec![0; ends.len()];
            for (message, end) in (0..).zip(ends) {
                order[end.posted as usize] = message;
            }
            order
        };
        let of = |message: u32| &messages[message as usize];
        let sent = Incidence::new(rounds, &in_order(&self.sends), |message| of(message).sent_in);
        let received = Incidence::new(rounds, &in_order(&self.receives), |message| of(message).received_in);
        Ok(Wiring {
            fold: self.fold,
            rounds: self.rounds,
            lanes: self.lanes,
            messages,
            sent,
            received,
            scratch: self.scratch,
        })
    }
}
