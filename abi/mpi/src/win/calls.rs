//! MPI's functions that access windows. Their arguments are in MPI's order.

use std::ffi::c_void;
use std::sync::Arc;

use super::access;
use super::countdown::Countdown;
use super::local::Local;
use super::remote::{Place, Remote};
use super::with::with;
use super::{Win, accumulate as atomic, quick};
use crate::arguments::{DatatypeHandle, OpHandle, SendAddress, WinHandle};
use crate::constants::NO_OP;
use crate::error::{Class, Error, Result};
use crate::types;

/// An access that is under way, with its window; `None`: it is complete.
pub(super) type Started = Option<(Arc<Win>, Arc<Countdown>)>;

/// The address of the origin's elements, unless it is `MPI_IN_PLACE`.
fn address(origin: SendAddress) -> Option<*const u8> {
    if origin.is_in_place() { None } else { Some(origin.pointer()) }
}

fn sent(origin: SendAddress, count: i64, datatype: DatatypeHandle) -> Result<Local> {
    if origin.is_in_place() {
        return Err(Error::new(Class::BUFFER, "MPI_IN_PLACE has no meaning for windows"));
    }
    Local::of(origin.pointer().cast_mut(), count, datatype)
}

/// `MPI_Put`.
pub unsafe fn put(
    origin: SendAddress,
    count: i64,
    datatype: DatatypeHandle,
    target_rank: i32,
    target_disp: i64,
    target_count: i64,
    target_datatype: DatatypeHandle,
    win: WinHandle,
) -> Result<()> {
    let place =
        Place { rank: target_rank, disp: target_disp, count: target_count, datatype: target_datatype };
    if let Some(start) = address(origin)
        // SAFETY: the program passes such elements.
        && unsafe { quick::put(start, (count, datatype), &place, win) }.is_some()
    {
        return Ok(());
    }
    with(win, |win| {
        let local = sent(origin, count, datatype)?;
        let Some(remote) = win.remote(&place)? else { return Ok(()) };
        // SAFETY: the program passes such elements.
        unsafe { access::put(&local, &remote) }
    })
}

/// `MPI_Get`.
pub unsafe fn get(
    origin: *mut c_void,
    count: i64,
    datatype: DatatypeHandle,
    target_rank: i32,
    target_disp: i64,
    target_count: i64,
    target_datatype: DatatypeHandle,
    win: WinHandle,
) -> Result<()> {
    let place =
        Place { rank: target_rank, disp: target_disp, count: target_count, datatype: target_datatype };
    // SAFETY: passed on from our caller.
    unsafe { start_get(origin, count, datatype, &place, win) }.map(drop)
}

/// Starts a get. Where it is under way afterwards, returns what tells the end.
///
/// # Safety
/// See [`get`].
pub(super) unsafe fn start_get(
    origin: *mut c_void,
    count: i64,
    datatype: DatatypeHandle,
    place: &Place,
    win: WinHandle,
) -> Result<Started> {
    // SAFETY: the program passes such elements.
    if unsafe { quick::get(origin.cast(), (count, datatype), place, win) }.is_some() {
        return Ok(None);
    }
    with(win, |win| {
        let local = Local::of(origin.cast(), count, datatype)?;
        let Some(remote) = win.remote(place)? else { return Ok(None) };
        // SAFETY: the program passes such elements.
        let under_way = unsafe { access::get(local, &remote) }?;
        Ok(under_way.map(|countdown| (Arc::clone(win), countdown)))
    })
}

/// `MPI_Accumulate`.
pub unsafe fn accumulate(
    origin: SendAddress,
    count: i64,
    datatype: DatatypeHandle,
    target_rank: i32,
    target_disp: i64,
    target_count: i64,
    target_datatype: DatatypeHandle,
    op: OpHandle,
    win: WinHandle,
) -> Result<()> {
    let place =
        Place { rank: target_rank, disp: target_disp, count: target_count, datatype: target_datatype };
    if let Some(start) = address(origin)
        // SAFETY: the program passes such elements.
        && let Some(done) = unsafe { quick::accumulate(start, (count, datatype), &place, op, win) }
    {
        return done;
    }
    with(win, |win| {
        let local = sent(origin, count, datatype)?;
        let Some(remote) = win.remote(&place)? else { return Ok(()) };
        // SAFETY: the program passes such elements.
        unsafe { atomic::accumulate(Some(&local), None, &remote, op) }.map(drop)
    })
}

/// `MPI_Get_accumulate`.
pub unsafe fn get_accumulate(
    origin: SendAddress,
    count: i64,
    datatype: DatatypeHandle,
    result: *mut c_void,
    result_count: i64,
    result_datatype: DatatypeHandle,
    target_rank: i32,
    target_disp: i64,
    target_count: i64,
    target_datatype: DatatypeHandle,
    op: OpHandle,
    win: WinHandle,
) -> Result<()> {
    let place =
        Place { rank: target_rank, disp: target_disp, count: target_count, datatype: target_datatype };
    let result = (result, result_count, result_datatype);
    // SAFETY: passed on from our caller.
    unsafe { start_get_accumulate((origin, count, datatype), result, &place, op, win) }.map(drop)
}

/// Starts an accumulate that returns the old elements. Where it is under way afterwards, returns what
/// tells the end.
///
/// # Safety
/// See [`get_accumulate`].
pub(super) unsafe fn start_get_accumulate(
    (origin, count, datatype): (SendAddress, i64, DatatypeHandle),
    (result, result_count, result_datatype): (*mut c_void, i64, DatatypeHandle),
    place: &Place,
    op: OpHandle,
    win: WinHandle,
) -> Result<Started> {
    with(win, |win| {
        // The origin's arguments have no meaning with MPI_NO_OP.
        let origin = if op.0 == NO_OP { None } else { Some(sent(origin, count, datatype)?) };
        let result = Local::of(result.cast(), result_count, result_datatype)?;
        let Some(remote) = win.remote(place)? else { return Ok(None) };
        // SAFETY: the program passes such elements.
        let under_way = unsafe { atomic::accumulate(origin.as_ref(), Some(result), &remote, op) }?;
        Ok(under_way.map(|countdown| (Arc::clone(win), countdown)))
    })
}

/// The place of one element of a predefined datatype.
fn one<'a>(win: &'a Win, place: &Place) -> Result<Option<Remote<'a>>> {
    if types::committed(place.datatype)?.code().is_none() {
        return Err(Error::new(Class::TYPE, "the datatype is not predefined"));
    }
    win.remote(place)
}

/// `MPI_Fetch_and_op`.
pub unsafe fn fetch_and_op(
    origin: SendAddress,
    result: *mut c_void,
    datatype: DatatypeHandle,
    target_rank: i32,
    target_disp: i64,
    op: OpHandle,
    win: WinHandle,
) -> Result<()> {
    let place = Place { rank: target_rank, disp: target_disp, count: 1, datatype };
    // SAFETY: the program passes such elements.
    if let Some(done) = unsafe { quick::fetch_to(address(origin), result.cast(), &place, op, win) } {
        return done;
    }
    with(win, |win| {
        let Some(remote) = one(win, &place)? else { return Ok(()) };
        let origin = if op.0 == NO_OP { None } else { Some(sent(origin, 1, datatype)?) };
        let result = Local::of(result.cast(), 1, datatype)?;
        // SAFETY: the program passes such elements.
        unsafe { atomic::accumulate(origin.as_ref(), Some(result), &remote, op) }.map(drop)
    })
}

/// `MPI_Compare_and_swap`.
pub unsafe fn compare_and_swap(
    origin: SendAddress,
    compare: SendAddress,
    result: *mut c_void,
    datatype: DatatypeHandle,
    target_rank: i32,
    target_disp: i64,
    win: WinHandle,
) -> Result<()> {
    let place = Place { rank: target_rank, disp: target_disp, count: 1, datatype };
    if let (Some(new), Some(wanted)) = (address(origin), address(compare))
        // SAFETY: the program passes such elements.
        && let Some(done) = unsafe { quick::compare_and_swap((new, wanted, result.cast()), &place, win) }
    {
        return done;
    }
    with(win, |win| {
        let Some(remote) = one(win, &place)? else { return Ok(()) };
        let (origin, compare) = (sent(origin, 1, datatype)?, sent(compare, 1, datatype)?);
        let result = Local::of(result.cast(), 1, datatype)?;
        // SAFETY: the program passes such elements.
        unsafe { atomic::compare_and_swap(&origin, &compare, result, &remote) }
    })
}
