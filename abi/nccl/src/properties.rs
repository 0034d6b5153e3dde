//! Properties of a communicator, and answers of functions that ask for a device side.

use std::ffi::{c_int, c_void};
use std::mem::{offset_of, size_of};

use anyccl_edge::Out;
use anyccl_edge::check::{self, invalid, not_null};
use anyccl_engine::base::{Error, Result};

use crate::communicator::{Bar, Comm};
use crate::types::{Head, NCCL_API_MAGIC, ncclComm_t, ncclCommMemStat_t, ncclTeam_t};

/// NCCL_SUSPEND_MEM.
const SUSPEND_MEMORY: c_int = 1;
/// Number of statistics that ncclCommMemStats knows.
const MEM_STATS: c_int = 4;

/// The part of ncclCommProperties_t that is equal in all versions that have it. Later members stay as NCCL's
/// initializer has set them: nothing is supported.
#[repr(C)]
struct Properties {
    head: Head,
    rank: c_int,
    n_ranks: c_int,
    cuda_device: c_int,
    nvml_device: c_int,
    device_api_support: bool,
    multimem_support: bool,
    gin_type: c_int,
    n_lsa_teams: c_int,
    host_rma_support: bool,
}

/// ncclCommQueryProperties: no device API, no multimem, no GIN, no remote memory access.
pub unsafe fn query(comm: ncclComm_t, props: *mut c_void) -> Result<()> {
    not_null(props, "props")?;
    let place = props.cast::<Properties>();
    // SAFETY: the caller promises a struct that begins with its head.
    let head = unsafe { (*place).head };
    let smallest = offset_of!(Properties, host_rma_support) + 1;
    if head.magic != NCCL_API_MAGIC || head.size < smallest {
        return invalid("props", "not begun with NCCL_COMM_PROPERTIES_INITIALIZER");
    }
    let comm = Comm::from_handle(comm)?;
    let engine = comm.any_engine()?;
    let device = comm.traits.device.map_or_else(|| check::int(engine.local_rank()), Ok)?;
    let known = Properties {
        head,
        rank: check::int(engine.rank())?,
        n_ranks: check::int(engine.size())?,
        cuda_device: device,
        nvml_device: device,
        device_api_support: false,
        multimem_support: false,
        gin_type: 0,
        n_lsa_teams: 0,
        host_rma_support: false,
    };
    let bytes = head.size.min(size_of::<Properties>());
    // SAFETY: the caller vouches for `head.size` writable bytes; ours are as many or more.
    unsafe { std::ptr::copy_nonoverlapping((&raw const known).cast::<u8>(), props.cast(), bytes) };
    Ok(())
}

/// ncclCommSuspend. There is no device memory to release. The communicator takes no calls until it is
/// resumed.
pub unsafe fn suspend(comm: ncclComm_t, flags: c_int) -> Result<()> {
    if flags != SUSPEND_MEMORY {
        return invalid("flags", format!("{flags}; accepted: NCCL_SUSPEND_MEM"));
    }
    let comm = Comm::from_handle(comm)?;
    comm.engine()?;
    comm.set_bar(Bar::Suspended);
    Ok(())
}

/// ncclCommResume.
pub unsafe fn resume(comm: ncclComm_t) -> Result<()> {
    let comm = Comm::from_handle(comm)?;
    if comm.bar() != Bar::Suspended {
        return Err(Error::InvalidUsage("the communicator is not suspended".into()));
    }
    comm.set_bar(Bar::None);
    Ok(())
}

/// ncclCommMemStats: bytes of GPU memory, which are 0, and whether the communicator is suspended.
pub unsafe fn mem_stats(comm: ncclComm_t, stat: ncclCommMemStat_t, value: *mut u64) -> Result<()> {
    const IS_SUSPENDED: ncclCommMemStat_t = 1;
    // SAFETY: the caller promises a writable number or NULL.
    let place = unsafe { Out::new(value, "value") }?;
    let comm = Comm::from_handle(comm)?;
    if !(0..MEM_STATS).contains(&stat) {
        return invalid("stat", format!("{stat}; accepted: 0 to {}", MEM_STATS - 1));
    }
    place.set(u64::from(stat == IS_SUSPENDED && comm.bar() == Bar::Suspended));
    Ok(())
}

/// Does nothing.
pub unsafe fn nothing() {}

/// A team of no ranks.
pub unsafe fn no_team(_comm: ncclComm_t) -> ncclTeam_t {
    ncclTeam_t { nRanks: 0, rank: 0, stride: 0 }
}

/// A team of no ranks.
pub unsafe fn no_cft_team(_comm: ncclComm_t, _mode: c_int) -> ncclTeam_t {
    ncclTeam_t { nRanks: 0, rank: 0, stride: 0 }
}

/// A rank in no team.
pub unsafe fn no_rank(_comm: ncclComm_t, _team: ncclTeam_t, _rank: c_int) -> c_int {
    -1
}

/// Slots for no elements.
pub unsafe fn no_slots(_max_elements: c_int, _max_bytes: c_int) -> c_int {
    0
}
