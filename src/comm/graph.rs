//! Graphs over a communicator: the neighbours of this rank.
//!
//! Each rank says to which ranks it sends and from which it receives. Whether the ranks agree is checked
//! once, when the graph is made. Every rank tells every other rank how many edges lead to it, and all ranks
//! learn of a disagreement. So later exchanges can disagree only about lengths, which their messages carry.

use std::sync::{Arc, Weak};

use super::call::operation::{Operation, in_range};
use super::communicator::Communicator;
use crate::base::{Call, CallKind, Collective, Datatype, Error, Rank, ReduceOp, Result};

/// The neighbours of this rank.
#[derive(Debug)]
pub struct Graph {
    sources: Vec<Rank>,
    destinations: Vec<Rank>,
    comm: Weak<Communicator>,
}

impl Graph {
    /// Makes a graph. Collective. If two ranks disagree about an edge, all ranks get an error that names the
    /// same two ranks, and the communicator remains usable.
    pub fn create(comm: &Arc<Communicator>, sources: &[Rank], destinations: &[Rank]) -> Result<Graph> {
        let size = comm.size();
        sources.iter().try_for_each(|rank| in_range("sources", *rank, size))?;
        destinations.iter().try_for_each(|rank| in_range("destinations", *rank, size))?;
        let (mine, mut theirs) = (edges(destinations, size), vec![0u64; size as usize]);
        exchange(comm, Collective::AllToAll, None, &mine, &mut theirs)?;
        let disagreements = (0..size).zip(theirs.iter().zip(edges(sources, size)));
        let wrong =
            disagreements.filter(|(_, (said, wanted))| **said != *wanted).map(|(from, (said, wanted))| {
                Disagreement { from, to: comm.rank(), is_too_many: *said > wanted }.encode()
            });
        let mut worst = [0u64];
        exchange(comm, Collective::AllReduce, Some(ReduceOp::Max), &[wrong.max().unwrap_or(0)], &mut worst)?;
        match Disagreement::decode(worst[0]) {
            Some(disagreement) => Err(Error::InvalidArgument { what: "graph", got: disagreement.in_words() }),
            None => Ok(Graph {
                sources: sources.to_vec(),
                destinations: destinations.to_vec(),
                comm: Arc::downgrade(comm),
            }),
        }
    }

    /// The ranks from which this rank receives, in the order of the blocks.
    pub fn sources(&self) -> &[Rank] {
        &self.sources
    }

    /// The ranks to which this rank sends, in the order of the blocks.
    pub fn destinations(&self) -> &[Rank] {
        &self.destinations
    }

    /// Whether the graph was made over this communicator.
    pub fn is_over(&self, comm: &Arc<Communicator>) -> bool {
        Weak::ptr_eq(&self.comm, &Arc::downgrade(comm))
    }
}

/// Number of edges to each rank.
fn edges(neighbours: &[Rank], size: u32) -> Vec<u64> {
    let mut edges = vec![0; size as usize];
    neighbours.iter().for_each(|rank| edges[*rank as usize] += 1);
    edges
}

fn exchange(
    comm: &Communicator,
    collective: Collective,
    op: Option<ReduceOp>,
    send: &[u64],
    recv: &mut [u64],
) -> Result<()> {
    let call =
        Call { kind: CallKind::Collective(collective), datatype: Datatype::Uint64, op, root: 0, count: 1 };
    let operation = Operation { call, send: send.as_ptr().cast(), recv: recv.as_mut_ptr().cast() };
    // SAFETY: each side has one element per rank, or one in all, as the two callers above provide.
    unsafe { comm.run(&operation) }
}

/// Two ranks that disagree about their edges.
#[derive(Clone, Copy)]
struct Disagreement {
    from: Rank,
    to: Rank,
    /// Whether more messages are sent than received.
    is_too_many: bool,
}

impl Disagreement {
    /// A number that is never 0. Ranks are below 2^31, because C counts them in an int.
    fn encode(self) -> u64 {
        u64::from(self.from) << 33 | u64::from(self.to) << 2 | u64::from(self.is_too_many) << 1 | 1
    }

    fn decode(code: u64) -> Option<Disagreement> {
        let (from, to) = ((code >> 33) as Rank, (code >> 2) as Rank & 0x7fff_ffff);
        (code != 0).then_some(Disagreement { from, to, is_too_many: code & 2 != 0 })
    }

    fn in_words(self) -> String {
        let Disagreement { from, to, is_too_many } = self;
        match is_too_many {
            true => {
                format!("rank {from} sends more often to rank {to} than rank {to} receives from rank {from}")
            }
            false => {
                format!("rank {to} receives more often from rank {from} than rank {from} sends to rank {to}")
            }
        }
    }
}
