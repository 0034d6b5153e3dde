//! all_reduce: every rank gets the reduction of all inputs.

pub(super) mod hierarchical;
pub(super) mod one_shot;
pub(super) mod rabenseifner;
pub(super) mod recursive_doubling;
pub(super) mod ring;
pub(super) mod staged;
pub(super) mod two_shot;
