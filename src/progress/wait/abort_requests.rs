//! Requests to abort, which any thread makes, and which the thread that has locked the engine carries out.
//!
//! A thread that aborts adds its request, then locks the engine and takes what was requested. A thread in a
//! call may hold the engine for long. So it looks here from time to time, which costs one load, and carries
//! the requests out itself.
//!
//! The flag is set after the request is in the list, and reset before the list is emptied. So a thread that
//! sees no flag misses only requests whose threads have not locked the engine yet, and those look again. A
//! model checks this (crate `anyccl-models`).

use crate::sys::sync::{AtomicBool, Mutex, Ordering};

/// See the module head.
pub(crate) struct AbortRequests<T> {
    is_any: AtomicBool,
    requests: Mutex<Vec<T>>,
}

impl<T> AbortRequests<T> {
    /// No requests.
    pub fn new() -> AbortRequests<T> {
        AbortRequests { is_any: AtomicBool::new(false), requests: Mutex::new(Vec::new()) }
    }

    /// Adds a request. The caller locks the engine afterwards and takes the requests.
    pub fn add(&self, request: T) {
        self.requests.lock().push(request);
        self.is_any.store(true, Ordering::Release);
    }

    /// Takes all requests, to carry them out. The caller has locked the engine.
    #[inline]
    pub fn take(&self) -> Vec<T> {
        if !self.is_any.load(Ordering::Acquire) {
            return Vec::new();
        }
        self.is_any.store(false, Ordering::Relaxed);
        std::mem::take(&mut *self.requests.lock())
    }
}

// The module is named by path because another crate also compiles this file, from elsewhere.
#[cfg(all(test, loom))]
#[path = "abort_requests/model.rs"]
mod model;
