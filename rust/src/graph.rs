//! Exchange with neighbours in a graph over a communicator.

use std::fmt;

use anyccl_engine::base::{Collective, Result as EngineResult};
use anyccl_engine::comm::Graph as EngineGraph;

use crate::buffers::Input;
use crate::collective::{Asked, check_rank};
use crate::communicator::Communicator;
use crate::element::Element;
use crate::error::Result;
use crate::request::Request;
use crate::sides::Sides;
use crate::unequal::Counts;

/// The neighbours of this rank: ranks from which it receives, and ranks to which it sends.
///
/// Its calls are collectives of the communicator. The blocks of a buffer follow one another, in the order of
/// the neighbours, and fill it.
///
/// ```
/// anyccl::threads(4, |comm| {
///     let (right, left) = ((comm.rank() + 1) % 4, (comm.rank() + 3) % 4);
///     let ring = comm.graph(&[left], &[right])?;
///     let mut got = [0u8; 3];
///     ring.neighbor_all_gather_v(&[comm.rank() as u8; 3], &mut got, &[3])?;
///     assert_eq!(got, [left as u8; 3]);
///     Ok(())
/// })?;
/// # Ok::<(), anyccl::Error>(())
/// ```
pub struct Graph {
    engine: EngineGraph,
    comm: Communicator,
}

impl Communicator {
    /// Makes a graph of the neighbours of each rank. Collective: rank a names rank b among its destinations
    /// as often as rank b names rank a among its sources. Otherwise all ranks get an error that names the
    /// same two ranks, and the communicator works on.
    pub fn graph(&self, sources: &[usize], destinations: &[usize]) -> Result<Graph> {
        let engine = self.enter("graph", |_| {
            let ranks = |what, ranks: &[usize]| -> EngineResult<Vec<u32>> {
                ranks.iter().map(|rank| check_rank(what, *rank, self.size())).collect()
            };
            let (sources, destinations) = (ranks("sources", sources)?, ranks("destinations", destinations)?);
            EngineGraph::create(self.engine(), &sources, &destinations)
        })?;
        Ok(Graph { engine, comm: self.clone() })
    }
}

impl Graph {
    /// The communicator over which the graph was made.
    pub fn communicator(&self) -> &Communicator {
        &self.comm
    }

    /// The ranks from which this rank receives, in the order of the blocks.
    pub fn sources(&self) -> impl Iterator<Item = usize> + '_ {
        self.engine.sources().iter().map(|rank| *rank as usize)
    }

    /// The ranks to which this rank sends, in the order of the blocks.
    pub fn destinations(&self) -> impl Iterator<Item = usize> + '_ {
        self.engine.destinations().iter().map(|rank| *rank as usize)
    }

    /// Sends the same elements to every destination, and receives a block from every source. `counts` has
    /// the length of the block of each source.
    pub fn neighbor_all_gather_v<T: Element>(
        &self,
        send: &[T],
        recv: &mut [T],
        counts: &[usize],
    ) -> Result<()> {
        let asked = Asked::plain(Collective::NeighborAllGatherV);
        self.comm.run_unequal(asked, Sides::apart(send, recv), self.counts(None, counts))
    }

    /// Sends a block to every destination, and receives one from every source. Both counts have the length
    /// of each block.
    pub fn neighbor_all_to_all_v<T: Element>(
        &self,
        send: &[T],
        send_counts: &[usize],
        recv: &mut [T],
        recv_counts: &[usize],
    ) -> Result<()> {
        let asked = Asked::plain(Collective::NeighborAllToAllV);
        self.comm.run_unequal(asked, Sides::apart(send, recv), self.counts(Some(send_counts), recv_counts))
    }

    /// Starts a [`neighbor_all_gather_v`](Graph::neighbor_all_gather_v).
    pub fn start_neighbor_all_gather_v<T: Element, S: Input<T>>(
        &self,
        send: S,
        recv: Vec<T>,
        counts: &[usize],
    ) -> Result<Request<(S, Vec<T>)>> {
        let asked = Asked::plain(Collective::NeighborAllGatherV);
        self.comm.start_unequal(asked, send, recv, self.counts(None, counts))
    }

    /// Starts a [`neighbor_all_to_all_v`](Graph::neighbor_all_to_all_v).
    pub fn start_neighbor_all_to_all_v<T: Element, S: Input<T>>(
        &self,
        send: S,
        send_counts: &[usize],
        recv: Vec<T>,
        recv_counts: &[usize],
    ) -> Result<Request<(S, Vec<T>)>> {
        let asked = Asked::plain(Collective::NeighborAllToAllV);
        self.comm.start_unequal(asked, send, recv, self.counts(Some(send_counts), recv_counts))
    }

    fn counts<'a>(&'a self, send: Option<&'a [usize]>, recv: &'a [usize]) -> Counts<'a> {
        Counts { send, recv: Some(recv), graph: Some(&self.engine) }
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.engine.fmt(f)
    }
}
