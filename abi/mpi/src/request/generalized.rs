//! Generalized requests: operations of the program's own, for which MPI only waits (MPI 5.0, section 13.2).

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::active::Active;
use crate::abi::Abi;
use crate::arguments::{CancelFunction, FreeFunction, Output, QueryFunction, RequestHandle, in_fortran};
use crate::error::{Class, Error, Result};
use crate::status::Status;

/// An operation of the program's own.
pub struct Generalized {
    functions: Functions,
    /// Its functions as functions in Fortran, if a binding has declared them so.
    in_fortran: OnceLock<Functions>,
    extra: Extra,
    is_complete: AtomicBool,
}

type Functions = (QueryFunction, FreeFunction, CancelFunction);

/// The program's pointer, which is passed on.
struct Extra(*mut c_void);

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
        let mut status = Status::EMPTY;
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

/// `MPI_Grequest_start`.
pub unsafe fn start(
    query: QueryFunction,
    free: FreeFunction,
    cancel: CancelFunction,
    extra: *mut c_void,
    request: Output<RequestHandle>,
) -> Result<()> {
    let generalized = Generalized {
        functions: (query, free, cancel),
        in_fortran: OnceLock::new(),
        extra: Extra(extra),
        is_complete: AtomicBool::new(false),
    };
    request.set(super::create(crate::constants::COMM_SELF, Active::Generalized(Arc::new(generalized))));
    Ok(())
}

/// The generalized request of a handle.
fn find(request: RequestHandle) -> Result<Arc<Generalized>> {
    let found = super::with(request, |held| match held.active() {
        Some(Active::Generalized(generalized)) => Some(Arc::clone(generalized)),
        _ => None,
    })?;
    found.ok_or_else(|| Error::new(Class::REQUEST, "this is no generalized request"))
}

/// `MPI_Grequest_complete`.
pub unsafe fn complete(request: RequestHandle) -> Result<()> {
    find(request)?.is_complete.store(true, Ordering::Release);
    Ok(())
}

/// Declares that the callbacks of a request are written in Fortran.
pub fn set_in_fortran<A: Abi>(request: RequestHandle) -> Result<()> {
    let found = find(request)?;
    let (query, free, cancel) = found.functions;
    // A second call sets the same functions.
    let _ = found.in_fortran.set(in_fortran::<A>(query, free, cancel));
    Ok(())
}
