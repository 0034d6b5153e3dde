//! Calls whose blocks lie in separate memory: a pointer for each block.

use std::ffi::c_void;

use anyccl_edge::blocks::{array, packed};
use anyccl_engine::base::Collective;
use anyccl_engine::comm::Places;

use super::unequal::{Arguments, Blocks, one};
use crate::comm::anyccl_comm_t;
use crate::datatype::anyccl_datatype_t;
use crate::forms::forms;

forms! {
    /// Sends a block of any length from every rank to every rank; each block has memory of its own.
    ///
    /// \param[in]  sends        Array of size pointers: sends[r] has send_counts[r] elements for rank r. A
    ///                          pointer to no elements may be NULL.
    /// \param[out] recvs        Array of size pointers: recvs[r] takes recv_counts[r] elements from rank r. A
    ///                          pointer to no elements may be NULL.
    /// \param[in]  send_counts  Length of the block for each rank, size numbers.
    /// \param[in]  recv_counts  Length of the block from each rank, size numbers: recv_counts[r] is what rank
    ///                          r has in its send_counts for this rank.
    /// \param[in]  datatype     Datatype of the elements.
    /// \param[in]  comm         Communicator, or ANYCCL_WORLD.
    /// \returns ANYCCL_SUCCESS or one of \ref failures. Lengths must agree: see \ref lengths.
    ///
    /// Collective. In place: sends[r] == recvs[r], with the same count. Other ranks may call
    /// anyccl_all_to_all_v() instead. Replacement for the all_to_all of torch.distributed.
    fn anyccl_all_to_all_list(
        sends: *const *const c_void,
        recvs: *const *mut c_void,
        send_counts: *const usize,
        recv_counts: *const usize,
        datatype: anyccl_datatype_t,
        comm: anyccl_comm_t,
    ) {
        Arguments::plain(Collective::AllToAllV, datatype, comm).with(move |caller| {
            // SAFETY: the caller promises arrays of the documented length. A pointer to void and one to bytes
            // are the same.
            let sends = unsafe { array(sends.cast::<*const u8>(), caller.size, "sends") }?;
            // SAFETY: as above.
            let recvs = unsafe { array(recvs.cast::<*mut u8>(), caller.size, "recvs") }?;
            // SAFETY: as above.
            let input = packed(unsafe { array(send_counts, caller.size, "send_counts") }?, "send_counts")?;
            // SAFETY: as above.
            let output = packed(unsafe { array(recv_counts, caller.size, "recv_counts") }?, "recv_counts")?;
            Ok(Blocks::of_ranks(input, output, Places::Lists { sends, recvs }))
        })
    }
    /// Replacement for MPI_Ialltoallw.
    nonblocking anyccl_iall_to_all_list;
    persistent anyccl_all_to_all_list_init;
}

forms! {
    /// Collects blocks of different lengths on every rank; each block has memory of its own.
    ///
    /// \param[in]  send         Block of this rank, recv_counts[rank] elements.
    /// \param[out] recvs        Array of size pointers: recvs[r] takes recv_counts[r] elements from rank r. A
    ///                          pointer to no elements may be NULL.
    /// \param[in]  recv_counts  Length of each block, size numbers. The same on every rank.
    /// \param[in]  datatype     Datatype of the elements.
    /// \param[in]  comm         Communicator, or ANYCCL_WORLD.
    /// \returns ANYCCL_SUCCESS or one of \ref failures.
    ///
    /// Collective. In place: send == recvs[rank]. Other ranks may call anyccl_all_gather_v() instead.
    /// Replacement for the all_gather of torch.distributed.
    fn anyccl_all_gather_list(
        send: *const c_void,
        recvs: *const *mut c_void,
        recv_counts: *const usize,
        datatype: anyccl_datatype_t,
        comm: anyccl_comm_t,
    ) {
        Arguments::plain(Collective::AllGatherV, datatype, comm).with(|caller| {
            // SAFETY: the caller promises arrays of the documented length. A pointer to void and one to bytes
            // are the same.
            let recvs = unsafe { array(recvs.cast::<*mut u8>(), caller.size, "recvs") }?;
            // SAFETY: as above.
            let output = packed(unsafe { array(recv_counts, caller.size, "recv_counts") }?, "recv_counts")?;
            let own = one(output[caller.rank].len);
            Ok(Blocks::of_ranks(own, output, Places::Lists { sends: alone(&send), recvs }))
        })
    }
    nonblocking anyccl_iall_gather_list;
    persistent anyccl_all_gather_list_init;
}

/// A list of one pointer.
fn alone(send: &*const c_void) -> &[*const u8] {
    // SAFETY: the reference is to one pointer. A pointer to void and one to bytes are the same.
    std::slice::from_ref(unsafe { &*(&raw const *send).cast() })
}
