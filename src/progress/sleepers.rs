//! The threads of this process that sleep in one engine, and how they are woken.
//!
//! Each sleeper has a doorbell of its own. All doorbells are rung at once, and each is cleared only by its
//! sleeper, when it leaves. So a rung doorbell stays rung until its sleeper has seen it, and a returning
//! sleeper finds it silent until there is something new. A single doorbell for all could do neither. If any
//! sleeper cleared it, others would stay asleep that have not woken up yet. If only the last one cleared it,
//! two sleepers that leave and return in turn would never sleep again.
//!
//! Doorbells are kept for the next sleeper. Sleepers enter and leave, and doorbells are rung, with the engine
//! locked. So a thread that sees no outcome and enters is found by the thread that brings the outcome. A
//! model checks this with three threads (crate `anyccl-models`). Connections arrive without the lock: there
//! two fences do the same ([`super::arrivals`]).

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
    /// Wakes the sleeper, now or when it begins to wait.
    fn ring(&self);
    /// Makes the doorbell silent again.
    fn clear(&self);
}

/// All sleepers of an engine.
pub(crate) struct Sleepers<B> {
    /// Number of sleepers, with or without a doorbell.
    count: AtomicUsize,
    doorbells: Mutex<Doorbells<B>>,
}

struct Doorbells<B> {
    asleep: Vec<Arc<B>>,
    spare: Vec<Arc<B>>,
}

impl<B: Doorbell> Sleepers<B> {
    /// Makes an empty set.
    pub fn new() -> Sleepers<B> {
        let doorbells = Doorbells { asleep: Vec::new(), spare: Vec::new() };
        Sleepers { count: AtomicUsize::new(0), doorbells: Mutex::new(doorbells) }
    }

    /// Keeps a doorbell for a sleeper.
    pub fn keep(&self, doorbell: B) {
        self.doorbells().spare.push(Arc::new(doorbell));
    }

    /// Adds a thread that is about to sleep. Returns whether it is the first, and its doorbell if `make`
    /// could make one.
    pub fn enter<E>(&self, make: impl FnOnce() -> Result<B, E>) -> (bool, Option<Arc<B>>) {
        let is_first = self.count.fetch_add(1, Ordering::Relaxed) == 0;
        let mut doorbells = self.doorbells();
        let doorbell = doorbells.spare.pop().or_else(|| make().ok().map(Arc::new));
        doorbells.asleep.extend(doorbell.clone());
        (is_first, doorbell)
    }

    /// Removes a sleeper that is awake again. Returns whether no thread sleeps now.
    pub fn leave(&self, doorbell: Option<Arc<B>>) -> bool {
        if let Some(doorbell) = doorbell {
            let mut doorbells = self.doorbells();
            doorbells.asleep.retain(|other| !Arc::ptr_eq(other, &doorbell));
            doorbell.clear();
            doorbells.spare.push(doorbell);
        }
        self.count.fetch_sub(1, Ordering::Relaxed) == 1
    }

    /// Whether any thread sleeps, or is about to.
    #[cfg(all(test, not(loom)))]
    pub fn is_any(&self) -> bool {
        self.count.load(Ordering::Relaxed) > 0
    }

    /// Wakes all sleepers.
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

// The module is named by path because another crate also compiles this file, from elsewhere.
#[cfg(all(test, loom))]
#[path = "sleepers/model.rs"]
mod model;
