//! MPI's functions on graphs that every process knows (MPI 5.0, sections 8.5.3 and 8.5.5).

use std::sync::Arc;

use super::graph::Graph;
use super::{Topology, has_no, length};
use crate::arguments::{CommHandle, Inputs, Output, Outputs};
use crate::call::check_outside_callback;
use crate::comm::{Comm, create};
use crate::constants::UNDEFINED;
use crate::error::{Class, Error, Result};

/// Reads a graph that the program describes. It may have at most `most` processes.
fn read(most: u32, nnodes: i32, index: &Inputs<i32>, edges: &Inputs<i32>) -> Result<Graph> {
    let nodes = length("nnodes", nnodes)?;
    if nodes > most as usize {
        let text = format!("a graph of {nodes} processes; the communicator has {most}");
        return Err(Error::new(Class::ARG, text));
    }
    let index = index.read(nodes)?;
    let count = length("the number of edges", index.last().copied().unwrap_or(0))?;
    Graph::new(index, edges.read(count)?)
}

/// The graph of a communicator.
fn graph_of(comm: CommHandle) -> Result<Arc<Topology>> {
    let comm = Comm::from_handle(comm)?;
    match comm.topology() {
        Some(topology) if matches!(**topology, Topology::Graph(_)) => Ok(Arc::clone(topology)),
        _ => Err(has_no(&comm, "graph topology")),
    }
}

fn graph(topology: &Topology) -> &Graph {
    match topology {
        Topology::Graph(graph) => graph,
        _ => unreachable!("`graph_of` has looked"),
    }
}

/// `MPI_Graph_create`. Processes without a node in the graph get `MPI_COMM_NULL`.
pub unsafe fn create(
    comm: CommHandle,
    nnodes: i32,
    index: Inputs<i32>,
    edges: Inputs<i32>,
    _reorder: i32,
    newcomm: Output<CommHandle>,
) -> Result<()> {
    check_outside_callback()?;
    let parent = Comm::from_handle(comm)?.share();
    parent.check_intra()?;
    let graph = read(parent.size(), nnodes, &index, &edges)?;
    let color = (parent.rank() < graph.nodes()).then_some(0);
    newcomm.set(create::part(&parent, color, 0, "graph", |_| Some(Topology::Graph(graph)))?);
    Ok(())
}

/// `MPI_Graphdims_get`.
pub unsafe fn dims_get(comm: CommHandle, nnodes: Output<i32>, nedges: Output<i32>) -> Result<()> {
    let topology = graph_of(comm)?;
    let graph = graph(&topology);
    nnodes.set(graph.nodes().cast_signed());
    nedges.set(graph.edges().len() as i32);
    Ok(())
}

/// `MPI_Graph_get`: writes as much as there is room for.
pub unsafe fn get(
    comm: CommHandle,
    maxindex: i32,
    maxedges: i32,
    index: Outputs<i32>,
    edges: Outputs<i32>,
) -> Result<()> {
    let topology = graph_of(comm)?;
    let graph = graph(&topology);
    let (max_index, max_edges) = (length("maxindex", maxindex)?, length("maxedges", maxedges)?);
    index.set_all(graph.index()[..max_index.min(graph.index().len())].iter().copied())?;
    edges.set_all(graph.edges()[..max_edges.min(graph.edges().len())].iter().copied())
}

fn neighbors_of(graph: &Graph, rank: i32) -> Result<&[i32]> {
    match u32::try_from(rank).ok().filter(|rank| *rank < graph.nodes()) {
        Some(rank) => Ok(graph.neighbors(rank)),
        None => {
            let text = format!("rank {rank}; the graph has {} processes", graph.nodes());
            Err(Error::new(Class::RANK, text))
        }
    }
}

/// `MPI_Graph_neighbors_count`.
pub unsafe fn neighbors_count(comm: CommHandle, rank: i32, nneighbors: Output<i32>) -> Result<()> {
    let topology = graph_of(comm)?;
    nneighbors.set(neighbors_of(graph(&topology), rank)?.len() as i32);
    Ok(())
}

/// `MPI_Graph_neighbors`: writes as many as there is room for.
pub unsafe fn neighbors(
    comm: CommHandle,
    rank: i32,
    maxneighbors: i32,
    neighbors: Outputs<i32>,
) -> Result<()> {
    let topology = graph_of(comm)?;
    let found = neighbors_of(graph(&topology), rank)?;
    let max = length("maxneighbors", maxneighbors)?;
    neighbors.set_all(found[..max.min(found.len())].iter().copied())
}

/// `MPI_Graph_map`.
pub unsafe fn map(
    comm: CommHandle,
    nnodes: i32,
    index: Inputs<i32>,
    edges: Inputs<i32>,
    newrank: Output<i32>,
) -> Result<()> {
    let comm = Comm::from_handle(comm)?;
    comm.check_intra()?;
    let graph = read(comm.size(), nnodes, &index, &edges)?;
    newrank.set(if comm.rank() < graph.nodes() { comm.rank().cast_signed() } else { UNDEFINED });
    Ok(())
}
