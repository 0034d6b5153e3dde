//! Exchange with the neighbors in a graph.

use std::ffi::c_void;

use anyccl_edge::blocks;
use anyccl_engine::base::{Collective, Result};
use anyccl_engine::plan::Block;

use super::unequal::{Arguments, Blocks, buffers, one};
use crate::comm::anyccl_comm_t;
use crate::datatype::anyccl_datatype_t;
use crate::forms::forms;
use crate::graph::{self, anyccl_graph_t};

forms! {
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
    fn anyccl_neighbor_all_gather_v(
        send: *const c_void,
        recv: *mut c_void,
        send_count: usize,
        recv_counts: *const usize,
        recv_displs: *const usize,
        datatype: anyccl_datatype_t,
        graph: anyccl_graph_t,
        comm: anyccl_comm_t,
    ) {
        Arguments::plain(Collective::NeighborAllGatherV, datatype, comm).with(move |caller| {
            let graph = graph::from_handle(graph, caller.comm)?;
            let (sources, destinations) = (graph.sources().to_vec(), graph.destinations().to_vec());
            // SAFETY: the caller promises arrays with an element per neighbour.
            let output = unsafe { of_neighbors(recv_counts, recv_displs, sources.len(), "recv_counts") }?;
            Ok(Blocks { input: one(send_count), output, places: buffers(send, recv), sources, destinations })
        })
    }
    /// Replacement for MPI_Ineighbor_allgatherv.
    nonblocking anyccl_ineighbor_all_gather_v;
    /// Replacement for MPI_Neighbor_allgatherv_init.
    persistent anyccl_neighbor_all_gather_v_init;
}

forms! {
    /// Sends a block of its own to every destination in a graph, and receives a block from every source.
    ///
    /// \param[in]  send         For the i-th destination, send_counts[i] elements from element send_displs[i]
    ///                          on.
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
    fn anyccl_neighbor_all_to_all_v(
        send: *const c_void,
        recv: *mut c_void,
        send_counts: *const usize,
        send_displs: *const usize,
        recv_counts: *const usize,
        recv_displs: *const usize,
        datatype: anyccl_datatype_t,
        graph: anyccl_graph_t,
        comm: anyccl_comm_t,
    ) {
        Arguments::plain(Collective::NeighborAllToAllV, datatype, comm).with(move |caller| {
            let graph = graph::from_handle(graph, caller.comm)?;
            let (sources, destinations) = (graph.sources().to_vec(), graph.destinations().to_vec());
            // SAFETY: the caller promises arrays with an element per neighbour.
            let input = unsafe { of_neighbors(send_counts, send_displs, destinations.len(), "send_counts") }?;
            // SAFETY: as above.
            let output = unsafe { of_neighbors(recv_counts, recv_displs, sources.len(), "recv_counts") }?;
            Ok(Blocks { input, output, places: buffers(send, recv), sources, destinations })
        })
    }
    /// Replacement for MPI_Ineighbor_alltoallv.
    nonblocking anyccl_ineighbor_all_to_all_v;
    /// Replacement for MPI_Neighbor_alltoallv_init.
    persistent anyccl_neighbor_all_to_all_v_init;
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
