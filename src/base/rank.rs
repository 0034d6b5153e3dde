//! Ranks.

/// 0-based position in a communicator.
pub type Rank = u32;
