//! barrier: no rank leaves before all have entered.

pub(super) mod dissemination;
pub(super) mod hierarchical;
pub(super) mod one_shot;
