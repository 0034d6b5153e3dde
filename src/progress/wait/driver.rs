//! An engine and the threads that wait for it: what every wait shares.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};

use super::abort_requests::AbortRequests;
use super::co_progress::CoProgress;
use super::hook::ProgressHook;
use super::idle::DESERTED_BY_OTHERS_TIME;
use crate::base::{Error, Result};
use crate::progress::context::CommId;
use crate::progress::engine::Engine;
use crate::progress::sleepers::Sleepers;
use crate::sys::clock;
use crate::sys::wake::Wake;

/// Least time between two reads of the control channels by a program that polls. A read costs a system call
/// per peer.
const CONTROL_PAUSE: Duration = Duration::from_micros(20);

/// An engine and the threads that wait for it. Any thread may use it.
pub struct Driver {
    engine: Mutex<Engine>,
    pub(super) spin: Duration,
    pub(super) sleepers: Arc<Sleepers<Wake>>,
    /// Whether any communicator has failed so far. Set by the engine.
    has_failures: Arc<AtomicBool>,
    /// Communicators that are to be aborted, and the reasons.
    aborts: AbortRequests<(CommId, String)>,
    /// Another engine that makes progress while a thread waits, if there is one.
    co_progress: OnceLock<Box<dyn CoProgress>>,
    /// Staged work of the layer above, if there is any.
    hook: OnceLock<Arc<dyn ProgressHook>>,
}

impl Driver {
    /// Makes a driver of `engine`. `spin` is the time of polling before yielding, if each rank has a
    /// processor.
    pub fn new(engine: Engine, spin: Duration) -> Result<Driver> {
        let wake = Wake::new().map_err(|e| Error::system("cannot make an eventfd", e))?;
        engine.sleepers.keep(wake);
        Ok(Driver {
            has_failures: Arc::clone(&engine.has_failures),
            sleepers: Arc::clone(&engine.sleepers),
            engine: Mutex::new(engine),
            spin,
            aborts: AbortRequests::new(),
            co_progress: OnceLock::new(),
            hook: OnceLock::new(),
        })
    }

    /// The engine, locked, for operations that do not wait.
    pub fn lock(&self) -> MutexGuard<'_, Engine> {
        self.engine.lock()
    }

    /// Whether any communicator of the engine has failed so far. Costs no lock.
    #[inline]
    pub fn has_failures(&self) -> bool {
        self.has_failures.load(Ordering::Acquire)
    }

    /// Looks for failures and lost ranks. Called when nothing has moved and no thread waits.
    pub(in crate::progress) fn check_peers(&self, engine: &mut Engine) {
        self.move_other_engine();
        if clock::since(engine.control.read_at) >= CONTROL_PAUSE {
            engine.read_control();
            let long_gone = |at: Instant| clock::since(at) >= DESERTED_BY_OTHERS_TIME;
            if engine.control.first_departure.is_some_and(long_gone) && !self.move_on(engine) {
                engine.fail_if_member_departed(true);
            }
        }
        self.abort_if_requested(engine);
    }

    /// Fails a communicator on all its ranks. Any thread may call it; blocked calls return at once.
    pub fn abort(&self, comm: CommId, reason: &str) {
        self.aborts.add((comm, reason.to_string()));
        // A thread that holds the lock releases it when nothing moves, or notices the abort itself.
        let mut engine = self.lock();
        self.abort_if_requested(&mut engine);
        self.sleepers.ring_all();
    }

    /// Fails a communicator on all its ranks with an error that was found outside of the engine.
    pub fn fail(&self, comm: CommId, error: Error) {
        self.lock().fail(comm, error);
        self.sleepers.ring_all();
    }

    /// Leaves a communicator ([`Engine::quit`]) after a last push to everything under way.
    pub fn quit(&self, comm: CommId, reason: &str) -> bool {
        self.quit_by(|engine| engine.quit(comm, reason))
    }

    /// Leaves a communicator ([`Engine::quit_companion`]) after a last push to everything under way.
    pub fn quit_companion(&self, comm: CommId, reason: &str) -> bool {
        self.quit_by(|engine| engine.quit_companion(comm, reason))
    }

    fn quit_by(&self, quit: impl FnOnce(&mut Engine) -> bool) -> bool {
        let mut engine = self.lock();
        self.move_on(&mut engine);
        let has_quit = quit(&mut engine);
        self.sleepers.ring_all();
        has_quit
    }

    pub(super) fn abort_if_requested(&self, engine: &mut Engine) {
        for (comm, reason) in self.aborts.take() {
            engine.abort(comm, &reason);
        }
    }

    /// Moves everything that can move, and wakes threads of this process whose call may have ended.
    pub(in crate::progress) fn move_on(&self, engine: &mut Engine) -> bool {
        let moved = engine.progress();
        if moved {
            self.sleepers.ring_all();
        }
        if let Some(co_progress) = self.co_progress.get() {
            co_progress.note(engine.is_busy());
        }
        moved
    }

    /// Sets the other engine, which from now on makes progress while a thread waits. The first one that is
    /// set stays.
    pub fn set_co_progress(&self, co_progress: impl FnOnce() -> Box<dyn CoProgress>) {
        self.co_progress.get_or_init(co_progress);
    }

    /// Makes progress in the other engine. Returns whether it has something under way. It wakes no sleeper,
    /// so the caller must look again soon.
    pub(in crate::progress) fn move_other_engine(&self) -> bool {
        self.co_progress.get().is_some_and(|co_progress| co_progress.move_on())
    }

    /// Makes progress on calls for a thread that waits for something else, unless another thread does so
    /// already.
    pub fn try_move_on(&self) {
        let Some(mut engine) = self.engine.try_lock() else { return };
        if !self.move_on(&mut engine) {
            self.check_peers(&mut engine);
        }
    }

    /// Sets the hook. The first one that is set stays.
    pub fn set_progress_hook(&self, hook: Arc<dyn ProgressHook>) {
        self.hook.get_or_init(|| hook);
    }

    /// The hook, if it has work.
    #[inline]
    fn hook_with_work(&self) -> Option<&dyn ProgressHook> {
        self.hook.get().map(|hook| &**hook).filter(|hook| hook.has_work())
    }

    /// Runs staged work. Returns whether it did anything. The engine is unlocked meanwhile.
    #[inline]
    pub(in crate::progress) fn run_hook(&self, engine: &mut MutexGuard<'_, Engine>) -> bool {
        self.hook_with_work().is_some_and(|hook| MutexGuard::unlocked(engine, || hook.progress()))
    }

    /// Like [`Driver::run_hook`], for a thread that has not locked the engine.
    pub(in crate::progress) fn run_hook_unlocked(&self) -> bool {
        self.hook_with_work().is_some_and(ProgressHook::progress)
    }
}
