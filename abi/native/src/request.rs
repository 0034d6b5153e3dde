//! Requests: operations that were started and are not waited for yet.

use std::ffi::c_int;
use std::sync::Arc;

use anyccl_edge::check::not_null;
use anyccl_edge::{Handles, Out};
use anyccl_engine::base::{Error, Result};
use anyccl_engine::comm::{Request, wait_all};
use parking_lot::{Mutex, MutexGuard};

use crate::communicator::Comm;
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
    edge("anyccl_wait", || {
        // SAFETY: the caller promises a handle that nobody else changes during the call, or NULL.
        let slot = unsafe { Out::new(request, "request") }?;
        // SAFETY: as above, and `Out::new` has refused NULL.
        let handle = unsafe { request.read() };
        if handle.is_null() {
            return Ok(());
        }
        let open = REQUESTS.get(handle.addr())?;
        let outcome = open.claim()?.wait();
        retire(handle, slot)?;
        outcome
    })
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
    edge("anyccl_test", || {
        // SAFETY: the caller promises a handle that nobody else changes during the call, or NULL.
        let slot = unsafe { Out::new(request, "request") }?;
        // SAFETY: the caller promises a writable int or NULL.
        let done = unsafe { Out::new(done, "done") }?;
        // SAFETY: as above, and `Out::new` has refused NULL.
        let handle = unsafe { request.read() };
        if handle.is_null() {
            done.set(1);
            return Ok(());
        }
        let open = REQUESTS.get(handle.addr())?;
        let outcome = open.claim()?.test();
        if !matches!(outcome, Ok(false)) {
            retire(handle, slot)?;
        }
        done.set(c_int::from(outcome?));
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
