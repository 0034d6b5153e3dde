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
    Scan = 9,
    Exscan = 10,
    AllGatherV = 11,
    GatherV = 12,
    ScatterV = 13,
    ReduceScatterV = 14,
    AllToAllV = 15,
    NeighborAllGatherV = 16,
    NeighborAllToAllV = 17,
}

impl Collective {
    /// Every collective, in wire order.
    pub const ALL: [Collective; 18] = [
        Collective::AllReduce,
        Collective::Reduce,
        Collective::Broadcast,
        Collective::AllGather,
        Collective::Gather,
        Collective::Scatter,
        Collective::ReduceScatter,
        Collective::AllToAll,
        Collective::Barrier,
        Collective::Scan,
        Collective::Exscan,
        Collective::AllGatherV,
        Collective::GatherV,
        Collective::ScatterV,
        Collective::ReduceScatterV,
        Collective::AllToAllV,
        Collective::NeighborAllGatherV,
        Collective::NeighborAllToAllV,
    ];

    /// The collectives that take one count, in wire order.
    pub const UNIFORM: [Collective; 11] = {
        let [a, b, c, d, e, f, g, h, i, j, k, ..] = Collective::ALL;
        [a, b, c, d, e, f, g, h, i, j, k]
    };

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
            Collective::Scan => "scan",
            Collective::Exscan => "exscan",
            Collective::AllGatherV => "all_gather_v",
            Collective::GatherV => "gather_v",
            Collective::ScatterV => "scatter_v",
            Collective::ReduceScatterV => "reduce_scatter_v",
            Collective::AllToAllV => "all_to_all_v",
            Collective::NeighborAllGatherV => "neighbor_all_gather_v",
            Collective::NeighborAllToAllV => "neighbor_all_to_all_v",
        }
    }

    /// The collective with this name.
    pub fn from_name(name: &str) -> Option<Collective> {
        Collective::ALL.into_iter().find(|c| c.name() == name)
    }

    /// Whether one rank is distinguished.
    pub const fn has_root(self) -> bool {
        use Collective::*;
        matches!(self, Reduce | Broadcast | Gather | Scatter | GatherV | ScatterV)
    }

    /// Whether contributions are combined by an operator.
    pub const fn reduces(self) -> bool {
        use Collective::*;
        matches!(self, AllReduce | Reduce | ReduceScatter | Scan | Exscan | ReduceScatterV)
    }

    /// Whether blocks differ in length, so that each rank passes a layout.
    pub const fn has_layout(self) -> bool {
        use Collective::*;
        matches!(self, AllGatherV | GatherV | ScatterV | ReduceScatterV | AllToAllV) || self.has_graph()
    }

    /// Whether only the sender and the receiver of a block know its length. Then each message states its
    /// number of elements, and an empty block is sent as an empty message. If it were left out, a receiver
    /// that waits for more could not notice the contradiction.
    pub const fn counts_messages(self) -> bool {
        use Collective::*;
        matches!(self, GatherV | ScatterV | AllToAllV) || self.has_graph()
    }

    /// Whether each rank exchanges with its neighbours in a graph.
    pub const fn has_graph(self) -> bool {
        matches!(self, Collective::NeighborAllGatherV | Collective::NeighborAllToAllV)
    }

    /// The collective with one count in which ranks have as many blocks.
    #[must_use]
    pub const fn with_one_count(self) -> Collective {
        match self {
            Collective::AllGatherV => Collective::AllGather,
            Collective::GatherV => Collective::Gather,
            Collective::ScatterV => Collective::Scatter,
            Collective::ReduceScatterV => Collective::ReduceScatter,
            Collective::AllToAllV => Collective::AllToAll,
            other => other,
        }
    }

    /// Number of elements that `rank` of `size` reads from its send buffer, for a per-call `count`. `count`
    /// has NCCL's meaning. For all_gather and gather it is the number sent per rank, for reduce_scatter and
    /// scatter the number received per rank, for all_to_all the number per pair.
    ///
    /// # Panics
    /// For a collective with a layout: the layout has the number.
    pub const fn input_elements(self, size: usize, rank: u32, root: u32, count: usize) -> usize {
        use Collective::*;
        match self {
            AllReduce | Reduce | AllGather | Gather | Scan | Exscan => count,
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
            AllGatherV | GatherV | ScatterV | ReduceScatterV | AllToAllV => no_single_count(),
            NeighborAllGatherV | NeighborAllToAllV => no_single_count(),
        }
    }

    /// Number of elements that `rank` of `size` writes to its receive buffer, for a per-call `count`.
    ///
    /// # Panics
    /// For a collective with a layout: the layout has the number.
    pub const fn output_elements(self, size: usize, rank: u32, root: u32, count: usize) -> usize {
        use Collective::*;
        match self {
            AllReduce | Broadcast | ReduceScatter | Scatter | Scan => count,
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
            // No rank comes before rank 0: its output stays as it is.
            Exscan => {
                if rank == 0 {
                    0
                } else {
                    count
                }
            }
            Barrier => 0,
            AllGatherV | GatherV | ScatterV | ReduceScatterV | AllToAllV => no_single_count(),
            NeighborAllGatherV | NeighborAllToAllV => no_single_count(),
        }
    }
}

const fn no_single_count() -> ! {
    panic!("the blocks differ: ask the layout")
}
