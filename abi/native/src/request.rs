//! Requests: operations that were started and are not waited for yet, and those that can be started again.

use std::ffi::c_int;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyccl_edge::check::{invalid, not_null};
use anyccl_edge::{Handles, ObjectRef, Out};
use anyccl_engine::base::{Error, Result};
use anyccl_engine::comm::{Persistent, Work, wait_until_one_engine};
use parking_lot::{Mutex, MutexGuard};

use crate::batch;
use crate::comm::Comm;
use crate::config::ANYCCL_TIMEOUT_NEVER;
use crate::message_status::{StatusPlace, anyccl_message_status_t, status_place};
use crate::status::{anyccl_status_t, edge};

/// What anyccl_request_t points to, for the compiler's type check only.
pub struct anyccl_request {
    _opaque: [u8; 0],
}

/// A started operation. It completes once, and wait or test sets it to NULL then. Its buffers belong to the
/// library until that moment: a send buffer may be read, a receive buffer neither read nor written.
///
/// One from a function whose name ends in _init is persistent: anyccl_start starts it, wait and test leave it
/// as it is when a run has ended, and anyccl_request_free sets it to NULL. Before and between its runs it has
/// ended for every call that waits or tests, and its buffers are the program's.
pub type anyccl_request_t = *mut anyccl_request;

/// What a handle stands for.
pub struct Open {
    work: Mutex<Work>,
    /// Keeps destroy from taking the communicator away.
    _comm: Arc<Comm>,
}

static REQUESTS: Handles<Open> = Handles::new("request");

impl Open {
    /// The operation, for this thread alone.
    fn claim(&self) -> Result<MutexGuard<'_, Work>> {
        self.work.try_lock().ok_or_else(|| {
            Error::InvalidUsage("the request is in use by another thread, or given twice".into())
        })
    }
}

/// Starts something and gives C a request for it, which lives in the table until it has ended.
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

/// Prepares something and gives C a persistent request for it, which lives in the table until its last run
/// has ended.
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

/// Takes in what was started or prepared, and gives C a handle of it.
pub fn hand_out(work: impl Into<Work>, comm: Arc<Comm>, place: Out<anyccl_request_t>) {
    let open = Open { work: Mutex::new(work.into()), _comm: comm };
    place.set(std::ptr::without_provenance_mut(REQUESTS.insert(Arc::new(open))));
}

/// An operation has ended. Unless it can be started again, its handle goes out of use: the slot becomes NULL.
pub fn retire(work: &Work, slot: &mut anyccl_request_t) -> Result<()> {
    if matches!(work, Work::Persistent(_)) {
        return Ok(());
    }
    let handle = std::mem::replace(slot, std::ptr::null_mut());
    REQUESTS.remove(handle.addr(), |_, _| Ok(())).map(drop)
}

/// Requests that one call uses, each for this thread alone.
pub struct Claimed<'a> {
    /// What is not NULL: its place in the array, and the operation.
    pub works: Vec<(usize, MutexGuard<'a, Work>)>,
}

/// Looks up an array of requests; entries that are NULL are left out.
pub fn look_up(slots: &[anyccl_request_t]) -> Result<Vec<(usize, ObjectRef<'static, Open>)>> {
    let present = slots.iter().enumerate().filter(|(_, handle)| !handle.is_null());
    present.map(|(at, handle)| Ok((at, REQUESTS.get(handle.addr())?))).collect()
}

impl<'a> Claimed<'a> {
    /// All of them, or none.
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
/// \param request  [in,out] Taken: NULL afterwards, whatever became of the operation. A request that is NULL
///                 already has ended: success.
/// \returns The status of the operation, as its blocking form returns it; ANYCCL_ERR_INVALID_ARGUMENT when
///          request is NULL or is no request; ANYCCL_ERR_INVALID_USAGE when another thread waits for it, or
///          in a forked child. In these cases *request is left alone.
///
/// The call blocks, at most for the communicator's timeout. Other threads may wait for other requests
/// meanwhile. Replacement for MPI_Wait.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_wait(request: *mut anyccl_request_t) -> anyccl_status_t {
    // SAFETY: the caller promises a handle that nobody else changes during the call, or NULL.
    edge("anyccl_wait", || unsafe { wait(request, None) })
}

/// Waits for the end of a send or receive, and tells what is known of its message.
///
/// \param request  [in,out] See anyccl_wait.
/// \param status   [out] What was received or sent. Left alone when request was NULL, and when it was no send
///                 or receive. May be NULL.
/// \returns See anyccl_wait.
///
/// The call blocks, at most for the communicator's timeout. Replacement for MPI_Wait with a status.
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

/// Asks whether an operation has ended, and moves the operations of its communicator on.
///
/// \param request  [in,out] Taken when the operation has ended: NULL then, also when it failed. A request
///                 that is NULL already has ended.
/// \param done     [out] 1 when it has ended, else 0. Written only on ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; the status of the operation when it has ended with a failure; else as
///          anyccl_wait.
///
/// Local. The call does not wait. Call it again, or anyccl_wait: nothing moves an operation on but calls on
/// its communicator. Replacement for MPI_Test.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_test(request: *mut anyccl_request_t, done: *mut c_int) -> anyccl_status_t {
    // SAFETY: the caller promises a handle that nobody else changes during the call and a writable int, or
    // NULL.
    edge("anyccl_test", || unsafe { test_after(request, done, None, Work::has_ended) })
}

/// Asks whether a send or receive has ended, and tells what is known of its message.
///
/// \param request  [in,out] See anyccl_test.
/// \param done     [out] See anyccl_test.
/// \param status   [out] See anyccl_wait_message; left alone while the operation has not ended. May be
///                 NULL.
/// \returns See anyccl_test.
///
/// Local. The call does not wait. Replacement for MPI_Test with a status.
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

/// `try_to_end`: gives the operation its chance, and says whether it is over, or to be waited for without a
/// deadline.
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

/// Waits for the end of an operation, but no longer than for a given time.
///
/// \param request     [in,out] Taken when the operation has ended: NULL then, also when it failed. Else left
///                    alone: it can be waited for again.
/// \param timeout_ms  [in] Longest time to wait: 0 or more, or ANYCCL_TIMEOUT_NEVER, as anyccl_wait_message
///                    waits.
/// \param done        [out] 1 when it has ended, else 0. Written only on ANYCCL_SUCCESS.
/// \param status      [out] See anyccl_wait_message; left alone while the operation has not ended. May be
///                    NULL.
/// \returns ANYCCL_SUCCESS, also when the time was over first; the status of the operation when it has ended
///          with a failure; ANYCCL_ERR_INVALID_ARGUMENT for a timeout_ms below -1; else as anyccl_wait.
///
/// The call blocks, at most for that time: for programs that have something else to look after now and then.
/// The communicator's timeout counts on from one such wait to the next.
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
                // A time beyond what the clock can say never comes.
                Instant::now().checked_add(Duration::from_millis(time))
            }
        };
        let wait = |work: &mut Work| until.is_none_or(|until| work.wait_until(until));
        // SAFETY: the caller promises a handle that nobody else changes during the call and a writable int,
        // or NULL.
        unsafe { test_after(request, done, place, wait) }
    })
}

/// Asks for the end of a receive that has met no message yet.
///
/// \param request  [in] Borrowed: it must still be waited for. NULL: nothing happens.
/// \returns ANYCCL_SUCCESS, whether the receive was cancelled or not: anyccl_wait_message tells, by the
///          member cancelled of its status. ANYCCL_ERR_INVALID_ARGUMENT when request is none;
///          ANYCCL_ERR_INVALID_USAGE when another thread waits for it, or in a forked child.
///
/// Local. The call does not wait. A send or a collective is not cancelled. Replacement for MPI_Cancel.
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
/// \param requests  [in,out] count requests, each taken as by anyccl_wait: NULL afterwards. Entries that are
///                  NULL are skipped. May be NULL when count is 0.
/// \returns ANYCCL_SUCCESS when all have succeeded; else the first failure in the order of the array, after
///          all have ended. ANYCCL_ERR_INVALID_ARGUMENT when an entry is no request, ANYCCL_ERR_INVALID_USAGE
///          when one is given twice or used by another thread, or in a forked child: then none was waited
///          for.
///
/// The call blocks, at most for the communicators' timeouts. Replacement for MPI_Waitall.
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

/// Starts a persistent operation.
///
/// \param request  [in] Borrowed: from a function whose name ends in _init.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when request is no request; ANYCCL_ERR_INVALID_USAGE
///          when it is not persistent, under way, used by another thread, or in a forked child; the status of
///          the failure when its communicator has failed.
///
/// The call does not block. In the order of operations on the communicator it counts from here on, not from
/// its making. Its buffers belong to the library until anyccl_wait or anyccl_test has seen the end.
/// Replacement for MPI_Start.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_start(request: anyccl_request_t) -> anyccl_status_t {
    edge("anyccl_start", || {
        let open = REQUESTS.get(request.addr())?;
        let mut work = open.claim()?;
        persistent(&mut work)?.start()
    })
}

/// Starts several persistent operations, in the order of the array.
///
/// \param count     [in] Number of requests. 0: nothing happens.
/// \param requests  [in] count requests, as for anyccl_start, of one or several communicators. NULL is not
///                  skipped. May be NULL when count is 0.
/// \returns See anyccl_start; when it is ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE, none was
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

/// Gives up a persistent operation.
///
/// \param request  [in,out] Taken: NULL afterwards. A request that is NULL already is nothing to free.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when request is NULL or is no request;
///          ANYCCL_ERR_INVALID_USAGE when it is under way, not persistent (wait for it instead), used by
///          another thread, or in a forked child. In these cases nothing has changed.
///
/// Local. Its communicator cannot be destroyed before. Replacement for MPI_Request_free.
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
        Work::Persistent(persistent) => Ok(persistent),
        _ => Err(Error::InvalidUsage("the request is not persistent: it was started by its making".into())),
    }
}
