//! Communicators: create by unique id, query, abort and destroy.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::Arc;

use anyccl_edge::Out;
use anyccl_edge::check::{self, invalid, not_null};
use anyccl_engine::base::Result;
use anyccl_engine::bootstrap::UniqueId;
use anyccl_engine::comm::Communicator;
use anyccl_engine::device::CudaStream;

use crate::comm::{COMMS, Comm, NONE, anyccl_comm_t, to_c};
use crate::config::{self, anyccl_config_t};
use crate::status::{anyccl_status_t, edge};
use crate::unique_id::anyccl_unique_id_t;

/// Longest reason of an abort. The notice to other ranks has twice this room, for the names around it.
const REASON_BYTES: usize = 2048;

/// Joins the communicator that a unique id names.
///
/// \param[in]  id      The same bytes on every rank.
/// \param[in]  size    Number of ranks, at least 1. The same on every rank.
/// \param[in]  rank    Rank of the caller, 0 to size-1. Each rank exactly once.
/// \param[in]  config  Settings. NULL: the defaults.
/// \param[out] comm    Owned by the caller; release with anyccl_comm_destroy().
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT for NULL, a number out of range, an invalid id or an
///          invalid config; ANYCCL_ERR_BOOTSTRAP or ANYCCL_ERR_TIMEOUT when the ranks did not find each
///          other; ANYCCL_ERR_PEER_LOST, ANYCCL_ERR_SYSTEM.
///
/// Collective over the ranks of the new communicator. The call blocks until all ranks have joined, at most
/// for the timeout. A rank is a process or a thread; with threads, each makes the call for its own rank. It
/// does not need anyccl_init(). Replacement for ncclCommInitRank.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_comm_create(
    id: *const anyccl_unique_id_t,
    size: c_int,
    rank: c_int,
    config: *const anyccl_config_t,
    comm: *mut anyccl_comm_t,
) -> anyccl_status_t {
    edge("anyccl_comm_create", || {
        not_null(id, "id")?;
        // SAFETY: not NULL; the caller promises a readable id. It is bytes, so any content is a value.
        let id = UniqueId(unsafe { id.read() }.bytes);
        // SAFETY: the caller promises a writable handle or NULL.
        let comm = unsafe { Out::new(comm, "comm") }?;
        let size = check::size(size)?;
        let rank = check::rank(rank, size, "rank")?;
        // SAFETY: the caller promises NULL or a config of the size it states.
        let (settings, own) = unsafe { config::read(config) }?;
        let engine = Communicator::create(&id, size, rank, &settings, &own)?.shared();
        comm.set(to_c(COMMS.insert(Arc::new(Comm { engine, is_world: false }))));
        Ok(())
    })
}

/// Gives the rank of the caller in a communicator.
///
/// \param[in]  comm  Communicator, or ANYCCL_WORLD.
/// \param[out] rank  0 to size-1.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when rank is NULL or comm is not a communicator;
///          ANYCCL_ERR_INVALID_USAGE without a world, or in a forked child.
///
/// Local. Replacement for MPI_Comm_rank and ncclCommUserRank.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_comm_rank(comm: anyccl_comm_t, rank: *mut c_int) -> anyccl_status_t {
    // SAFETY: the caller promises a writable int or NULL.
    edge("anyccl_comm_rank", || unsafe { tell(comm, rank, "rank", Communicator::rank) })
}

/// Gives the number of ranks in a communicator.
///
/// \param[in]  comm  Communicator, or ANYCCL_WORLD.
/// \param[out] size  At least 1.
/// \returns As anyccl_comm_rank().
///
/// Local. Replacement for MPI_Comm_size and ncclCommCount.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_comm_size(comm: anyccl_comm_t, size: *mut c_int) -> anyccl_status_t {
    // SAFETY: the caller promises a writable int or NULL.
    edge("anyccl_comm_size", || unsafe { tell(comm, size, "size", Communicator::size) })
}

/// Gives the position of the caller among the ranks of a communicator on its host.
///
/// \param[in]  comm        Communicator, or ANYCCL_WORLD.
/// \param[out] local_rank  0 to local size - 1.
/// \returns As anyccl_comm_rank().
///
/// Local.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_comm_local_rank(
    comm: anyccl_comm_t,
    local_rank: *mut c_int,
) -> anyccl_status_t {
    // SAFETY: the caller promises a writable int or NULL.
    edge("anyccl_comm_local_rank", || unsafe {
        tell(comm, local_rank, "local_rank", Communicator::local_rank)
    })
}

/// Gives the number of ranks of a communicator on the host of the caller, the caller included.
///
/// \param[in]  comm        Communicator, or ANYCCL_WORLD.
/// \param[out] local_size  At least 1.
/// \returns As anyccl_comm_rank().
///
/// Local.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_comm_local_size(
    comm: anyccl_comm_t,
    local_size: *mut c_int,
) -> anyccl_status_t {
    // SAFETY: the caller promises a writable int or NULL.
    edge("anyccl_comm_local_size", || unsafe {
        tell(comm, local_size, "local_size", Communicator::local_size)
    })
}

/// Writes one number of a communicator to C.
///
/// # Safety
/// `out` is NULL or writable, as for [`Out::new`].
pub unsafe fn tell(
    comm: anyccl_comm_t,
    out: *mut c_int,
    what: &'static str,
    number: impl FnOnce(&Communicator) -> u32,
) -> Result<()> {
    // SAFETY: handed on.
    let out = unsafe { Out::new(out, what) }?;
    out.set(check::int(number(&Comm::from_handle(comm)?.engine))?);
    Ok(())
}

/// Asks whether a communicator has failed, and why.
///
/// \param[in] comm  Communicator, or ANYCCL_WORLD.
/// \returns ANYCCL_SUCCESS when it is usable. Otherwise the status that its calls return since it failed;
///          anyccl_last_error() has the message. ANYCCL_ERR_INVALID_ARGUMENT when comm is not a communicator.
///
/// Local. A failed communicator stays failed: it can only be shrunk and destroyed. Replacement for
/// ncclCommGetAsyncError.
#[unsafe(no_mangle)]
pub extern "C" fn anyccl_comm_failure(comm: anyccl_comm_t) -> anyccl_status_t {
    edge("anyccl_comm_failure", || Comm::from_handle(comm)?.engine.report_failure().map_or(Ok(()), Err))
}

/// Sets how long calls may wait without progress.
///
/// \param[in] comm        Communicator, or ANYCCL_WORLD.
/// \param[in] timeout_ms  Milliseconds, at least 1; or ANYCCL_TIMEOUT_NEVER. Ranks may choose different
///                        values.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when comm is not a communicator or the number is out
///          of range; ANYCCL_ERR_INVALID_USAGE without a world, or in a forked child.
///
/// Local. The limit applies to calls that begin, and requests that are started, afterwards. Communicators
/// that were made from this one keep their own limits.
#[unsafe(no_mangle)]
pub extern "C" fn anyccl_comm_set_timeout(comm: anyccl_comm_t, timeout_ms: i64) -> anyccl_status_t {
    edge("anyccl_comm_set_timeout", || {
        let limit = config::limit(timeout_ms)?;
        Comm::from_handle(comm)?.engine.set_timeout(limit);
        Ok(())
    })
}

/// Orders the calls that have buffers in memory of a GPU on a CUDA stream.
///
/// \param[in] comm    Communicator, or ANYCCL_WORLD.
/// \param[in] stream  CUstream or cudaStream_t; NULL is the default stream. Must live until its calls have
///                    ended.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when comm is not a communicator;
///          ANYCCL_ERR_INVALID_USAGE without a world, or in a forked child.
///
/// Local. It applies to calls that are made afterwards and have a buffer on a GPU. Each is enqueued on the
/// stream. It sees what the stream has done before it, and what is enqueued later sees its result. The
/// blocking forms return when the call is enqueued, and the buffers belong to the call until the stream has
/// passed it. A status then describes the buffer, not the message. Requests complete when the stream has
/// passed their call.
///
/// A call that fails after it was enqueued lets the stream go on, and fails the communicator:
/// anyccl_comm_failure() tells. Without a stream, the calls behave as with a CUDA-aware MPI: the buffers are
/// ready when the call is made, and blocking forms wait for the end. A call on a stream that captures a CUDA
/// graph becomes part of the graph, and runs at every launch. Its request completes when it is captured.
/// Messages are refused there.
#[unsafe(no_mangle)]
pub extern "C" fn anyccl_comm_set_stream(comm: anyccl_comm_t, stream: *mut c_void) -> anyccl_status_t {
    edge("anyccl_comm_set_stream", || {
        Comm::from_handle(comm)?.engine.set_stream(Some(CudaStream::from_raw(stream)));
        Ok(())
    })
}

/// Ends the effect of anyccl_comm_set_stream().
///
/// \param[in] comm  Communicator, or ANYCCL_WORLD.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when comm is not a communicator;
///          ANYCCL_ERR_INVALID_USAGE without a world, or in a forked child.
///
/// Local. Calls that are on the stream already stay there.
#[unsafe(no_mangle)]
pub extern "C" fn anyccl_comm_unset_stream(comm: anyccl_comm_t) -> anyccl_status_t {
    edge("anyccl_comm_unset_stream", || {
        Comm::from_handle(comm)?.engine.set_stream(None);
        Ok(())
    })
}

/// Makes a communicator fail on all its ranks.
///
/// \param[in] comm  Communicator, which must still be destroyed; or ANYCCL_WORLD.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when comm is not a communicator;
///          ANYCCL_ERR_INVALID_USAGE without a world, or in a forked child.
///
/// Local. The call does not wait for other ranks. It may run while other threads are blocked in calls of
/// comm: those return ANYCCL_ERR_ABORTED at once. The calls of the other ranks do so when they learn of it.
/// Replacement for ncclCommAbort, which also destroys, and MPI_Abort, which also ends processes.
#[unsafe(no_mangle)]
pub extern "C" fn anyccl_comm_abort(comm: anyccl_comm_t) -> anyccl_status_t {
    edge("anyccl_comm_abort", || {
        Comm::from_handle(comm)?.engine.abort("anyccl_comm_abort was called");
        Ok(())
    })
}

/// Makes a communicator fail on all its ranks, as anyccl_comm_abort() does, and tells them why.
///
/// \param[in] comm    Communicator, which must still be destroyed; or ANYCCL_WORLD.
/// \param[in] reason  What happened on this rank: half a sentence, which the errors of all ranks quote behind
///                    the number of the rank. Texts over 2 KiB are cut. NULL or empty: the call itself.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when comm is not a communicator;
///          ANYCCL_ERR_INVALID_USAGE without a world, or in a forked child.
///
/// Local. The call does not wait for other ranks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_comm_abort_with(
    comm: anyccl_comm_t,
    reason: *const c_char,
) -> anyccl_status_t {
    edge("anyccl_comm_abort_with", || {
        let engine = &Comm::from_handle(comm)?.engine;
        let reason = match reason.is_null() {
            true => c"",
            // SAFETY: not NULL; the caller promises a terminated text that stays unchanged during the call.
            false => unsafe { CStr::from_ptr(reason) },
        };
        // A text that is not UTF-8 is no ground for leaving the other ranks in their calls.
        let reason = String::from_utf8_lossy(reason.to_bytes());
        let reason = reason[..reason.floor_char_boundary(REASON_BYTES)].trim();
        engine.abort(if reason.is_empty() { "anyccl_comm_abort_with was called" } else { reason });
        Ok(())
    })
}

/// Leaves a communicator and releases its handle.
///
/// \param[in] comm  Taken: every later call refuses the handle. NULL and ANYCCL_COMM_NONE are accepted and do
///                  nothing.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when comm is not a communicator, or is the handle
///          that anyccl_world() gave; ANYCCL_ERR_INVALID_USAGE while a call or a request of comm is
///          unfinished, or in a forked child. After these two, nothing has changed. After any other status
///          the communicator is destroyed: ANYCCL_ERR_MISMATCH tells that the ranks have made different calls
///          and no call of this rank has reported it. The others tell why the ranks could not leave in good
///          order.
///
/// On a communicator of anyccl_comm_create() the call is collective. It blocks until all ranks have made it,
/// so that no rank takes the end of another for its death. It also reports different calls in communicators
/// that were made from comm and destroyed.
///
/// On a communicator that was made from another one (split, dup, shrink ...) the call is local. A rank that
/// still waits for this one in a call gets ANYCCL_ERR_PEER_LOST. The call is also local on a communicator
/// that has failed; requests that are still open may be waited for afterwards.
///
/// A connection is closed with the last communicator that uses it. Replacement for ncclCommDestroy and
/// MPI_Comm_free.
#[unsafe(no_mangle)]
pub extern "C" fn anyccl_comm_destroy(comm: anyccl_comm_t) -> anyccl_status_t {
    edge("anyccl_comm_destroy", || {
        if comm.is_null() || comm.addr() == NONE {
            return Ok(());
        }
        let comm = COMMS.remove(comm.addr(), |comm, users| {
            if comm.is_world {
                return invalid("comm", "the world's, which is borrowed; anyccl_finalize ends the world");
            }
            comm.may_go(users)
        })?;
        comm.engine.finalize()
    })
}
