//! Ranks.

/// Position in a communicator, counted from 0.
pub type Rank = u32;
