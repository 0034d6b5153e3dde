//! Staged all_reduce: a chain from the last rank to rank 0 reduces each chunk, hop by hop in memory that all
//! ranks of the host see. Rank 0 has the result, and all read it there.
//!
//! In its round t a rank reduces chunk t with its own part into one of two slots, while the next rank reads
//! chunk t-1 out of the other. The rank also takes the result of the chunk that has reached rank 0. So all
//! ranks work at once, each on another chunk, and an element costs a rank one reduction and one copy. It is
//! reduced in rank order.
//!
//! Cost, s chunks: 8 (s+p) alpha + 0.6 n (gamma + beta/2), fitted to measurements. Best for large messages
//! among ranks that share cores: a chunk is in the core's cache when the next rank gets its turn.

use crate::algo::patterns::builder::{LaneBuilder, input, output, plan};
use crate::algo::patterns::single_rank::single_rank;
use crate::algo::patterns::staging::{Staging, turn};
use crate::base::Rank;
use crate::cost::{LinkModel, Terms, moved, reduced};
use crate::plan::{Plan, PlanRequest};

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    if request.size == 1 {
        return single_rank(request);
    }
    let staging = Staging::new(request, 1, 2);
    let (rank, last) = (request.rank, request.size - 1);
    let lanes = (0..staging.lanes()).map(|lane| {
        let chunks = staging.of_lane(lane);
        let slot = |index: usize| staging.slot(lane, index, chunks[index].len());
        // Number of rounds by which the result of a chunk arrives after its reduction.
        let delay = rank as usize + 1;
        let mut builder = LaneBuilder::default();
        for turn in 0..chunks.len() + delay {
            // Even where nothing happens in between, so that the lanes keep step.
            builder.not_before(turn);
            builder.round(|round| {
                if turn < chunks.len() {
                    let own = input(chunks[turn].clone());
                    match rank == last {
                        true => round.copy(own, slot(turn)),
                        false => round.receive_reduce(rank + 1, own, slot(turn)),
                    }
                }
                if rank > 0 && (1..=chunks.len()).contains(&turn) {
                    round.send(rank - 1, slot(turn - 1));
                }
                let Some(reduced) = turn.checked_sub(delay) else { return };
                let result = output(chunks[reduced].clone());
                if rank > 0 {
                    return round.receive(0, result);
                }
                round.copy(slot(reduced), result);
                round.send_to_all((1..=last).collect::<Vec<Rank>>(), slot(reduced));
            });
        }
        builder
    });
    Plan { shared_scratch: true, ..plan(staging.scratch(), lanes) }
}

pub(in crate::algo) fn cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    let t = Terms::of(request);
    let turns = Staging::new(request, 1, 2).chunks() + t.size;
    turns * turn(link) + 0.6 * (reduced(link, t.bytes) + moved(link, 0.5 * t.bytes))
}
