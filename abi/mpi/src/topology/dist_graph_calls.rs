//! MPI's functions on graphs of which each process knows its own edges (MPI 5.0, section 8.5.4).
//!
//! `MPI_Dist_graph_create` takes edges from any process. Each edge is sent to both of its ends: all processes
//! exchange the numbers of edges, and the edges follow as messages.

use super::graph::DistGraph;
use super::{Topology, has_no, length};
use crate::arguments::{CommHandle, EdgeWeights, InfoHandle, Inputs, Output, Outputs};
use crate::call::check_outside_callback;
use crate::comm::{Comm, agreement, create};
use crate::error::{Class, Error, Result};

/// Number of words of an edge in a message: the process on the other side with the direction in the lowest
/// bit, and the weight.
const EDGE_WORDS: usize = 2;

fn weights(weights: &EdgeWeights, len: usize) -> Result<Option<Vec<i32>>> {
    let read = match weights {
        EdgeWeights::Unweighted => return Ok(None),
        EdgeWeights::Empty if len == 0 => Vec::new(),
        EdgeWeights::Empty => {
            return Err(Error::new(Class::ARG, "the weights are MPI_WEIGHTS_EMPTY, but there are edges"));
        }
        EdgeWeights::Given(given) => given.read(len)?,
    };
    match read.iter().find(|weight| **weight < 0) {
        Some(weight) => Err(Error::new(Class::ARG, format!("an edge of weight {weight}, less than 0"))),
        None => Ok(Some(read)),
    }
}

fn check_ranks(comm: &Comm, ranks: &[i32]) -> Result<()> {
    match ranks.iter().find(|rank| rank.cast_unsigned() >= comm.size()) {
        Some(rank) => {
            let text = format!("an edge of rank {rank}; {} has {} processes", comm.title(), comm.size());
            Err(Error::new(Class::ARG, text))
        }
        None => Ok(()),
    }
}

fn give(parent: &Comm, graph: DistGraph, newcomm: &Output<CommHandle>) -> Result<()> {
    let arranged = |_: &_| Some(Topology::DistGraph(graph));
    newcomm.set(create::part(parent, Some(0), 0, "dist_graph", arranged)?);
    Ok(())
}

/// `MPI_Dist_graph_create_adjacent`.
pub unsafe fn create_adjacent(
    comm: CommHandle,
    indegree: i32,
    sources: Inputs<i32>,
    sourceweights: EdgeWeights,
    outdegree: i32,
    destinations: Inputs<i32>,
    destweights: EdgeWeights,
    _info: InfoHandle,
    _reorder: i32,
    newcomm: Output<CommHandle>,
) -> Result<()> {
    check_outside_callback()?;
    let parent = Comm::from_handle(comm)?.share();
    parent.check_intra()?;
    let (incoming, outgoing) = (length("indegree", indegree)?, length("outdegree", outdegree)?);
    let (sources, destinations) = (sources.read(incoming)?, destinations.read(outgoing)?);
    check_ranks(&parent, &sources)?;
    check_ranks(&parent, &destinations)?;
    let weights = match (weights(&sourceweights, incoming)?, weights(&destweights, outgoing)?) {
        (Some(of_sources), Some(of_destinations)) => Some([of_sources, of_destinations]),
        (None, None) => None,
        // One of them may be empty if there is no such edge.
        (Some(weights), None) if outgoing == 0 => Some([weights, Vec::new()]),
        (None, Some(weights)) if incoming == 0 => Some([Vec::new(), weights]),
        _ => {
            let text = "edges from other processes or to them have weights, but not both";
            return Err(Error::new(Class::ARG, text));
        }
    };
    give(&parent, DistGraph { sources, destinations, weights }, &newcomm)
}

/// `MPI_Dist_graph_create`.
pub unsafe fn create(
    comm: CommHandle,
    n: i32,
    sources: Inputs<i32>,
    degrees: Inputs<i32>,
    destinations: Inputs<i32>,
    edge_weights: EdgeWeights,
    _info: InfoHandle,
    _reorder: i32,
    newcomm: Output<CommHandle>,
) -> Result<()> {
    check_outside_callback()?;
    let parent = Comm::from_handle(comm)?.share();
    parent.check_intra()?;
    let n = length("n", n)?;
    let (sources, degrees) = (sources.read(n)?, degrees.read(n)?);
    let degrees: Vec<usize> =
        degrees.into_iter().map(|degree| length("a degree", degree)).collect::<Result<_>>()?;
    let edges: usize = degrees.iter().sum();
    let destinations = destinations.read(edges)?;
    check_ranks(&parent, &sources)?;
    check_ranks(&parent, &destinations)?;
    let weights = weights(&edge_weights, edges)?;
    let is_weighted = weights.is_some();

    let from =
        sources.iter().zip(&degrees).flat_map(|(source, degree)| std::iter::repeat_n(*source, *degree));
    // For each process, the edges that it is told: those that come to it, and those that leave it.
    let mut told = vec![Vec::new(); parent.size() as usize];
    for (at, (source, destination)) in from.zip(&destinations).enumerate() {
        let weight = weights.as_ref().map_or(0, |weights| weights[at]).cast_unsigned();
        told[*destination as usize].push([u64::from(source.cast_unsigned()) << 1, u64::from(weight)]);
        told[source as usize].push([u64::from(destination.cast_unsigned()) << 1 | 1, u64::from(weight)]);
    }
    let mut graph = DistGraph { weights: is_weighted.then(Default::default), ..DistGraph::default() };
    for edges in exchange(&parent, &told)? {
        for [end, weight] in edges.as_chunks::<EDGE_WORDS>().0 {
            let (other, is_outgoing) = ((end >> 1) as i32, end & 1 != 0);
            let list = if is_outgoing { &mut graph.destinations } else { &mut graph.sources };
            list.push(other);
            if let Some(weights) = &mut graph.weights {
                weights[usize::from(is_outgoing)].push(*weight as i32);
            }
        }
    }
    give(&parent, graph, &newcomm)
}

/// The edges that each process has told this one, in the order of ranks.
fn exchange(parent: &Comm, told: &[Vec<[u64; EDGE_WORDS]>]) -> Result<Vec<Vec<u64>>> {
    let (engine, tag) = (parent.engine(), agreement::DIST_GRAPH);
    let counts: Vec<u64> = told.iter().map(|edges| edges.len() as u64).collect();
    let theirs = agreement::exchange_all(engine, &counts)?;
    let mut sends = Vec::new();
    for (to, edges) in (0..).zip(told) {
        if !edges.is_empty() {
            sends.push(agreement::start_send(engine, to, tag, edges.as_flattened())?);
        }
    }
    let receive = |(from, count): (u32, &u64)| match *count {
        0 => Ok(Vec::new()),
        count => agreement::receive(engine, from, tag, count as usize * EDGE_WORDS),
    };
    let received: Result<Vec<_>> = (0..).zip(&theirs).map(receive).collect();
    for mut send in sends {
        send.wait()?;
    }
    received
}

/// The edges of this process in the graph of a communicator.
fn with<T>(comm: CommHandle, look: impl FnOnce(&DistGraph) -> Result<T>) -> Result<T> {
    let comm = Comm::from_handle(comm)?;
    match comm.topology().map(|topology| &**topology) {
        Some(Topology::DistGraph(graph)) => look(graph),
        _ => Err(has_no(&comm, "distributed graph topology")),
    }
}

/// `MPI_Dist_graph_neighbors_count`.
pub unsafe fn neighbors_count(
    comm: CommHandle,
    indegree: Output<i32>,
    outdegree: Output<i32>,
    weighted: Output<i32>,
) -> Result<()> {
    with(comm, |graph| {
        indegree.set(graph.sources.len() as i32);
        outdegree.set(graph.destinations.len() as i32);
        weighted.set(i32::from(graph.weights.is_some()));
        Ok(())
    })
}

/// `MPI_Dist_graph_neighbors`: writes as many as there is room for.
pub unsafe fn neighbors(
    comm: CommHandle,
    maxindegree: i32,
    sources: Outputs<i32>,
    sourceweights: Option<Outputs<i32>>,
    maxoutdegree: i32,
    destinations: Outputs<i32>,
    destweights: Option<Outputs<i32>>,
) -> Result<()> {
    let (incoming, outgoing) = (length("maxindegree", maxindegree)?, length("maxoutdegree", maxoutdegree)?);
    let put = |place: &Outputs<i32>, values: &[i32], max: usize| {
        place.set_all(values[..max.min(values.len())].iter().copied())
    };
    with(comm, |graph| {
        put(&sources, &graph.sources, incoming)?;
        put(&destinations, &graph.destinations, outgoing)?;
        if let Some([of_sources, of_destinations]) = &graph.weights {
            sourceweights.as_ref().map_or(Ok(()), |place| put(place, of_sources, incoming))?;
            destweights.as_ref().map_or(Ok(()), |place| put(place, of_destinations, outgoing))?;
        }
        Ok(())
    })
}
