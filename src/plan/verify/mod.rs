//! Proof without processes: executes the plans of all ranks together on symbolic values.
//!
//! 1. `shape` checks each plan alone: bounds, aliasing, the rules of a round, independence of lanes.
//! 2. `matching` pairs the k-th send with the k-th receive of every ordered pair of ranks.
//! 3. `schedule` runs all plans on the memory of `machine`. A message completes when both lanes have reached
//!    its round and all earlier messages of its pair are complete. There is no buffering: this is the least
//!    that any transport gives.
//! 4. The outputs are compared with `definition`. For all_reduce they are also compared with each other, tree
//!    by tree; for scans also with the order of the ranks (`prefixes`).
//!
//! `order` adds, for operators that do not commute, the proof that results are combined in the order of the
//! ranks. `fixed` adds, for results with the same bits in every call, the proof that they have the brackets
//! of the fixed tree. `roundings` adds, for sums that travel in narrow forms, the proof that no contribution
//! is rounded more often than is allowed.
//!
//! One schedule is enough. By (1) no lane can observe when a step of another lane runs, and by (2) each
//! receive has a fixed message. So every schedule computes the same values, and one schedule gets stuck only
//! if all do: the ranks form a deterministic dataflow network.
//!
//! Undefined memory must not be read: Output and Scratch start undefined. The one exception is the barrier,
//! whose messages have no content; there the proof is that the end of every rank depends on the start of
//! every rank.

mod algebra;
mod arrivals;
mod definition;
mod fixed;
mod layout;
mod machine;
mod matching;
mod order;
mod prefixes;
mod roundings;
mod schedule;
mod shape;
#[cfg(test)]
mod tests;
mod violation;

pub use definition::{Expected, expected};
pub use fixed::verify_fixed;
pub use order::verify_order;
pub use roundings::verify_roundings;
pub use violation::{Site, Violation};

use algebra::{Algebra, Exact, Hashed};
use layout::Layout;
use machine::{Machine, Outputs};
use matching::Messages;

use crate::base::{Collective, Rank};
use crate::plan::{Plan, PlanRequest};

/// Proves that `plans`, one per rank, together are the collective of `request`, or says why not.
///
/// `in_place[r]` says whether rank r's plan was made in place; `request.rank` and `request.in_place` are
/// ignored.
///
/// # Panics When `plans` or `in_place` has not one entry per rank.
pub fn verify(plans: &[Plan], in_place: &[bool], request: &PlanRequest) -> Result<(), Violation> {
    assert_eq!(in_place.len(), plans.len(), "one in_place per rank");
    let of_rank = |(rank, &in_place)| PlanRequest { rank, in_place, ..*request };
    let requests: Vec<PlanRequest> = (0..).zip(in_place).map(of_rank).collect();
    verify_each(plans, &requests)
}

/// Like [`verify`], but with the request of each plan: ranks may have layouts of their own.
///
/// # Panics When `requests` has not one entry per rank.
pub fn verify_each(plans: &[Plan], requests: &[PlanRequest]) -> Result<(), Violation> {
    let request = &requests[0];
    assert_eq!(plans.len(), request.size as usize, "one plan per rank");
    assert_eq!(requests.len(), plans.len(), "one request per rank");
    let layout = |(request, plan): (&PlanRequest, &Plan)| {
        Layout::new(request, request.rank, request.in_place, plan.scratch)
    };
    let layouts: Vec<Layout> = requests.iter().zip(plans).map(layout).collect();
    for (request, (plan, layout)) in requests.iter().zip(plans.iter().zip(&layouts)) {
        shape::check(request, plan, layout)?;
    }
    let messages = Messages::match_up(plans)?;
    if request.collective == Collective::Barrier {
        return arrivals::check_barrier(plans, &messages);
    }
    let run = || Machine::<Hashed>::run(plans, &layouts, &messages, request);
    let outputs = run()?;
    let explain = || Machine::<Exact>::run(plans, &layouts, &messages, request).expect("it ran before");
    check_results(&outputs, requests, explain)?;
    if request.collective == Collective::AllReduce {
        check_identical(&outputs, explain)?;
    }
    if matches!(request.collective, Collective::Scan | Collective::Exscan) {
        prefixes::check(plans, &layouts, &messages, request)?;
    }
    Ok(())
}

fn check_results(
    outputs: &Outputs<Hashed>,
    requests: &[PlanRequest],
    explain: impl Fn() -> Outputs<Exact>,
) -> Result<(), Violation> {
    let mut sums = Sums::default();
    for (rank, output) in (0..).zip(outputs) {
        for (element, found) in output.iter().enumerate() {
            let expected = definition::expected(requests, rank, element);
            let set = expected.map(|expected| match expected {
                Expected::One { rank, element } => Hashed::contribution(rank, element).set,
                Expected::First { end, element } => sums.of(end, element),
            });
            if found.map(|found| found.set) != set {
                let found = &explain()[rank as usize][element];
                return Err(Violation::WrongResult {
                    rank,
                    element,
                    found: found.as_ref().map_or("undefined".to_owned(), Exact::terms),
                    expected: expected.map_or("nothing".to_owned(), Expected::terms),
                });
            }
        }
    }
    Ok(())
}

/// Sums of the weights of the first ranks' contributions to each element. Ranks come in order, so each
/// addition is made once.
#[derive(Default)]
struct Sums {
    /// For each element, a number of ranks and the sum of their weights.
    known: Vec<(Rank, u64)>,
}

impl Sums {
    fn of(&mut self, end: Rank, element: usize) -> u64 {
        if self.known.len() <= element {
            self.known.resize(element + 1, (0, 0));
        }
        let (ranks, sum) = &mut self.known[element];
        if *ranks > end {
            (*ranks, *sum) = (0, 0);
        }
        while *ranks < end {
            *sum = sum.wrapping_add(Hashed::contribution(*ranks, element).set);
            *ranks += 1;
        }
        *sum
    }
}

fn check_identical(outputs: &Outputs<Hashed>, explain: impl Fn() -> Outputs<Exact>) -> Result<(), Violation> {
    for (other, output) in outputs.iter().enumerate().skip(1) {
        if let Some(element) = (0..output.len()).find(|&e| output[e] != outputs[0][e]) {
            let exact = explain();
            let tree = |rank: usize| exact[rank][element].as_ref().map_or(String::new(), Exact::to_string);
            return Err(Violation::NotIdentical {
                rank: 0,
                other: other as Rank,
                element,
                found: tree(0),
                other_found: tree(other),
            });
        }
    }
    Ok(())
}
