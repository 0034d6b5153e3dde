//! Requests: operations that were started and are not waited for yet.

use std::ffi::c_int;
use std::sync::Arc;

use anyccl_edge::check::not_null;
use anyccl_edge::{Handles, Out};
use anyccl_engine::base::{Error, Result};
use anyccl_engine::comm::{Request, wait_all};
use parking_lot::{Mutex, MutexGuard};

use crate::communicator::Comm;
use crate::message::{StatusPlace, anyccl_message_status_t, status_place};
use crate::status::{anyccl_status_t, edge};

/// What anyccl_request_t points to, for the compiler's type check only.
pub struct anyccl_request {
    _opaque: [u8; 0],
}

/// A started operation. It completes once, and wait or test sets it to NULL then. Its buffers belong to the
/// library until that moment: a send buffer may be read, a receive buffer neither read nor written.
pub type anyccl_request_t = *mut anyccl_request;

/// What a handle stands for.
struct Open {
    request: Mutex<Request>,
    /// Keeps destroy from taking the communicator away.
    _comm: Arc<Comm>,
}

static REQUESTS: Handles<Open> = Handles::new("request");

impl Open {
    /// The request, for this thread alone.
    fn claim(&self) -> Result<MutexGuard<'_, Request>> {
        self.request.try_lock().ok_or_else(|| {
            Error::InvalidUsage("the request is in use by another thread, or given twice".into())
        })
    }
}

/// Takes in what was started, and gives C a handle of it.
pub fn hand_out(request: Request, comm: Arc<Comm>, place: Out<anyccl_request_t>) {
    let open = Open { request: Mutex::new(request), _comm: comm };
    place.set(std::ptr::without_provenance_mut(REQUESTS.insert(Arc::new(open))));
}

/// The handle of an ended request goes out of use: `slot` becomes NULL.
fn retire(handle: anyccl_request_t, slot: Out<anyccl_request_t>) -> Result<()> {
    slot.set(std::ptr::null_mut());
    REQUESTS.remove(handle.addr(), |_, _| Ok(())).map(drop)
}

/// Waits for the end of an operation.
///
/// \param request  [in,out] Taken: NULL afterwards, whatever became of the operation. A request that is NULL
///                 already has ended: success.
/// \returns The status of the operation, as its blocking form returns it; ANYCCL_ERR_INVALID_ARGUMENT when
///          request is NULL or is no request; ANYCCL_ERR_INVALID_USAGE when another thread waits for it, or in a
///          forked child. In these cases *request is left alone.
///
/// Blocks, at most for the communicator's time-out. Other threads may wait for other requests meanwhile.
/// Replaces MPI_Wait.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_wait(request: *mut anyccl_request_t) -> anyccl_status_t {
    // SAFETY: the caller promises a handle that nobody else changes during the call, or NULL.
    edge("anyccl_wait", || unsafe { wait(request, None) })
}

/// Waits for the end of a send or receive, and tells what is known of its message.
///
/// \param request  [in,out] As for anyccl_wait.
/// \param status   [out] What was received or sent. Left alone when request was NULL, and when it was no send or
///                 receive. May be NULL.
/// \returns As anyccl_wait.
///
/// Blocks, at most for the communicator's time-out. Replaces MPI_Wait with a status.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_wait_message(
    request: *mut anyccl_request_t,
    status: *mut anyccl_message_status_t,
) -> anyccl_status_t {
    edge("anyccl_wait_message", || {
        // SAFETY: the caller promises a writable place or NULL.
        let place = unsafe { status_place(status) };
        // SAFETY: the caller promises a handle that nobody else changes during the call, or NULL.
        unsafe { wait(request, place) }
    })
}

/// # Safety
/// `request` is NULL, or a handle that nobody else changes meanwhile.
unsafe fn wait(request: *mut anyccl_request_t, place: StatusPlace) -> Result<()> {
    // SAFETY: as promised.
    let slot = unsafe { Out::new(request, "request") }?;
    // SAFETY: as above, and `Out::new` has refused NULL.
    let handle = unsafe { request.read() };
    if handle.is_null() {
        return Ok(());
    }
    let open = REQUESTS.get(handle.addr())?;
    let mut claimed = open.claim()?;
    let outcome = claimed.wait();
    let status = claimed.status();
    drop(claimed);
    retire(handle, slot)?;
    if let (Some(place), Some(status)) = (place, status) {
        place.set(status.into());
    }
    outcome
}

/// Asks whether an operation has ended, and moves the operations of its communicator on.
///
/// \param request  [in,out] Taken when the operation has ended: NULL then, also when it failed. A request that
///                 is NULL already has ended.
/// \param done     [out] 1 when it has ended, else 0. Written only on ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; the status of the operation when it has ended with a failure; else as anyccl_wait.
///
/// Local: does not wait. Call it again, or anyccl_wait: nothing moves an operation on but calls on its communicator.
/// Replaces MPI_Test.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_test(request: *mut anyccl_request_t, done: *mut c_int) -> anyccl_status_t {
    // SAFETY: the caller promises a handle that nobody else changes during the call and a writable int, or NULL.
    edge("anyccl_test", || unsafe { test(request, done, None) })
}

/// Asks whether a send or receive has ended, and tells what is known of its message.
///
/// \param request  [in,out] As for anyccl_test.
/// \param done     [out] As for anyccl_test.
/// \param status   [out] As for anyccl_wait_message; left alone while the operation has not ended. May be NULL.
/// \returns As anyccl_test.
///
/// Local: does not wait. Replaces MPI_Test with a status.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_test_message(
    request: *mut anyccl_request_t,
    done: *mut c_int,
    status: *mut anyccl_message_status_t,
) -> anyccl_status_t {
    edge("anyccl_test_message", || {
        // SAFETY: the caller promises a writable place or NULL.
        let place = unsafe { status_place(status) };
        // SAFETY: the caller promises a handle that nobody else changes during the call and a writable int, or NULL.
        unsafe { test(request, done, place) }
    })
}

/// # Safety
/// As for `wait`; `done` is NULL or writable.
unsafe fn test(request: *mut anyccl_request_t, done: *mut c_int, place: StatusPlace) -> Result<()> {
    // SAFETY: as promised.
    let slot = unsafe { Out::new(request, "request") }?;
    // SAFETY: as promised.
    let done = unsafe { Out::new(done, "done") }?;
    // SAFETY: as above, and `Out::new` has refused NULL.
    let handle = unsafe { request.read() };
    if handle.is_null() {
        done.set(1);
        return Ok(());
    }
    let open = REQUESTS.get(handle.addr())?;
    let mut claimed = open.claim()?;
    let outcome = claimed.test();
    let status = claimed.status();
    drop(claimed);
    if !matches!(outcome, Ok(false)) {
        retire(handle, slot)?;
    }
    if let (Some(place), Some(status)) = (place, status) {
        place.set(status.into());
    }
    done.set(c_int::from(outcome?));
    Ok(())
}

/// Asks for the end of a receive that has met no message yet.
///
/// \param request  [in] Borrowed: it must still be waited for. NULL: nothing happens.
/// \returns ANYCCL_SUCCESS, whether the receive was cancelled or not: anyccl_wait_message tells, by the member
///          cancelled of its status. ANYCCL_ERR_INVALID_ARGUMENT when request is none; ANYCCL_ERR_INVALID_USAGE when
///          another thread waits for it, or in a forked child.
///
/// Local: does not wait. A send or a collective is not cancelled. Replaces MPI_Cancel.
#[unsafe(no_mangle)]
pub extern "C" fn anyccl_cancel(request: anyccl_request_t) -> anyccl_status_t {
    edge("anyccl_cancel", || {
        if request.is_null() {
            return Ok(());
        }
        REQUESTS.get(request.addr())?.claim()?.cancel();
        Ok(())
    })
}

/// Waits for the end of several operations, of one or several communicators.
///
/// \param count     [in] Number of requests. 0: nothing happens.
/// \param requests  [in,out] count requests, each taken as by anyccl_wait: NULL afterwards. Entries that are NULL
///                  are skipped. May be NULL when count is 0.
/// \returns ANYCCL_SUCCESS when all have succeeded; else the first failure in the order of the array, after all
///          have ended. ANYCCL_ERR_INVALID_ARGUMENT when an entry is no request, ANYCCL_ERR_INVALID_USAGE when one
///          is given twice or used by another thread, or in a forked child: then none was waited for.
///
/// Blocks, at most for the communicators' time-outs. Replaces MPI_Waitall.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_wait_all(count: usize, requests: *mut anyccl_request_t) -> anyccl_status_t {
    edge("anyccl_wait_all", || {
        if count == 0 {
            return Ok(());
        }
        not_null(requests, "requests")?;
        // SAFETY: the caller promises `count` handles that nobody else uses during the call.
        let slots = unsafe { std::slice::from_raw_parts_mut(requests, count) };
        let started = slots.iter().filter(|handle| !handle.is_null());
        let opened = started.map(|handle| REQUESTS.get(handle.addr())).collect::<Result<Vec<_>>>()?;
        let mut claimed = opened.iter().map(|open| open.claim()).collect::<Result<Vec<_>>>()?;
        let mut requests: Vec<&mut Request> = claimed.iter_mut().map(|request| &mut **request).collect();
        let outcome = wait_all(&mut requests);
        for slot in slots.iter_mut().filter(|handle| !handle.is_null()) {
            let handle = std::mem::replace(slot, std::ptr::null_mut());
            REQUESTS.remove(handle.addr(), |_, _| Ok(()))?;
        }
        outcome
    })
}
