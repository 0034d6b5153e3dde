//! Requests: operations that were started and not waited for yet, and persistent ones.

use std::ffi::c_int;
use std::sync::Arc;
use std::time::Duration;

use anyccl_edge::check::{invalid, not_null};
use anyccl_edge::{Handles, ObjectRef, Out};
use anyccl_engine::base::{Error, Result};
use anyccl_engine::comm::{Persistent, Work, estimates, wait_until_one_engine};
use anyccl_engine::sys::clock;
use parking_lot::{Mutex, MutexGuard};

use crate::batch;
use crate::comm::Comm;
use crate::config::ANYCCL_TIMEOUT_NEVER;
use crate::message_status::{StatusPlace, anyccl_message_status_t, status_place};
use crate::status::{anyccl_status_t, edge};

/// Opaque type behind anyccl_request_t.
pub struct anyccl_request {
    _opaque: [u8; 0],
}

/// Handle of an operation that was started or prepared.
///
/// A request of the nonblocking form completes once; the call that waits for it or finds it complete sets it
/// to NULL. A request of the persistent form is started by anyccl_start(), keeps its value when a run has
/// ended, and is set to NULL by anyccl_request_free(). Before and between its runs, calls that wait or test
/// treat it as ended.
pub type anyccl_request_t = *mut anyccl_request;

/// The object behind a handle.
pub struct Open {
    work: Mutex<Work>,
    /// Keeps anyccl_comm_destroy from removing the communicator.
    _comm: Arc<Comm>,
}

static REQUESTS: Handles<Open> = Handles::new("request");

impl Open {
    /// Locks the operation for this thread.
    fn claim(&self) -> Result<MutexGuard<'_, Work>> {
        self.work.try_lock().ok_or_else(|| {
            Error::InvalidUsage("the request is in use by another thread, or given twice".into())
        })
    }
}

/// Starts an operation and gives C a request for it. The request stays in the table until it has ended.
///
/// # Safety
/// `request` is NULL or writable.
pub unsafe fn hand_out_started(
    request: *mut anyccl_request_t,
    start: impl FnOnce() -> Result<batch::Started>,
) -> Result<()> {
    batch::noting(|| {
        // SAFETY: passed on from our caller. Before the start: afterwards nothing may fail any more.
        let place = unsafe { Out::new(request, "request") }?;
        let (started, comm) = start()?;
        hand_out(started, comm, place);
        Ok(())
    })
}

/// Prepares an operation and gives C a persistent request for it. The request stays in the table until its
/// last run has ended.
///
/// # Safety
/// `request` is NULL or writable.
pub unsafe fn hand_out_prepared(
    request: *mut anyccl_request_t,
    prepare: impl FnOnce() -> Result<(Persistent, Arc<Comm>)>,
) -> Result<()> {
    // SAFETY: passed on from our caller.
    let place = unsafe { Out::new(request, "request") }?;
    let (prepared, comm) = prepare()?;
    hand_out(prepared, comm, place);
    Ok(())
}

/// Puts an operation into the table and gives C its handle.
pub fn hand_out(work: impl Into<Work>, comm: Arc<Comm>, place: Out<anyccl_request_t>) {
    let open = Open { work: Mutex::new(work.into()), _comm: comm };
    place.set(std::ptr::without_provenance_mut(REQUESTS.insert(Arc::new(open))));
}

/// Handles the end of an operation. Unless it can be started again, its handle is removed and the slot set to
/// NULL.
pub fn retire(work: &Work, slot: &mut anyccl_request_t) -> Result<()> {
    if matches!(work, Work::Persistent(_)) {
        return Ok(());
    }
    let handle = std::mem::replace(slot, std::ptr::null_mut());
    REQUESTS.remove(handle.addr(), |_, _| Ok(())).map(drop)
}

/// Requests that one call uses, locked for this thread.
pub struct Claimed<'a> {
    /// What is not NULL: its place in the array, and the operation.
    pub works: Vec<(usize, MutexGuard<'a, Work>)>,
}

/// Looks up an array of requests. Entries that are NULL are left out.
pub fn look_up(slots: &[anyccl_request_t]) -> Result<Vec<(usize, ObjectRef<'static, Open>)>> {
    let present = slots.iter().enumerate().filter(|(_, handle)| !handle.is_null());
    present.map(|(at, handle)| Ok((at, REQUESTS.get(handle.addr())?))).collect()
}

impl<'a> Claimed<'a> {
    /// Locks all of them, or none.
    pub fn new(opened: &'a [(usize, ObjectRef<'static, Open>)]) -> Result<Claimed<'a>> {
        let works = opened.iter().map(|(at, open)| Ok((*at, open.claim()?))).collect::<Result<Vec<_>>>()?;
        Ok(Claimed { works })
    }
}

/// The array of requests of a call.
///
/// # Safety
/// `requests` is NULL or has `count` handles that nobody else uses during the call.
pub unsafe fn slots<'a>(count: usize, requests: *mut anyccl_request_t) -> Result<&'a mut [anyccl_request_t]> {
    if count == 0 {
        return Ok(&mut []);
    }
    not_null(requests, "requests")?;
    // SAFETY: not NULL; the rest is the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts_mut(requests, count) })
}

/// Waits for the end of an operation.
///
/// \param[in,out] request  Taken: NULL afterwards, also if the operation failed. A persistent request keeps
///                         its value. A request that is NULL has ended successfully.
/// \returns The status of the operation, as its blocking form returns it; ANYCCL_ERR_INVALID_ARGUMENT when
///          request is NULL or not a request; ANYCCL_ERR_INVALID_USAGE when another thread waits for it, or
///          in a forked child. After these two, *request is unchanged.
///
/// The call blocks, at most for the timeout of the communicator. Other threads may wait for other requests at
/// the same time. Replacement for MPI_Wait.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_wait(request: *mut anyccl_request_t) -> anyccl_status_t {
    // SAFETY: the caller promises a handle that nobody else changes during the call, or NULL.
    edge("anyccl_wait", || unsafe { wait(request, None) })
}

/// Waits for the end of a send or receive, and tells about its message.
///
/// \param[in,out] request  As for anyccl_wait().
/// \param[out]    status   What was received or sent. Unchanged if request was NULL or the operation is not a
///                         send or receive. May be NULL.
/// \returns As anyccl_wait().
///
/// The call blocks, at most for the timeout of the communicator. Replacement for MPI_Wait with a status.
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
    not_null(request, "request")?;
    // SAFETY: not NULL; as promised.
    let slot = unsafe { &mut *request };
    if slot.is_null() {
        return Ok(());
    }
    let open = REQUESTS.get(slot.addr())?;
    let mut work = open.claim()?;
    let outcome = work.wait();
    retire(&work, slot)?;
    if let (Some(place), Some(status)) = (place, work.status()) {
        place.set(status.into());
    }
    outcome
}

/// Asks whether an operation has ended, and lets the operations of its communicator progress.
///
/// \param[in,out] request  Taken if the operation has ended: NULL then, also if it failed. A request that is
///                         NULL has ended.
/// \param[out]    done     1 when it has ended, else 0. Unchanged if it has failed.
/// \returns ANYCCL_SUCCESS; the status of the operation when it has ended with a failure; otherwise as
///          anyccl_wait().
///
/// Local. The call does not block. If the operation has not ended, call it again, or wait: operations
/// progress only inside calls on their communicator. Replacement for MPI_Test.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_test(request: *mut anyccl_request_t, done: *mut c_int) -> anyccl_status_t {
    // SAFETY: the caller promises a handle that nobody else changes during the call and a writable int, or
    // NULL.
    edge("anyccl_test", || unsafe { test_after(request, done, None, Work::has_ended) })
}

/// Asks whether a send or receive has ended, and tells about its message.
///
/// \param[in,out] request  As for anyccl_test().
/// \param[out]    done     As for anyccl_test().
/// \param[out]    status   As for anyccl_wait_message(). Unchanged if the operation has not ended. May be
///                         NULL.
/// \returns As anyccl_test().
///
/// Local. The call does not block. Replacement for MPI_Test with a status.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_test_message(
    request: *mut anyccl_request_t,
    done: *mut c_int,
    status: *mut anyccl_message_status_t,
) -> anyccl_status_t {
    edge("anyccl_test_message", || {
        // SAFETY: the caller promises a writable place or NULL.
        let place = unsafe { status_place(status) };
        // SAFETY: the caller promises a handle that nobody else changes during the call and a writable int,
        // or NULL.
        unsafe { test_after(request, done, place, Work::has_ended) }
    })
}

/// Tests or waits for a time: `try_to_end` lets the operation progress, and tells whether it has ended, or
/// must be waited for without a limit.
///
/// # Safety
/// See `wait`; `done` is NULL or writable.
unsafe fn test_after(
    request: *mut anyccl_request_t,
    done: *mut c_int,
    place: StatusPlace,
    try_to_end: impl FnOnce(&mut Work) -> bool,
) -> Result<()> {
    not_null(request, "request")?;
    // SAFETY: not NULL; as promised.
    let slot = unsafe { &mut *request };
    // SAFETY: as promised.
    let done = unsafe { Out::new(done, "done") }?;
    if slot.is_null() {
        done.set(1);
        return Ok(());
    }
    let open = REQUESTS.get(slot.addr())?;
    let mut work = open.claim()?;
    let has_ended = try_to_end(&mut work);
    if has_ended {
        let outcome = work.wait();
        retire(&work, slot)?;
        if let (Some(place), Some(status)) = (place, work.status()) {
            place.set(status.into());
        }
        outcome?;
    }
    done.set(c_int::from(has_ended));
    Ok(())
}

/// Waits for the end of an operation, but not longer than a given time.
///
/// \param[in,out] request     Taken if the operation has ended: NULL then, also if it failed. Otherwise
///                            unchanged: it can be waited for again.
/// \param[in]     timeout_ms  Longest time to wait, 0 or more. ANYCCL_TIMEOUT_NEVER: as
///                            anyccl_wait_message().
/// \param[out]    done        1 when the operation has ended, else 0. Unchanged if it has failed.
/// \param[out]    status      As for anyccl_wait_message(). Unchanged if the operation has not ended. May be
///                            NULL.
/// \returns ANYCCL_SUCCESS, also if the time has passed first; the status of the operation when it has ended
///          with a failure; ANYCCL_ERR_INVALID_ARGUMENT for a timeout_ms below -1; otherwise as
///          anyccl_wait().
///
/// It is for programs that look after something else from time to time, such as signals. The timeout of the
/// communicator continues to count from one such call to the next.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_wait_for(
    request: *mut anyccl_request_t,
    timeout_ms: i64,
    done: *mut c_int,
    status: *mut anyccl_message_status_t,
) -> anyccl_status_t {
    const NEVER: i64 = ANYCCL_TIMEOUT_NEVER as i64;
    edge("anyccl_wait_for", || {
        // SAFETY: the caller promises a writable place or NULL.
        let place = unsafe { status_place(status) };
        let until = match timeout_ms {
            NEVER => None,
            time => {
                let Ok(time) = u64::try_from(time) else {
                    return invalid(
                        "timeout_ms",
                        format!("{time}; accepted: ANYCCL_TIMEOUT_NEVER, or milliseconds"),
                    );
                };
                // A time beyond the range of the clock is no limit.
                clock::now().checked_add(Duration::from_millis(time))
            }
        };
        let wait = |work: &mut Work| until.is_none_or(|until| work.wait_until(until));
        // SAFETY: the caller promises a handle that nobody else changes during the call and a writable int,
        // or NULL.
        unsafe { test_after(request, done, place, wait) }
    })
}

/// Asks for the end of a receive that no message has matched yet.
///
/// \param[in] request  Borrowed: it must still be waited for. NULL: nothing happens.
/// \returns ANYCCL_SUCCESS, whether the receive was cancelled or not: the member cancelled of
///          anyccl_wait_message() tells. ANYCCL_ERR_INVALID_ARGUMENT when request is not a request;
///          ANYCCL_ERR_INVALID_USAGE when another thread waits for it, or in a forked child.
///
/// Local. The call does not block. It has no effect on a send or a collective. Replacement for MPI_Cancel.
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

/// Waits for the end of all operations of an array.
///
/// \param[in]     count     Number of requests. 0: nothing happens.
/// \param[in,out] requests  Array of count requests, each taken as by anyccl_wait(). Entries that are NULL
///                          are skipped. May be NULL when count is 0.
/// \returns ANYCCL_SUCCESS when all have succeeded; otherwise the first failure in the order of the array,
///          after all have ended. ANYCCL_ERR_INVALID_ARGUMENT when an entry is not a request;
///          ANYCCL_ERR_INVALID_USAGE when an entry is given twice or used by another thread, or in a forked
///          child. After these two, no request was taken.
///
/// The call blocks, at most for the timeouts of the communicators. Replacement for MPI_Waitall.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_wait_all(count: usize, requests: *mut anyccl_request_t) -> anyccl_status_t {
    edge("anyccl_wait_all", || {
        // SAFETY: passed on: the caller promises `count` handles that nobody else uses during the call.
        let slots = unsafe { slots(count, requests) }?;
        let opened = look_up(slots)?;
        let mut claimed = Claimed::new(&opened)?;
        wait_until_one_engine(&mut claimed.works.iter_mut().map(|(_, work)| &mut **work).collect::<Vec<_>>());
        let mut outcome = Ok(());
        for (at, work) in &mut claimed.works {
            let ended = work.wait();
            outcome = outcome.and(ended);
            retire(work, &mut slots[*at])?;
        }
        outcome
    })
}

/// Starts a run of a persistent operation.
///
/// \param[in] request  Borrowed: from a function whose name ends in `_init`.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when request is not a request;
///          ANYCCL_ERR_INVALID_USAGE when it is not persistent, is running, is used by another thread, or in
///          a forked child; the status of the failure when its communicator has failed.
///
/// The call does not block. The operation takes its place in the order of the communicator's calls now, not
/// when it was prepared. Replacement for MPI_Start.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_start(request: anyccl_request_t) -> anyccl_status_t {
    edge("anyccl_start", || {
        let open = REQUESTS.get(request.addr())?;
        let mut work = open.claim()?;
        persistent(&mut work)?.start()
    })
}

/// Starts a run of several persistent operations, in the order of the array.
///
/// \param[in] count     Number of requests. 0: nothing happens.
/// \param[in] requests  Array of count requests, as for anyccl_start(). NULL is not skipped. May be NULL when
///                      count is 0.
/// \returns As anyccl_start(). After ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE, none was
///          started.
///
/// The call does not block. Replacement for MPI_Startall.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_start_all(count: usize, requests: *mut anyccl_request_t) -> anyccl_status_t {
    edge("anyccl_start_all", || {
        // SAFETY: passed on: the caller promises `count` handles that nobody else uses during the call.
        let slots = unsafe { slots(count, requests) }?;
        if let Some(at) = slots.iter().position(|handle| handle.is_null()) {
            return invalid("requests", format!("NULL at {at}"));
        }
        let opened = look_up(slots)?;
        let mut claimed = Claimed::new(&opened)?;
        for (_, work) in &mut claimed.works {
            persistent(work)?.check_startable()?;
        }
        for (_, work) in &mut claimed.works {
            persistent(work)?.start()?;
        }
        Ok(())
    })
}

/// Releases a persistent request.
///
/// \param[in,out] request  Taken: NULL afterwards. A request that is NULL already is accepted.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when request is NULL or not a request;
///          ANYCCL_ERR_INVALID_USAGE when it is running, not persistent (wait for it instead), used by
///          another thread, or in a forked child. After these two, nothing has changed.
///
/// Local. The communicator cannot be destroyed before. Replacement for MPI_Request_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_request_free(request: *mut anyccl_request_t) -> anyccl_status_t {
    edge("anyccl_request_free", || {
        not_null(request, "request")?;
        // SAFETY: not NULL; the caller promises a handle that nobody else uses during the call.
        let slot = unsafe { &mut *request };
        if slot.is_null() {
            return Ok(());
        }
        let open = REQUESTS.get(slot.addr())?;
        let mut work = open.claim()?;
        persistent(&mut work)?.check_startable()?;
        REQUESTS.remove(slot.addr(), |_, _| Ok(()))?;
        *slot = std::ptr::null_mut();
        Ok(())
    })
}

fn persistent(work: &mut Work) -> Result<&mut Persistent> {
    match work {
        _ if estimates() => Err(Error::InvalidUsage("an estimate has no persistent requests".into())),
        Work::Persistent(persistent) => Ok(persistent),
        _ => Err(Error::InvalidUsage("the request is not persistent: it was started by its making".into())),
    }
}
