//! How communicators are formed, and those that are formed from others.
//!
//! A [`Job`] is one communicator to be. Its handle is there from the beginning; it comes to life when the job has run.

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::Arc;
use std::thread;

use anyccl_edge::check::{self, invalid, not_null};
use anyccl_engine::base::{Datatype, Error, Rank, Result};
use anyccl_engine::bootstrap::{UNIQUE_ID_BYTES, UniqueId};
use anyccl_engine::comm::{CommConfig, Communicator, wait_all};
use anyccl_engine::config::Config;
use anyccl_engine::log_line;
use anyccl_engine::p2p::{Landing, Outgoing, Selector, Tag};

use crate::call::Progress;
use crate::communicator::{Bar, COMMS, Comm, Formed, Traits, to_c};
use crate::creation::Joining;
use crate::types::{ncclComm_t, ncclConfig_t, ncclUniqueId};
use crate::{config, creation, group, variables};

/// Of the messages by which the ranks of a communicator pass on the id of the next. Programs have no tags.
const ID_TAG: Tag = -64;
/// ncclCommSplit: in none.
const NCCL_SPLIT_NOCOLOR: c_int = -1;
/// ncclCommShrink: the parent may be stuck.
const NCCL_SHRINK_ABORT: c_int = 1;

type Make = Box<dyn FnOnce() -> Result<Option<Formed>> + Send>;

/// What the program gets of a formation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// A communicator.
    Handle,
    /// NULL: this rank only takes part.
    Nothing,
}

/// A communicator to be.
pub struct Job {
    comm: Arc<Comm>,
    /// 0: none.
    handle: usize,
    place: *mut ncclComm_t,
    parent: Option<Arc<Comm>>,
    make: Make,
}

/// What a thread needs of a job.
struct Task {
    comm: Arc<Comm>,
    parent: Option<Arc<Comm>>,
    make: Make,
}

impl Job {
    /// Writes the handle to `place`.
    ///
    /// # Safety
    /// `place` is not NULL, and writable until the call, or the group, has ended.
    pub unsafe fn new(
        place: *mut ncclComm_t,
        traits: Traits,
        parent: Option<Arc<Comm>>,
        outcome: Outcome,
        make: impl FnOnce() -> Result<Option<Formed>> + Send + 'static,
    ) -> Job {
        let comm = Arc::new(Comm::forming(traits));
        let handle = if outcome == Outcome::Handle { COMMS.insert(Arc::clone(&comm)) } else { 0 };
        // SAFETY: writable by our caller's promise.
        unsafe { place.write(to_c(handle)) };
        Job { comm, handle, place, parent, make: Box::new(make) }
    }

    /// Whether the end is waited for.
    pub fn is_blocking(&self) -> bool {
        self.comm.traits.is_blocking
    }

    /// It will not be formed.
    pub fn give_up(self) {
        let _ = COMMS.remove(self.handle, |_, _| Ok(()));
        // SAFETY: writable, as `new` was promised.
        unsafe { self.place.write(ptr::null_mut()) };
    }

    /// Forms them all, each in a thread of its own; those with one parent in one, after each other. Waits for them,
    /// unless they are non-blocking.
    pub fn finish(jobs: Vec<Job>) -> Result<Progress> {
        let progress = match jobs.iter().all(Job::is_blocking) {
            true => Progress::Done,
            false => Progress::Begun,
        };
        let mut waiting = Vec::new();
        let mut lanes: Vec<(bool, Vec<Task>)> = Vec::new();
        for Job { comm, handle, place, parent, make } in jobs {
            let is_blocking = comm.traits.is_blocking;
            if is_blocking {
                waiting.push((Arc::clone(&comm), handle, place));
            }
            let same = |task: &Task| match (&task.parent, &parent) {
                (Some(one), Some(other)) => Arc::ptr_eq(one, other),
                _ => false,
            };
            let lane =
                lanes.iter_mut().find(|(blocking, lane)| *blocking == is_blocking && lane.iter().any(same));
            let task = Task { comm, parent: parent.clone(), make };
            match lane {
                Some((_, lane)) => lane.push(task),
                None => lanes.push((is_blocking, vec![task])),
            }
        }
        let (blocking, background): (Vec<_>, Vec<_>) = lanes.into_iter().partition(|(blocking, _)| *blocking);
        for (_, lane) in background {
            run_in_background(lane)?;
        }
        run_together(blocking.into_iter().map(|(_, lane)| lane).collect())?;
        let mut outcome = Ok(());
        for (comm, handle, place) in waiting {
            let Some(error) = comm.failure() else { continue };
            outcome = outcome.and(Err(error));
            let _ = COMMS.remove(handle, |_, _| Ok(()));
            // SAFETY: writable, as `new` was promised: its call or group is this one.
            unsafe { place.write(ptr::null_mut()) };
        }
        outcome.map(|()| progress)
    }
}

/// Runs each lane in a thread; one alone in this one.
fn run_together(mut lanes: Vec<Vec<Task>>) -> Result<()> {
    let Some(last) = lanes.pop() else { return Ok(()) };
    thread::scope(|scope| {
        for lane in lanes {
            thread::Builder::new()
                .name("nccl init".into())
                .spawn_scoped(scope, || lane.into_iter().for_each(Task::run))
                .map_err(|error| Error::system("starting a thread", error))?;
        }
        last.into_iter().for_each(Task::run);
        Ok(())
    })
}

/// The parent takes no calls meanwhile: they would get between the ranks' agreements.
fn run_in_background(lane: Vec<Task>) -> Result<()> {
    let parent = lane.first().and_then(|task| task.parent.clone());
    let parent = parent.filter(|parent| parent.bar() == Bar::None);
    if let Some(parent) = &parent {
        parent.set_bar(Bar::Parting);
    }
    let run = move || {
        lane.into_iter().for_each(Task::run);
        if let Some(parent) = parent.filter(|parent| parent.bar() == Bar::Parting) {
            parent.set_bar(Bar::None);
        }
    };
    let started = thread::Builder::new().name("nccl init".into()).spawn(run);
    started.map(drop).map_err(|error| Error::system("starting a thread", error))
}

impl Task {
    fn run(self) {
        // A panic is a bug of ours, and must not look like a rank that never comes.
        let made = catch_unwind(AssertUnwindSafe(self.make));
        let outcome =
            made.unwrap_or_else(|_| Err(Error::Internal("panic while a communicator was formed".into())));
        if let Err(error) = &outcome {
            log_line!(Info, "a communicator could not be formed: {error}");
        }
        self.comm.formed(outcome);
    }
}

/// What the new communicator is like; what is not set is as in the parent.
struct Child {
    traits: Traits,
    own: CommConfig,
}

impl Child {
    /// # Safety
    /// As [`config::read`].
    unsafe fn of(parent: &Comm, config: *const ncclConfig_t) -> Result<Child> {
        // SAFETY: passed on from our caller.
        let settings = unsafe { config::read(config) }?;
        let is_blocking = settings.is_blocking.unwrap_or(parent.traits.is_blocking);
        let traits = Traits { is_blocking, device: parent.traits.device };
        Ok(Child { traits, own: CommConfig { name: settings.name, timeout: None } })
    }
}

/// One that leaves alone.
fn derived(engine: Communicator) -> Formed {
    Formed { engine: engine.into(), member: None }
}

/// ncclCommSplit. Of a revoked communicator, the ranks that are left are split.
pub unsafe fn split(
    comm: ncclComm_t,
    color: c_int,
    key: c_int,
    newcomm: *mut ncclComm_t,
    config: *mut ncclConfig_t,
) -> Result<Progress> {
    not_null(newcomm, "newcomm")?;
    let color = match color {
        NCCL_SPLIT_NOCOLOR => None,
        color => match u32::try_from(color) {
            Ok(color) => Some(color),
            Err(_) => return invalid("color", format!("{color}; accepted: 0 and more, NCCL_SPLIT_NOCOLOR")),
        },
    };
    let (parent, engine) = parent_of(comm)?;
    // SAFETY: the caller's promise, handed on.
    let Child { traits, own } = unsafe { Child::of(&parent, config) }?;
    let is_revoked = parent.bar() == Bar::Revoked;
    let part = move || {
        let part = match is_revoked {
            true => engine.shrink(&CommConfig::default())?.split(color, key, &own)?,
            false => engine.split(color, key, &own)?,
        };
        Ok(part.map(derived))
    };
    let outcome = if color.is_some() { Outcome::Handle } else { Outcome::Nothing };
    // SAFETY: not NULL; the caller promises a place that is writable until the end of the group.
    group::form(unsafe { Job::new(newcomm, traits, Some(parent), outcome, part) })
}

/// ncclCommShrink. The ranks that stay meet anew, by an id that the first of them makes and sends to the others. With
/// NCCL_SHRINK_ABORT the parent may have lost ranks: what is under way fails, and those that are left agree who they are.
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
    // SAFETY: the caller promises so many numbers.
    let excluded = unsafe { excluded(excludeRanksList, excludeRanksCount, &engine) }?;
    // SAFETY: the caller's promise, handed on.
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
    group::form(unsafe { Job::new(newcomm, traits, Some(parent), Outcome::Handle, shrunk) })
}

/// The ranks that are named, each once and without this one.
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

/// Those that live must be those that are not excluded.
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
        let message = Outgoing {
            to: *to,
            tag: ID_TAG,
            datatype: Datatype::Byte,
            count: UNIQUE_ID_BYTES as u64,
            data: id.0.as_ptr(),
            is_synchronous: false,
        };
        // SAFETY: the id outlives the requests, which are waited for below, or by their end.
        requests.push(unsafe { engine.start_send(&message) }?);
    }
    wait_all(&mut requests.iter_mut().collect::<Vec<_>>())
}

/// Receives an id; `None`: from whoever has it.
fn take_over(engine: &Communicator, from: Option<Rank>) -> Result<UniqueId> {
    let mut id = UniqueId([0; UNIQUE_ID_BYTES]);
    let landing = Landing {
        data: id.0.as_mut_ptr(),
        datatype: Datatype::Byte,
        count: UNIQUE_ID_BYTES as u64,
        is_lenient: false,
    };
    // SAFETY: room for all bytes of an id, which nobody else uses until this has returned.
    unsafe { engine.receive(Selector::new(from, Some(ID_TAG)), landing) }?;
    Ok(id)
}

/// ncclCommGetUniqueId: for ncclCommGrow.
pub unsafe fn get_unique_id(comm: ncclComm_t, uniqueId: *mut ncclUniqueId) -> Result<()> {
    Comm::from_handle(comm)?.engine()?;
    // SAFETY: passed on from our caller.
    unsafe { creation::get_unique_id(uniqueId) }
}

/// ncclCommGrow. The rank that has the id sends it to the others of its communicator; then all meet, old and new.
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
        // SAFETY: the caller's promise, handed on.
        let own = unsafe { config::read(config) }?;
        let traits = Traits { is_blocking: config::is_blocking(&own)?, device: None };
        let joining = Joining { id, size, rank, config: settings, name: own.name };
        let joined = move || joining.join().map(Some);
        // SAFETY: not NULL; the caller promises a place that is writable until the end of the group.
        return group::form(unsafe { Job::new(newcomm, traits, None, Outcome::Handle, joined) });
    }
    let (parent, engine) = parent_of(comm)?;
    if rank != -1 || size <= engine.size() {
        let got = format!("{rank} of {size}; a rank that is there already passes -1, and the size grows");
        return invalid("rank", got);
    }
    // SAFETY: the caller's promise, handed on.
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
    group::form(unsafe { Job::new(newcomm, traits, Some(parent), Outcome::Handle, grown) })
}

/// The parent of a formation, which may be revoked.
fn parent_of(comm: ncclComm_t) -> Result<(Arc<Comm>, Arc<Communicator>)> {
    let found = Comm::from_handle(comm)?;
    let engine = if found.bar() == Bar::Revoked { found.any_engine()? } else { found.engine()? };
    let engine = Arc::clone(engine);
    Ok((found.share(), engine))
}
