//! Graphs: which ranks of a communicator exchange with which.

use std::ffi::c_int;
use std::sync::Arc;

use anyccl_edge::blocks::array;
use anyccl_edge::{Handles, ObjectRef, Out, check};
use anyccl_engine::base::{Error, Rank, Result};
use anyccl_engine::comm::Graph;

use crate::comm::{Comm, anyccl_comm_t};
use crate::status::{anyccl_status_t, edge};

/// What anyccl_graph_t points to, for the compiler's type check only.
pub struct anyccl_graph {
    _opaque: [u8; 0],
}

/// The neighbours of this rank in a graph over a communicator. Belongs to one rank; a handle that was
/// destroyed is recognised and refused.
pub type anyccl_graph_t = *mut anyccl_graph;

static GRAPHS: Handles<Graph> = Handles::new("graph");

/// The graph of a handle from C, if it is one over `comm`.
pub fn from_handle(handle: anyccl_graph_t, comm: &Comm) -> Result<ObjectRef<'static, Graph>> {
    let graph = GRAPHS.get(handle.addr())?;
    if graph.is_over(&comm.engine) {
        return Ok(graph);
    }
    Err(Error::InvalidArgument { what: "graph", got: "a graph of another communicator".into() })
}

/// Says with which ranks this rank exchanges, and checks that they say the same.
///
/// \param sources            [in] The ranks that send to this one. A rank may be there more than once, and
///                           this one, too.
/// \param source_count       [in] How many. NULL goes with 0.
/// \param destinations       [in] The ranks that this one sends to.
/// \param destination_count  [in] How many. NULL goes with 0.
/// \param comm               [in] Borrowed. ANYCCL_WORLD: the whole job.
/// \param graph              [out] Owned by the caller; release with anyccl_graph_destroy(). Written only on
///                           ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT on every rank when some rank sends to one that does
///          not receive from it, or the other way round: the sentence names both, and comm works on;
///          ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent; any other status
///          when comm has failed: see "Collectives" at the top of this header.
///
/// Collective. The call blocks until all ranks have come. Replacement for MPI_Dist_graph_create_adjacent.
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

/// Gives up a graph.
///
/// \param graph  [in] Taken. NULL: nothing happens.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when it is no graph.
///
/// Local. Before or after its communicator is destroyed. Exchanges that were started go on.
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
