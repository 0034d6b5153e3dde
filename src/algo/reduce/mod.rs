//! reduce: the root gets the reduction of all inputs.
//!
//! The other ranks have no output: their partial results are scratch.

pub(super) mod binomial;
pub(super) mod chain;
pub(super) mod hierarchical;
pub(super) mod one_shot;
pub(super) mod rabenseifner_gather;
