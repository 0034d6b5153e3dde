//! Two engines over the same ranks: each moves on while a rank waits in the other.
//!
//! A wait in the builtin engine looks after the foreign one itself ([`crate::progress::wait::CoProgress`]), and the wait for a started
//! foreign call after the builtin one ([`crate::comm::request`]). There is one more: a blocking foreign call waits in foreign code.
//! If the builtin engine has something under way then, a thread of ours looks after it until the call returns. Mostly it has
//! nothing, and that costs the call one load.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::backend::ForeignComm;
use crate::progress::wait::{CoProgress, Driver};
use crate::sys::thread;

/// Between two looks of the thread: what it looks after is late already.
const NAP: Duration = Duration::from_micros(50);

/// What the two know of each other. One per set of links; the foreign engine moves on all that it has in this process.
pub(in crate::comm) struct SharedProgress {
    /// Of the builtin engine.
    is_busy: AtomicBool,
    /// Started foreign calls whose end nobody has seen.
    under_way: AtomicUsize,
    comm: Arc<dyn ForeignComm>,
    /// Threads inside of blocking foreign calls that want the builtin engine to be looked after.
    inside: Mutex<usize>,
    somebody_is: Condvar,
    has_thread: AtomicBool,
}

impl SharedProgress {
    /// Makes both known to each other.
    pub fn of(driver: &Arc<Driver>, comm: &Arc<dyn ForeignComm>) -> Arc<SharedProgress> {
        let both = Arc::new(SharedProgress {
            is_busy: AtomicBool::new(false),
            under_way: AtomicUsize::new(0),
            comm: Arc::clone(comm),
            inside: Mutex::new(0),
            somebody_is: Condvar::new(),
            has_thread: AtomicBool::new(false),
        });
        driver.set_co_progress(|| Box::new(Arc::clone(&both)));
        both
    }

    /// Runs a blocking foreign call.
    #[inline]
    pub fn during<T>(self: &Arc<Self>, driver: &Arc<Driver>, call: impl FnOnce() -> T) -> T {
        if self.is_busy.load(Ordering::Relaxed) { self.during_looked_after(driver, call) } else { call() }
    }

    #[cold]
    fn during_looked_after<T>(self: &Arc<Self>, driver: &Arc<Driver>, call: impl FnOnce() -> T) -> T {
        if !self.has_thread.swap(true, Ordering::AcqRel) {
            let (both, driver) = (Arc::downgrade(self), Arc::downgrade(driver));
            // Without a thread the call goes on as if nothing were under way.
            let _ = thread::spawn_quiet("anyccl-beside", move || look_after(&both, &driver));
        }
        *self.inside.lock() += 1;
        self.somebody_is.notify_one();
        let result = call();
        *self.inside.lock() -= 1;
        result
    }

    /// A foreign call was started.
    pub fn begun(&self) {
        self.under_way.fetch_add(1, Ordering::Relaxed);
    }

    /// Its end was seen.
    pub fn ended(&self) {
        self.under_way.fetch_sub(1, Ordering::Relaxed);
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

/// What the thread does until the links are gone.
fn look_after(both: &Weak<SharedProgress>, driver: &Weak<Driver>) {
    while let (Some(both), Some(driver)) = (both.upgrade(), driver.upgrade()) {
        let mut inside = both.inside.lock();
        if *inside == 0 {
            // Once in a while it sees whether there is still something to look after.
            both.somebody_is.wait_for(&mut inside, Duration::from_secs(1));
            continue;
        }
        drop(inside);
        driver.try_move_on();
        std::thread::sleep(NAP);
    }
}
