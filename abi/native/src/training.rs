//! Calls for data-parallel training: copy parameters to all ranks, sum the gradients of all ranks.

use std::ffi::{c_int, c_void};

use anyccl_edge::check::{self, invalid};
use anyccl_edge::{ObjectRef, buffers as extents};
use anyccl_engine::base::{Call, CallKind, Collective, Rank, Result};
use anyccl_engine::comm::Part;

use crate::coalesced::{array, of_buffer};
use crate::comm::{Comm, anyccl_comm_t};
use crate::datatype::anyccl_datatype_t;
use crate::request::{anyccl_request_t, hand_out_prepared};
use crate::status::{anyccl_status_t, edge};

/// Copies the parameters of the root to all ranks.
///
///     rank 0 (root)  w0 w1 | b0           w0 w1 | b0
///     rank 1         x0 x1 | c0    =>     w0 w1 | b0
///
/// \param[in,out] buffers    Array of pointers: read at the root, written on the other ranks. A pointer may
///                           be NULL if its count is 0.
/// \param[in]     counts     Elements of each buffer. The same on every rank.
/// \param[in]     datatypes  Datatype of each buffer. The same on every rank; they may differ from each
///                           other.
/// \param[in]     number     Length of the three arrays. The same on every rank. 0: they may be NULL.
/// \param[in]     root       Rank whose parameters all ranks get.
/// \param[in]     comm       Communicator, or ANYCCL_WORLD.
/// \returns ANYCCL_SUCCESS or one of \ref failures. ANYCCL_ERR_MISMATCH when the lists of the ranks differ.
///
/// Collective. Buffers are packed as in anyccl_broadcast_coalesced(). This is the first step of PyTorch's
/// DistributedDataParallel.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_sync_params(
    buffers: *const *mut c_void,
    counts: *const usize,
    datatypes: *const anyccl_datatype_t,
    number: usize,
    root: c_int,
    comm: anyccl_comm_t,
) -> anyccl_status_t {
    edge("anyccl_sync_params", || {
        // SAFETY: the caller promises arrays of this length.
        let (comm, parts, root) = unsafe { parameters(buffers, counts, datatypes, number, root, comm) }?;
        // SAFETY: the caller promises buffers of these lengths, used by nobody else during the call.
        unsafe { comm.engine.sync_params(&parts, root) }
    })
}

/// Sums the gradients of all ranks; every rank gets the sums.
///
///     rank 0  a0 a1 | NULL | c0           a0+x0 a1+x1 | NULL | c0+z0
///     rank 1  x0 x1 | NULL | z0    =>     a0+x0 a1+x1 | NULL | c0+z0
///
/// \param[in,out] buffers    Array of pointers. NULL: this rank has no gradient there. This is allowed if no
///                           rank has one.
/// \param[in]     counts     Elements of each buffer, also where it is NULL. The same on every rank.
/// \param[in]     datatypes  Datatype of each buffer, one that has a sum. The same on every rank; they may
///                           differ from each other.
/// \param[in]     number     Length of the three arrays. The same on every rank. 0: they may be NULL.
/// \param[in]     comm       Communicator, or ANYCCL_WORLD.
/// \returns ANYCCL_SUCCESS or one of \ref failures. When a buffer is NULL on some ranks only, every rank gets
///          ANYCCL_ERR_INVALID_ARGUMENT and a message that names buffer and ranks; no buffer has changed and
///          comm stays usable. ANYCCL_ERR_MISMATCH when the lists of the ranks differ.
///
/// Collective. A small message compares which buffers the ranks have. Then the buffers are packed as in
/// anyccl_all_reduce_coalesced(). The results are sums: divide by the number of ranks for the mean.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_sum_grads(
    buffers: *const *mut c_void,
    counts: *const usize,
    datatypes: *const anyccl_datatype_t,
    number: usize,
    comm: anyccl_comm_t,
) -> anyccl_status_t {
    edge("anyccl_sum_grads", || {
        let collective = Collective::AllReduce;
        // SAFETY: the caller promises arrays of this length.
        let (comm, parts) = unsafe { parts(collective, buffers, counts, datatypes, number, comm) }?;
        // SAFETY: the caller promises buffers of these lengths, used by nobody else during the call.
        unsafe { comm.engine.sum_grads(&parts) }
    })
}

/// Persistent form of anyccl_sync_params(): see \ref persistent in request.h. Small buffers are packed when a
/// run is started.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_sync_params_init(
    buffers: *const *mut c_void,
    counts: *const usize,
    datatypes: *const anyccl_datatype_t,
    number: usize,
    root: c_int,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    edge("anyccl_sync_params_init", || {
        let prepare = || {
            // SAFETY: the caller promises arrays of this length.
            let (comm, parts, root) = unsafe { parameters(buffers, counts, datatypes, number, root, comm) }?;
            // SAFETY: the caller promises buffers of these lengths, used by nobody else during each run.
            let prepared = unsafe { comm.engine.sync_params_init(&parts, root) }?;
            Ok((prepared, comm.share()))
        };
        // SAFETY: the caller promises a writable request or NULL.
        unsafe { hand_out_prepared(request, prepare) }
    })
}

/// Persistent form of anyccl_sum_grads(): see \ref persistent in request.h.
///
/// A buffer may be NULL only if its count is 0: the ranks do not compare which buffers they have. All ranks
/// therefore make this call by requests of this function; anyccl_sum_grads() is another call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_sum_grads_init(
    buffers: *const *mut c_void,
    counts: *const usize,
    datatypes: *const anyccl_datatype_t,
    number: usize,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    edge("anyccl_sum_grads_init", || {
        let prepare = || {
            let collective = Collective::AllReduce;
            // SAFETY: the caller promises arrays of this length.
            let (comm, parts) = unsafe { parts(collective, buffers, counts, datatypes, number, comm) }?;
            // SAFETY: the caller promises buffers of these lengths, used by nobody else during each run.
            let prepared = unsafe { comm.engine.sum_grads_init(&parts) }?;
            Ok((prepared, comm.share()))
        };
        // SAFETY: the caller promises a writable request or NULL.
        unsafe { hand_out_prepared(request, prepare) }
    })
}

/// Reads the arrays of parameters, none of which may be NULL, and the root.
///
/// # Safety
/// See [`parts`].
unsafe fn parameters(
    buffers: *const *mut c_void,
    counts: *const usize,
    datatypes: *const anyccl_datatype_t,
    number: usize,
    root: c_int,
    comm: anyccl_comm_t,
) -> Result<(ObjectRef<'static, Comm>, Vec<Part>, Rank)> {
    // SAFETY: passed on from our caller.
    let (comm, parts) = unsafe { parts(Collective::Broadcast, buffers, counts, datatypes, number, comm) }?;
    if let Some(at) = parts.iter().position(|part| part.recv.is_null() && part.count > 0) {
        return invalid("buffers", format!("NULL at {at}"));
    }
    let root = check::rank(root, comm.engine.size(), "root")?;
    Ok((comm, parts, root))
}

/// Reads the arrays. Buffers may be NULL; the others are checked for `collective`.
///
/// # Safety
/// The arrays have `number` elements that nobody changes during the call, or are NULL.
unsafe fn parts(
    collective: Collective,
    buffers: *const *mut c_void,
    counts: *const usize,
    datatypes: *const anyccl_datatype_t,
    number: usize,
    comm: anyccl_comm_t,
) -> Result<(ObjectRef<'static, Comm>, Vec<Part>)> {
    let comm = Comm::from_handle(comm)?;
    // SAFETY: passed on from our caller.
    let buffers = unsafe { array(buffers, number, "buffers") }?;
    // SAFETY: as above.
    let counts = unsafe { array(counts, number, "counts") }?;
    // SAFETY: as above.
    let datatypes = unsafe { array(datatypes, number, "datatypes") }?;
    let mut parts = Vec::with_capacity(number);
    for (at, ((&buffer, &count), &datatype)) in buffers.iter().zip(counts).zip(datatypes).enumerate() {
        let datatype = check::datatype(datatype).map_err(|error| of_buffer(error, at))?;
        let kind = CallKind::Collective(collective);
        let call = Call { kind, datatype, op: None, root: 0, count: count as u64 };
        if !buffer.is_null() {
            let (rank, size) = (comm.engine.rank(), comm.engine.size());
            extents::check(&call, rank, size, buffer.addr(), buffer.addr())
                .map_err(|error| of_buffer(error, at))?;
        }
        parts.push(Part { send: buffer.cast_const().cast(), recv: buffer.cast(), count, datatype });
    }
    Ok((comm, parts))
}
