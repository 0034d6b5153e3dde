//! Virtual topologies: arrangements of the processes of a communicator (MPI 5.0, chapter 8).
//!
//! Processes are not reordered: they keep the ranks of the communicator from which they come. A duplicate has
//! the same topology.
//!
//! - [`cart`] is arithmetic on grids, [`dims`] finds balanced ones, [`graph`] has neighbours as lists.
//! - `cart_calls`, `graph_calls` and `dist_graph_calls` have MPI's functions.

pub mod cart;
pub mod cart_calls;
pub mod dims;
pub mod dist_graph_calls;
pub mod graph;
pub mod graph_calls;

use cart::Cart;
use graph::{DistGraph, Graph};

use crate::arguments::{CommHandle, Output};
use crate::comm::Comm;
use crate::constants as c;
use crate::error::{Class, Error, Result};

/// An arrangement of processes.
#[derive(Debug)]
pub enum Topology {
    /// A grid.
    Cart(Cart),
    /// A graph that every process knows.
    Graph(Graph),
    /// A graph of which each process knows its own edges.
    DistGraph(DistGraph),
}

impl Topology {
    /// Ranks from which the process with this rank receives in neighbourhood collectives, in order. Where a
    /// grid ends, it is `MPI_PROC_NULL`.
    pub fn sources(&self, rank: u32) -> Vec<i32> {
        match self {
            Topology::Cart(cart) => cart.neighbors(rank),
            Topology::Graph(graph) => graph.neighbors(rank).to_vec(),
            Topology::DistGraph(graph) => graph.sources.clone(),
        }
    }

    /// Ranks to which the process with this rank sends in neighbourhood collectives, in order. Where a grid
    /// ends, it is `MPI_PROC_NULL`.
    pub fn destinations(&self, rank: u32) -> Vec<i32> {
        match self {
            Topology::Cart(cart) => cart.neighbors(rank),
            Topology::Graph(graph) => graph.neighbors(rank).to_vec(),
            Topology::DistGraph(graph) => graph.destinations.clone(),
        }
    }

    fn kind(&self) -> i32 {
        match self {
            Topology::Cart(_) => c::CART,
            Topology::Graph(_) => c::GRAPH,
            Topology::DistGraph(_) => c::DIST_GRAPH,
        }
    }
}

/// `MPI_Topo_test`.
pub unsafe fn test(comm: CommHandle, status: Output<i32>) -> Result<()> {
    status.set(Comm::from_handle(comm)?.topology().map_or(c::UNDEFINED, |topology| topology.kind()));
    Ok(())
}

/// The error for a communicator that lacks the topology that a function needs.
#[cold]
fn has_no(comm: &Comm, what: &str) -> Error {
    Error::new(Class::TOPOLOGY, format!("{} has no {what}", comm.title()))
}

/// A number of elements, which must not be negative.
fn length(name: &str, n: i32) -> Result<usize> {
    usize::try_from(n).map_err(|_| Error::new(Class::ARG, format!("{name} is {n}, less than 0")))
}
