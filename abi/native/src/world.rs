//! The world: the communicator of the whole job, one per process.

use std::ffi::c_int;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyccl_edge::Out;
use anyccl_engine::base::Result;
use anyccl_engine::comm::{Communicator, world_finalize, world_init};

use crate::comm::{COMMS, Comm, WORLD, anyccl_comm_t, finalized, to_c, world};
use crate::communicator::tell;
use crate::config::{self, anyccl_config_t};
use crate::status::{anyccl_status_t, edge};

/// Joins the job that the environment describes, with default settings: anyccl_init_with(NULL).
///
/// \returns As anyccl_init_with().
///
/// Collective. The call blocks. Replacement for MPI_Init_thread with MPI_THREAD_MULTIPLE.
#[unsafe(no_mangle)]
pub extern "C" fn anyccl_init() -> anyccl_status_t {
    // SAFETY: NULL is accepted.
    edge("anyccl_init", || unsafe { init(std::ptr::null()) })
}

/// Joins the job that the environment describes.
///
/// The launcher is `anyccl run`, torchrun, an mpiexec (MPICH, Intel MPI, Open MPI) or srun, or the variables
/// ANYCCL_RANK, ANYCCL_WORLD_SIZE and ANYCCL_STORE are set: see docs/starting.md. If the environment
/// describes no job, the world is this process alone.
///
/// \param[in] config  Settings of the world. NULL: the defaults.
/// \returns ANYCCL_SUCCESS, also when the world exists already (config is then ignored);
///          ANYCCL_ERR_INVALID_ARGUMENT for an invalid config or environment variable;
///          ANYCCL_ERR_INVALID_USAGE after anyccl_finalize(), or in a child of a process that has a world;
///          ANYCCL_ERR_BOOTSTRAP or ANYCCL_ERR_TIMEOUT when the ranks did not find each other;
///          ANYCCL_ERR_PEER_LOST, ANYCCL_ERR_SYSTEM.
///
/// Collective over all processes of the job. The call blocks until all have joined, at most for the timeout.
/// Threads that make the call at the same time get the same world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_init_with(config: *const anyccl_config_t) -> anyccl_status_t {
    // SAFETY: the caller promises NULL or a config of the size it states.
    edge("anyccl_init_with", || unsafe { init(config) })
}

/// # Safety
/// See [`config::read`].
unsafe fn init(config: *const anyccl_config_t) -> Result<()> {
    // First: in a forked child, nothing of the parent may be touched.
    if WORLD.load(Ordering::Acquire) != 0 {
        return world().map(drop);
    }
    // SAFETY: handed on.
    let (settings, own) = unsafe { config::read(config) }?;
    let engine = world_init(&settings, &own)?;
    let handle = COMMS.insert(Arc::new(Comm { engine, is_world: true }));
    if WORLD.compare_exchange(0, handle, Ordering::AcqRel, Ordering::Acquire).is_err() {
        // Another thread has joined the same world and was first to store its handle.
        COMMS.remove(handle, |_, _| Ok(()))?;
    }
    Ok(())
}

/// Leaves the world.
///
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_USAGE without a world, in a forked child, or while a call or a
///          request of the world is unfinished. After this status nothing has changed. After any other status
///          the world has ended: ANYCCL_ERR_MISMATCH tells that the ranks have made different calls, in the
///          world or in a communicator made from it, and no call of this rank has reported it. The others
///          tell why the ranks could not leave in good order.
///
/// Collective. The call blocks until all ranks have made it; if the world has failed, it is local. Other
/// communicators are not affected. Afterwards calls refuse ANYCCL_WORLD, and the process cannot join again.
/// Replacement for MPI_Finalize.
#[unsafe(no_mangle)]
pub extern "C" fn anyccl_finalize() -> anyccl_status_t {
    edge("anyccl_finalize", || {
        let handle = WORLD.load(Ordering::Acquire);
        if handle == 0 {
            return world().map(drop);
        }
        COMMS.remove(handle, Comm::may_go).map_err(finalized)?;
        world_finalize()
    })
}

/// Asks whether this process is in the world: after anyccl_init(), before anyccl_finalize().
///
/// \param[out] flag  1 or 0. 0 in a forked child.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when flag is NULL.
///
/// Local. Replacement for MPI_Initialized and MPI_Finalized.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_is_initialized(flag: *mut c_int) -> anyccl_status_t {
    edge("anyccl_is_initialized", || {
        // SAFETY: the caller promises a writable int or NULL.
        let flag = unsafe { Out::new(flag, "flag") }?;
        flag.set(c_int::from(world().is_ok()));
        Ok(())
    })
}

/// Gives the rank of this process in the world.
///
/// \param[out] rank  0 to world size - 1.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when rank is NULL; ANYCCL_ERR_INVALID_USAGE without a
///          world, or in a forked child.
///
/// Local. Replacement for MPI_Comm_rank of MPI_COMM_WORLD.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_rank(rank: *mut c_int) -> anyccl_status_t {
    // SAFETY: the caller promises a writable int or NULL.
    edge("anyccl_rank", || unsafe { tell(ANYCCL_WORLD, rank, "rank", Communicator::rank) })
}

/// Gives the number of ranks in the world.
///
/// \param[out] size  At least 1.
/// \returns As anyccl_rank().
///
/// Local. Replacement for MPI_Comm_size of MPI_COMM_WORLD.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_world_size(size: *mut c_int) -> anyccl_status_t {
    // SAFETY: the caller promises a writable int or NULL.
    edge("anyccl_world_size", || unsafe { tell(ANYCCL_WORLD, size, "size", Communicator::size) })
}

/// Gives the position of this process among the ranks of the world on its host, for choosing a device or a
/// core.
///
/// \param[out] local_rank  0 to local size - 1.
/// \returns As anyccl_rank().
///
/// Local.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_local_rank(local_rank: *mut c_int) -> anyccl_status_t {
    // SAFETY: the caller promises a writable int or NULL.
    edge("anyccl_local_rank", || unsafe {
        tell(ANYCCL_WORLD, local_rank, "local_rank", Communicator::local_rank)
    })
}

/// Gives the number of ranks of the world on this host, this one included.
///
/// \param[out] local_size  At least 1.
/// \returns As anyccl_rank().
///
/// Local.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_local_size(local_size: *mut c_int) -> anyccl_status_t {
    // SAFETY: the caller promises a writable int or NULL.
    edge("anyccl_local_size", || unsafe {
        tell(ANYCCL_WORLD, local_size, "local_size", Communicator::local_size)
    })
}

/// Gives a handle of the world, for code that compares handles. In a call, ANYCCL_WORLD is enough.
///
/// \param[out] comm  Borrowed: valid until anyccl_finalize(). anyccl_comm_destroy() refuses it.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when comm is NULL; ANYCCL_ERR_INVALID_USAGE without a
///          world, or in a forked child.
///
/// Local. Every call gives the same handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_world(comm: *mut anyccl_comm_t) -> anyccl_status_t {
    edge("anyccl_world", || {
        // SAFETY: the caller promises a writable handle or NULL.
        let comm = unsafe { Out::new(comm, "comm") }?;
        world()?;
        comm.set(to_c(WORLD.load(Ordering::Acquire)));
        Ok(())
    })
}

/// The macro of the header, for use in Rust.
const ANYCCL_WORLD: anyccl_comm_t = std::ptr::null_mut();
