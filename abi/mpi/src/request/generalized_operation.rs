//! An operation of the program's own, as a request sees it.

use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::arguments::{CancelFunction, FreeFunction, QueryFunction};
use crate::error::Result;
use crate::status::Status;

/// An operation of the program's own.
pub struct Generalized {
    pub(super) functions: Functions,
    /// Its functions as functions in Fortran, if a binding has declared them so.
    pub(super) in_fortran: OnceLock<Functions>,
    pub(super) extra: Extra,
    pub(super) is_complete: AtomicBool,
    /// Whether the program has freed the request before it completed the operation.
    pub(super) is_freed: AtomicBool,
}

pub(super) type Functions = (QueryFunction, FreeFunction, CancelFunction);

/// The program's pointer, which is passed on.
pub(super) struct Extra(pub(super) *mut c_void);

// SAFETY: by MPI, the program's functions may be called from any thread that completes the request; they own
// the pointer.
unsafe impl Send for Extra {}
// SAFETY: as above.
unsafe impl Sync for Extra {}

impl Generalized {
    fn functions(&self) -> &Functions {
        self.in_fortran.get().unwrap_or(&self.functions)
    }

    /// The outcome, if the program has completed the operation. Must not be called again after that.
    pub fn poll(&self) -> Option<Result<Status>> {
        if !self.is_complete.load(Ordering::Acquire) {
            return None;
        }
        let mut status = Status::SENT;
        // SAFETY: a complete request is waited for or tested, so the query function may be called.
        Some(unsafe { self.functions().0.call(self.extra.0, &mut status) }.map(|()| status))
    }

    /// Whether the program has completed it.
    pub fn is_complete(&self) -> bool {
        self.is_complete.load(Ordering::Acquire)
    }

    /// Asks the program to cancel the operation.
    pub fn cancel(&self) -> Result<()> {
        // SAFETY: MPI_Cancel calls the cancel function.
        unsafe { self.functions().2.call(self.extra.0, self.is_complete.load(Ordering::Acquire)) }
    }

    /// Tells the program that the request is freed.
    pub fn free(&self) -> Result<()> {
        // SAFETY: called once, by the function that frees the request.
        unsafe { self.functions().1.call(self.extra.0) }
    }
}
