//! Tests of the simulator: against closed formulas, against itself, and against bounds.

mod bounds;
mod formulas;
mod pictures;
mod scale;
mod symmetry;

use super::*;
use crate::base::Collective;
use crate::cost::Curve;
use crate::topology::Topology;

/// `hosts` hosts of `ranks` ranks each.
fn cluster(hosts: u32, ranks: u32) -> Topology {
    Topology::from_labels(&(0..hosts * ranks).map(|rank| rank / ranks).collect::<Vec<_>>())
}

fn request(collective: Collective, topology: &Topology, count: usize) -> PlanRequest<'_> {
    PlanRequest {
        collective,
        size: topology.size(),
        rank: 0,
        root: 0,
        count,
        element_bytes: 4,
        in_place: false,
        chunk_bytes: 64 << 10,
        topology,
        layout: crate::plan::BlockLayout::NONE,
    }
}

/// A model in which everything costs something, and no two costs are equal.
const MIXED: Model = Model {
    within: LinkCosts {
        latency: 3e-7,
        message: 1e-7,
        byte: 1.1e-10,
        one_way: Curve::NONE,
        exchange: Curve::NONE,
        core_byte: 2e-11,
        eager_bytes: 4 << 10,
    },
    between: LinkCosts {
        latency: 7e-6,
        message: 1.3e-6,
        byte: 3.1e-10,
        one_way: Curve::NONE,
        exchange: Curve::NONE,
        core_byte: 1.1e-10,
        eager_bytes: 9000,
    },
    nic_byte: 8.3e-11,
    reduce_byte: 1.7e-10,
    reduce: Curve::NONE,
    copy_byte: 0.9e-10,
    copy: Curve::NONE,
};

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

/// Algorithms whose plan depends on one count.
fn without_layout() -> impl Iterator<Item = &'static crate::algo::Algorithm> {
    crate::algo::ALGORITHMS.iter().filter(|algorithm| !algorithm.collective.has_layout())
}
