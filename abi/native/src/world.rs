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

/// Joins the job that the environment describes, with all defaults: anyccl_init_with(NULL).
///
/// \returns See anyccl_init_with.
///
/// Collective. The call blocks. Replacement for MPI_Init_thread with MPI_THREAD_MULTIPLE.
#[unsafe(no_mangle)]
pub extern "C" fn anyccl_init() -> anyccl_status_t {
    // SAFETY: NULL is accepted.
    edge("anyccl_init", || unsafe { init(std::ptr::null()) })
}

/// Joins the job that the environment describes: the one of `anyccl run`, of ANYCCL_RANK, ANYCCL_WORLD_SIZE
/// and ANYCCL_STORE, of torchrun, of an mpiexec (MPICH, Intel MPI, Open MPI), or of srun; docs/starting.md
/// tells more. Where it describes none, the world is this process alone.
///
/// \param config  [in] Read during the call. NULL: all defaults.
/// \returns ANYCCL_SUCCESS, also when the world is there already: config is then ignored;
///          ANYCCL_ERR_INVALID_ARGUMENT for a config or a variable that cannot be understood;
///          ANYCCL_ERR_INVALID_USAGE after anyccl_finalize, or in a child of a process that has a world;
///          ANYCCL_ERR_BOOTSTRAP or ANYCCL_ERR_TIMEOUT when the ranks did not find each other;
///          ANYCCL_ERR_PEER_LOST, ANYCCL_ERR_SYSTEM.
///
/// Collective over all processes of the job. The call blocks until all have come, at most for the configured
/// time. Any thread; threads that call it at once get the same world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_init_with(config: *const anyccl_config_t) -> anyccl_status_t {
    // SAFETY: the caller promises NULL or a config of the size it states.
    edge("anyccl_init_with", || unsafe { init(config) })
}

/// # Safety
/// See [`config::read`].
unsafe fn init(config: *const anyccl_config_t) -> Result<()> {
    // First of all: in a forked child nothing of the parent's may be touched.
    if WORLD.load(Ordering::Acquire) != 0 {
        return world().map(drop);
    }
    // SAFETY: handed on.
    let (settings, own) = unsafe { config::read(config) }?;
    let engine = world_init(&settings, &own)?;
    let handle = COMMS.insert(Arc::new(Comm { engine, is_world: true }));
    if WORLD.compare_exchange(0, handle, Ordering::AcqRel, Ordering::Acquire).is_err() {
        // Another thread entered the same world and was first to say so.
        COMMS.remove(handle, |_, _| Ok(()))?;
    }
    Ok(())
}

/// Leaves the world.
///
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_USAGE without a world, in a forked child, or while a call or
///          request of the world is unfinished: in these cases nothing has changed. ANYCCL_ERR_MISMATCH when
///          the ranks have made different calls, in the world or in a communicator that was made from it, and
///          no call of this rank has said so. Any other status tells why the ranks could not part in good
///          order. After ANYCCL_ERR_MISMATCH or any other status the world has ended.
///
/// Collective. The call blocks until all ranks have come here. It is local when the world has failed. Other
/// communicators are not concerned. Afterwards ANYCCL_WORLD is refused, and the process cannot enter the
/// world again. Replacement for MPI_Finalize.
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

/// Says whether this process is in the world: after anyccl_init, before anyccl_finalize.
///
/// \param flag  [out] 1 or 0. Written only on ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when flag is NULL.
///
/// Local. Any thread. The answer is 0 in a forked child. Replacement for MPI_Initialized and MPI_Finalized.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_is_initialized(flag: *mut c_int) -> anyccl_status_t {
    edge("anyccl_is_initialized", || {
        // SAFETY: the caller promises a writable int or NULL.
        let flag = unsafe { Out::new(flag, "flag") }?;
        flag.set(c_int::from(world().is_ok()));
        Ok(())
    })
}

/// Gives this process's rank in the world.
///
/// \param rank  [out] 0 to world size - 1. Written only on ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when rank is NULL; ANYCCL_ERR_INVALID_USAGE without a
///          world, or in a forked child.
///
/// Local. Any thread. Replacement for MPI_Comm_rank of MPI_COMM_WORLD.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_rank(rank: *mut c_int) -> anyccl_status_t {
    // SAFETY: the caller promises a writable int or NULL.
    edge("anyccl_rank", || unsafe { tell(ANYCCL_WORLD, rank, "rank", Communicator::rank) })
}

/// Gives the number of ranks in the world.
///
/// \param size  [out] At least 1. Written only on ANYCCL_SUCCESS.
/// \returns See anyccl_rank.
///
/// Local. Any thread. Replacement for MPI_Comm_size of MPI_COMM_WORLD.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_world_size(size: *mut c_int) -> anyccl_status_t {
    // SAFETY: the caller promises a writable int or NULL.
    edge("anyccl_world_size", || unsafe { tell(ANYCCL_WORLD, size, "size", Communicator::size) })
}

/// Gives this process's position among the ranks of the world on its host, for choosing a device or core.
///
/// \param local_rank  [out] 0 to local size - 1. Written only on ANYCCL_SUCCESS.
/// \returns See anyccl_rank.
///
/// Local. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_local_rank(local_rank: *mut c_int) -> anyccl_status_t {
    // SAFETY: the caller promises a writable int or NULL.
    edge("anyccl_local_rank", || unsafe {
        tell(ANYCCL_WORLD, local_rank, "local_rank", Communicator::local_rank)
    })
}

/// Gives the number of ranks of the world on this host, this one included.
///
/// \param local_size  [out] At least 1. Written only on ANYCCL_SUCCESS.
/// \returns See anyccl_rank.
///
/// Local. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_local_size(local_size: *mut c_int) -> anyccl_status_t {
    // SAFETY: the caller promises a writable int or NULL.
    edge("anyccl_local_size", || unsafe {
        tell(ANYCCL_WORLD, local_size, "local_size", Communicator::local_size)
    })
}

/// Gives a handle of the world, for code that takes a communicator and compares handles. To pass the world to
/// a call, ANYCCL_WORLD is enough.
///
/// \param comm  [out] Borrowed: valid until anyccl_finalize, refused by anyccl_comm_destroy. Written only on
///              ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when comm is NULL; ANYCCL_ERR_INVALID_USAGE without a
///          world, or in a forked child.
///
/// Local. Any thread. Every call gives the same handle.
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

/// The world's name in C; the header has the macro.
const ANYCCL_WORLD: anyccl_comm_t = std::ptr::null_mut();
