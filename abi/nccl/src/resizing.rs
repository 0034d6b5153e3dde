//! Communicators with fewer ranks, or with more.
//!
//! The ranks of the new communicator meet by a new id. One of them makes the id and passes it on through the
//! parent. If the parent may have lost ranks, nobody can be relied on to pass it on; then the engine finds
//! out who is left.

use std::ffi::c_int;

use anyccl_edge::check::{self, invalid, not_null};
use anyccl_engine::base::{Datatype, Error, Rank, Result};
use anyccl_engine::bootstrap::{UNIQUE_ID_BYTES, UniqueId};
use anyccl_engine::comm::{CommConfig, Communicator, wait_all};
use anyccl_engine::config::Config;
use anyccl_engine::p2p::{OutgoingMessage, RecvBuffer, Selector, Tag};

use crate::call::Progress;
use crate::communicator::{Bar, Comm, Formed, Traits};
use crate::creation::Joining;
use crate::formation::{Child, derived, parent_of};
use crate::pending_comm::{CallerGets, PendingComm};
use crate::types::{ncclComm_t, ncclConfig_t, ncclUniqueId};
use crate::{config, creation, group, variables};

/// Tag of the messages that pass on the id of the next communicator. Programs have no tags.
const ID_TAG: Tag = -64;
/// ncclCommShrink: the parent may be stuck.
const NCCL_SHRINK_ABORT: c_int = 1;

/// ncclCommShrink. The ranks that stay meet by an id that the first of them makes and sends to the others.
/// With NCCL_SHRINK_ABORT the parent may have lost ranks: calls under way fail, and the surviving ranks agree
/// on who they are.
pub unsafe fn shrink(
    comm: ncclComm_t,
    excludeRanksList: *mut c_int,
    excludeRanksCount: c_int,
    newcomm: *mut ncclComm_t,
    config: *mut ncclConfig_t,
    shrinkFlags: c_int,
) -> Result<Progress> {
    not_null(newcomm, "newcomm")?;
    let (parent, engine) = parent_of(comm)?;
    // SAFETY: the caller promises that many numbers.
    let excluded = unsafe { excluded(excludeRanksList, excludeRanksCount, &engine) }?;
    // SAFETY: passed on from our caller.
    let Child { traits, own } = unsafe { Child::of(&parent, config) }?;
    let settings = variables::settings()?;
    let is_revoked = parent.bar() == Bar::Revoked;
    let shrunk = move || match shrinkFlags {
        NCCL_SHRINK_ABORT => without_the_lost(&engine, &excluded, &own),
        _ if is_revoked => without_the_lost(&engine, &excluded, &own),
        _ => meet_anew(&engine, &excluded, settings, own),
    };
    let shrunk = move || shrunk().map(Some);
    if !(0..=NCCL_SHRINK_ABORT).contains(&shrinkFlags) {
        return invalid("shrinkFlags", format!("{shrinkFlags}; accepted: 0 and 1"));
    }
    // SAFETY: not NULL; the caller promises a place that is writable until the end of the group.
    group::form(unsafe { PendingComm::new(newcomm, traits, Some(parent), CallerGets::Handle, shrunk) })
}

/// The excluded ranks. Each may be named once, and this rank may not be named.
///
/// # Safety
/// `list` is NULL or has `count` numbers.
unsafe fn excluded(list: *const c_int, count: c_int, engine: &Communicator) -> Result<Vec<Rank>> {
    let count = match usize::try_from(count) {
        Ok(count) if 0 < count && count < engine.size() as usize => count,
        _ => return invalid("excludeRanksCount", format!("{count}; accepted: 1 to {}", engine.size() - 1)),
    };
    not_null(list, "excludeRanksList")?;
    // SAFETY: not NULL; the caller promises as many numbers, which nobody changes during the call.
    let list = unsafe { std::slice::from_raw_parts(list, count) };
    let mut ranks = Vec::with_capacity(count);
    for rank in list {
        let rank = check::rank(*rank, engine.size(), "excludeRanksList")?;
        if rank == engine.rank() || ranks.contains(&rank) {
            return invalid("excludeRanksList", format!("{rank}, which calls this or is there twice"));
        }
        ranks.push(rank);
    }
    Ok(ranks)
}

/// Shrinks to the surviving ranks, which must be those that are not excluded.
fn without_the_lost(engine: &Communicator, excluded: &[Rank], own: &CommConfig) -> Result<Formed> {
    engine.abort("ncclCommShrink with NCCL_SHRINK_ABORT");
    let shrunk = engine.shrink(own)?;
    if shrunk.size() as usize + excluded.len() == engine.size() as usize {
        return Ok(derived(shrunk));
    }
    Err(Error::InvalidUsage(format!(
        "{} of {} ranks are left, but {} are excluded: lost ranks must be excluded, and excluded ones end",
        shrunk.size(),
        engine.size(),
        excluded.len()
    )))
}

fn meet_anew(engine: &Communicator, excluded: &[Rank], config: Config, own: CommConfig) -> Result<Formed> {
    let staying: Vec<Rank> = (0..engine.size()).filter(|rank| !excluded.contains(rank)).collect();
    let rank = staying.iter().position(|rank| *rank == engine.rank()).expect("it does not exclude itself");
    let id = if rank == 0 {
        let id = UniqueId::create(&config)?;
        pass_on(engine, &id, &staying[1..])?;
        id
    } else {
        take_over(engine, Some(staying[0]))?
    };
    let size = staying.len() as u32;
    Joining { id, size, rank: rank as Rank, config, name: own.name }.join()
}

/// Sends an id to some ranks of a communicator.
fn pass_on(engine: &Communicator, id: &UniqueId, to: &[Rank]) -> Result<()> {
    let mut requests = Vec::with_capacity(to.len());
    for to in to {
        let message = OutgoingMessage {
            to: *to,
            tag: ID_TAG,
            datatype: Datatype::Byte,
            count: UNIQUE_ID_BYTES as u64,
            data: id.0.as_ptr(),
            is_synchronous: false,
        };
        // SAFETY: the id outlives the requests, which are waited for below, or by their end.
        requests.push(unsafe { engine.start(&message) }?);
    }
    wait_all(&mut requests.iter_mut().collect::<Vec<_>>())
}

/// Receives an id. `None`: from the rank that has it.
fn take_over(engine: &Communicator, from: Option<Rank>) -> Result<UniqueId> {
    let mut id = UniqueId([0; UNIQUE_ID_BYTES]);
    let buffer = RecvBuffer {
        data: id.0.as_mut_ptr(),
        datatype: Datatype::Byte,
        count: UNIQUE_ID_BYTES as u64,
        is_lenient: false,
    };
    // SAFETY: room for all bytes of an id, which nobody else uses until this has returned.
    unsafe { engine.receive(Selector::new(from, Some(ID_TAG)), buffer) }?;
    Ok(id)
}

/// ncclCommGetUniqueId: makes an id for ncclCommGrow.
pub unsafe fn get_unique_id(comm: ncclComm_t, uniqueId: *mut ncclUniqueId) -> Result<()> {
    Comm::from_handle(comm)?.engine()?;
    // SAFETY: passed on from our caller.
    unsafe { creation::get_unique_id(uniqueId) }
}

/// ncclCommGrow. The rank that has the id sends it to the others of its communicator. Then all ranks meet,
/// old and new.
pub unsafe fn grow(
    comm: ncclComm_t,
    nRanks: c_int,
    uniqueId: *const ncclUniqueId,
    rank: c_int,
    newcomm: *mut ncclComm_t,
    config: *mut ncclConfig_t,
) -> Result<Progress> {
    not_null(newcomm, "newcomm")?;
    let id = match uniqueId.is_null() {
        true => None,
        // SAFETY: not NULL; the caller promises an id.
        false => Some(UniqueId(unsafe { uniqueId.read() }.internal)),
    };
    let size = check::size(nRanks)?;
    let settings = variables::settings()?;
    if comm.is_null() {
        let Some(id) = id else { return invalid("uniqueId", "NULL, from a rank that is new") };
        let rank = check::rank(rank, size, "rank")?;
        // SAFETY: passed on from our caller.
        let own = unsafe { config::read(config) }?;
        let traits = Traits { is_blocking: config::is_blocking(&own)?, device: creation::current_device() };
        let joining = Joining { id, size, rank, config: settings, name: own.name };
        let joined = move || joining.join().map(Some);
        // SAFETY: not NULL; the caller promises a place that is writable until the end of the group.
        return group::form(unsafe { PendingComm::new(newcomm, traits, None, CallerGets::Handle, joined) });
    }
    let (parent, engine) = parent_of(comm)?;
    if rank != -1 || size <= engine.size() {
        let got = format!("{rank} of {size}; a rank that is there already passes -1, and the size grows");
        return invalid("rank", got);
    }
    // SAFETY: passed on from our caller.
    let Child { traits, own } = unsafe { Child::of(&parent, config) }?;
    let grown = move || {
        let others: Vec<Rank> = (0..engine.size()).filter(|rank| *rank != engine.rank()).collect();
        let id = match id {
            Some(id) => pass_on(&engine, &id, &others).map(|()| id)?,
            None => take_over(&engine, None)?,
        };
        Joining { id, size, rank: engine.rank(), config: settings, name: own.name }.join().map(Some)
    };
    // SAFETY: not NULL; the caller promises a place that is writable until the end of the group.
    group::form(unsafe { PendingComm::new(newcomm, traits, Some(parent), CallerGets::Handle, grown) })
}
