//! The threads of this process that sleep in one engine, and how they are woken.
//!
//! Each sleeper has a doorbell of its own. All of them are rung at once; each is cleared only by its sleeper,
//! when it leaves. So a doorbell that was rung stays so until its sleeper has seen it, and a sleeper that
//! comes back finds it silent until there is something new. One doorbell for all would do neither. A sleeper
//! that clears it would leave those asleep that have not woken up yet. If only the last one cleared it, two
//! that leave and come back in turn would never sleep again.
//!
//! Doorbells are kept for the next sleeper. Sleepers enter and leave, and doorbells are rung, with the engine
//! locked: a thread that sees no outcome and enters is found by the thread that brings the outcome.
//! Model-checked with three threads (crate `anyccl-models`).

#[cfg(loom)]
use loom::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicUsize, Ordering},
};
use std::sync::Arc;
#[cfg(not(loom))]
use std::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicUsize, Ordering},
};

/// Doorbell of one sleeper, which wakes it.
pub(crate) trait Doorbell {
    /// Wakes its sleeper, now or when it begins to wait.
    fn ring(&self);
    /// Makes the doorbell silent again.
    fn clear(&self);
}

/// All sleepers of an engine.
pub(crate) struct Sleepers<B> {
    /// Number of sleepers, with a doorbell or without.
    count: AtomicUsize,
    doorbells: Mutex<Doorbells<B>>,
}

struct Doorbells<B> {
    asleep: Vec<Arc<B>>,
    spare: Vec<Arc<B>>,
}

impl<B: Doorbell> Sleepers<B> {
    /// A set of no sleepers. `first` is the doorbell of the first one.
    pub fn new(first: B) -> Sleepers<B> {
        let doorbells = Doorbells { asleep: Vec::new(), spare: vec![Arc::new(first)] };
        Sleepers { count: AtomicUsize::new(0), doorbells: Mutex::new(doorbells) }
    }

    /// Adds a thread that is about to sleep. Tells whether it is the first, and gives its doorbell, if `make`
    /// could make one.
    pub fn enter<E>(&self, make: impl FnOnce() -> Result<B, E>) -> (bool, Option<Arc<B>>) {
        let is_first = self.count.fetch_add(1, Ordering::Relaxed) == 0;
        let mut doorbells = self.doorbells();
        let doorbell = doorbells.spare.pop().or_else(|| make().ok().map(Arc::new));
        doorbells.asleep.extend(doorbell.clone());
        (is_first, doorbell)
    }

    /// Removes a sleeper that is awake again; tells whether nobody sleeps now.
    pub fn leave(&self, doorbell: Option<Arc<B>>) -> bool {
        if let Some(doorbell) = doorbell {
            let mut doorbells = self.doorbells();
            doorbells.asleep.retain(|other| !Arc::ptr_eq(other, &doorbell));
            doorbell.clear();
            doorbells.spare.push(doorbell);
        }
        self.count.fetch_sub(1, Ordering::Relaxed) == 1
    }

    /// Wakes all that sleep.
    #[inline]
    pub fn ring_all(&self) {
        if self.count.load(Ordering::Relaxed) > 0 {
            self.doorbells().asleep.iter().for_each(|doorbell| doorbell.ring());
        }
    }

    fn doorbells(&self) -> MutexGuard<'_, Doorbells<B>> {
        self.doorbells.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

// With a path, as another crate compiles this file, too, from elsewhere.
#[cfg(all(test, loom))]
#[path = "sleepers/model.rs"]
mod model;
