//! Simulation of plans on a model of links, cores and network interfaces.
//!
//! [`simulate`] takes an algorithm and a request, makes the plans of the ranks, and follows their messages in
//! time (`run`). Ranks send and receive through ports of their own, work with one core each, and share the
//! network interfaces of their host (`fluid`). The model is LogGP's, with LogGOPS's work per byte: see
//! docs/simulator.md for the formulas, their sources, and what the model leaves out.
//!
//! Thousands of ranks with thousands of rounds each need not be followed one by one. If all hosts do the same
//! (`symmetry`), one of them is simulated and stands for all. For this, a count that the ranks cannot share
//! evenly is rounded up, which the outcome says. Pure: no input or output, no clock.

mod fluid;
mod limits;
mod model;
mod model_file;
mod path;
mod prediction;
mod presets;
mod run;
mod steps;
mod symmetry;
mod traffic;
mod wiring;

#[cfg(test)]
mod tests;

pub use limits::{Limits, Skipped};
pub use model::{LinkCosts, Model};
pub use path::{Hop, HopKind};
pub use prediction::Prediction;
pub use presets::{PRESETS, Preset};
pub use steps::{Arrow, steps};
pub use symmetry::{Order, Symmetry};
pub use traffic::Traffic;
pub use wiring::for_rank;

use crate::algo::Algorithm;
use crate::plan::PlanRequest;
use run::Simulation;
use symmetry::Fold;
use wiring::Wiring;

/// Simulates a call. `request.rank` is ignored. `in_place` applies to all ranks, or to the root if there is
/// one.
pub fn simulate(
    algorithm: &Algorithm,
    request: &PlanRequest,
    model: &Model,
    limits: &Limits,
) -> Result<Prediction, Skipped> {
    if !(algorithm.supports)(&for_rank(request, 0)) {
        return Err(Skipped::Unable);
    }
    let plain = match Wiring::of(algorithm, request, Fold::none(request), limits.plain) {
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
            let wiring = Wiring::of(algorithm, &request, fold, limits.messages)?;
            return Ok(Prediction { order, ..follow(&wiring, &request, model, limits)? });
        }
    }
    follow(&Wiring::of(algorithm, request, Fold::none(request), limits.messages)?, request, model, limits)
}

/// The request, and variants with slightly larger counts that more ranks or chunks can share evenly. A count
/// grows by at most one element per rank, or by a hundredth in all.
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

fn follow(
    wiring: &Wiring,
    request: &PlanRequest,
    model: &Model,
    limits: &Limits,
) -> Result<Prediction, Skipped> {
    let host_of = |rank| request.topology.host_of(rank);
    let history = Simulation::new(wiring, model, &host_of).run(limits.events)?;
    Ok(Prediction {
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
