//! Communicators: the object behind a handle, and its queries.
//!
//! A communicator exists before its ranks have met. A non-blocking one is returned at once. Inside a group,
//! the call writes the handle and the ranks meet at the end of the group. Until then the communicator is
//! [`CommState::Forming`].
//!
//! ```text
//! Forming ──ranks have met──▶ Ready ──finalize──▶ Leaving ──all have said goodbye──▶ Left
//!    └──ranks have not met──▶ Failed                └──others stay──▶ Departed ──────────┘
//! ```
//!
//! The state is that of the object. Whether a rank has died is known to the engine, and asked there.

use std::ffi::c_int;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

use anyccl_edge::check::{self, invalid};
use anyccl_edge::{Handles, ObjectRef, Out};
use anyccl_engine::base::{Error, Result};
use anyccl_engine::comm::{Communicator, StreamedCall, Work};
use anyccl_engine::device::Kinds;
use anyccl_engine::p2p::{Selector, Tag};
use parking_lot::Mutex;

use crate::completion::wait_for;
use crate::departures::Member;
use crate::in_streams::InStreams;
use crate::profiler::{self, CommProfile};
use crate::registrations::Registrations;
use crate::result::{self, ncclInProgress, ncclSuccess};
use crate::types::{ncclComm_t, ncclResult_t};
use crate::window_table::{Outbox, Windows};

/// State of a communicator.
#[derive(Clone, Debug)]
pub enum CommState {
    /// The ranks have not met yet.
    Forming,
    /// The ranks have met; the communicator takes calls.
    Ready,
    /// The ranks could not meet, for this reason.
    Failed(Error),
    /// The ranks are saying goodbye to each other.
    Leaving,
    /// This rank has done its part, and nobody waits until the ranks have said goodbye to each other.
    Departed,
    /// The ranks have said goodbye.
    Left,
}

/// A reason why a communicator takes no calls although its ranks have met.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bar {
    /// Nothing bars calls.
    None = 0,
    /// After ncclCommRevoke.
    Revoked = 1,
    /// Between ncclCommSuspend and ncclCommResume.
    Suspended = 2,
    /// After ncclCommFinalize.
    Finalized = 3,
    /// While communicators are made from a non-blocking communicator.
    Parting = 4,
}

/// Properties with which a communicator is made.
#[derive(Clone, Copy)]
pub struct Traits {
    /// Whether calls wait for their end.
    pub is_blocking: bool,
    /// The CUDA device that the program named.
    pub device: Option<c_int>,
}

/// A communicator whose ranks have met.
pub struct Formed {
    pub engine: Arc<Communicator>,
    /// Membership in the departures. A communicator that was made from another has none and leaves alone.
    pub member: Option<Member>,
}

/// A started operation whose end has not been seen.
struct Pending {
    work: Work,
    /// Number of elements that a receive should get.
    expected: Option<u64>,
}

/// The object behind a handle.
pub struct Comm {
    /// The engine's communicator; set once the ranks have met.
    engine: OnceLock<Arc<Communicator>>,
    state: Mutex<CommState>,
    bar: AtomicU8,
    /// Membership in the departures; the call that leaves takes it.
    pub member: Mutex<Option<Member>>,
    pub traits: Traits,
    /// Whether it is blocking and no profiler wants to see its calls, as nearly always.
    pub is_plain: bool,
    /// What a profiler sees of it, once its ranks have met.
    profile: Mutex<Option<Arc<CommProfile>>>,
    pub memory: Kinds,
    pub registrations: Mutex<Registrations>,
    pub windows: Mutex<Windows>,
    pub outbox: Mutex<Outbox>,
    /// Operations that were started on this non-blocking communicator and whose end has not been seen.
    pending: Mutex<Vec<Pending>>,
    /// Operations that are part of streams and whose end has not been seen.
    in_streams: InStreams,
    /// The first failure of a started operation.
    fault: Mutex<Option<Error>>,
}

pub static COMMS: Handles<Comm> = Handles::new("comm");

/// A tag that no message has.
const NOBODYS_TAG: Tag = -65;

impl Comm {
    /// A communicator whose ranks have not met yet.
    pub fn forming(traits: Traits) -> Comm {
        Comm {
            engine: OnceLock::new(),
            state: Mutex::new(CommState::Forming),
            bar: AtomicU8::new(Bar::None as u8),
            member: Mutex::default(),
            is_plain: traits.is_blocking && !profiler::is_wanted(),
            profile: Mutex::default(),
            traits,
            memory: Kinds::detect(),
            registrations: Mutex::default(),
            windows: Mutex::default(),
            outbox: Mutex::default(),
            pending: Mutex::default(),
            in_streams: InStreams::default(),
            fault: Mutex::default(),
        }
    }

    /// The communicator of a handle from C.
    #[inline]
    pub fn from_handle(handle: ncclComm_t) -> Result<ObjectRef<'static, Comm>> {
        COMMS.get(handle.addr())
    }

    /// The engine's communicator, for calls that communicate.
    #[inline]
    pub fn engine(&self) -> Result<&Arc<Communicator>> {
        if self.bar.load(Ordering::Relaxed) != Bar::None as u8 {
            return Err(self.barred());
        }
        self.any_engine()
    }

    /// Like [`Comm::engine`], for calls that are allowed on a revoked, suspended or finalized communicator,
    /// too.
    #[inline]
    pub fn any_engine(&self) -> Result<&Arc<Communicator>> {
        match self.engine.get() {
            Some(engine) => Ok(engine),
            None => self.not_ready(),
        }
    }

    #[cold]
    fn not_ready<T>(&self) -> Result<T> {
        match &*self.state.lock() {
            CommState::Failed(error) => Err(error.clone()),
            _ => invalid(
                "comm",
                "its ranks have not met yet: wait until ncclCommGetAsyncError says ncclSuccess",
            ),
        }
    }

    #[cold]
    fn barred(&self) -> Error {
        let why = match self.bar() {
            Bar::Revoked => "revoked; it can be destroyed, split and shrunk",
            Bar::Suspended => "suspended; resume it first",
            Bar::Finalized => "finalized; it can only be destroyed",
            Bar::Parting => "being split; wait until ncclCommGetAsyncError says ncclSuccess",
            Bar::None => "free again",
        };
        Error::InvalidUsage(format!("the communicator is {why}"))
    }

    /// The reason why the communicator takes no calls.
    pub fn bar(&self) -> Bar {
        match self.bar.load(Ordering::Relaxed) {
            1 => Bar::Revoked,
            2 => Bar::Suspended,
            3 => Bar::Finalized,
            4 => Bar::Parting,
            _ => Bar::None,
        }
    }

    /// What a profiler sees of the communicator.
    pub fn profile(&self) -> Option<Arc<CommProfile>> {
        self.profile.lock().clone()
    }

    /// Ends what a profiler sees of it, once all events have ended.
    pub fn end_profile(&self) {
        let last = self.profile.lock().take();
        // The plugin's code may run, and has no lock of ours.
        drop(last);
    }

    /// Sets or clears the reason why the communicator takes no calls.
    pub fn set_bar(&self, bar: Bar) {
        self.bar.store(bar as u8, Ordering::Relaxed);
    }

    /// Stores the result of forming. If nobody wants the communicator any more, it is aborted.
    pub fn formed(&self, outcome: Result<Option<Formed>>) {
        let engine = outcome.as_ref().ok().and_then(Option::as_ref).map(|formed| &formed.engine);
        // The plugin's code runs without a lock of ours.
        let profile = engine.and_then(|engine| CommProfile::begin(engine)).map(Arc::new);
        let mut state = self.state.lock();
        if !matches!(*state, CommState::Forming) {
            if let Ok(Some(Formed { engine, .. })) = outcome {
                engine.abort("given up while it was formed");
                let _ = engine.finalize();
            }
            return;
        }
        *state = match outcome {
            Ok(None) => CommState::Left,
            Ok(Some(Formed { engine, member })) => {
                engine.set_saturating();
                *self.member.lock() = member;
                *self.profile.lock() = profile;
                // The state was Forming, so this is set once.
                let _ = self.engine.set(engine);
                CommState::Ready
            }
            Err(error) => CommState::Failed(error),
        };
    }

    /// Changes the state if `from` accepts it; returns the state before.
    pub fn exchange(&self, from: impl FnOnce(&CommState) -> bool, to: CommState) -> CommState {
        let mut state = self.state.lock();
        let before = state.clone();
        if from(&before) {
            *state = to;
        }
        before
    }

    /// Keeps an operation that a non-blocking call has started; returns whether it is still under way.
    pub fn keep(&self, mut work: Work, expected: Option<u64>) -> Result<bool> {
        if work.has_ended() {
            return wait_for(&mut work, expected).map(|()| false);
        }
        self.pending.lock().push(Pending { work, expected });
        Ok(true)
    }

    /// Keeps a call that is part of a stream. Its failure belongs to the communicator.
    pub fn keep_in_stream(&self, call: StreamedCall, expected: Option<u64>) {
        let earlier = self.in_streams.keep(call, expected);
        self.note_fault(earlier);
    }

    fn note_fault(&self, outcome: Result<()>) {
        if let Err(fault) = outcome {
            self.fault.lock().get_or_insert(fault);
        }
    }

    /// Advances the started operations; returns whether any is still under way.
    fn has_pending(&self) -> bool {
        let Some(mut pending) = self.pending.try_lock() else {
            // Another thread is waiting for them.
            return true;
        };
        let mut fault = None;
        pending.retain_mut(|Pending { work, expected }| {
            let has_ended = work.has_ended();
            if has_ended && let Err(error) = wait_for(work, *expected) {
                fault = fault.take().or(Some(error));
            }
            !has_ended
        });
        if let Some(fault) = fault {
            self.fault.lock().get_or_insert(fault);
        }
        !pending.is_empty()
    }

    /// Waits for all started operations.
    pub fn flush(&self) -> Result<()> {
        let mut pending = self.pending.lock();
        let mut outcome = Ok(());
        for Pending { mut work, expected } in pending.drain(..) {
            let ended = wait_for(&mut work, expected);
            outcome = outcome.and(ended);
        }
        drop(pending);
        let in_streams = self.in_streams.flush();
        self.note_fault(in_streams.clone());
        outcome.and(in_streams)
    }

    /// Why the communicator has failed, if it has.
    pub fn failure(&self) -> Option<Error> {
        if let CommState::Failed(error) = &*self.state.lock() {
            return Some(error.clone());
        }
        self.note_fault(self.in_streams.see_ends());
        self.fault.lock().clone().or_else(|| self.engine.get()?.failure())
    }

    /// Checks whether the ranks are still there. Nothing else does while this rank is in no call.
    fn look_around(&self) {
        if let Some(engine) = self.engine.get() {
            // The engine keeps a failure, and nobody ever sends a message with this tag.
            let _ = engine.try_probe(Selector::new(None, Some(NOBODYS_TAG)));
        }
    }

    /// The result of ncclCommGetAsyncError.
    fn async_error(&self) -> ncclResult_t {
        let state = self.state.lock().clone();
        match state {
            CommState::Forming | CommState::Leaving => ncclInProgress,
            CommState::Failed(error) => result::code(&error),
            CommState::Ready if self.bar() == Bar::Parting => ncclInProgress,
            // A revoked communicator has failed by our own doing. It is quiescent, which is what the caller
            // asks about.
            CommState::Ready if self.bar() == Bar::Revoked => ncclSuccess,
            CommState::Ready | CommState::Departed | CommState::Left => {
                self.look_around();
                let is_pending = self.has_pending();
                match self.failure() {
                    Some(error) => result::code(&error),
                    None if is_pending => ncclInProgress,
                    None => ncclSuccess,
                }
            }
        }
    }
}

impl Drop for Comm {
    fn drop(&mut self) {
        // The last reference is gone, so nobody is in a call. A failed communicator leaves without a goodbye.
        if let Some(engine) = self.engine.get()
            && engine.failure().is_some()
        {
            let _ = engine.finalize();
        }
    }
}

/// A handle as a C pointer.
pub fn to_c(handle: usize) -> ncclComm_t {
    std::ptr::without_provenance_mut(handle)
}

/// Why the communicator of a handle has failed. `None` for NULL and unknown handles, too.
pub fn failure_of(handle: ncclComm_t) -> Option<Error> {
    if handle.is_null() {
        return None;
    }
    Comm::from_handle(handle).ok()?.failure()
}

/// ncclCommGetAsyncError. Any thread may call it, also while another one is in a call.
pub unsafe fn get_async_error(comm: ncclComm_t, asyncError: *mut ncclResult_t) -> Result<()> {
    // SAFETY: the caller promises a writable number or NULL.
    let place = unsafe { Out::new(asyncError, "asyncError") }?;
    place.set(Comm::from_handle(comm)?.async_error());
    Ok(())
}

/// ncclCommCount.
pub unsafe fn count(comm: ncclComm_t, count: *mut c_int) -> Result<()> {
    // SAFETY: the caller promises a writable number or NULL.
    let place = unsafe { Out::new(count, "count") }?;
    place.set(check::int(Comm::from_handle(comm)?.any_engine()?.size())?);
    Ok(())
}

/// ncclCommUserRank.
pub unsafe fn user_rank(comm: ncclComm_t, rank: *mut c_int) -> Result<()> {
    // SAFETY: the caller promises a writable number or NULL.
    let place = unsafe { Out::new(rank, "rank") }?;
    place.set(check::int(Comm::from_handle(comm)?.any_engine()?.rank())?);
    Ok(())
}

/// ncclCommCuDevice: the device given to ncclCommInitAll, or current in the thread that made the
/// communicator, else the position among the ranks of the host.
pub unsafe fn device(comm: ncclComm_t, device: *mut c_int) -> Result<()> {
    // SAFETY: the caller promises a writable number or NULL.
    let place = unsafe { Out::new(device, "device") }?;
    let comm = Comm::from_handle(comm)?;
    let engine = comm.any_engine()?;
    place.set(match comm.traits.device {
        Some(device) => device,
        None => check::int(engine.local_rank())?,
    });
    Ok(())
}
