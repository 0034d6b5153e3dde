//! Staged all_reduce by the fixed tree, in memory that all ranks of the host see.
//!
//! The fixed tree takes the place of the chain of [`super::super::all_reduce::staged`]. A rank without
//! children copies a chunk into a slot. Every other rank reduces the chunk with the slots of its children,
//! one child per stage, each stage into slots of its own. Stage s works on chunk t-s in round t, so all
//! stages work at once, each on another chunk. The parent reads the last slot. Rank 0 has the result, and all
//! read it there.
//!
//! Cost: as there, with half the input copied into slots.

use super::holders::Holder;
use crate::algo::patterns::builder::{LaneBuilder, input, output, plan};
use crate::algo::patterns::fold::identity;
use crate::algo::patterns::single_rank::single_rank;
use crate::algo::patterns::staging::{Staging, turn};
use crate::base::Rank;
use crate::cost::{LinkModel, Terms, moved, reduced};
use crate::plan::{Plan, PlanRequest};

/// Slots of a stage: one is read while the other is written.
const SLOTS: usize = 2;

pub(super) fn build(request: &PlanRequest) -> Plan {
    if request.size == 1 {
        return single_rank(request);
    }
    let (rank, size) = (request.rank as usize, request.size as usize);
    let Holder { parent, children } = Holder::of(rank, size, 0);
    let stages = children.len().max(1);
    let staging = Staging::new(request, 1, SLOTS * stages);
    let chunks = staging.of_lane(0);
    let slot =
        |stage: usize, chunk: usize| staging.slot(0, SLOTS * stage + chunk % SLOTS, chunks[chunk].len());
    let delay = delay(rank, size);
    let mut lane = LaneBuilder::default();
    for turn in 0..chunks.len() + delay {
        let at = |delay: usize| turn.checked_sub(delay).filter(|chunk| *chunk < chunks.len());
        // Even where nothing happens in between, so that rounds of all ranks keep step.
        lane.not_before(turn);
        lane.round(|round| {
            for stage in 0..stages {
                let Some(chunk) = at(stage) else { continue };
                let own = input(chunks[chunk].clone());
                let have = if stage == 0 { own } else { slot(stage - 1, chunk) };
                match children.get(stage) {
                    None => round.copy(have, slot(stage, chunk)),
                    Some(&child) => round.receive_reduce(identity(child), have, slot(stage, chunk)),
                }
            }
            if let Some((parent, chunk)) = parent.zip(at(stages)) {
                round.send(identity(parent), slot(stages - 1, chunk));
            }
            let Some(chunk) = at(delay) else { return };
            let result = output(chunks[chunk].clone());
            if rank > 0 {
                return round.receive(0, result);
            }
            round.copy(slot(stages - 1, chunk), result);
            round.send_to_all((1..request.size).collect::<Vec<Rank>>(), slot(stages - 1, chunk));
        });
    }
    Plan { shared_scratch: true, ..plan(staging.scratch(), [lane]) }
}

/// Number of rounds by which the result of a chunk arrives at a rank after the rank began with the chunk.
///
/// The last stage of a rank is over after as many rounds as it has stages. Its parent takes the chunk in a
/// later stage of its own, and so has the fewer rounds left.
fn delay(rank: usize, size: usize) -> usize {
    let Holder { parent, children } = Holder::of(rank, size, 0);
    let stages = children.len().max(1);
    let Some(parent) = parent else { return stages };
    let siblings = Holder::of(parent, size, 0).children;
    let stage = siblings.iter().position(|child| *child == rank).expect("it is a child of its parent");
    delay(parent, size) - stage + stages
}

pub(super) fn cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    let t = Terms::of(request);
    let turns = Staging::new(request, 1, SLOTS).chunks() + t.size;
    turns * turn(link) + 0.6 * (reduced(link, t.bytes) + moved(link, 0.75 * t.bytes))
}
