//! Calls on several requests: wait for one, some or all, and test.

use std::ffi::c_int;

use anyccl_edge::Out;
use anyccl_edge::check::not_null;
use anyccl_engine::base::Result;
use anyccl_engine::comm::{Work, wait_some};

use crate::request::{Claimed, anyccl_request_t, look_up, retire, slots};
use crate::status::{anyccl_status_t, edge};

/// ANYCCL_NO_INDEX as a number.
const NO_INDEX: usize = usize::MAX;

/// Waits for the end of one operation of an array.
///
/// \param[in]     count     Number of requests.
/// \param[in,out] requests  Array of count requests. The one that has ended is taken as by anyccl_wait(). May
///                          be NULL when count is 0.
/// \param[out]    index     Its place in the array; ANYCCL_NO_INDEX when all entries are skipped. Also
///                          written if the operation failed.
/// \returns The status of that operation, as its blocking form returns it; ANYCCL_SUCCESS when all entries
///          are skipped; ANYCCL_ERR_INVALID_ARGUMENT when an entry is not a request or index is NULL;
///          ANYCCL_ERR_INVALID_USAGE when an entry is given twice or used by another thread, or in a forked
///          child. After these two refusals, no request was taken and index is unchanged.
///
/// The call blocks, at most until the timeout of one of the communicators. If several operations have ended,
/// it takes the first in the array. A rank that waits long sleeps, whatever the number of communicators.
/// Replacement for MPI_Waitany.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_wait_any(
    count: usize,
    requests: *mut anyccl_request_t,
    index: *mut usize,
) -> anyccl_status_t {
    edge("anyccl_wait_any", || {
        // SAFETY: the caller promises a writable index or NULL.
        let index = unsafe { Out::new(index, "index") }?;
        // SAFETY: the caller promises `count` handles that nobody else uses during the call.
        let slots = unsafe { slots(count, requests) }?;
        let opened = look_up(slots)?;
        let mut claimed = Claimed::new(&opened)?;
        let first = wait_some(&mut works(&mut claimed)).first().copied();
        take_one(slots, &mut claimed, first, index)
    })
}

/// Waits until at least one operation of an array has ended, and takes none.
///
/// \param[in] count     Number of requests.
/// \param[in] requests  Array of count requests, borrowed. May be NULL when count is 0.
/// \returns ANYCCL_SUCCESS, also if the operation failed and when all entries are skipped;
///          ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE as anyccl_wait_any().
///
/// It is for one thread that looks after the requests of many: anyccl_test() and anyccl_test_message() tell
/// afterwards which have ended, and how. The call blocks as anyccl_wait_any() does. The time that an
/// operation goes without progress continues to count from one such call to the next.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_wait_ready(count: usize, requests: *mut anyccl_request_t) -> anyccl_status_t {
    edge("anyccl_wait_ready", || {
        // SAFETY: the caller promises `count` handles that nobody else uses during the call.
        let slots = unsafe { slots(count, requests) }?;
        let opened = look_up(slots)?;
        wait_some(&mut works(&mut Claimed::new(&opened)?));
        Ok(())
    })
}

/// Waits until at least one operation of an array has ended, and takes all that have ended.
///
/// \param[in]     count     Number of requests, and room in indices and statuses.
/// \param[in,out] requests  Array of count requests. Those that have ended are taken as by anyccl_wait().
/// \param[out]    ended     Number of requests taken. 0 only when all entries are skipped.
/// \param[out]    indices   Their places in the array, ascending.
/// \param[out]    statuses  Their statuses, in the order of indices. May be NULL.
/// \returns ANYCCL_SUCCESS when these operations have succeeded, or all entries are skipped; otherwise the
///          first failure in the order of indices. Also then all outputs are written.
///          ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE as anyccl_wait_any(): no request was
///          taken and nothing is written.
///
/// The call blocks as anyccl_wait_any() does. Replacement for MPI_Waitsome.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_wait_some(
    count: usize,
    requests: *mut anyccl_request_t,
    ended: *mut usize,
    indices: *mut usize,
    statuses: *mut anyccl_status_t,
) -> anyccl_status_t {
    edge("anyccl_wait_some", || {
        // SAFETY: the caller promises a writable number or NULL.
        let ended = unsafe { Out::new(ended, "ended") }?;
        // SAFETY: the caller promises `count` handles that nobody else uses during the call.
        let slots = unsafe { slots(count, requests) }?;
        if count > 0 {
            not_null(indices, "indices")?;
        }
        let opened = look_up(slots)?;
        let mut claimed = Claimed::new(&opened)?;
        let places = wait_some(&mut works(&mut claimed));
        let mut outcome = Ok(());
        for (nth, place) in places.iter().enumerate() {
            let (at, how) = take(slots, &mut claimed, *place)?;
            // SAFETY: the caller promises room for `count` indices, and there are no more ended ones than
            // that.
            unsafe { indices.wrapping_add(nth).write(at) };
            if !statuses.is_null() {
                let status =
                    how.as_ref().map_or_else(anyccl_status_t::from, |()| anyccl_status_t::ANYCCL_SUCCESS);
                // SAFETY: the same of statuses.
                unsafe { statuses.wrapping_add(nth).write(status) };
            }
            outcome = outcome.and(how);
        }
        ended.set(places.len());
        outcome
    })
}

/// Asks whether all operations of an array have ended, and lets the operations of their communicators
/// progress.
///
/// \param[in]     count     Number of requests.
/// \param[in,out] requests  Array of count requests. If all have ended, each is taken as by anyccl_wait();
///                          otherwise none is. Entries that are NULL have ended. May be NULL when count is 0.
/// \param[out]    done      1 when all have ended, else 0. Also written if an operation failed.
/// \returns ANYCCL_SUCCESS; when all have ended, the first failure in the order of the array; otherwise as
///          anyccl_wait_any().
///
/// Local. The call does not block. Replacement for MPI_Testall.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_test_all(
    count: usize,
    requests: *mut anyccl_request_t,
    done: *mut c_int,
) -> anyccl_status_t {
    edge("anyccl_test_all", || {
        // SAFETY: the caller promises a writable int or NULL.
        let done = unsafe { Out::new(done, "done") }?;
        // SAFETY: the caller promises `count` handles that nobody else uses during the call.
        let slots = unsafe { slots(count, requests) }?;
        let opened = look_up(slots)?;
        let mut claimed = Claimed::new(&opened)?;
        // Every operation is asked, so that one that has not ended does not keep the others from progress.
        let ended = claimed.works.iter_mut().map(|(_, work)| work.has_ended());
        let waiting = ended.filter(|ended| !ended).count();
        done.set(c_int::from(waiting == 0));
        if waiting > 0 {
            return Ok(());
        }
        let mut outcome = Ok(());
        for place in 0..claimed.works.len() {
            let (_, how) = take(slots, &mut claimed, place)?;
            outcome = outcome.and(how);
        }
        outcome
    })
}

/// Asks whether one operation of an array has ended, and lets the operations of their communicators progress.
///
/// \param[in]     count     Number of requests.
/// \param[in,out] requests  Array of count requests. One that has ended is taken as by anyccl_wait().
/// \param[out]    index     Its place in the array; ANYCCL_NO_INDEX when none has ended or all entries are
///                          skipped. Also written if the operation failed.
/// \param[out]    done      1 when one has ended or all entries are skipped, else 0. Also written if the
///                          operation failed.
/// \returns ANYCCL_SUCCESS; the status of the operation that has ended; otherwise as anyccl_wait_any().
///
/// Local. The call does not block. Replacement for MPI_Testany.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_test_any(
    count: usize,
    requests: *mut anyccl_request_t,
    index: *mut usize,
    done: *mut c_int,
) -> anyccl_status_t {
    edge("anyccl_test_any", || {
        // SAFETY: the caller promises a writable index or NULL.
        let index = unsafe { Out::new(index, "index") }?;
        // SAFETY: the caller promises a writable int or NULL.
        let done = unsafe { Out::new(done, "done") }?;
        // SAFETY: the caller promises `count` handles that nobody else uses during the call.
        let slots = unsafe { slots(count, requests) }?;
        let opened = look_up(slots)?;
        let mut claimed = Claimed::new(&opened)?;
        let active = claimed.works.iter_mut().enumerate().filter(|(_, (_, work))| !work.is_inactive());
        let (mut all_skipped, mut first) = (true, None);
        for (place, (_, work)) in active {
            all_skipped = false;
            if work.has_ended() {
                first = Some(place);
                break;
            }
        }
        done.set(c_int::from(all_skipped || first.is_some()));
        take_one(slots, &mut claimed, first, index)
    })
}

fn works<'a>(claimed: &'a mut Claimed) -> Vec<&'a mut Work> {
    claimed.works.iter_mut().map(|(_, work)| &mut **work).collect()
}

/// Takes the ended operation at a place among the claimed ones. Gives its place in the array and its result.
fn take(slots: &mut [anyccl_request_t], claimed: &mut Claimed, place: usize) -> Result<(usize, Result<()>)> {
    let (at, work) = &mut claimed.works[place];
    let how = work.wait();
    retire(work, &mut slots[*at])?;
    Ok((*at, how))
}

/// Like [`take`], but takes at most one, and gives its place.
fn take_one(
    slots: &mut [anyccl_request_t],
    claimed: &mut Claimed,
    place: Option<usize>,
    index: Out<usize>,
) -> Result<()> {
    let Some(place) = place else {
        index.set(NO_INDEX);
        return Ok(());
    };
    let (at, how) = take(slots, claimed, place)?;
    index.set(at);
    how
}
