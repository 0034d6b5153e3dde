//! Groups: calls that are started together and waited for together.
//!
//! Inside a group nothing is started. A call checks its arguments, is appended to a list of this thread, and
//! returns. A call with a refused argument is not appended, and does not affect the others. The outermost end
//! starts all calls in their order, and then waits for all. No start ever waits. So calls that depend on each
//! other may stand in any order and on any communicators of the thread, and one thread can be all ranks of a
//! communicator.
//!
//! Communicators may be formed in groups, too. Each is formed in a thread of its own, because each waits for
//! other ranks. Those made from the same parent are formed in one thread, in the order of the calls.
//!
//! A call on GPU memory is enqueued on its stream, and nobody waits for it ([`DeviceGroup`]).
//!
//! A call outside a group is a group of one, without the list.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::thread;

use anyccl_edge::check::invalid;
use anyccl_edge::{ObjectRef, Out};
use anyccl_engine::base::{Error, Result};
use anyccl_engine::comm::{Communicator, DeviceGroup, StreamedCall, Work, enqueue_on, wait_until_one_engine};
use anyccl_engine::device::CudaStream;

use crate::action::Action;
use crate::call::Progress;
use crate::communicator::Comm;
use crate::completion::wait_for;
use crate::pending_comm::PendingComm;
use crate::profiler::{CallEvents, GroupEvents};
use crate::signals::SignalWait;
use crate::types::{NCCL_SIM_INFO_MAGIC, cudaStream_t, ncclSimInfo_t};

/// A call that will start at the end of the group.
struct Queued {
    comm: Arc<Comm>,
    action: Action,
    stream: cudaStream_t,
}

impl Queued {
    /// Adds the call to those on GPU memory. `false`: it is none of them.
    fn add_to(&self, group: &mut DeviceGroup<DeviceTag>) -> bool {
        // A communicator without an engine is refused when the call starts.
        let Ok(engine) = self.comm.engine() else { return false };
        let tag = (Arc::clone(&self.comm), self.action.expected());
        let stream = CudaStream::from_raw(self.stream);
        self.action.with_spec(|call| group.add(engine, call, stream, tag)).unwrap_or(false)
    }
}

/// What the door knows of a call on GPU memory: its communicator, and the number of elements that a receive
/// should get.
type DeviceTag = (Arc<Comm>, Option<u64>);

/// Keeps a call that is in its stream.
fn keep_in_stream((comm, expected): DeviceTag, call: StreamedCall) {
    comm.keep_in_stream(call, expected);
}

thread_local! {
    /// Number of starts that have no end yet.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    static QUEUE: RefCell<Vec<Queued>> = const { RefCell::new(Vec::new()) };
    static PENDING: RefCell<Vec<PendingComm>> = const { RefCell::new(Vec::new()) };
}

/// Whether this thread is inside a group.
#[inline]
pub fn is_open() -> bool {
    DEPTH.get() > 0
}

/// Runs the action of a call now, or queues it for the end of the group.
///
/// # Safety
/// The buffers are as NCCL documents them, until the call or the group has ended. On a non-blocking
/// communicator, they are so until the started operation has ended.
#[inline]
pub unsafe fn submit(
    comm: ObjectRef<'static, Comm>,
    action: Action,
    stream: cudaStream_t,
) -> Result<Progress> {
    if is_open() {
        return enqueue(&comm, action, stream);
    }
    if !comm.is_plain {
        // SAFETY: passed on from our caller.
        return unsafe { submit_otherwise(&comm, &action, stream) };
    }
    let engine = comm.engine()?;
    // SAFETY: passed on from our caller.
    if !unsafe { joins_stream(&comm, engine, &action, stream) }? {
        // SAFETY: passed on from our caller.
        unsafe { action.run(&comm, engine) }?;
    }
    Ok(Progress::Done)
}

/// Makes a call on GPU memory part of its stream. `false`: it is none.
///
/// # Safety
/// See [`submit`].
#[inline]
unsafe fn joins_stream(
    comm: &Comm,
    engine: &Communicator,
    action: &Action,
    stream: cudaStream_t,
) -> Result<bool> {
    // SAFETY: passed on from our caller.
    let enqueued = action.with_spec(|call| unsafe { enqueue_on(engine, call, CudaStream::from_raw(stream)) });
    let Some(call) = enqueued.flatten() else { return Ok(false) };
    comm.keep_in_stream(call?, action.expected());
    Ok(true)
}

/// Submits a call on a communicator that does not block, or whose calls a profiler sees.
///
/// # Safety
/// See [`submit`].
#[cold]
unsafe fn submit_otherwise(comm: &Comm, action: &Action, stream: cudaStream_t) -> Result<Progress> {
    let profile = comm.profile();
    let group = profile.as_ref().map(GroupEvents::begin);
    let both = profile.as_ref().zip(group.as_ref());
    let _events = both.map(|(of, group)| CallEvents::begin(of, group, action, stream));
    let engine = comm.engine()?;
    // SAFETY: passed on from our caller.
    if unsafe { joins_stream(comm, engine, action, stream) }? {
        return Ok(Progress::Done);
    }
    if comm.traits.is_blocking || matches!(action, Action::Wait(_)) {
        // SAFETY: passed on from our caller.
        unsafe { action.run(comm, engine) }?;
        return Ok(Progress::Done);
    }
    // SAFETY: passed on from our caller: the communicator keeps the started operation until it has ended.
    let Some(request) = unsafe { action.start(comm, engine) }? else { return Ok(Progress::Done) };
    Ok(if comm.keep(request.into(), action.expected())? { Progress::Begun } else { Progress::Done })
}

#[cold]
fn enqueue(comm: &ObjectRef<'static, Comm>, action: Action, stream: cudaStream_t) -> Result<Progress> {
    if PENDING.with_borrow(|forming| !forming.is_empty()) {
        return Err(mixed());
    }
    QUEUE.with_borrow_mut(|queue| queue.push(Queued { comm: comm.share(), action, stream }));
    Ok(Progress::Done)
}

/// Forms a communicator now, or at the end of the group.
pub fn form(pending: PendingComm) -> Result<Progress> {
    if !is_open() {
        return PendingComm::finish(vec![pending]);
    }
    if QUEUE.with_borrow(|queue| !queue.is_empty()) {
        pending.give_up();
        return Err(mixed());
    }
    let progress = if pending.is_blocking() { Progress::Done } else { Progress::Begun };
    PENDING.with_borrow_mut(|forming| forming.push(pending));
    Ok(progress)
}

fn mixed() -> Error {
    Error::InvalidUsage("a group either makes communicators or communicates; end one before the other".into())
}

/// ncclGroupStart.
pub unsafe fn start() -> Result<()> {
    DEPTH.set(DEPTH.get() + 1);
    Ok(())
}

/// ncclGroupEnd.
pub unsafe fn end() -> Result<Progress> {
    if !leave()? {
        return Ok(Progress::Done);
    }
    let forming = PENDING.take();
    if !forming.is_empty() {
        return PendingComm::finish(forming);
    }
    // SAFETY: the caller of each call of the group leaves its buffers alone until here.
    unsafe { finish(QUEUE.take()) }
}

/// Leaves one level; returns whether it was the outermost.
fn leave() -> Result<bool> {
    match DEPTH.get() {
        0 => Err(Error::InvalidUsage("no group was started on this thread".into())),
        depth => {
            DEPTH.set(depth - 1);
            Ok(depth == 1)
        }
    }
}

/// The events of a group on each of its communicators, and those of its calls, which end first.
fn events_of(queue: &[Queued]) -> (Vec<CallEvents>, Vec<GroupEvents>) {
    let (mut calls, mut groups): (Vec<CallEvents>, Vec<GroupEvents>) = Default::default();
    for Queued { comm, action, stream } in queue.iter().filter(|queued| !queued.comm.is_plain) {
        let Some(profile) = comm.profile() else { continue };
        let at = groups.iter().position(|group| group.is_of(&profile)).unwrap_or_else(|| {
            groups.push(GroupEvents::begin(&profile));
            groups.len() - 1
        });
        calls.extend(CallEvents::begin(&profile, &groups[at], action, *stream));
    }
    (calls, groups)
}

/// # Safety
/// See [`submit`], for each of them.
unsafe fn finish(queue: Vec<Queued>) -> Result<Progress> {
    // They end after everything else of the group.
    let _events = events_of(&queue);
    let mut outcome = Ok(());
    let mut progress = Progress::Done;
    let mut works: Vec<(Queued, Work)> = Vec::with_capacity(queue.len());
    let mut signals: Vec<(Arc<Comm>, SignalWait)> = Vec::new();
    // All device calls are reserved before the first is enqueued. A call on host memory comes after the
    // device calls before it, so it is kept with their number.
    let mut group = DeviceGroup::begin();
    let mut on_host: Vec<(usize, Queued)> = Vec::new();
    for queued in queue {
        if !queued.add_to(&mut group) {
            on_host.push((group.len(), queued));
        }
    }
    for (before, queued) in on_host {
        // SAFETY: passed on from our caller.
        outcome = outcome.and(unsafe { group.commit(before, &mut keep_in_stream) });
        let comm = &queued.comm;
        let begun = comm.engine().and_then(|engine| {
            // SAFETY: passed on from our caller.
            unsafe { queued.action.start(comm, engine) }
        });
        if let Action::Wait(waits) = &queued.action {
            signals.extend(waits.iter().map(|wait| (Arc::clone(comm), *wait)));
        }
        match begun {
            Ok(None) => {}
            Ok(Some(request)) if comm.traits.is_blocking => works.push((queued, request.into())),
            Ok(Some(request)) => match comm.keep(request.into(), queued.action.expected()) {
                Ok(true) => progress = Progress::Begun,
                Ok(false) => {}
                Err(error) => outcome = outcome.and(Err(error)),
            },
            Err(error) => outcome = outcome.and(Err(error)),
        }
    }
    // SAFETY: passed on from our caller.
    outcome = outcome.and(unsafe { group.finish(&mut keep_in_stream) });
    outcome = outcome.and(await_signals(signals, &mut works));
    wait_until_one_engine(&mut works.iter_mut().map(|(_, work)| work).collect::<Vec<_>>());
    for (queued, mut work) in works {
        let ended = wait_for(&mut work, queued.action.expected());
        outcome = outcome.and(ended);
    }
    outcome.map(|()| progress)
}

/// Waits for signals on any communicators, in any order. It advances `works` meanwhile: a rank that raises a
/// signal may wait for them.
fn await_signals(mut signals: Vec<(Arc<Comm>, SignalWait)>, works: &mut [(Queued, Work)]) -> Result<()> {
    let mut outcome = Ok(());
    while !signals.is_empty() {
        signals.retain_mut(|(comm, wait)| {
            match comm.engine().and_then(|engine| wait.advance(comm, engine)) {
                Ok(all_there) => !all_there,
                Err(error) => {
                    if outcome.is_ok() {
                        outcome = Err(error);
                    }
                    false
                }
            }
        });
        for (_, work) in works.iter_mut() {
            work.has_ended();
        }
        if !signals.is_empty() {
            thread::yield_now();
        }
    }
    outcome
}

/// ncclGroupSimulateEnd: the time of the group by our cost model. Starts nothing.
pub unsafe fn simulate_end(simInfo: *mut ncclSimInfo_t) -> Result<()> {
    anyccl_edge::check::not_null(simInfo, "simInfo")?;
    // SAFETY: not NULL; the caller promises a struct that begins with its head.
    let head = unsafe { (*simInfo).head };
    if head.magic != NCCL_SIM_INFO_MAGIC || head.size < size_of::<ncclSimInfo_t>() {
        return invalid("simInfo", "not begun with NCCL_SIM_INFO_INITIALIZER");
    }
    if !leave()? {
        return Ok(());
    }
    let queue = QUEUE.take();
    for pending in PENDING.take() {
        pending.give_up();
    }
    let mut microseconds = 0.0;
    for Queued { comm, action, .. } in &queue {
        microseconds += action.estimate(comm.engine()?)?;
    }
    // SAFETY: the caller promises a writable struct of the size that was checked above.
    let place = unsafe { &raw mut (*simInfo).estimatedTime };
    // SAFETY: as above.
    unsafe { Out::new(place, "simInfo") }?.set(microseconds as f32);
    Ok(())
}
