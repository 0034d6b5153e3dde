//! Reductions that keep the order of the ranks: rank 0 is the leftmost operand, the last rank the rightmost.
//!
//! These algorithms serve operators that do not commute. All are made of one phase, `Slots::collect`: the
//! rank that computes some elements of the result receives all contributions to them and combines these in
//! rank order. The algorithms differ in which rank computes which elements, and in what happens to the
//! result. Only brackets may be set freely, so any tree over neighbours would be correct. The direct tree
//! takes one latency, the bytes of a ring, and the same brackets on every rank: all ranks get the same bits.
//! On several hosts, `hierarchical` sets a bracket around the ranks of each.
//!
//! The tests prove the order with `plan::verify::verify_order`, in addition to what they prove for every
//! algorithm.

mod all_reduce;
mod collect;
mod hierarchical;
pub(super) mod reduce;
mod table;
#[cfg(test)]
mod tests;

pub use table::{ORDERED, ordered};
