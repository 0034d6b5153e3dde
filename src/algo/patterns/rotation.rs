//! Virtual ranks: the ranks renumbered so that the root is 0.

use crate::base::Rank;
use crate::plan::PlanRequest;

/// Renumbers ranks by rotation.
#[derive(Clone, Copy, Debug)]
pub(in crate::algo) struct Rotation {
    size: usize,
    root: usize,
}

impl Rotation {
    /// The rotation that makes the root of the request 0.
    pub(in crate::algo) fn to_root(request: &PlanRequest) -> Rotation {
        Rotation { size: request.size as usize, root: request.root as usize }
    }

    /// Virtual rank of a real one.
    pub(in crate::algo) fn virtual_of(self, rank: Rank) -> usize {
        (rank as usize + self.size - self.root) % self.size
    }

    /// Real rank of a virtual one.
    pub(in crate::algo) fn real(self, virtual_rank: usize) -> Rank {
        ((virtual_rank + self.root) % self.size) as Rank
    }

    /// Virtual rank of real rank 0. Below it, real ranks are `root + virtual`; from it on, they begin again
    /// at 0. It is the number of ranks if the root is 0.
    pub(in crate::algo) fn wrap(self) -> usize {
        self.size - self.root
    }
}
