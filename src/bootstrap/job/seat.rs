//! The place of this process in its job: its rank, and how many ranks there are.

use crate::base::Rank;

/// Rank and number of ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seat {
    pub rank: Rank,
    pub size: u32,
}
