//! Communicators: ranks that talk to each other and to nobody else.

use std::ffi::c_int;
use std::sync::Arc;

use anyccl_edge::Out;
use anyccl_edge::check::{self, invalid, not_null};
use anyccl_engine::base::Result;
use anyccl_engine::bootstrap::UniqueId;
use anyccl_engine::comm::Communicator;

use crate::comm::{COMMS, Comm, NONE, anyccl_comm_t, to_c};
use crate::config::{self, anyccl_config_t};
use crate::status::{anyccl_status_t, edge};
use crate::unique_id::anyccl_unique_id_t;

/// Joins the communicator that an id names.
///
/// \param id      [in] The same bytes on every rank. Read during the call.
/// \param size    [in] Number of ranks, the same on every rank; at least 1.
/// \param rank    [in] This rank: 0 to size-1, each exactly once.
/// \param config  [in] Read during the call. NULL: all defaults.
/// \param comm    [out] Owned by the caller; release with anyccl_comm_destroy(). Written only on
///                ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT for NULL, numbers out of range, an id that is none or
///          a config that cannot be understood; ANYCCL_ERR_BOOTSTRAP or ANYCCL_ERR_TIMEOUT when the ranks did
///          not find each other; ANYCCL_ERR_PEER_LOST, ANYCCL_ERR_SYSTEM.
///
/// Collective over the ranks of the new communicator. The call blocks until all have come, at most for the
/// configured time. Ranks may be processes or threads: then each thread makes its own. Any thread.
/// The call is independent of anyccl_init. Replacement for ncclCommInitRank.
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
        let engine = Arc::new(Communicator::create(&id, size, rank, &settings, &own)?);
        comm.set(to_c(COMMS.insert(Arc::new(Comm { engine, is_world: false }))));
        Ok(())
    })
}

/// Gives this rank's position in a communicator.
///
/// \param comm  [in] Borrowed. ANYCCL_WORLD: the whole job.
/// \param rank  [out] 0 to size-1. Written only on ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when rank is NULL or comm is no communicator;
///          ANYCCL_ERR_INVALID_USAGE without a world, or in a forked child.
///
/// Local. Any thread. Replacement for MPI_Comm_rank and ncclCommUserRank.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_comm_rank(comm: anyccl_comm_t, rank: *mut c_int) -> anyccl_status_t {
    // SAFETY: the caller promises a writable int or NULL.
    edge("anyccl_comm_rank", || unsafe { tell(comm, rank, "rank", Communicator::rank) })
}

/// Gives the number of ranks in a communicator.
///
/// \param comm  [in] Borrowed. ANYCCL_WORLD: the whole job.
/// \param size  [out] At least 1. Written only on ANYCCL_SUCCESS.
/// \returns See anyccl_comm_rank.
///
/// Local. Any thread. Replacement for MPI_Comm_size and ncclCommCount.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_comm_size(comm: anyccl_comm_t, size: *mut c_int) -> anyccl_status_t {
    // SAFETY: the caller promises a writable int or NULL.
    edge("anyccl_comm_size", || unsafe { tell(comm, size, "size", Communicator::size) })
}

/// Gives this rank's position among the ranks of the communicator on the same host.
///
/// \param comm        [in] Borrowed. ANYCCL_WORLD: the whole job.
/// \param local_rank  [out] 0 to local size - 1. Written only on ANYCCL_SUCCESS.
/// \returns See anyccl_comm_rank.
///
/// Local. Any thread.
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

/// Gives the number of ranks of the communicator on the same host, this one included.
///
/// \param comm        [in] Borrowed. ANYCCL_WORLD: the whole job.
/// \param local_size  [out] At least 1. Written only on ANYCCL_SUCCESS.
/// \returns See anyccl_comm_rank.
///
/// Local. Any thread.
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
/// \param comm  [in] Borrowed. ANYCCL_WORLD: the whole job.
/// \returns ANYCCL_SUCCESS when it works; else the status that its calls have returned since it failed, and
///          anyccl_last_error() has the sentence. ANYCCL_ERR_INVALID_ARGUMENT when comm is no communicator.
///
/// Local. Any thread. A failure stays: all calls return it; the communicator can only be shrunk and
/// destroyed. Replacement for ncclCommGetAsyncError.
#[unsafe(no_mangle)]
pub extern "C" fn anyccl_comm_failure(comm: anyccl_comm_t) -> anyccl_status_t {
    edge("anyccl_comm_failure", || Comm::from_handle(comm)?.engine.failure().map_or(Ok(()), Err))
}

/// Changes how long calls may go without progress.
///
/// \param comm        [in] Borrowed. ANYCCL_WORLD: the whole job.
/// \param timeout_ms  [in] Milliseconds, at least 1; or ANYCCL_TIMEOUT_NEVER. Each rank's own affair.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when comm is no communicator or the number is out of
///          range; ANYCCL_ERR_INVALID_USAGE without a world, or in a forked child.
///
/// Local. Any thread. The limit counts for calls that begin and requests that are started afterwards.
/// Communicators that were made from this one keep their own.
#[unsafe(no_mangle)]
pub extern "C" fn anyccl_comm_set_timeout(comm: anyccl_comm_t, timeout_ms: i64) -> anyccl_status_t {
    edge("anyccl_comm_set_timeout", || {
        let limit = config::limit(timeout_ms)?;
        Comm::from_handle(comm)?.engine.set_timeout(limit);
        Ok(())
    })
}

/// Fails a communicator on all its ranks.
///
/// \param comm  [in] Borrowed: still to be destroyed. ANYCCL_WORLD: the whole job.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when comm is no communicator;
///          ANYCCL_ERR_INVALID_USAGE without a world, or in a forked child.
///
/// Local. The call does not wait for the others. Any thread, also while others are blocked in calls of comm:
/// these return ANYCCL_ERR_ABORTED at once, on this rank and, as soon as they hear of it, on all others.
/// Replacement for ncclCommAbort, which destroys as well, and MPI_Abort, which ends processes.
#[unsafe(no_mangle)]
pub extern "C" fn anyccl_comm_abort(comm: anyccl_comm_t) -> anyccl_status_t {
    edge("anyccl_comm_abort", || {
        Comm::from_handle(comm)?.engine.abort("anyccl_comm_abort was called");
        Ok(())
    })
}

/// Leaves a communicator.
///
/// \param comm  [in] Taken: afterwards the handle is refused everywhere. NULL and ANYCCL_COMM_NONE are
///              accepted and do nothing.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when comm is no communicator any more, or the one
///          that anyccl_world gave; ANYCCL_ERR_INVALID_USAGE while a call or a request of comm is unfinished,
///          or in a forked child. In these cases nothing has changed. ANYCCL_ERR_MISMATCH when the ranks have
///          made different calls and no call of this rank has said so: in comm, or, where this call is
///          collective, in a communicator that was made from comm and destroyed. Any other status tells why
///          the ranks could not part in good order. After ANYCCL_ERR_MISMATCH or any other status the
///          communicator is destroyed.
///
/// For a communicator of anyccl_comm_create the call is collective: it blocks until all ranks have come here,
/// so that none of them takes the end of another for its death. For one that was made from another (split,
/// dup, shrink ...) the call is local: a rank that still waits for this one in a call gets
/// ANYCCL_ERR_PEER_LOST. It is local, too, when the communicator has failed; requests that are still open may
/// then be waited for afterwards. Connections are closed with the last communicator that uses them.
/// Replacement for ncclCommDestroy and MPI_Comm_free.
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
