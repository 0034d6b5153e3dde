//! Reductions by the fixed tree ([`crate::plan::fixed_tree`]): the bits of a result depend on the inputs and
//! on the number of ranks, and on nothing else.
//!
//! Some algorithms for any order build this tree anyway. These are those that exchange at doubling distance,
//! and those whose ranks collect contributions ([`super::patterns::direct`]). Others have a form here that
//! builds it. What cannot build it, such as a ring, is not in the table. Scans combine from left to right.
//!
//! The tests prove every row with `plan::verify::verify_fixed`, in addition to what they prove for every
//! algorithm.

mod binomial;
mod hierarchical;
mod holders;
mod pairwise;
mod scan;
mod staged;
mod table;
#[cfg(test)]
mod tests;

pub use table::{FIXED, fixed, fixed_in_order};
