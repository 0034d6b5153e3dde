//! barrier: no rank leaves before all have entered.

pub(super) mod dissemination;
