//! Runs the plans of all ranks to their end.
//!
//! [`Schedule`] knows only order: which lane is in which round, which message may complete. What a
//! message carries is the business of a [`Content`]: symbolic values ([`Machine`]) or, for a
//! barrier, the knowledge of who has entered ([`Arrivals`]).

use super::layout::Layout;
use super::matching::{Message, Messages, step_at};
use super::{Algebra, Outputs, Site, Violation, name_cell};
use crate::base::Rank;
use crate::plan::{Buffer, Plan, PlanRequest, Round, Span, Step};

/// What happens to data while the schedule goes on.
trait Content {
    /// A lane enters a round: its local steps run.
    fn enter(&mut self, site: Site, round: &Round) -> Result<(), Violation>;
    /// A message completes. Both lanes are still in the round of their side.
    fn deliver(&mut self, message: &Message) -> Result<(), Violation>;
    /// A lane leaves a round: what it received becomes visible.
    fn leave(&mut self, site: Site, round: &Round);
}

/// Where one lane is.
#[derive(Clone, Copy, Default)]
struct Position {
    round: usize,
    /// Sides of messages in this round that are not complete.
    pending: usize,
}

/// Order of events.
struct Schedule<'a> {
    plans: &'a [Plan],
    messages: &'a Messages,
    /// By rank and lane.
    positions: Vec<Vec<Position>>,
    /// By message: how many of its two sides have been reached.
    reached: Vec<u8>,
    complete: Vec<bool>,
    /// Messages that can complete now.
    ready: Vec<u32>,
}

impl<'a> Schedule<'a> {
    /// Runs until every lane is at its end, or nothing can move.
    fn run(plans: &'a [Plan], messages: &'a Messages, content: &mut impl Content) -> Result<(), Violation> {
        let mut schedule = Schedule {
            plans,
            messages,
            positions: plans.iter().map(|plan| vec![Position::default(); plan.lanes.len()]).collect(),
            reached: vec![0; messages.all.len()],
            complete: vec![false; messages.all.len()],
            ready: Vec::new(),
        };
        for (rank, plan) in plans.iter().enumerate() {
            for lane in 0..plan.lanes.len() {
                schedule.enter(rank, lane, content)?;
            }
        }
        while let Some(index) = schedule.ready.pop() {
            schedule.finish(index as usize, content)?;
        }
        schedule.check_end()
    }

    /// Enters the present round of a lane, and the following ones as long as they have no transfers.
    fn enter(&mut self, rank: usize, lane: usize, content: &mut impl Content) -> Result<(), Violation> {
        let rounds = &self.plans[rank].lanes[lane].rounds;
        while let Some(round) = rounds.get(self.positions[rank][lane].round) {
            let number = self.positions[rank][lane].round;
            let site = Site { rank: rank as Rank, lane: lane as u32, round: number as u32, step: 0 };
            content.enter(site, round)?;
            let messages = self.messages.of_round(rank, lane, number);
            for &index in messages {
                self.reached[index as usize] += 1;
                self.note_ready(index as usize);
            }
            self.positions[rank][lane].pending = messages.len();
            if !messages.is_empty() {
                break;
            }
            content.leave(site, round);
            self.positions[rank][lane].round += 1;
        }
        Ok(())
    }

    /// Queues a message when both sides are reached and all before it in its pair are complete.
    fn note_ready(&mut self, index: usize) {
        let all = &self.messages.all;
        let first = index == 0 || all[index - 1].pair() != all[index].pair();
        if self.reached[index] == 2 && (first || self.complete[index - 1]) {
            self.ready.push(index as u32);
        }
    }

    fn finish(&mut self, index: usize, content: &mut impl Content) -> Result<(), Violation> {
        let message = self.messages.all[index];
        content.deliver(&message)?;
        self.complete[index] = true;
        if let Some(next) = self.messages.all.get(index + 1)
            && next.pair() == message.pair()
        {
            self.note_ready(index + 1);
        }
        for site in [message.send, message.receive] {
            let (rank, lane) = (site.rank as usize, site.lane as usize);
            let position = &mut self.positions[rank][lane];
            position.pending -= 1;
            if position.pending == 0 {
                content.leave(site, &self.plans[rank].lanes[lane].rounds[site.round as usize]);
                position.round += 1;
                self.enter(rank, lane, content)?;
            }
        }
        Ok(())
    }

    /// Every lane is at its end, or the first that is not says what it waits for.
    fn check_end(&self) -> Result<(), Violation> {
        for (rank, lanes) in self.positions.iter().enumerate() {
            for (lane, position) in lanes.iter().enumerate() {
                if position.round == self.plans[rank].lanes[lane].rounds.len() {
                    continue;
                }
                let waiting = self.messages.of_round(rank, lane, position.round);
                let stuck = waiting.iter().find(|&&index| !self.complete[index as usize]);
                let message = self.messages.all[*stuck.expect("a lane waits for a message") as usize];
                let (site, peer_site) = match message.send.rank as usize == rank {
                    true => (message.send, message.receive),
                    false => (message.receive, message.send),
                };
                let peer = self.positions[peer_site.rank as usize][peer_site.lane as usize];
                return Err(Violation::Deadlock {
                    site,
                    peer: peer_site.rank,
                    peer_site,
                    peer_round: peer.round as u32,
                });
            }
        }
        Ok(())
    }
}

/// Memory of all ranks, in symbolic values.
pub(super) struct Machine<'a, A> {
    plans: &'a [Plan],
    layouts: &'a [Layout],
    cells: Vec<Vec<Option<A>>>,
    /// What receives have brought, until their round ends. Sends and operands read `cells`, hence
    /// what was there when the transfers began.
    staged: Vec<Vec<Option<A>>>,
}

impl<'a, A: Algebra> Machine<'a, A> {
    /// Executes the plans and gives the output of each rank.
    pub(super) fn run(
        plans: &'a [Plan],
        layouts: &'a [Layout],
        messages: &'a Messages,
        request: &PlanRequest,
    ) -> Result<Outputs<A>, Violation> {
        let mut machine = Machine {
            plans,
            layouts,
            cells: layouts.iter().map(|layout| vec![None; layout.cells()]).collect(),
            staged: layouts.iter().map(|layout| vec![None; layout.cells()]).collect(),
        };
        for (rank, (layout, cells)) in (0..request.size).zip(layouts.iter().zip(&mut machine.cells)) {
            for (element, cell) in cells[layout.window(Buffer::Input)].iter_mut().enumerate() {
                *cell = Some(A::contribution(rank, element));
            }
        }
        Schedule::run(plans, messages, &mut machine)?;
        let output = |(layout, cells): (&Layout, Vec<_>)| cells[layout.window(Buffer::Output)].to_vec();
        Ok(layouts.iter().zip(machine.cells).map(output).collect())
    }

    fn read(&self, site: Site, cell: usize) -> Result<&A, Violation> {
        let rank = site.rank as usize;
        self.cells[rank][cell].as_ref().ok_or_else(|| {
            let (buffer, element) = name_cell(&self.layouts[rank], cell);
            Violation::UndefinedRead { site, buffer, element }
        })
    }

    fn cells_of(&self, rank: Rank, span: Span) -> std::ops::Range<usize> {
        self.layouts[rank as usize].cells_of(span)
    }
}

impl<A: Algebra> Content for Machine<'_, A> {
    fn enter(&mut self, site: Site, round: &Round) -> Result<(), Violation> {
        let rank = site.rank;
        for (index, step) in (0..).zip(&round.steps) {
            let site = Site { step: index, ..site };
            match *step {
                Step::Copy { src, dst } => {
                    for (from, to) in self.cells_of(rank, src).zip(self.cells_of(rank, dst)) {
                        self.cells[rank as usize][to] = Some(self.read(site, from)?.clone());
                    }
                }
                Step::Reduce { a, b, dst } => {
                    let operands = self.cells_of(rank, a).zip(self.cells_of(rank, b));
                    for ((a, b), to) in operands.zip(self.cells_of(rank, dst)) {
                        let value = self.read(site, a)?.reduce(self.read(site, b)?);
                        self.cells[rank as usize][to] = Some(value);
                    }
                }
                Step::Send { .. } | Step::Recv { .. } | Step::RecvReduce { .. } => {}
            }
        }
        Ok(())
    }

    fn deliver(&mut self, message: &Message) -> Result<(), Violation> {
        let Step::Send { span, .. } = *step_at(self.plans, message.send) else {
            unreachable!("a message begins with a send")
        };
        let (operand, dst) = match *step_at(self.plans, message.receive) {
            Step::Recv { dst, .. } => (None, dst),
            Step::RecvReduce { operand, dst, .. } => (Some(operand), dst),
            _ => unreachable!("a message ends with a receive"),
        };
        let receiver = message.receive.rank;
        let source = self.cells_of(message.send.rank, span).start;
        let target = self.cells_of(receiver, dst).start;
        let operand = operand.map(|operand| self.cells_of(receiver, operand).start);
        for i in 0..dst.len {
            let sent = self.read(message.send, source + i)?;
            let value = match operand {
                None => sent.clone(),
                Some(operand) => self.read(message.receive, operand + i)?.reduce(sent),
            };
            self.staged[receiver as usize][target + i] = Some(value);
        }
        Ok(())
    }

    fn leave(&mut self, site: Site, round: &Round) {
        for step in &round.steps {
            if let Step::Recv { dst, .. } | Step::RecvReduce { dst, .. } = *step {
                let rank = site.rank as usize;
                for cell in self.cells_of(site.rank, dst) {
                    self.cells[rank][cell] = self.staged[rank][cell].take();
                }
            }
        }
    }
}

/// A set of ranks.
type RankSet = Vec<u64>;

/// For each lane, the ranks that are known to have entered the barrier.
struct Arrivals {
    known: Vec<Vec<RankSet>>,
    /// Heard of in the present round.
    heard: Vec<Vec<RankSet>>,
}

/// Nobody's end comes before anybody's start.
pub(super) fn check_barrier(plans: &[Plan], messages: &Messages) -> Result<(), Violation> {
    let words = plans.len().div_ceil(64);
    let only = |rank: usize| {
        let mut set = vec![0u64; words];
        set[rank / 64] |= 1 << (rank % 64);
        set
    };
    let known: Vec<Vec<RankSet>> =
        plans.iter().enumerate().map(|(rank, plan)| vec![only(rank); plan.lanes.len()]).collect();
    let mut arrivals = Arrivals { heard: known.clone(), known };
    Schedule::run(plans, messages, &mut arrivals)?;
    for (rank, lanes) in arrivals.known.iter().enumerate() {
        let knows = |other: usize| lanes.iter().any(|set| set[other / 64] >> (other % 64) & 1 == 1);
        if let Some(missing) = (0..plans.len()).find(|&other| other != rank && !knows(other)) {
            return Err(Violation::BarrierLeaks { rank: rank as Rank, missing: missing as Rank });
        }
    }
    Ok(())
}

impl Content for Arrivals {
    fn enter(&mut self, _: Site, _: &Round) -> Result<(), Violation> {
        Ok(())
    }

    fn deliver(&mut self, message: &Message) -> Result<(), Violation> {
        let (from, to) = (message.send, message.receive);
        let sent = &self.known[from.rank as usize][from.lane as usize];
        for (heard, sent) in self.heard[to.rank as usize][to.lane as usize].iter_mut().zip(sent) {
            *heard |= sent;
        }
        Ok(())
    }

    fn leave(&mut self, site: Site, _: &Round) {
        let (rank, lane) = (site.rank as usize, site.lane as usize);
        self.known[rank][lane].clone_from(&self.heard[rank][lane]);
    }
}
