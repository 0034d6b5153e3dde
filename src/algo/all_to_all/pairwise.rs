//! Pairwise all_to_all: in each round the ranks form pairs that exchange their blocks.
//!
//! The pairs are those of a round-robin tournament (the circle method). With an even number of ranks no rank
//! ever idles; with an odd number each rank idles once. Both partners exchange in the same round, so in place
//! a block is sent from where its counterpart arrives.
//!
//! Cost, blocks of n bytes: (p-1) (alpha + n beta), p for odd p. One partner at a time: best for large
//! blocks.

use super::own_copy;
use crate::algo::patterns::blocks::Blocks;
use crate::algo::patterns::builder::{LaneBuilder, input, output, plan};
use crate::algo::patterns::fold::identity;
use crate::cost::{LinkModel, Terms, moved};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    let (rank, size) = (request.rank as usize, request.size as usize);
    let (sent, received) = (Blocks::of_input(request), Blocks::of_output(request));
    let mut lane = LaneBuilder::of(request);
    for number in 0..rounds(size) {
        let partner = partner(rank, number, rounds(size));
        if partner < size {
            lane.round(|round| {
                round.send(identity(partner), input(sent.part(partner)));
                round.receive(identity(partner), output(received.part(partner)));
            });
        }
    }
    plan(0, [lane].into_iter().chain(own_copy(request)))
}

/// Rounds of the tournament: odd, so that 2 has an inverse modulo it.
fn rounds(size: usize) -> usize {
    (size - 1) | 1
}

/// The opponent in a tournament of `rounds + 1` participants. Participants below `rounds` sit in a circle and
/// meet if r + partner = 2 * round (modulo rounds). A participant that would meet itself meets the last one
/// instead, which does not exist if the number of ranks is odd.
fn partner(rank: usize, round: usize, rounds: usize) -> usize {
    if rank == rounds {
        return round;
    }
    match (2 * round + rounds - rank) % rounds {
        own if own == rank => rounds,
        other => other,
    }
}

pub(in crate::algo) fn cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    let t = Terms::of(request);
    let rounds = if request.size == 1 { 0.0 } else { rounds(request.size as usize) as f64 };
    rounds * link.latency_us + moved(link, t.others() * t.bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_two_ranks_meet_exactly_once_and_in_the_same_round() {
        for size in 1..40 {
            for rank in 0..size {
                let mut met = vec![0; size + 1];
                for round in 0..rounds(size) {
                    let other = partner(rank, round, rounds(size));
                    if other < size {
                        assert_eq!(partner(other, round, rounds(size)), rank);
                        met[other] += 1;
                    }
                }
                assert!((0..size).all(|other| met[other] == i32::from(other != rank)));
            }
        }
    }
}
