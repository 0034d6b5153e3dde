//! Accumulates: elements of a rank are combined with those of the origin, each in one step.
//!
//! All forms take the target's lock for accumulates, piece by piece. An operator works on the elements where
//! they are, if it can, and otherwise on packed copies. Where the target is on another host, it does all that
//! itself.

use std::sync::Arc;

use anyccl_engine::reduce::ReduceFn;

use super::Win;
use super::access::PIECE;
use super::combine::{LONGEST_COMPARED, Scratch, Step, check_predefined, is_comparable, step};
use super::countdown::Countdown;
use super::distant;
use super::local::Local;
use super::remote::Remote;
use crate::arguments::OpHandle;
use crate::datatype::Datatype;
use crate::error::{Class, Error, Result};
use crate::types::memory::Memory;

/// The predefined datatype of which elements consist.
fn basic_of(datatype: &Datatype, what: &str) -> Result<u32> {
    let text = || format!("the {what} datatype has elements of several predefined datatypes");
    datatype.basic().map(|(code, _)| code).ok_or_else(|| Error::new(Class::TYPE, text()))
}

/// Combines elements of a target with those of the origin, and returns the old ones in `result`. Where that
/// is under way afterwards, returns what tells the end.
///
/// # Safety
/// The origin's elements are readable, those of the result writable.
pub unsafe fn accumulate(
    origin: Option<&Local>,
    result: Option<Local>,
    remote: &Remote,
    op: OpHandle,
) -> Result<Option<Arc<Countdown>>> {
    let number = check_predefined(op)?;
    if remote.bytes == 0 {
        return origin.map_or(Ok(()), |origin| remote.check_room(origin.bytes, true)).map(|()| None);
    }
    let code = basic_of(&remote.datatype, "target's")?;
    let step = step(op, code)?;
    let origin = origin.filter(|_| !matches!(step, Step::Keep));
    for (local, what) in [(origin, "origin's"), (result.as_ref(), "result's")] {
        let Some(local) = local.filter(|local| local.bytes > 0) else { continue };
        if basic_of(&local.datatype, what)? != code {
            let text = format!("the {what} elements are not of the predefined datatype of the target's");
            return Err(Error::new(Class::TYPE, text));
        }
    }
    // As in a message, the origin may have fewer elements than the target.
    let bytes = origin.map_or(remote.bytes, |origin| origin.bytes);
    remote.check_room(bytes, true)?;
    if let Some(result) = &result
        && result.bytes < bytes
    {
        let text = format!("{bytes} bytes are sent to elements of {} bytes", result.bytes);
        return Err(Error::new(Class::TRUNCATE, text));
    }
    if remote.is_distant() {
        // SAFETY: passed on from our caller; the sizes were checked.
        return unsafe { distant::accumulate(origin, result, remote, (number, code), bytes) };
    }
    // SAFETY: as above.
    unsafe { run(origin, result.as_ref(), remote, step, code, bytes) }.map(|()| None)
}

/// # Safety
/// As for [`accumulate`]; all have `bytes` bytes of elements of the datatype `code`.
unsafe fn run(
    origin: Option<&Local>,
    result: Option<&Local>,
    remote: &Remote,
    step: Step,
    code: u32,
    bytes: usize,
) -> Result<()> {
    let basic = Datatype::predefined(code).ok_or_else(|| Error::new(Class::TYPE, "no such elements"))?;
    if let (Some(origin), None, Step::Combine(function)) = (origin, result, step)
        && let Some((from, to)) = in_place(origin, remote, basic, bytes)
    {
        let target = (remote.win, remote.rank);
        // SAFETY: passed on from our caller; there are `bytes` bytes at both places, which are aligned.
        return unsafe { combine_in_place(from, to, target, function, (bytes, basic.size() as usize)) };
    }
    let size = basic.size() as usize;
    let most = (PIECE / size).max(1).min(bytes / size);
    let mut scratch = Scratch::for_elements(basic, most);
    let mut done = 0;
    while done < bytes {
        let count = most.min((bytes - done) / size);
        let len = count * size;
        if let Some(origin) = origin {
            // SAFETY: promised by the caller; the buffer has room for `most` elements.
            unsafe { origin.pack(done, scratch.incoming(), len) };
        }
        let lock = remote.win.lock_atomic(remote.rank)?;
        if result.is_some() || matches!(step, Step::Combine(_)) {
            // SAFETY: the target has these bytes, the buffer has room.
            unsafe { remote.read(done, scratch.old(), len) }?;
        }
        if let Some(result) = result {
            // SAFETY: promised by the caller.
            unsafe { result.unpack(done, scratch.old(), len) };
        }
        if let Some(written) = scratch.meet(step, count) {
            // SAFETY: the buffer has these bytes, the target has room.
            unsafe { remote.write(done, written, len) }?;
        }
        drop(lock);
        done += len;
    }
    Ok(())
}

/// The addresses of the origin's elements and of the target's, if the operator can use them where they are:
/// each is one aligned run of elements without holes in memory of this process, and they do not overlap.
fn in_place(origin: &Local, remote: &Remote, basic: &Datatype, bytes: usize) -> Option<(*const u8, *mut u8)> {
    let Memory::Run(from, _) = origin.memory else { return None };
    let (from, to) = (from.cast_const(), remote.run_here()?);
    let is_dense = basic.size() == basic.extent();
    (is_dense && may_be_in_place(from, to, basic.size() as usize, bytes)).then_some((from, to))
}

/// Whether an operator can use `bytes` bytes of elements of `size` bytes where they are.
#[inline]
pub fn may_be_in_place(from: *const u8, to: *const u8, size: usize, bytes: usize) -> bool {
    let alignment = size.min(align_of::<u128>());
    let is_aligned = from.addr().is_multiple_of(alignment) && to.addr().is_multiple_of(alignment);
    is_aligned && from.addr().abs_diff(to.addr()) >= bytes
}

/// Combines elements where they are, piece by piece.
///
/// # Safety
/// Both addresses have `bytes` bytes of elements of `size` bytes, and are aligned for them. The first ones
/// are readable, and the others lie in the memory of the target.
pub unsafe fn combine_in_place(
    from: *const u8,
    to: *mut u8,
    (win, rank): (&Win, u32),
    function: ReduceFn,
    (bytes, size): (usize, usize),
) -> Result<()> {
    let most = (PIECE / size).max(1) * size;
    for done in (0..bytes).step_by(most) {
        let (from, to, len) = (from.wrapping_add(done), to.wrapping_add(done), most.min(bytes - done));
        let lock = win.lock_atomic(rank)?;
        // SAFETY: promised by the caller. Other accumulates wait for the lock; MPI allows no other access to
        // these elements meanwhile.
        unsafe { function(to, from, to, len / size) };
        drop(lock);
    }
    Ok(())
}

/// Replaces an element of the target by that of the origin if it equals another one, and returns it.
///
/// # Safety
/// The elements of `origin` and `compare` are readable, those of `result` writable.
pub unsafe fn compare_and_swap(
    origin: &Local,
    compare: &Local,
    result: Local,
    remote: &Remote,
) -> Result<()> {
    let code = remote.datatype.code().filter(|code| is_comparable(*code));
    let Some(code) = code.filter(|_| remote.bytes <= LONGEST_COMPARED) else {
        let text = "the datatype is neither an integer, nor a truth value, nor MPI_BYTE";
        return Err(Error::new(Class::TYPE, text));
    };
    let (len, [mut new, mut wanted, mut old]) = (remote.bytes, [[0u8; LONGEST_COMPARED]; 3]);
    // SAFETY: promised by the caller; the buffer has room.
    unsafe { origin.pack(0, new.as_mut_ptr(), len) };
    // SAFETY: as above.
    unsafe { compare.pack(0, wanted.as_mut_ptr(), len) };
    if remote.is_distant() {
        // SAFETY: passed on from our caller.
        return unsafe { distant::compare_and_swap(&wanted[..len], &new[..len], result, remote, code) };
    }
    let lock = remote.win.lock_atomic(remote.rank)?;
    // SAFETY: the target has these bytes, the buffer has room.
    unsafe { remote.read(0, old.as_mut_ptr(), len) }?;
    if old == wanted {
        // SAFETY: the buffer has these bytes, the target has room.
        unsafe { remote.write(0, new.as_ptr(), len) }?;
    }
    drop(lock);
    // SAFETY: promised by the caller.
    unsafe { result.unpack(0, old.as_ptr(), len) };
    Ok(())
}
