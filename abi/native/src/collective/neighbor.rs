//! Exchange with neighbours: along the edges of a graph.

use std::ffi::c_void;

use anyccl_edge::blocks;
use anyccl_engine::base::{Collective, Result};
use anyccl_engine::comm::Places;
use anyccl_engine::plan::Block;

use super::unequal::{Arguments, Blocks, Caller, one};
use crate::comm::anyccl_comm_t;
use crate::datatype::anyccl_datatype_t;
use crate::graph::{self, anyccl_graph_t};
use crate::invocation;
use crate::request::anyccl_request_t;
use crate::status::{anyccl_status_t, edge};

/// Sends the same elements to every destination in a graph, and receives those of every source.
///
/// \param send         [in] send_count elements. Read only.
/// \param recv         [out] For each source, as many elements as recv_counts says, from its recv_displs on,
///                     in the order of the sources. What lies between these blocks is left alone.
/// \param send_count   [in] Elements that this rank sends: what its destinations have in recv_counts for it.
/// \param recv_counts  [in] A number of elements for each source: what that rank has for this one.
/// \param recv_displs  [in] A number of elements for each source; NULL: the blocks lie one after the other.
/// \param datatype     [in] One of enum anyccl_datatype. The same on every rank.
/// \param graph        [in] Borrowed. From anyccl_graph_create over comm.
/// \param comm         [in] Borrowed. ANYCCL_WORLD: the whole job.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; any other status when comm has failed: see "Collectives" at the top of this
///          header.
///
/// Collective over comm, also for ranks without neighbours. The call blocks until this rank's part is done.
/// Where a rank expects another number of elements than its neighbour sends, both are named by
/// ANYCCL_ERR_MISMATCH on every rank. Buffers must not overlap. Replacement for MPI_Neighbor_allgatherv.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_neighbor_all_gather_v(
    send: *const c_void,
    recv: *mut c_void,
    send_count: usize,
    recv_counts: *const usize,
    recv_displs: *const usize,
    datatype: anyccl_datatype_t,
    graph: anyccl_graph_t,
    comm: anyccl_comm_t,
) -> anyccl_status_t {
    edge("anyccl_neighbor_all_gather_v", || {
        let places = Places::Buffers { send: send.cast(), recv: recv.cast() };
        // SAFETY: the caller promises arrays with an element per neighbour.
        let describe = |caller: Caller| unsafe {
            blocks_of_neighbor_all_gather_v(&caller, graph, places, send_count, recv_counts, recv_displs)
        };
        // SAFETY: the caller promises blocks of the documented length, used by nobody else during the call.
        unsafe {
            invocation::run(
                Arguments::plain(Collective::NeighborAllGatherV, datatype, comm).with(describe),
                None,
            )
        }
    })
}

/// Starts a neighbor_all_gather_v and returns at once.
///
/// \param send, recv, send_count, recv_counts, recv_displs, datatype, graph, comm  See
///        anyccl_neighbor_all_gather_v; the buffers belong to the library until the request has ended, the
///        arrays do not.
/// \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
///                 ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; the status of the failure when comm has failed. What becomes of the operation is
///          told by anyccl_wait or anyccl_test.
///
/// Collective. The call does not block. The ranks of a communicator start their operations in the same order.
/// Replacement for MPI_Ineighbor_allgatherv.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_ineighbor_all_gather_v(
    send: *const c_void,
    recv: *mut c_void,
    send_count: usize,
    recv_counts: *const usize,
    recv_displs: *const usize,
    datatype: anyccl_datatype_t,
    graph: anyccl_graph_t,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    edge("anyccl_ineighbor_all_gather_v", || {
        let places = Places::Buffers { send: send.cast(), recv: recv.cast() };
        // SAFETY: the caller promises arrays with an element per neighbour.
        let describe = |caller: Caller| unsafe {
            blocks_of_neighbor_all_gather_v(&caller, graph, places, send_count, recv_counts, recv_displs)
        };
        // SAFETY: the caller promises blocks of the documented length, used by nobody else until the request
        // has ended, and a writable request or NULL.
        unsafe {
            invocation::start(
                Arguments::plain(Collective::NeighborAllGatherV, datatype, comm).with(describe),
                request,
            )
        }
    })
}

/// Prepares a neighbor_all_gather_v that is started later, and often.
///
/// \param send, recv, send_count, recv_counts, recv_displs, datatype, graph, comm  See
///        anyccl_neighbor_all_gather_v; the buffers belong to the library during each run, arrays only during
///        this call.
/// \param request  [out] See anyccl_all_reduce_init.
/// \returns See anyccl_all_reduce_init.
///
/// Local. Each run is a collective call of its own. Replacement for MPI_Neighbor_allgatherv_init.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_neighbor_all_gather_v_init(
    send: *const c_void,
    recv: *mut c_void,
    send_count: usize,
    recv_counts: *const usize,
    recv_displs: *const usize,
    datatype: anyccl_datatype_t,
    graph: anyccl_graph_t,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    edge("anyccl_neighbor_all_gather_v_init", || {
        let places = Places::Buffers { send: send.cast(), recv: recv.cast() };
        // SAFETY: the caller promises arrays with an element per neighbour.
        let describe = |caller: Caller| unsafe {
            blocks_of_neighbor_all_gather_v(&caller, graph, places, send_count, recv_counts, recv_displs)
        };
        // SAFETY: the caller promises blocks of the documented length, used by nobody else during each run,
        // and a writable request or NULL.
        unsafe {
            invocation::prepare(
                Arguments::plain(Collective::NeighborAllGatherV, datatype, comm).with(describe),
                request,
            )
        }
    })
}

/// Sends every destination in a graph a part of its own, and receives one from every source.
///
/// \param send         [in] For each destination, as many elements as send_counts says, from its send_displs
///                     on, in the order of the destinations. Read only.
/// \param recv         [out] For each source, as many elements as recv_counts says, from its recv_displs on,
///                     in the order of the sources. What lies between these blocks is left alone.
/// \param send_counts  [in] A number of elements for each destination.
/// \param send_displs  [in] A number of elements for each destination; NULL: the blocks lie one after the
///                     other.
/// \param recv_counts  [in] A number of elements for each source: what that rank has for this one.
/// \param recv_displs  [in] A number of elements for each source; NULL: the blocks lie one after the other.
/// \param datatype     [in] One of enum anyccl_datatype. The same on every rank.
/// \param graph        [in] Borrowed. From anyccl_graph_create over comm.
/// \param comm         [in] Borrowed. ANYCCL_WORLD: the whole job.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; any other status when comm has failed: see "Collectives" at the top of this
///          header.
///
/// Collective over comm, also for ranks without neighbours. The call blocks until this rank's part is done.
/// Where a rank expects another number of elements than its neighbour sends, both are named by
/// ANYCCL_ERR_MISMATCH on every rank. Buffers must not overlap. Replacement for MPI_Neighbor_alltoallv.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_neighbor_all_to_all_v(
    send: *const c_void,
    recv: *mut c_void,
    send_counts: *const usize,
    send_displs: *const usize,
    recv_counts: *const usize,
    recv_displs: *const usize,
    datatype: anyccl_datatype_t,
    graph: anyccl_graph_t,
    comm: anyccl_comm_t,
) -> anyccl_status_t {
    edge("anyccl_neighbor_all_to_all_v", || {
        let places = Places::Buffers { send: send.cast(), recv: recv.cast() };
        // SAFETY: the caller promises arrays with an element per neighbour.
        let describe = |caller: Caller| unsafe {
            blocks_of_neighbor_all_to_all_v(
                &caller,
                graph,
                places,
                send_counts,
                send_displs,
                recv_counts,
                recv_displs,
            )
        };
        // SAFETY: the caller promises blocks of the documented length, used by nobody else during the call.
        unsafe {
            invocation::run(
                Arguments::plain(Collective::NeighborAllToAllV, datatype, comm).with(describe),
                None,
            )
        }
    })
}

/// Starts a neighbor_all_to_all_v and returns at once.
///
/// \param send, recv, send_counts, send_displs, recv_counts, recv_displs, datatype, graph, comm  See
///        anyccl_neighbor_all_to_all_v; the buffers belong to the library until the request has ended, the
///        arrays do not.
/// \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
///                 ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
///          comm works on; the status of the failure when comm has failed. What becomes of the operation is
///          told by anyccl_wait or anyccl_test.
///
/// Collective. The call does not block. The ranks of a communicator start their operations in the same order.
/// Replacement for MPI_Ineighbor_alltoallv.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_ineighbor_all_to_all_v(
    send: *const c_void,
    recv: *mut c_void,
    send_counts: *const usize,
    send_displs: *const usize,
    recv_counts: *const usize,
    recv_displs: *const usize,
    datatype: anyccl_datatype_t,
    graph: anyccl_graph_t,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    edge("anyccl_ineighbor_all_to_all_v", || {
        let places = Places::Buffers { send: send.cast(), recv: recv.cast() };
        // SAFETY: the caller promises arrays with an element per neighbour.
        let describe = |caller: Caller| unsafe {
            blocks_of_neighbor_all_to_all_v(
                &caller,
                graph,
                places,
                send_counts,
                send_displs,
                recv_counts,
                recv_displs,
            )
        };
        // SAFETY: the caller promises blocks of the documented length, used by nobody else until the request
        // has ended, and a writable request or NULL.
        unsafe {
            invocation::start(
                Arguments::plain(Collective::NeighborAllToAllV, datatype, comm).with(describe),
                request,
            )
        }
    })
}

/// Prepares a neighbor_all_to_all_v that is started later, and often.
///
/// \param send, recv, send_counts, send_displs, recv_counts, recv_displs, datatype, graph, comm  See
///        anyccl_neighbor_all_to_all_v; the buffers belong to the library during each run, arrays only during
///        this call.
/// \param request  [out] See anyccl_all_reduce_init.
/// \returns See anyccl_all_reduce_init.
///
/// Local. Each run is a collective call of its own. Replacement for MPI_Neighbor_alltoallv_init.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_neighbor_all_to_all_v_init(
    send: *const c_void,
    recv: *mut c_void,
    send_counts: *const usize,
    send_displs: *const usize,
    recv_counts: *const usize,
    recv_displs: *const usize,
    datatype: anyccl_datatype_t,
    graph: anyccl_graph_t,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    edge("anyccl_neighbor_all_to_all_v_init", || {
        let places = Places::Buffers { send: send.cast(), recv: recv.cast() };
        // SAFETY: the caller promises arrays with an element per neighbour.
        let describe = |caller: Caller| unsafe {
            blocks_of_neighbor_all_to_all_v(
                &caller,
                graph,
                places,
                send_counts,
                send_displs,
                recv_counts,
                recv_displs,
            )
        };
        // SAFETY: the caller promises blocks of the documented length, used by nobody else during each run,
        // and a writable request or NULL.
        unsafe {
            invocation::prepare(
                Arguments::plain(Collective::NeighborAllToAllV, datatype, comm).with(describe),
                request,
            )
        }
    })
}

/// # Safety
/// Arrays that are not NULL have an element per neighbour.
unsafe fn blocks_of_neighbor_all_gather_v(
    caller: &Caller,
    graph: anyccl_graph_t,
    places: Places<'static>,
    send_count: usize,
    recv_counts: *const usize,
    recv_displs: *const usize,
) -> Result<Blocks<'static>> {
    let graph = graph::from_handle(graph, caller.comm)?;
    let (sources, destinations) = (graph.sources().to_vec(), graph.destinations().to_vec());
    // SAFETY: passed on from our caller.
    let output = unsafe { of_neighbors(recv_counts, recv_displs, sources.len(), "recv_counts") }?;
    Ok(Blocks { input: one(send_count), output, places, sources, destinations })
}

/// # Safety
/// Arrays that are not NULL have an element per neighbour.
unsafe fn blocks_of_neighbor_all_to_all_v(
    caller: &Caller,
    graph: anyccl_graph_t,
    places: Places<'static>,
    send_counts: *const usize,
    send_displs: *const usize,
    recv_counts: *const usize,
    recv_displs: *const usize,
) -> Result<Blocks<'static>> {
    let graph = graph::from_handle(graph, caller.comm)?;
    let (sources, destinations) = (graph.sources().to_vec(), graph.destinations().to_vec());
    // SAFETY: passed on from our caller.
    let input = unsafe { of_neighbors(send_counts, send_displs, destinations.len(), "send_counts") }?;
    // SAFETY: as above.
    let output = unsafe { of_neighbors(recv_counts, recv_displs, sources.len(), "recv_counts") }?;
    Ok(Blocks { input, output, places, sources, destinations })
}

/// The arrays of a rank; one without neighbours needs none.
///
/// # Safety
/// Arrays that are not NULL have `len` elements.
unsafe fn of_neighbors(
    counts: *const usize,
    displs: *const usize,
    len: usize,
    what: &'static str,
) -> Result<Vec<Block>> {
    match len {
        0 => Ok(Vec::new()),
        // SAFETY: passed on from our caller.
        _ => unsafe { blocks::blocks(counts, displs, len, what) },
    }
}
