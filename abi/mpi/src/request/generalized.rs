//! Generalized requests: operations of the program's own, for which MPI only waits (MPI 5.0, section 13.2).

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::MutexGuard;

use super::active::Active;
use super::generalized_operation::{Extra, Generalized};
use super::requests;
use super::slab::RequestEntry;
use crate::abi::Abi;
use crate::arguments::{CancelFunction, FreeFunction, Output, QueryFunction, RequestHandle, in_fortran};
use crate::error::{Class, Error, Result};

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
        is_freed: AtomicBool::new(false),
    };
    request.set(super::create(crate::constants::COMM_NULL, Active::Generalized(Arc::new(generalized))));
    Ok(())
}

/// The generalized request of a handle.
fn find(request: RequestHandle) -> Result<Arc<Generalized>> {
    let found = super::look_at(request, |held| match held.active() {
        Some(Active::Generalized(generalized)) => Some(Arc::clone(generalized)),
        _ => None,
    })?;
    found.ok_or_else(|| Error::new(Class::REQUEST, "this is no generalized request"))
}

/// `MPI_Grequest_complete`. Another thread may wait for the request, or it may have been freed.
pub unsafe fn complete(request: RequestHandle) -> Result<()> {
    let generalized = find(request)?;
    // The lock orders this with `free`.
    let place = requests().find(request.0)?;
    generalized.is_complete.store(true, Ordering::Release);
    if !generalized.is_freed.load(Ordering::Relaxed) {
        return Ok(());
    }
    requests().give_back(request.0, place);
    generalized.free()
}

/// Frees a request with an operation of the program's own. If that goes on, the request stays known until the
/// program completes it.
pub(super) fn free(
    request: RequestHandle,
    place: MutexGuard<'_, RequestEntry>,
    generalized: &Generalized,
) -> Result<()> {
    if !generalized.is_complete() {
        generalized.is_freed.store(true, Ordering::Relaxed);
        return Ok(());
    }
    requests().give_back(request.0, place);
    generalized.free()
}

/// Declares that the callbacks of a request are written in Fortran.
pub fn set_in_fortran<A: Abi>(request: RequestHandle) -> Result<()> {
    let found = find(request)?;
    let (query, free, cancel) = found.functions;
    // A second call sets the same functions.
    let _ = found.in_fortran.set(in_fortran::<A>(query, free, cancel));
    Ok(())
}
