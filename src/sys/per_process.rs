//! State of the library that a child of fork does not share with its parent.
//!
//! After a fork the child starts with a fresh value and never touches the inherited one. A thread that does
//! not exist in the child may hold the locks of the inherited value. A model checks that threads that make
//! the value at once get the same one (crate `anyccl-models`).

use std::ptr;

use super::fork;
use super::sync::{AtomicPtr, Ordering};

/// A value for each process, made on first use.
pub struct PerProcess<T> {
    /// Value of the current process; replaced after a fork, never freed.
    current: AtomicPtr<OfProcess<T>>,
}

/// The value of one process, with the number of forks before it.
pub struct OfProcess<T> {
    /// Forks before this process.
    pub epoch: u16,
    /// The value.
    pub value: T,
}

impl<T> Default for PerProcess<T> {
    fn default() -> PerProcess<T> {
        PerProcess::new()
    }
}

impl<T> PerProcess<T> {
    /// A cell without a value.
    #[cfg(not(loom))]
    pub const fn new() -> PerProcess<T> {
        PerProcess { current: AtomicPtr::new(ptr::null_mut()) }
    }

    /// A cell without a value.
    #[cfg(loom)]
    pub fn new() -> PerProcess<T> {
        PerProcess { current: AtomicPtr::new(ptr::null_mut()) }
    }
}

impl<T: Send + Sync> PerProcess<T> {
    /// The value of this process. `make` makes it; if another thread was faster, the result of `make` is
    /// dropped.
    #[inline]
    pub fn get_or(&self, make: impl FnOnce() -> T) -> &OfProcess<T> {
        let epoch = fork::epoch();
        let known = self.current.load(Ordering::Acquire);
        // SAFETY: NULL is answered; else it came from `Box::into_raw` below, and values are never freed.
        match unsafe { known.as_ref() } {
            Some(current) if current.epoch == epoch => current,
            _ => self.renew(known, epoch, make),
        }
    }

    /// The value, if it has been made in this process.
    // Always inlined: it is part of each small call.
    #[inline(always)]
    pub fn known(&self) -> Option<&OfProcess<T>> {
        // SAFETY: as in `get_or`.
        unsafe { self.current.load(Ordering::Acquire).as_ref() }
            .filter(|value| value.epoch == fork::last_epoch())
    }

    /// Not inlined: the made value may be large, and its room on the stack would burden callers that find a
    /// value.
    #[cold]
    #[inline(never)]
    fn renew(&self, known: *mut OfProcess<T>, epoch: u16, make: impl FnOnce() -> T) -> &OfProcess<T> {
        let fresh = Box::into_raw(Box::new(OfProcess { epoch, value: make() }));
        match self.current.compare_exchange(known, fresh, Ordering::AcqRel, Ordering::Acquire) {
            // SAFETY: just made from a box, and from here on never freed.
            Ok(_) => unsafe { &*fresh },
            Err(winner) => {
                // SAFETY: the exchange failed, so nobody but us has seen it.
                drop(unsafe { Box::from_raw(fresh) });
                // SAFETY: published by another thread of this process, never freed.
                unsafe { &*winner }
            }
        }
    }
}

impl<T> Drop for PerProcess<T> {
    fn drop(&mut self) {
        let current = self.current.load(Ordering::Acquire);
        if !current.is_null() {
            // SAFETY: from `Box::into_raw` above; a borrow of it would borrow `self`. Values of earlier
            // processes are never freed.
            drop(unsafe { Box::from_raw(current) });
        }
    }
}

// The module is named by path because another crate also compiles this file, from elsewhere.
#[cfg(all(test, loom))]
#[path = "per_process/model.rs"]
mod model;
