//! The collective operations.

/// Operation that all ranks of a communicator call. The discriminants travel on the wire.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Collective {
    AllReduce = 0,
    Reduce = 1,
    Broadcast = 2,
    AllGather = 3,
    Gather = 4,
    Scatter = 5,
    ReduceScatter = 6,
    AllToAll = 7,
    Barrier = 8,
}

impl Collective {
    /// Every collective, in wire order.
    pub const ALL: [Collective; 9] = [
        Collective::AllReduce,
        Collective::Reduce,
        Collective::Broadcast,
        Collective::AllGather,
        Collective::Gather,
        Collective::Scatter,
        Collective::ReduceScatter,
        Collective::AllToAll,
        Collective::Barrier,
    ];

    /// Name as in the C API, in `ANYCCL_ALGORITHM` and in error messages.
    pub const fn name(self) -> &'static str {
        match self {
            Collective::AllReduce => "all_reduce",
            Collective::Reduce => "reduce",
            Collective::Broadcast => "broadcast",
            Collective::AllGather => "all_gather",
            Collective::Gather => "gather",
            Collective::Scatter => "scatter",
            Collective::ReduceScatter => "reduce_scatter",
            Collective::AllToAll => "all_to_all",
            Collective::Barrier => "barrier",
        }
    }

    /// The collective with this name.
    pub fn from_name(name: &str) -> Option<Collective> {
        Collective::ALL.into_iter().find(|c| c.name() == name)
    }

    /// Whether one rank is distinguished.
    pub const fn has_root(self) -> bool {
        use Collective::*;
        matches!(self, Reduce | Broadcast | Gather | Scatter)
    }

    /// Whether contributions are combined by an operator.
    pub const fn reduces(self) -> bool {
        use Collective::*;
        matches!(self, AllReduce | Reduce | ReduceScatter)
    }

    /// Elements that `rank` of `size` reads from its send buffer, for a per-call `count`.
    /// `count` has NCCL's meaning: all_gather and gather: sent per rank; reduce_scatter and
    /// scatter: received per rank; all_to_all: per pair.
    pub const fn input_elements(self, size: usize, rank: u32, root: u32, count: usize) -> usize {
        use Collective::*;
        match self {
            AllReduce | Reduce | AllGather | Gather => count,
            ReduceScatter | AllToAll => count * size,
            Broadcast => {
                if rank == root {
                    count
                } else {
                    0
                }
            }
            Scatter => {
                if rank == root {
                    count * size
                } else {
                    0
                }
            }
            Barrier => 0,
        }
    }

    /// Elements that `rank` of `size` writes to its receive buffer, for a per-call `count`.
    pub const fn output_elements(self, size: usize, rank: u32, root: u32, count: usize) -> usize {
        use Collective::*;
        match self {
            AllReduce | Broadcast | ReduceScatter | Scatter => count,
            AllGather | AllToAll => count * size,
            Reduce => {
                if rank == root {
                    count
                } else {
                    0
                }
            }
            Gather => {
                if rank == root {
                    count * size
                } else {
                    0
                }
            }
            Barrier => 0,
        }
    }
}
