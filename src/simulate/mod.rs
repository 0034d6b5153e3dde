//! What would happen: plans, executed against a model of links, cores and network interfaces instead of real ones.
//!
//! [`simulate`] takes an algorithm and a request, makes the plans of the ranks, and follows their messages in time
//! (`run`). Ranks send and receive through ports of their own, work with one core each, and share the network
//! interfaces of their host (`fluid`). The model is LogGP's, with LogGOPS's work per byte: see docs/SIMULATOR.md for
//! the formulas, their sources, and what the model leaves out.
//!
//! Thousands of ranks with thousands of rounds each need not be followed one by one: where all hosts do the same
//! (`symmetry`), one of them is simulated and stands for all. Counts that the ranks cannot share evenly are rounded up
//! for that; the outcome says so. Pure: no input or output, no clock.

mod fluid;
mod model;
mod model_file;
mod path;
mod presets;
mod run;
mod steps;
mod symmetry;
mod traffic;
mod wiring;

#[cfg(test)]
mod tests;

use std::fmt;

pub use model::{LinkCosts, Model};
pub use path::{Hop, HopKind};
pub use presets::{PRESETS, Preset};
pub use steps::{Arrow, steps};
pub use symmetry::{Order, Symmetry};
pub use traffic::Traffic;

use crate::algo::Algorithm;
use crate::base::Rank;
use crate::plan::{Plan, PlanRequest};
use run::Run;
use symmetry::Fold;
use wiring::Wiring;

/// How much may be simulated.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Up to so many messages, every rank is simulated, symmetric or not.
    pub plain: usize,
    /// More messages than this are not simulated.
    pub messages: usize,
    /// More forecasts of ends than this are not made.
    pub events: u64,
}

impl Default for Limits {
    /// Some seconds, some hundred megabytes.
    fn default() -> Limits {
        Limits { plain: 100_000, messages: 3_000_000, events: 10_000_000 }
    }
}

/// What a simulation says.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// From the common begin to the end of the last rank.
    pub seconds: f64,
    /// What was moved.
    pub traffic: Traffic,
    /// The most scratch memory of a rank, in bytes.
    pub scratch: u64,
    /// What determined the time.
    pub path: Vec<Hop>,
    /// The count that was simulated: that of the request, or a little more.
    pub count: usize,
    /// Why a part of the ranks was enough.
    pub symmetry: Symmetry,
    /// Whether the simulated ranks send in the order of all ranks.
    pub order: Order,
    /// Ranks that were simulated.
    pub ranks: u32,
    /// Forecasts of ends of transfers: what the simulation itself took.
    pub events: u64,
}

/// Why there is no outcome.
#[derive(Clone, Debug, PartialEq)]
pub enum Skipped {
    /// The algorithm does not serve the request.
    Unable,
    /// Too much to simulate, and hosts that do not all do the same.
    TooMany {
        /// In all, estimated.
        messages: f64,
        /// That may be simulated.
        limit: usize,
    },
    /// Plans with too many rounds, of which few have messages: too long to make.
    TooManyRounds {
        /// In all, estimated.
        rounds: f64,
        /// That may be made.
        limit: usize,
    },
    /// Too many messages share what they need, each in another state.
    TooLong {
        /// After which it was given up.
        events: u64,
    },
    /// The plans do not fit together: a bug of the algorithm.
    Unmatched,
    /// A rank waits for ever: a bug of the algorithm.
    Stuck,
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Skipped::Unable => f.write_str("does not serve this call"),
            Skipped::TooMany { messages, limit } => {
                write!(f, "about {messages:.1e} messages and no symmetry; the limit is {limit:.0e}")
            }
            Skipped::TooManyRounds { rounds, limit } => {
                write!(f, "about {rounds:.1e} rounds, most of them empty; the limit is {limit:.1e}")
            }
            Skipped::TooLong { events } => write!(f, "given up after {events:.0e} events"),
            Skipped::Unmatched => f.write_str("sends and receives do not match: please report this"),
            Skipped::Stuck => f.write_str("a rank waits for ever: please report this"),
        }
    }
}

/// Simulates a call. `request.rank` does not count; `in_place` holds for all ranks, or for the root where there is one.
pub fn simulate(
    algorithm: &Algorithm,
    request: &PlanRequest,
    model: &Model,
    limits: &Limits,
) -> Result<Outcome, Skipped> {
    if !(algorithm.supports)(&for_rank(request, 0)) {
        return Err(Skipped::Unable);
    }
    let plain = match wire(algorithm, request, Fold::none(request), limits.plain) {
        Err(Skipped::TooMany { .. } | Skipped::TooManyRounds { .. }) => None,
        result => Some(result?),
    };
    if let Some(wiring) = plain {
        return follow(&wiring, request, model, limits);
    }
    for request in even_requests(request) {
        for fold in Fold::candidates(&request) {
            let plan_of = |rank| (algorithm.build)(&for_rank(&request, rank));
            let Some(order) = fold.holds(fold.samples().into_iter(), plan_of) else { continue };
            let wiring = wire(algorithm, &request, fold, limits.messages)?;
            return Ok(Outcome { order, ..follow(&wiring, &request, model, limits)? });
        }
    }
    follow(&wire(algorithm, request, Fold::none(request), limits.messages)?, request, model, limits)
}

/// The request as one rank makes it.
pub fn for_rank<'a>(request: &PlanRequest<'a>, rank: Rank) -> PlanRequest<'a> {
    let in_place = request.in_place && (!request.collective.has_root() || rank == request.root);
    PlanRequest { rank, in_place, ..*request }
}

/// The request, and such with slightly larger counts that more ranks or chunks can share evenly: at most one
/// element more per rank, or a hundredth more in all.
fn even_requests<'a>(request: &PlanRequest<'a>) -> Vec<PlanRequest<'a>> {
    let mut requests = vec![*request];
    for chunks in [1, 8, 64] {
        let unit = request.size as usize * chunks;
        let count = request.count.next_multiple_of(unit);
        let is_close = count - request.count <= request.count / 100 || chunks == 1 && request.count >= unit;
        if is_close && requests.iter().all(|known| known.count != count) {
            requests.push(PlanRequest { count, ..*request });
        }
    }
    requests
}

fn wire(algorithm: &Algorithm, request: &PlanRequest, fold: Fold, limit: usize) -> Result<Wiring, Skipped> {
    let plan_of = |rank| -> Plan { (algorithm.build)(&for_rank(request, rank)) };
    let within_host = |a, b| request.topology.host_of(a) == request.topology.host_of(b);
    Wiring::build(fold, request.element_bytes, limit, &within_host, plan_of)
}

fn follow(
    wiring: &Wiring,
    request: &PlanRequest,
    model: &Model,
    limits: &Limits,
) -> Result<Outcome, Skipped> {
    let host_of = |rank| request.topology.host_of(rank);
    let history = Run::new(wiring, model, &host_of).run(limits.events)?;
    Ok(Outcome {
        seconds: history.end.0,
        traffic: Traffic::of(wiring, &host_of),
        scratch: wiring.scratch,
        path: path::trace(wiring, &history),
        count: request.count,
        symmetry: wiring.fold.symmetry,
        order: Order::Same,
        ranks: wiring.fold.block,
        events: history.events,
    })
}
