//! Accesses and flushes in the common case, in the fewest steps: elements without holes, in memory of a rank
//! of this host that this process has mapped.
//!
//! Each function returns `None` where the case is another one, or an argument is wrong. Then nothing was
//! done, and the other functions of windows do it, or name the error. A call pins its window and holds
//! nothing else: predefined datatypes are never freed, and one word says what may be accessed
//! ([`super::epoch::Epochs`]).

use std::sync::atomic::{Ordering, fence};

use anyccl_edge::ObjectRef;
use anyccl_engine::reduce::is_inside_callback;

use super::accumulate::{self, combine_in_place};
use super::combine::{Element, Step, is_comparable, kernel_of, meet_one};
use super::remote::Place;
use super::target::{self, load, store};
use super::{WINS, Win};
use crate::arguments::{DatatypeHandle, OpHandle, WinHandle};
use crate::constants::{NO_OP, REPLACE, WIN_FLAVOR_DYNAMIC};
use crate::datatype::Datatype;
use crate::error::Result;
use crate::request;
use crate::types::host_memory::check_host;
use crate::types::memory::dense_bytes;

/// Elements of a rank, whose window stays while this lives.
struct Found {
    win: ObjectRef<'static, Win>,
    rank: u32,
    start: *mut u8,
}

/// The elements at a place, which have that many bytes.
#[inline(always)]
fn find(win: WinHandle, place: &Place, bytes: usize) -> Option<Found> {
    let win = WINS.get(win.0).ok()?;
    let rank = u32::try_from(place.rank).ok()?;
    let target = win.targets.get(rank as usize)?;
    let is_here = matches!(target.place, target::Place::Here) && win.flavor != WIN_FLAVOR_DYNAMIC;
    if !is_here || !win.epoch.is_open(rank) || is_inside_callback() {
        return None;
    }
    let offset = place.disp.checked_mul(target.disp_unit).and_then(|offset| u64::try_from(offset).ok())?;
    if offset.checked_add(bytes as u64)? > target.bytes {
        return None;
    }
    let start = std::ptr::with_exposed_provenance_mut(target.base + offset as usize);
    Some(Found { win, rank, start })
}

/// Bytes of elements of this process that the processor can access, at least one.
#[inline(always)]
fn bytes_of(start: *const u8, count: i64, datatype: DatatypeHandle) -> Option<usize> {
    let bytes = dense_bytes(count, datatype)? as usize;
    let is_usable = !start.is_null() && bytes > 0 && check_host(start, bytes, "").is_ok();
    is_usable.then_some(bytes)
}

/// The number of bytes at both places, if they are equal.
#[inline(always)]
fn equal_bytes(start: *const u8, (count, datatype): (i64, DatatypeHandle), place: &Place) -> Option<usize> {
    let bytes = bytes_of(start, count, datatype)?;
    let is_same = (place.count, place.datatype) == (count, datatype);
    (is_same || dense_bytes(place.count, place.datatype)? == bytes as u64).then_some(bytes)
}

/// Writes elements to a target.
///
/// # Safety
/// The origin's elements are readable.
#[inline(always)]
pub unsafe fn put(
    origin: *const u8,
    elements: (i64, DatatypeHandle),
    place: &Place,
    win: WinHandle,
) -> Option<()> {
    let bytes = equal_bytes(origin, elements, place)?;
    let found = find(win, place, bytes)?;
    // SAFETY: promised by the caller; the bytes lie in the memory of the target, which the window keeps.
    unsafe { store(origin, found.start, bytes) };
    Some(())
}

/// Reads elements of a target.
///
/// # Safety
/// The origin's elements are writable.
#[inline(always)]
pub unsafe fn get(
    origin: *mut u8,
    elements: (i64, DatatypeHandle),
    place: &Place,
    win: WinHandle,
) -> Option<()> {
    let bytes = equal_bytes(origin, elements, place)?;
    let found = find(win, place, bytes)?;
    // SAFETY: promised by the caller; the bytes lie in the memory of the target, which the window keeps.
    unsafe { load(found.start, origin, bytes) };
    Some(())
}

/// What an operator does with elements of a predefined datatype.
#[inline]
fn step_of(op: OpHandle, datatype: DatatypeHandle) -> Option<Step> {
    match op.0 {
        REPLACE => Some(Step::Replace),
        NO_OP => Some(Step::Keep),
        op => kernel_of(op, datatype.0).map(Step::Combine),
    }
}

/// Combines elements of a target with those of the origin.
///
/// # Safety
/// The origin's elements are readable.
#[inline]
pub unsafe fn accumulate(
    origin: *const u8,
    elements: (i64, DatatypeHandle),
    place: &Place,
    op: OpHandle,
    win: WinHandle,
) -> Option<Result<()>> {
    if (place.count, place.datatype) != elements {
        return None;
    }
    if elements.0 == 1 {
        // SAFETY: passed on from our caller.
        return Some(unsafe { fetch(Some(origin), elements.1, place, op, win) }?.map(drop));
    }
    let size = Datatype::predefined_size(elements.1.0)?;
    let bytes = bytes_of(origin, elements.0, elements.1)?;
    let Step::Combine(function) = step_of(op, elements.1)? else { return None };
    let found = find(win, place, bytes)?;
    if !accumulate::may_be_in_place(origin, found.start, size, bytes) {
        return None;
    }
    // SAFETY: promised by the caller; the addresses were checked.
    let done =
        unsafe { combine_in_place(origin, found.start, (&found.win, found.rank), function, (bytes, size)) };
    Some(done.map_err(|error| error.on_win(found.win.id)))
}

/// Combines one element of a target with that of the origin. Returns the old one.
///
/// # Safety
/// The origin's element is readable, if the operator uses it.
#[inline]
unsafe fn fetch(
    origin: Option<*const u8>,
    datatype: DatatypeHandle,
    place: &Place,
    op: OpHandle,
    win: WinHandle,
) -> Option<Result<Element>> {
    let size = Datatype::predefined_size(datatype.0)?;
    let step = step_of(op, datatype)?;
    let (mut old, mut new) = (Element::default(), Element::default());
    if !matches!(step, Step::Keep) {
        bytes_of(origin?, 1, datatype)?;
    }
    let found = find(win, place, size).filter(|_| size <= size_of::<Element>())?;
    if !matches!(step, Step::Keep) {
        // SAFETY: promised by the caller; an element has room for `size` bytes.
        unsafe { origin?.copy_to_nonoverlapping(new.place(), size) };
    }
    let lock = match found.win.lock_atomic(found.rank) {
        Ok(lock) => lock,
        Err(error) => return Some(Err(error.on_win(found.win.id))),
    };
    // SAFETY: the bytes lie in the memory of the target, which the window keeps; an element has room.
    unsafe { load(found.start, old.place(), size) };
    if let Some(mut written) = meet_one(step, old, new) {
        // SAFETY: as above.
        unsafe { store(written.place(), found.start, size) };
    }
    drop(lock);
    Some(Ok(old))
}

/// Like [`fetch`], with a place for the old element.
///
/// # Safety
/// The contract of [`fetch`] holds, and the result's element is writable.
#[inline]
pub unsafe fn fetch_to(
    origin: Option<*const u8>,
    result: *mut u8,
    place: &Place,
    op: OpHandle,
    win: WinHandle,
) -> Option<Result<()>> {
    let size = bytes_of(result, 1, place.datatype)?;
    // SAFETY: passed on from our caller.
    let old = unsafe { fetch(origin, place.datatype, place, op, win) }?;
    // SAFETY: promised by the caller; an element of the datatype has `size` bytes.
    Some(old.map(|mut old| unsafe { result.copy_from_nonoverlapping(old.place(), size) }))
}

/// Replaces an element of a target by that of the origin if it equals another one. Returns the old one.
///
/// # Safety
/// The elements of `origin` and `compare` are readable, that of `result` writable.
#[inline]
pub unsafe fn compare_and_swap(
    (origin, compare, result): (*const u8, *const u8, *mut u8),
    place: &Place,
    win: WinHandle,
) -> Option<Result<()>> {
    let datatype = place.datatype;
    let size = Datatype::predefined_size(datatype.0).filter(|size| *size <= size_of::<Element>())?;
    let are_usable = [origin, compare, result].iter().all(|start| bytes_of(*start, 1, datatype).is_some());
    if !are_usable || !is_comparable(datatype.0) {
        return None;
    }
    let found = find(win, place, size)?;
    let [mut old, mut new, mut wanted] = [Element::default(); 3];
    // SAFETY: promised by the caller; an element has room for `size` bytes.
    unsafe { origin.copy_to_nonoverlapping(new.place(), size) };
    // SAFETY: as above.
    unsafe { compare.copy_to_nonoverlapping(wanted.place(), size) };
    let lock = match found.win.lock_atomic(found.rank) {
        Ok(lock) => lock,
        Err(error) => return Some(Err(error.on_win(found.win.id))),
    };
    // SAFETY: the bytes lie in the memory of the target, which the window keeps; an element has room.
    unsafe { load(found.start, old.place(), size) };
    if old == wanted {
        // SAFETY: as above.
        unsafe { store(new.place(), found.start, size) };
    }
    drop(lock);
    // SAFETY: promised by the caller.
    unsafe { result.copy_from_nonoverlapping(old.place(), size) };
    Some(Ok(()))
}

/// Flushes a rank, if nothing is under way and it is not time to look for failures.
#[inline]
pub fn flush(rank: i32, win: WinHandle) -> Option<()> {
    let win = WINS.get(win.0).ok()?;
    let rank = u32::try_from(rank).ok().filter(|rank| (*rank as usize) < win.targets.len())?;
    let is_quiet = win.distant.is_none() && !request::has_work() && !is_inside_callback();
    if !is_quiet || !win.epoch.is_locked(rank) || !win.count_call() {
        return None;
    }
    fence(Ordering::SeqCst);
    Some(())
}
