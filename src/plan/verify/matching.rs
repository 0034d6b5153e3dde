//! The matching of sends and receives.

use super::violation::{Site, Violation};
use crate::base::Rank;
use crate::plan::{Plan, Step};

/// A send and the receive that it meets.
#[derive(Clone, Copy, Debug)]
pub(super) struct MatchedPair {
    pub(super) send: Site,
    pub(super) receive: Site,
}

impl MatchedPair {
    /// Sender and receiver.
    pub(super) fn pair(&self) -> (Rank, Rank) {
        (self.send.rank, self.receive.rank)
    }
}

/// All messages of a set of plans.
pub(super) struct Messages {
    /// The messages by ordered pair of ranks, in posting order.
    pub(super) all: Vec<MatchedPair>,
    /// For each rank and lane, the number of its first round among all rounds of all plans.
    first_round: Vec<Vec<usize>>,
    /// For each round of all plans, the index in `of_round` where its messages begin; one more entry at the
    /// end.
    starts: Vec<usize>,
    of_round: Vec<u32>,
}

/// One side of a message: sender, receiver, and the step of the side.
type Side = (Rank, Rank, Site);

impl Messages {
    /// Pairs the k-th send of a to b with the k-th receive of b from a.
    pub(super) fn match_up(plans: &[Plan]) -> Result<Messages, Violation> {
        let (mut sends, mut receives) = sides(plans);
        // Stable sorts: the sides of one pair stay in posting order.
        sends.sort_by_key(|&(from, to, _)| (from, to));
        receives.sort_by_key(|&(from, to, _)| (from, to));
        let mut all = Vec::with_capacity(sends.len());
        let mut receives = receives.into_iter().peekable();
        for (from, to, send) in sends {
            if let Some(&(sender, receiver, site)) = receives.peek()
                && (sender, receiver) < (from, to)
            {
                return Err(Violation::UnmatchedReceive { site, peer: sender });
            }
            let Some((_, _, receive)) = receives.next_if(|&(a, b, _)| (a, b) == (from, to)) else {
                return Err(Violation::UnmatchedSend { site: send, peer: to });
            };
            let (sent, expected) = (length(plans, send), length(plans, receive));
            if sent != expected {
                return Err(Violation::LengthMismatch { send, receive, sent, expected });
            }
            all.push(MatchedPair { send, receive });
        }
        match receives.next() {
            Some((sender, _, site)) => Err(Violation::UnmatchedReceive { site, peer: sender }),
            None => Ok(Messages::index(plans, all)),
        }
    }

    fn index(plans: &[Plan], all: Vec<MatchedPair>) -> Messages {
        let mut rounds = 0;
        let mut first_round = Vec::with_capacity(plans.len());
        for plan in plans {
            let starts = plan.lanes.iter().map(|lane| {
                let start = rounds;
                rounds += lane.rounds.len();
                start
            });
            first_round.push(starts.collect::<Vec<_>>());
        }
        let number = |site: Site| first_round[site.rank as usize][site.lane as usize] + site.round as usize;
        let mut starts = vec![0; rounds + 1];
        for message in &all {
            starts[number(message.send) + 1] += 1;
            starts[number(message.receive) + 1] += 1;
        }
        for round in 0..rounds {
            starts[round + 1] += starts[round];
        }
        let mut next = starts.clone();
        let mut of_round = vec![0; 2 * all.len()];
        for (index, message) in (0..).zip(&all) {
            for site in [message.send, message.receive] {
                let slot = &mut next[number(site)];
                of_round[*slot] = index;
                *slot += 1;
            }
        }
        Messages { all, first_round, starts, of_round }
    }

    /// Indices of the messages in which a round of a lane takes part.
    pub(super) fn of_round(&self, rank: usize, lane: usize, round: usize) -> &[u32] {
        let number = self.first_round[rank][lane] + round;
        &self.of_round[self.starts[number]..self.starts[number + 1]]
    }
}

/// Every send and every receive, each rank's in posting order.
fn sides(plans: &[Plan]) -> (Vec<Side>, Vec<Side>) {
    let (mut sends, mut receives) = (Vec::new(), Vec::new());
    for (rank, plan) in (0..).zip(plans) {
        let rounds = plan.lanes.iter().map(|lane| lane.rounds.len()).max().unwrap_or(0);
        for round in 0..rounds {
            for (lane_index, lane) in (0..).zip(&plan.lanes) {
                let steps = lane.rounds.get(round).map_or(&[][..], |round| &round.steps);
                for (step_index, step) in (0..).zip(steps) {
                    let site = Site { rank, lane: lane_index, round: round as u32, step: step_index };
                    match step {
                        Step::Send { to, .. } => sends.extend(to.iter().map(|&to| (rank, to, site))),
                        Step::Recv { from, .. } | Step::RecvReduce { from, .. } => {
                            receives.push((*from, rank, site));
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    (sends, receives)
}

/// The step at `site`.
pub(super) fn step_at(plans: &[Plan], site: Site) -> &Step {
    let lane = &plans[site.rank as usize].lanes[site.lane as usize];
    &lane.rounds[site.round as usize].steps[site.step as usize]
}

fn length(plans: &[Plan], site: Site) -> usize {
    match step_at(plans, site) {
        Step::Send { span, .. } => span.len,
        Step::Recv { dst, .. } | Step::RecvReduce { dst, .. } => dst.len,
        _ => unreachable!("not a side of a message"),
    }
}
