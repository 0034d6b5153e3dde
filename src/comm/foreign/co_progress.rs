//! Co-progress of two engines over the same ranks: each makes progress while a rank waits in the other.
//!
//! A wait in the builtin engine also makes progress in the foreign one
//! ([`crate::progress::wait::CoProgress`]). The wait for a started foreign call also makes progress in the
//! builtin one ([`crate::comm::request`]). A blocking foreign call, however, waits in foreign code. If the
//! builtin engine has calls under way when such a call begins, a thread of the library makes progress on them
//! until the call returns. The first call that needs the thread starts it. The thread sleeps while no call
//! needs it, and ends after the links are gone. Usually the builtin engine has no calls under way, and the
//! check costs the foreign call one load.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::backend::ForeignComm;
use crate::progress::wait::{CoProgress, Driver};
use crate::sys::clock;
use crate::sys::thread;

/// Time between two turns of the thread.
const NAP: Duration = Duration::from_micros(50);

/// What each engine knows of the other's calls. Communicators on the same links share one, except
/// where each opens an engine for devices by itself, at its first call in such memory. The builtin engine
/// then reports only to the first.
pub(in crate::comm) struct SharedProgress {
    /// Whether the builtin engine has calls under way.
    is_busy: AtomicBool,
    /// Number of started foreign calls whose end was not seen yet.
    under_way: AtomicUsize,
    /// The first foreign communicator on the links. Its engine makes progress on the calls of all its
    /// communicators in this process, so one of them is enough. A second foreign engine makes no progress
    /// through it.
    comm: Arc<dyn ForeignComm>,
    /// Number of threads in blocking foreign calls during which the builtin engine needs progress.
    inside: Mutex<usize>,
    has_inside: Condvar,
    has_thread: AtomicBool,
}

impl SharedProgress {
    /// Connects both engines.
    pub fn of(driver: &Arc<Driver>, comm: &Arc<dyn ForeignComm>) -> Arc<SharedProgress> {
        let both = Arc::new(SharedProgress {
            is_busy: AtomicBool::new(false),
            under_way: AtomicUsize::new(0),
            comm: Arc::clone(comm),
            inside: Mutex::new(0),
            has_inside: Condvar::new(),
            has_thread: AtomicBool::new(false),
        });
        driver.set_co_progress(|| Box::new(Arc::clone(&both)));
        both
    }

    /// Runs a blocking foreign call.
    #[inline]
    pub fn run_blocking<T>(self: &Arc<Self>, driver: &Arc<Driver>, call: impl FnOnce() -> T) -> T {
        if self.is_busy.load(Ordering::Relaxed) { self.run_with_thread(driver, call) } else { call() }
    }

    #[cold]
    fn run_with_thread<T>(self: &Arc<Self>, driver: &Arc<Driver>, call: impl FnOnce() -> T) -> T {
        if !self.has_thread.swap(true, Ordering::AcqRel) {
            let (both, driver) = (Arc::downgrade(self), Arc::downgrade(driver));
            // If the thread cannot be started, foreign calls run without it, now and later.
            let _ = thread::spawn_quiet("anyccl-progress", move || drive_builtin(&both, &driver));
        }
        let _inside = Inside::enter(self);
        call()
    }

    /// Notes that a foreign call was started.
    pub fn note_started(&self) {
        self.under_way.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that the end of a foreign call was seen.
    pub fn note_ended(&self) {
        self.under_way.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A thread in a blocking foreign call. The drop counts it out, also after a panic in the call.
struct Inside<'a>(&'a SharedProgress);

impl Inside<'_> {
    fn enter(shared: &SharedProgress) -> Inside<'_> {
        *shared.inside.lock() += 1;
        shared.has_inside.notify_one();
        Inside(shared)
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        *self.0.inside.lock() -= 1;
    }
}

impl CoProgress for Arc<SharedProgress> {
    fn note(&self, is_busy: bool) {
        self.is_busy.store(is_busy, Ordering::Relaxed);
    }

    fn move_on(&self) -> bool {
        let is_under_way = self.under_way.load(Ordering::Relaxed) > 0;
        if is_under_way {
            self.comm.move_on();
        }
        is_under_way
    }
}

/// Body of the thread: makes progress in the builtin engine until the links are gone.
fn drive_builtin(both: &Weak<SharedProgress>, driver: &Weak<Driver>) {
    while let (Some(both), Some(driver)) = (both.upgrade(), driver.upgrade()) {
        let mut inside = both.inside.lock();
        if *inside == 0 {
            // Now and then the thread checks whether the links still exist.
            both.has_inside.wait_for(&mut inside, Duration::from_secs(1));
            continue;
        }
        drop(inside);
        driver.try_move_on();
        clock::sleep(NAP);
    }
}
