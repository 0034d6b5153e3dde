//! Staged broadcast: the root writes each chunk once into memory that all ranks of the host see, and they
//! read it there.
//!
//! Cost, s chunks: 8 s alpha + 0.8 n beta, fitted to measurements. A chain makes two copies per rank, this
//! algorithm makes one. Best for large messages among ranks that share cores: they find a chunk in the core's
//! cache one after the other. Source of the idea: Graham and Shipman, "MPI support for multi-core
//! architectures: optimized shared memory collectives", 2008.

use crate::algo::patterns::builder::{LaneBuilder, input, output, plan};
use crate::algo::patterns::direct::others;
use crate::algo::patterns::staging::{Staging, turn};
use crate::cost::{LinkModel, Terms, moved};
use crate::plan::{Plan, PlanRequest};

/// One chunk is written while another is read.
const LANES: usize = 2;

pub(in crate::algo) fn build(request: &PlanRequest) -> Plan {
    let staging = Staging::new(request, LANES, 1);
    let readers = others(request);
    let lanes = (0..staging.lanes()).map(|lane| {
        let mut builder = LaneBuilder::default();
        for chunk in staging.of_lane(lane) {
            let slot = staging.slot(lane, 0, chunk.len());
            builder.round(|round| {
                if request.rank != request.root {
                    return round.receive(request.root, output(chunk));
                }
                round.copy(input(chunk.clone()), slot);
                if !request.in_place {
                    round.copy(slot, output(chunk));
                }
                round.send_to_all(readers.clone(), slot);
            });
        }
        builder
    });
    let scratch = if request.rank == request.root { staging.scratch() } else { 0 };
    Plan { shared_scratch: true, ..plan(scratch, lanes) }
}

pub(in crate::algo) fn cost(request: &PlanRequest, link: &LinkModel) -> f64 {
    Staging::new(request, LANES, 1).chunks() * turn(link) + 0.8 * moved(link, Terms::of(request).bytes)
}
