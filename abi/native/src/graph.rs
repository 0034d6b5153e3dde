//! Graphs: the neighbors of a rank in a communicator.

use std::ffi::c_int;
use std::sync::Arc;

use anyccl_edge::blocks::array;
use anyccl_edge::{Handles, ObjectRef, Out, check};
use anyccl_engine::base::{Error, Rank, Result};
use anyccl_engine::comm::Graph;

use crate::comm::{Comm, anyccl_comm_t};
use crate::status::{anyccl_status_t, edge};

/// Opaque type behind anyccl_graph_t.
pub struct anyccl_graph {
    _opaque: [u8; 0],
}

/// Handle of a graph: the neighbors of this rank in a communicator. It belongs to one rank. A handle that was
/// destroyed is recognized and refused.
pub type anyccl_graph_t = *mut anyccl_graph;

static GRAPHS: Handles<Graph> = Handles::new("graph");

/// The graph behind a handle from C, if it is one over `comm`.
pub fn from_handle(handle: anyccl_graph_t, comm: &Comm) -> Result<ObjectRef<'static, Graph>> {
    let graph = GRAPHS.get(handle.addr())?;
    if graph.is_over(&comm.engine) {
        return Ok(graph);
    }
    Err(Error::InvalidArgument { what: "graph", got: "a graph of another communicator".into() })
}

/// Makes a graph from the neighbors of this rank, and checks that the ranks agree.
///
/// \param[in]  sources            Ranks that send to this one. A rank may occur more than once, and may be
///                                this one.
/// \param[in]  source_count       Number of sources. With 0, sources may be NULL.
/// \param[in]  destinations       Ranks that this one sends to, as sources.
/// \param[in]  destination_count  Number of destinations. With 0, destinations may be NULL.
/// \param[in]  comm               Communicator, or ANYCCL_WORLD.
/// \param[out] graph              Owned by the caller; release with anyccl_graph_destroy().
/// \returns ANYCCL_SUCCESS or one of \ref failures. When a rank sends to one that does not receive from it,
///          or the other way round, every rank gets ANYCCL_ERR_INVALID_ARGUMENT and a message that names
///          both; comm stays usable.
///
/// Collective. The call blocks until all ranks have made it. Replacement for MPI_Dist_graph_create_adjacent.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_graph_create(
    sources: *const c_int,
    source_count: usize,
    destinations: *const c_int,
    destination_count: usize,
    comm: anyccl_comm_t,
    graph: *mut anyccl_graph_t,
) -> anyccl_status_t {
    edge("anyccl_graph_create", || {
        // SAFETY: the caller promises NULL or a writable handle.
        let place = unsafe { Out::new(graph, "graph") }?;
        let comm = Comm::from_handle(comm)?;
        let size = comm.engine.size();
        // SAFETY: the caller promises arrays of the documented length.
        let sources = unsafe { ranks(sources, source_count, size, "sources") }?;
        // SAFETY: as above.
        let destinations = unsafe { ranks(destinations, destination_count, size, "destinations") }?;
        let made = Graph::create(&comm.engine, &sources, &destinations)?;
        place.set(std::ptr::without_provenance_mut(GRAPHS.insert(Arc::new(made))));
        Ok(())
    })
}

/// Releases a graph.
///
/// \param[in] graph  Taken. NULL: nothing happens.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when it is not a graph.
///
/// Local. Allowed before and after its communicator is destroyed. Operations that were started with the graph
/// continue.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_graph_destroy(graph: anyccl_graph_t) -> anyccl_status_t {
    edge("anyccl_graph_destroy", || match graph.is_null() {
        true => Ok(()),
        false => GRAPHS.remove(graph.addr(), |_, _| Ok(())).map(drop),
    })
}

/// # Safety
/// An array that is not NULL has `len` elements.
unsafe fn ranks(ranks: *const c_int, len: usize, size: u32, what: &'static str) -> Result<Vec<Rank>> {
    if len == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: passed on from our caller.
    let ranks = unsafe { array(ranks, len, what) }?;
    ranks.iter().map(|rank| check::rank(*rank, size, what)).collect()
}
