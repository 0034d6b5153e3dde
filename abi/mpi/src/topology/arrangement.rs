//! An arrangement of processes, and who its neighbours are.

use super::cart::Cart;
use super::graph::{DistGraph, Graph};
use crate::constants as c;

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

    /// What `MPI_Topo_test` says of it.
    pub fn kind(&self) -> i32 {
        match self {
            Topology::Cart(_) => c::CART,
            Topology::Graph(_) => c::GRAPH,
            Topology::DistGraph(_) => c::DIST_GRAPH,
        }
    }
}
