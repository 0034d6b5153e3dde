//! Making and freeing windows.
//!
//! Each step that may fail ends with an agreement, so all ranks get a window or all get the error of the
//! first rank that failed.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use anyccl_engine::base::Rank;
use anyccl_engine::comm::Communicator;
use anyccl_engine::sys::process_memory::{ProcessStamp, RemoteProcess};
use parking_lot::Mutex;

use super::control::Control;
use super::epoch::{Epochs, misuse};
use super::far::Distant;
use super::memory::{NAME_WORDS, Shared, name_of};
use super::progress::start_thread;
use super::target::{Place, Target};
use super::with::with;
use super::{Values, WINS, Win};
use crate::arguments::{CommHandle, InfoHandle, InputOutput, Output, WinHandle};
use crate::attribute::Attributes;
use crate::comm;
use crate::comm::agreement::{broadcast, gather};
use crate::comm::hosts::leaders;
use crate::constants as c;
use crate::errhandler::Errhandler;
use crate::error::{Class, Error, Result};
use crate::file::agree::agree;
use crate::group::Group;
use crate::info::Pairs;
use crate::request::service;
use crate::types::host_memory::check_host;

/// Words that each rank tells the others: those of [`Offer`].
const WORDS: usize = NAME_WORDS + 6;

/// What a rank offers to the others: the name of memory that they map, or its process.
struct Offer {
    name: Option<[u64; NAME_WORDS]>,
    base: usize,
    bytes: u64,
    disp_unit: i64,
}

/// Arguments of a creation.
struct Wanted {
    flavor: i32,
    bytes: usize,
    disp_unit: i64,
    info: Pairs,
}

/// A window that is being made.
struct Building {
    engine: Communicator,
    wanted: Wanted,
    memory: Vec<Shared>,
    /// The first rank of the host of each rank.
    leaders: Vec<Rank>,
}

/// Begins to make a window: agrees on whether the arguments are valid, and on who shares a host.
fn begin(flavor: i32, size: i64, disp_unit: i64, info: InfoHandle, comm: CommHandle) -> Result<Building> {
    let parent = comm::parent(comm)?;
    parent.check_intra()?;
    let (engine, _) = parent.duplicate_engines("window")?;
    let check = || {
        let bytes = usize::try_from(size).ok().filter(|bytes| isize::try_from(*bytes).is_ok());
        let bytes = bytes.ok_or_else(|| Error::new(Class::SIZE, format!("size is {size}, less than 0")))?;
        if disp_unit <= 0 {
            return Err(Error::new(Class::DISP, format!("disp_unit is {disp_unit}; it must be positive")));
        }
        Ok(Wanted { flavor, bytes, disp_unit, info: Pairs::of_handle_or_null(info)? })
    };
    let wanted = agree(&engine, check())?;
    let leaders = leaders(&engine)?;
    if flavor == c::WIN_FLAVOR_SHARED && leaders.iter().any(|leader| *leader != 0) {
        let text = "some ranks reach each other by TCP only, so not all share memory";
        return Err(Error::new(Class::RMA_SHARED, text));
    }
    Ok(Building { engine, wanted, memory: Vec::new(), leaders })
}

/// Writes the address of the memory to the program's pointer.
fn give_base(place: *mut c_void, base: usize) -> Result<()> {
    if place.is_null() {
        return Err(Error::new(Class::ARG, "baseptr is NULL"));
    }
    // SAFETY: the program passes the address of a pointer.
    unsafe { place.cast::<*mut c_void>().write(std::ptr::with_exposed_provenance_mut(base)) };
    Ok(())
}

fn offers(engine: &Communicator, own: &Offer) -> Result<Vec<[u64; WORDS]>> {
    let stamp = agree(engine, ProcessStamp::of_this_process().map_err(|error| unreachable_by(&error)))?;
    let mut words = [0; WORDS];
    words[..6].copy_from_slice(&[
        own.base as u64,
        own.bytes,
        own.disp_unit.cast_unsigned(),
        u64::from(std::process::id()),
        stamp.address,
        stamp.value,
    ]);
    words[6..].copy_from_slice(&own.name.unwrap_or_default());
    gather(engine, words)
}

fn unreachable_by(error: &std::io::Error) -> Error {
    let text = format!(
        "a process cannot access the memory of another one here ({error}); MPI_Win_allocate needs no such right"
    );
    Error::new(Class::UNSUPPORTED_OPERATION, text)
}

impl Building {
    /// Whether a rank shares the host of this one.
    fn is_near(&self, rank: Rank) -> bool {
        self.leaders[rank as usize] == self.leaders[self.engine.rank() as usize]
    }

    /// The memory of each rank, from what it offers.
    fn targets(&mut self, own: &Offer) -> Result<Vec<Target>> {
        let all = offers(&self.engine, own)?;
        let mut targets = Vec::with_capacity(all.len());
        let mut outcome = Ok(());
        for (rank, offer) in (0..).zip(&all) {
            match self.target(rank, offer, own) {
                Ok(target) => targets.push(target),
                Err(error) => outcome = outcome.and(Err(error)),
            }
        }
        agree(&self.engine, outcome)?;
        Ok(targets)
    }

    fn target(&mut self, rank: u32, offer: &[u64; WORDS], own: &Offer) -> Result<Target> {
        let [base, bytes, disp_unit, process, stamp_address, stamp_value, ..] = *offer;
        let disp_unit = disp_unit.cast_signed();
        let is_own = rank == self.engine.rank();
        if !self.is_near(rank) {
            return Ok(Target { place: Place::Distant, base: 0, bytes, disp_unit });
        }
        if is_own || (bytes == 0 && self.wanted.flavor != c::WIN_FLAVOR_DYNAMIC) {
            let base = if is_own { own.base } else { 0 };
            return Ok(Target { place: Place::Here, base, bytes, disp_unit });
        }
        let name = &offer[6..];
        // In a dynamic window every address is one of the other process.
        if self.wanted.flavor != c::WIN_FLAVOR_DYNAMIC && name.iter().any(|word| *word != 0) {
            let shared = Shared::import(name)?;
            let (base, bytes) = (shared.start(), shared.bytes() as u64);
            self.memory.push(shared);
            return Ok(Target { place: Place::Here, base, bytes, disp_unit });
        }
        if process == u64::from(std::process::id()) {
            return Err(Error::new(Class::INTERN, format!("rank {rank} has named this process as its own")));
        }
        let stamp = ProcessStamp { address: stamp_address, value: stamp_value };
        let process = RemoteProcess::new(process as libc::pid_t, stamp);
        process.check_stamp().map_err(|error| unreachable_by(&error))?;
        Ok(Target { place: Place::There(process), base: base as usize, bytes, disp_unit })
    }

    /// The words that all ranks of this host share. The first one of them allocates them.
    fn control(&self) -> Result<Control> {
        let (ranks, is_dynamic) = (self.engine.size(), self.wanted.flavor == c::WIN_FLAVOR_DYNAMIC);
        let leader = self.leaders[self.engine.rank() as usize];
        let allocates = leader == self.engine.rank();
        let own = allocates.then(|| Control::allocate(ranks, is_dynamic)).transpose();
        let own = agree(&self.engine, own)?;
        let name = own
            .as_ref()
            .map(|control| name_of(control.start(), control.bytes()).expect("it was just allocated"));
        let names = gather(&self.engine, name.unwrap_or([0; NAME_WORDS]))?;
        let import = || Control::import(&names[leader as usize], ranks, is_dynamic);
        agree(&self.engine, own.map_or_else(import, Ok))
    }

    /// Makes the window, whose memory on this rank begins at `base`. Collective.
    fn finish(self, base: usize, targets: Vec<Target>, win: &Output<WinHandle>) -> Result<()> {
        let control = self.control()?;
        let has_distant = (0..self.engine.size()).any(|rank| !self.is_near(rank));
        let distant = has_distant.then(Distant::default);
        if let Some(distant) = &distant {
            distant.inbox.lock().open(&self.engine)?;
        }
        let group = Arc::new(Group::new(self.engine.world_ranks().to_vec()));
        let make = |id| Win {
            id,
            engine: self.engine,
            group,
            flavor: self.wanted.flavor,
            base,
            targets,
            control,
            distant,
            given_up: Mutex::default(),
            _memory: self.memory,
            epoch: Epochs::default(),
            attached: Mutex::default(),
            calls_since_look: AtomicU32::default(),
            info: Mutex::new(super::inquiry::first_hints(&self.wanted.info)),
            name: Mutex::new(None),
            values: Values::default(),
            errhandler: Mutex::new(Errhandler::INITIAL),
            attributes: Attributes::new(),
        };
        let handle = WinHandle(WINS.insert_with(make));
        if has_distant {
            let object = Win::from_handle(handle)?.share();
            service::add(object);
            start_thread();
        }
        win.set(handle);
        Ok(())
    }
}

/// `MPI_Win_create`. Memory of `MPI_Alloc_mem` is mapped by the others.
pub unsafe fn create(
    base: *mut c_void,
    size: i64,
    disp_unit: i64,
    info: InfoHandle,
    comm: CommHandle,
    win: Output<WinHandle>,
) -> Result<()> {
    win.set(WinHandle::NULL);
    let mut building = begin(c::WIN_FLAVOR_CREATE, size, disp_unit, info, comm)?;
    let (base, bytes) = (base.expose_provenance(), building.wanted.bytes);
    let check = if base == 0 && bytes > 0 {
        Err(Error::new(Class::BASE, "base is NULL, and size is not 0"))
    } else {
        check_host(
            std::ptr::with_exposed_provenance(base),
            bytes,
            "memory of a window, which the processor accesses",
        )
    };
    agree(&building.engine, check)?;
    let own = Offer { name: name_of(base, bytes), base, bytes: bytes as u64, disp_unit };
    let targets = building.targets(&own)?;
    building.finish(base, targets, &win)
}

/// `MPI_Win_allocate`.
pub unsafe fn allocate(
    size: i64,
    disp_unit: i64,
    info: InfoHandle,
    comm: CommHandle,
    baseptr: *mut c_void,
    win: Output<WinHandle>,
) -> Result<()> {
    win.set(WinHandle::NULL);
    let building = begin(c::WIN_FLAVOR_ALLOCATE, size, disp_unit, info, comm)?;
    each_its_own(building, baseptr, &win)
}

/// Makes a window of which each rank allocates its memory.
fn each_its_own(mut building: Building, baseptr: *mut c_void, win: &Output<WinHandle>) -> Result<()> {
    let bytes = building.wanted.bytes;
    // The larger an allocation, the more it is aligned, up to a page.
    let alignment = building.wanted.info.get("mpi_minimum_memory_alignment");
    let least = alignment.and_then(|alignment| alignment.parse().ok()).unwrap_or(0);
    let memory = if bytes == 0 { Ok(None) } else { Shared::allocate(bytes.max(least)).map(Some) };
    let memory = agree(&building.engine, memory)?;
    let base = memory.as_ref().map_or(0, Shared::start);
    building.memory.extend(memory);
    agree(&building.engine, give_base(baseptr, base))?;
    let disp_unit = building.wanted.disp_unit;
    let own = Offer { name: name_of(base, bytes), base, bytes: bytes as u64, disp_unit };
    let targets = building.targets(&own)?;
    building.finish(base, targets, win)
}

/// `MPI_Win_allocate_shared`.
pub unsafe fn allocate_shared(
    size: i64,
    disp_unit: i64,
    info: InfoHandle,
    comm: CommHandle,
    baseptr: *mut c_void,
    win: Output<WinHandle>,
) -> Result<()> {
    win.set(WinHandle::NULL);
    let building = begin(c::WIN_FLAVOR_SHARED, size, disp_unit, info, comm)?;
    // All ranks must agree on the hint; if they do not, the memory is contiguous.
    let is_apart = building.wanted.info.get("alloc_shared_noncontig").is_some_and(|value| value == "true");
    let all = gather(&building.engine, [u64::from(is_apart)])?;
    if all.iter().all(|[is_apart]| *is_apart == 1) {
        return each_its_own(building, baseptr, &win);
    }
    side_by_side(building, baseptr, &win)
}

/// Maps memory of another process, which must have as many bytes.
fn import_whole(name: &[u64], bytes: usize) -> Result<Shared> {
    let memory = Shared::import(name)?;
    if memory.bytes() < bytes {
        return Err(Error::new(Class::INTERN, "rank 0 has allocated too few bytes"));
    }
    Ok(memory)
}

/// Makes a window whose memory is allocated by rank 0: the parts of the ranks lie one after the other.
fn side_by_side(mut building: Building, baseptr: *mut c_void, win: &Output<WinHandle>) -> Result<()> {
    let engine = &building.engine;
    let own = [building.wanted.bytes as u64, building.wanted.disp_unit.cast_unsigned()];
    let all = gather(engine, own)?;
    let total = all.iter().try_fold(0u64, |total, [bytes, _]| total.checked_add(*bytes));
    let total = total.and_then(|total| usize::try_from(total).ok());
    let total = total.ok_or_else(|| Error::new(Class::SIZE, "the sizes of all ranks exceed memory"))?;
    let mut name = [0; NAME_WORDS];
    let is_first = engine.rank() == 0;
    let own = if is_first && total > 0 { Shared::allocate(total).map(Some) } else { Ok(None) };
    let own = agree(engine, own)?;
    if let Some(own) = &own {
        name = name_of(own.start(), total).expect("it was just allocated");
    }
    broadcast(engine, 0, &mut name)?;
    let memory = match own {
        None if total > 0 => agree(engine, import_whole(&name, total).map(Some))?,
        own => agree(engine, Ok(own))?,
    };
    let start = memory.as_ref().map_or(0, Shared::start);
    let mut at = start;
    let mut targets = Vec::with_capacity(all.len());
    for [bytes, disp_unit] in all {
        let disp_unit = disp_unit.cast_signed();
        targets.push(Target { place: Place::Here, base: at, bytes, disp_unit });
        at += bytes as usize;
    }
    let base = targets[engine.rank() as usize].base;
    agree(engine, give_base(baseptr, base))?;
    building.memory.extend(memory);
    building.finish(base, targets, win)
}

/// `MPI_Win_create_dynamic`.
pub unsafe fn create_dynamic(info: InfoHandle, comm: CommHandle, win: Output<WinHandle>) -> Result<()> {
    win.set(WinHandle::NULL);
    let mut building = begin(c::WIN_FLAVOR_DYNAMIC, 0, 1, info, comm)?;
    let own = Offer { name: None, base: 0, bytes: 0, disp_unit: 1 };
    let targets = building.targets(&own)?;
    building.finish(0, targets, &win)
}

impl Win {
    /// Serves ranks of other hosts no more.
    fn end_service(self: &Arc<Win>) {
        let Some(distant) = &self.distant else { return };
        let own: Arc<dyn service::Service> = Arc::clone(self) as _;
        service::remove(&own);
        distant.inbox.lock().close();
        distant.outbox.clear();
    }
}

/// `MPI_Win_free`.
pub unsafe fn free(win: InputOutput<WinHandle>) -> Result<()> {
    let handle = win.get();
    let outcome = with(handle, |object| {
        let is_unused = {
            let epoch = object.epoch.lock();
            match (epoch.check_none(), &epoch.posted) {
                (Ok(()), Some(_)) => Err(misuse("MPI_Win_post was called; call MPI_Win_wait first")),
                (outcome, _) => outcome,
            }
        };
        let may_end = is_unused.and_then(|()| object.attributes.delete_all(object.id));
        // Nobody asks a rank for anything after the ranks have agreed.
        let may_end = may_end.and(object.wait_for_answers(None));
        let agreed = agree(&object.engine, may_end);
        // A window whose ranks cannot meet any more is freed all the same.
        if object.engine.failure().is_none() {
            agreed?;
            object.finish_sends()?;
            // No rank gives memory back while another still accesses it.
            object.meet()?;
            return Ok(Ok(()));
        }
        Ok(agreed)
    })?;
    let object = WINS.remove(handle.0)?;
    object.end_service();
    win.set(WinHandle::NULL);
    outcome
}
