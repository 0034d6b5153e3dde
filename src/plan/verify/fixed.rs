//! Proof that results have the brackets of the fixed tree ([`crate::plan::fixed_tree`]); those of scans from
//! left to right.
//!
//! The trees are compared up to left and right. Kernels give the same bits for swapped operands.

use super::algebra::{Algebra, Exact, Hashed};
use super::definition::{Expected, expected};
use super::machine::outputs_of_verified;
use super::violation::Violation;
use crate::base::{Collective, Rank};
use crate::plan::fixed_tree::left_of;
use crate::plan::{Plan, PlanRequest};

/// Proves that every result has the brackets of the fixed tree, for plans that [`super::verify_each`] has
/// accepted for these requests.
///
/// # Panics
/// If `verify_each` would not accept the plans.
pub fn verify_fixed(plans: &[Plan], requests: &[PlanRequest]) -> Result<(), Violation> {
    let request = &requests[0];
    let outputs = outputs_of_verified::<Hashed>(plans, requests);
    let mut known = Known::new(request.collective);
    for (rank, output) in (0..).zip(&outputs) {
        for (at, found) in output.iter().enumerate() {
            let Some(Expected::First { end, element }) = expected(requests, rank, at) else { continue };
            if found.map(|found| found.tree) != Some(known.tree_of(end, element)) {
                let exact = outputs_of_verified::<Exact>(plans, requests);
                let found = exact[rank as usize][at].as_ref().map_or(String::new(), Exact::to_string);
                let expected = brackets::<Exact>(request.collective, end, element).to_string();
                return Err(Violation::WrongResult { rank, element: at, found, expected });
            }
        }
    }
    Ok(())
}

/// The brackets of the latest results: most ranks have the same ones.
struct Known {
    collective: Collective,
    /// For each element, a number of ranks and the hash of their tree.
    trees: Vec<Option<(Rank, u64)>>,
}

impl Known {
    fn new(collective: Collective) -> Known {
        Known { collective, trees: Vec::new() }
    }

    fn tree_of(&mut self, end: Rank, element: usize) -> u64 {
        if self.trees.len() <= element {
            self.trees.resize(element + 1, None);
        }
        match self.trees[element] {
            Some((ranks, tree)) if ranks == end => tree,
            _ => {
                let tree = brackets::<Hashed>(self.collective, end, element).tree;
                self.trees[element] = Some((end, tree));
                tree
            }
        }
    }
}

/// The contributions of the ranks below `end`, in the brackets that they should have.
fn brackets<A: Algebra>(collective: Collective, end: Rank, element: usize) -> A {
    let leaf = |rank| A::contribution(rank, element);
    if matches!(collective, Collective::Scan | Collective::Exscan) {
        return (1..end).fold(leaf(0), |left, rank| left.reduce(&leaf(rank)));
    }
    subtree(&leaf, 0, end)
}

fn subtree<A: Algebra>(leaf: &impl Fn(Rank) -> A, first: Rank, end: Rank) -> A {
    if first + 1 == end {
        return leaf(first);
    }
    let middle = first + left_of((end - first) as usize) as Rank;
    subtree(leaf, first, middle).reduce(&subtree(leaf, middle, end))
}
