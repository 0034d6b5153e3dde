//! Communicators that are created from a unique id.

use std::ffi::c_int;
use std::time::Duration;

use anyccl_edge::Out;
use anyccl_edge::check::{self, invalid, not_null};
use anyccl_engine::base::{Rank, Result};
use anyccl_engine::bootstrap::UniqueId;
use anyccl_engine::comm::{CommConfig, Communicator};
use anyccl_engine::config::Config;
use anyccl_engine::device::{CudaDriver, Kinds};
use anyccl_engine::sys::clock;

use crate::call::Progress;
use crate::communicator::{Formed, Traits};
use crate::departures::Member;
use crate::pending_comm::{CallerGets, PendingComm};
use crate::types::{ncclComm_t, ncclConfig_t, ncclUniqueId};
use crate::{comm_id, config, group, presence, variables};

/// A timeout so long that it never passes.
const FOREVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// ncclGetUniqueId. This process then serves the store of the id.
pub unsafe fn get_unique_id(uniqueId: *mut ncclUniqueId) -> Result<()> {
    presence::tell();
    // SAFETY: the caller promises a writable id or NULL.
    let place = unsafe { Out::new(uniqueId, "uniqueId") }?;
    let id = match comm_id::from_environment()? {
        Some(id) => id,
        None => UniqueId::create(&variables::settings()?)?,
    };
    place.set(ncclUniqueId { internal: id.0 });
    Ok(())
}

/// The arguments of a rank that joins a new communicator.
pub struct Joining {
    pub id: UniqueId,
    pub size: u32,
    pub rank: Rank,
    pub config: Config,
    pub name: Option<String>,
}

impl Joining {
    /// Checks the number of ranks and the rank.
    fn new(id: ncclUniqueId, nranks: c_int, rank: c_int, config: Config) -> Result<Joining> {
        let size = check::size(nranks)?;
        let rank = check::rank(rank, size, "rank")?;
        Ok(Joining { id: UniqueId(id.internal), size, rank, config, name: None })
    }

    /// Meets the other ranks.
    pub fn join(self) -> Result<Formed> {
        // Counted before anybody can have left: when the ranks have met, all those of this process are
        // counted.
        let member = Member::new();
        let own = CommConfig { name: self.name, for_devices: true, ..CommConfig::default() };
        let deadline = clock::now() + self.config.timeout.unwrap_or(FOREVER);
        let engine = match comm_id::job(&self.id, self.size, self.rank, &self.config, deadline)? {
            Some(job) => Communicator::join(job, &self.config, &own)?,
            None => Communicator::create(&self.id, self.size, self.rank, &self.config, &own)?,
        };
        Ok(Formed { engine: engine.shared(), member: Some(member) })
    }

    /// Submits the joining, and writes the handle to `place`.
    ///
    /// # Safety
    /// See [`PendingComm::new`].
    unsafe fn submit(self, place: *mut ncclComm_t, traits: Traits) -> Result<Progress> {
        // SAFETY: passed on from our caller.
        group::form(unsafe {
            PendingComm::new(place, traits, None, CallerGets::Handle, move || self.join().map(Some))
        })
    }
}

/// ncclCommInitRank.
pub unsafe fn init_rank(
    comm: *mut ncclComm_t,
    nranks: c_int,
    id: ncclUniqueId,
    rank: c_int,
) -> Result<Progress> {
    // SAFETY: passed on from our caller.
    unsafe { init_rank_config(comm, nranks, id, rank, std::ptr::null_mut()) }
}

/// The CUDA device of this thread, if the process uses CUDA.
pub fn current_device() -> Option<c_int> {
    if !Kinds::detect().may_differ() {
        return None;
    }
    CudaDriver::get().ok()?.current().ok()?.map(|(_, device)| device)
}

/// ncclCommInitRankConfig.
pub unsafe fn init_rank_config(
    comm: *mut ncclComm_t,
    nranks: c_int,
    id: ncclUniqueId,
    rank: c_int,
    config: *mut ncclConfig_t,
) -> Result<Progress> {
    not_null(comm, "comm")?;
    // SAFETY: passed on from our caller.
    let settings = unsafe { config::read(config) }?;
    let traits = Traits { is_blocking: config::is_blocking(&settings)?, device: current_device() };
    let joining = Joining::new(id, nranks, rank, variables::settings()?)?;
    // SAFETY: not NULL; the caller promises a place that is writable until the end of the group.
    unsafe { Joining { name: settings.name, ..joining }.submit(comm, traits) }
}

/// ncclCommInitRankScalable. One store serves all ranks, so only the first id is used.
pub unsafe fn init_rank_scalable(
    newcomm: *mut ncclComm_t,
    nranks: c_int,
    myrank: c_int,
    nId: c_int,
    commIds: *mut ncclUniqueId,
    config: *mut ncclConfig_t,
) -> Result<Progress> {
    if nId < 1 || nId > nranks {
        return invalid("nId", format!("{nId}; accepted: 1 to the number of ranks"));
    }
    not_null(commIds, "commIds")?;
    // SAFETY: not NULL, and there is at least one.
    let id = unsafe { commIds.read() };
    // SAFETY: passed on from our caller.
    unsafe { init_rank_config(newcomm, nranks, id, myrank, config) }
}

/// Refuses numbers of devices that are not there, in a process with a GPU. In others they mean nothing.
fn check_devices(devices: &[c_int]) -> Result<()> {
    let there = Kinds::detect().devices();
    match devices.iter().find(|device| there > 0 && !(0..there).contains(*device)) {
        Some(device) => {
            invalid("devlist", format!("device {device}; this process sees devices 0 to {}", there - 1))
        }
        None => Ok(()),
    }
}

/// ncclCommInitAll: all ranks belong to this process. A device may be named more than once.
pub unsafe fn init_all(comm: *mut ncclComm_t, ndev: c_int, devlist: *const c_int) -> Result<Progress> {
    not_null(comm, "comm")?;
    let size = check::size(ndev)?;
    let config = variables::settings()?;
    let id = UniqueId::create(&config)?;
    let devices: Vec<c_int> = match devlist.is_null() {
        true => (0..ndev).collect(),
        // SAFETY: not NULL; the caller promises `ndev` numbers.
        false => unsafe { std::slice::from_raw_parts(devlist, size as usize) }.to_vec(),
    };
    check_devices(&devices)?;
    let mut forming = Vec::with_capacity(size as usize);
    for (rank, device) in (0..size).zip(devices) {
        let joining = Joining { id, size, rank, config: config.clone(), name: None };
        // SAFETY: the caller promises places for `ndev` handles.
        let place = unsafe { comm.add(rank as usize) };
        let traits = Traits { is_blocking: true, device: Some(device) };
        // SAFETY: as above; the communicators are formed before this returns.
        forming.push(unsafe {
            PendingComm::new(place, traits, None, CallerGets::Handle, move || joining.join().map(Some))
        });
    }
    PendingComm::finish(forming)
}
