//! Exchange with the neighbors in a graph.

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

/// Sends the same elements to every destination in a graph, and receives a block from every source.
///
/// \param[in]  send         Elements for all destinations, send_count of them.
/// \param[out] recv         For the i-th source, recv_counts[i] elements from element recv_displs[i] on.
///                          Elements between the blocks do not change.
/// \param[in]  send_count   Elements that this rank sends.
/// \param[in]  recv_counts  The send_count of each source, in the order of the sources.
/// \param[in]  recv_displs  Offset of the block from each source, or NULL.
/// \param[in]  datatype     Datatype of the elements.
/// \param[in]  graph        Graph over comm.
/// \param[in]  comm         Communicator, or ANYCCL_WORLD.
/// \returns ANYCCL_SUCCESS or one of \ref failures.
///
/// Collective over comm. Buffers must not overlap. Replacement for MPI_Neighbor_allgatherv.
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

/// Nonblocking form of anyccl_neighbor_all_gather_v(): see \ref nonblocking in request.h. Replacement for
/// MPI_Ineighbor_allgatherv.
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

/// Persistent form of anyccl_neighbor_all_gather_v(): see \ref persistent in request.h. Replacement for
/// MPI_Neighbor_allgatherv_init.
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

/// Sends a block of its own to every destination in a graph, and receives a block from every source.
///
/// \param[in]  send         For the i-th destination, send_counts[i] elements from element send_displs[i] on.
/// \param[out] recv         For the i-th source, recv_counts[i] elements from element recv_displs[i] on.
///                          Elements between the blocks do not change.
/// \param[in]  send_counts  Length of the block for each destination, in the order of the destinations.
/// \param[in]  send_displs  Offset of the block for each destination, or NULL.
/// \param[in]  recv_counts  Length of the block from each source, in the order of the sources: what the
///                          source sends to this rank.
/// \param[in]  recv_displs  Offset of the block from each source, or NULL.
/// \param[in]  datatype     Datatype of the elements.
/// \param[in]  graph        Graph over comm.
/// \param[in]  comm         Communicator, or ANYCCL_WORLD.
/// \returns ANYCCL_SUCCESS or one of \ref failures.
///
/// Collective over comm. Buffers must not overlap. Replacement for MPI_Neighbor_alltoallv.
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

/// Nonblocking form of anyccl_neighbor_all_to_all_v(): see \ref nonblocking in request.h. Replacement for
/// MPI_Ineighbor_alltoallv.
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

/// Persistent form of anyccl_neighbor_all_to_all_v(): see \ref persistent in request.h. Replacement for
/// MPI_Neighbor_alltoallv_init.
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

/// The arrays of a rank. They may be NULL if the rank has no neighbors.
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
