//! The communicator: its ranks, its state, and its end.

use std::fmt;
use std::mem;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use anyccl_engine::base::{Error as EngineError, Result as EngineResult};
use anyccl_engine::comm::{Communicator as Engine, world_finalize};
use anyccl_engine::log_line;
use anyccl_engine::sys::fork;

use crate::call;
use crate::error::{Error, Result};

/// A number of ranks with a private context: calls in one communicator never meet those in another.
///
/// A rank is a process or a thread. Every call works from any thread, and several threads of a rank may call
/// at the same time, as long as all ranks start their collectives in the same order.
///
/// A value is a handle: a clone is the same communicator. When the last handle and the last [`Request`] are
/// dropped, this rank leaves. For a communicator that ranks have joined ([`world`](Communicator::world),
/// [`from_id`](Communicator::from_id)) this waits for the other ranks, so that no rank takes the end of
/// another for its death. [`close`](Communicator::close) does the same and returns errors. If a panic drops
/// the last handle, the communicator is [aborted](Communicator::abort): the other ranks get an error at once.
///
/// [`Request`]: crate::Request
#[derive(Clone)]
pub struct Communicator {
    shared: Arc<Shared>,
}

/// The communicator itself, which all handles share.
struct Shared {
    engine: Arc<Engine>,
    /// Whether it is the world, which the engine keeps as well.
    is_world: bool,
    /// Number of forks before this process made the communicator.
    epoch: u16,
    has_left: AtomicBool,
}

/// A handle that does not keep the communicator open.
pub(crate) struct WeakCommunicator(Weak<Shared>);

impl WeakCommunicator {
    pub const fn none() -> WeakCommunicator {
        WeakCommunicator(Weak::new())
    }

    /// A handle, if another one or a request still exists.
    pub fn upgrade(&self) -> Option<Communicator> {
        self.0.upgrade().map(|shared| Communicator { shared })
    }
}

impl Communicator {
    pub(crate) fn of(engine: Arc<Engine>, is_world: bool) -> Communicator {
        Communicator {
            shared: Arc::new(Shared {
                engine,
                is_world,
                epoch: fork::epoch(),
                has_left: AtomicBool::new(false),
            }),
        }
    }

    pub(crate) fn engine(&self) -> &Arc<Engine> {
        &self.shared.engine
    }

    /// Whether this thread may enter the engine now.
    pub(crate) fn may_enter(&self) -> EngineResult<()> {
        call::may_enter(self.shared.epoch)
    }

    /// Runs `body`, the part of the call `call` that enters the engine.
    pub(crate) fn enter<T>(&self, call: &str, body: impl FnOnce(&Engine) -> EngineResult<T>) -> Result<T> {
        let engine = &*self.shared.engine;
        call::enter(engine, self.shared.epoch, call, || body(engine))
    }

    /// The error of the call `call` of this rank.
    pub(crate) fn explain(&self, call: &str, error: &EngineError) -> Error {
        call::explain(&self.shared.engine, call, error)
    }

    pub(crate) fn downgrade(&self) -> WeakCommunicator {
        WeakCommunicator(Arc::downgrade(&self.shared))
    }

    /// Name in errors and log lines.
    pub fn name(&self) -> &str {
        self.engine().name()
    }

    /// Rank of the caller: 0 to size - 1.
    pub fn rank(&self) -> usize {
        self.engine().rank() as usize
    }

    /// Number of ranks.
    pub fn size(&self) -> usize {
        self.engine().size() as usize
    }

    /// Position of the caller among the ranks of its host.
    pub fn local_rank(&self) -> usize {
        self.engine().local_rank() as usize
    }

    /// Number of ranks on the host of the caller, the caller included.
    pub fn local_size(&self) -> usize {
        self.engine().local_size() as usize
    }

    /// Sets the longest time for which calls that begin from now on may wait without progress. `None`: no
    /// limit.
    pub fn set_timeout(&self, limit: Option<Duration>) {
        self.engine().set_timeout(limit.filter(|limit| !limit.is_zero()));
    }

    /// Why the communicator cannot be used any more; `None` if it can. A failed communicator stays failed:
    /// [`shrink`](Communicator::shrink) makes a new one of the ranks that are left.
    pub fn failure(&self) -> Option<Error> {
        self.may_enter().ok()?;
        let error = self.engine().report_failure()?;
        Some(self.explain("failure", &error))
    }

    /// Fails the communicator on all ranks. Local. Calls that are under way return
    /// [`ErrorKind::Aborted`](crate::ErrorKind::Aborted) at once, on the other ranks when they learn of it.
    ///
    /// It does nothing inside the function of an operator and in a child of `fork`.
    pub fn abort(&self, reason: &str) {
        if self.may_enter().is_ok() {
            call::without_unwinding(|| self.engine().abort(reason));
        }
    }

    /// Leaves the communicator, as dropping the last handle does, and tells what went wrong.
    ///
    /// If other handles or requests exist, nothing happens and the error is
    /// [`ErrorKind::InvalidUsage`](crate::ErrorKind::InvalidUsage): the last one of them leaves. After any
    /// other error the communicator has ended. `Mismatch` tells that the ranks have made different calls and
    /// no call of this rank has reported it.
    pub fn close(self) -> Result<()> {
        let others = Arc::strong_count(&self.shared) - 1;
        let engine = Arc::clone(&self.shared.engine);
        self.close_if_last().unwrap_or_else(|| {
            let text = format!("{others} other handles or requests use it; the last one leaves");
            Err(call::explain(&engine, "close", &EngineError::InvalidUsage(text)))
        })
    }

    /// Leaves the communicator. `None`: other handles or requests exist, and the last one leaves.
    pub(crate) fn close_if_last(self) -> Option<Result<()>> {
        let mut shared = Arc::into_inner(self.shared)?;
        let outcome = call::enter(&shared.engine, shared.epoch, "close", || shared.leave());
        *shared.has_left.get_mut() = true;
        Some(outcome)
    }
}

impl fmt::Debug for Communicator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Communicator")
            .field("name", &self.name())
            .field("rank", &self.rank())
            .field("size", &self.size())
            .finish_non_exhaustive()
    }
}

impl Shared {
    fn leave(&self) -> EngineResult<()> {
        if self.is_world { world_finalize() } else { self.engine.finalize() }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if call::may_enter(self.epoch).is_err() {
            // Even the end of the engine's communicator would enter the engine, so it never ends.
            mem::forget(Arc::clone(&self.engine));
            return;
        }
        if *self.has_left.get_mut() {
            return;
        }
        call::without_unwinding(|| {
            if thread::panicking() {
                self.engine.abort("a thread of this rank has panicked");
            }
            if let Err(error) = self.leave() {
                let (rank, name) = (self.engine.rank(), self.engine.name());
                log_line!(Warn, "rank {rank} could not leave \"{name}\" in good order: {error}");
            }
        });
    }
}
