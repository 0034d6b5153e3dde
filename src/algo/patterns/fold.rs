//! Makes a power of two out of any number of ranks.
//!
//! With `extra` ranks above the largest power of two, the first `2 * extra` ranks form pairs of neighbours.
//! The odd one of each pair folds into the even one: it hands over its data, idles while the others run the
//! power-of-two algorithm, and gets the result afterwards. The active ranks are numbered 0..active by index.
//! Rank 0 is always active, so a root that is rotated to 0 is, too.

use std::ops::Range;

use crate::base::Rank;

/// Which ranks are active, and into which rank each other rank folds.
#[derive(Clone, Copy, Debug)]
pub(in crate::algo) struct Fold {
    size: usize,
    active: usize,
    extra: usize,
}

/// Role of one rank in a fold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::algo) enum Role {
    /// Takes part, also on behalf of its odd neighbour `absorbed`, if it has one.
    Active { index: usize, absorbed: Option<usize> },
    /// Hands its data to rank `into`.
    Folded { into: usize },
}

impl Fold {
    /// Folds `size` ranks, at least one.
    pub(in crate::algo) fn new(size: usize) -> Fold {
        let active = 1 << size.ilog2();
        Fold { size, active, extra: size - active }
    }

    /// Number of active ranks, a power of two.
    pub(in crate::algo) fn active(self) -> usize {
        self.active
    }

    /// Rounds of a power-of-two algorithm.
    pub(in crate::algo) fn rounds(self) -> u32 {
        self.active.ilog2()
    }

    /// Whether any rank is folded.
    pub(in crate::algo) fn is_needed(self) -> bool {
        self.extra > 0
    }

    /// The role of a rank.
    pub(in crate::algo) fn role(self, rank: usize) -> Role {
        if rank >= 2 * self.extra {
            Role::Active { index: rank - self.extra, absorbed: None }
        } else if rank.is_multiple_of(2) {
            Role::Active { index: rank / 2, absorbed: Some(rank + 1) }
        } else {
            Role::Folded { into: rank - 1 }
        }
    }

    /// The number of an index in a hypercube whose halving begins among neighbours: its bits, backwards. Of a
    /// number, the index.
    pub(in crate::algo) fn nearest_first(self, index: usize) -> usize {
        index.reverse_bits().checked_shr(usize::BITS - self.rounds()).unwrap_or(0)
    }

    /// The first rank that an index stands for. An index stands for consecutive ranks, up to the next index's
    /// first rank. The index after the last gives the number of ranks.
    pub(in crate::algo) fn rank_of(self, index: usize) -> usize {
        let rank = index + index.min(self.extra);
        debug_assert!(rank <= self.size);
        rank
    }

    /// The ranks that consecutive indices stand for.
    pub(in crate::algo) fn ranks_of(self, indices: Range<usize>) -> Range<usize> {
        self.rank_of(indices.start)..self.rank_of(indices.end)
    }
}

/// Rank of a virtual rank, for algorithms without a root.
pub(in crate::algo) fn identity(rank: usize) -> Rank {
    rank as Rank
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_is_active_or_folds_into_an_active_one() {
        for size in 1..100 {
            let fold = Fold::new(size);
            let mut indices = Vec::new();
            for rank in 0..size {
                match fold.role(rank) {
                    Role::Active { index, absorbed } => {
                        assert_eq!(fold.rank_of(index), rank);
                        assert_eq!(fold.ranks_of(index..index + 1).len(), 1 + absorbed.iter().count());
                        indices.push(index);
                    }
                    Role::Folded { into } => {
                        assert!(
                            matches!(fold.role(into), Role::Active { absorbed: Some(a), .. } if a == rank)
                        );
                    }
                }
            }
            assert!(indices.into_iter().eq(0..fold.active()));
        }
    }
}
