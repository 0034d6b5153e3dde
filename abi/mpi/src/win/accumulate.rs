//! Accumulates: elements of a rank are combined with those of the origin, each in one step.
//!
//! All forms take the target's lock for accumulates, piece by piece. Elements are read, combined and written
//! back in packed form; a pair with a hole, such as `MPI_DOUBLE_INT`, is spread for the operator.

use anyccl_engine::reduce::{ReduceFn, reduce_fn};

use super::access::{Local, PIECE};
use super::remote::Remote;
use crate::arguments::OpHandle;
use crate::constants::{BAND, LAND, NO_OP, REPLACE};
use crate::datatype::Datatype;
use crate::error::{Class, Error, Result};
use crate::op::{Kernel, Op, kernel, name};

/// Memory for elements, aligned for each of them.
struct Buffer(Vec<u128>);

impl Buffer {
    fn new(bytes: usize) -> Buffer {
        Buffer(vec![0; bytes.div_ceil(size_of::<u128>())])
    }

    fn place(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast()
    }
}

/// What an accumulate does with an element.
#[derive(Clone, Copy)]
enum Step {
    Replace,
    Keep,
    Combine(ReduceFn),
}

/// The operator on elements of this predefined datatype.
fn step(op: OpHandle, code: u32) -> Result<Step> {
    let Op::Predefined(op) = Op::from_handle(op)? else {
        return Err(Error::new(Class::OP, "a window takes predefined operators only"));
    };
    let undefined = || {
        let datatype = Datatype::predefined(code).and_then(|basic| basic.name());
        let text = format!("{} is not defined on {}", name(op), datatype.unwrap_or("such elements"));
        Error::new(Class::OP, text)
    };
    Ok(match op {
        REPLACE => Step::Replace,
        NO_OP => Step::Keep,
        _ => Step::Combine(match kernel(op, code).ok_or_else(undefined)? {
            Kernel::Own(function) => function,
            Kernel::Engine(op, element) => reduce_fn(element, op).ok_or_else(undefined)?,
        }),
    })
}

/// The predefined datatype of which elements consist.
fn basic_of(datatype: &Datatype, what: &str) -> Result<u32> {
    let text = || format!("the {what} datatype has elements of several predefined datatypes");
    datatype.basic().map(|(code, _)| code).ok_or_else(|| Error::new(Class::TYPE, text()))
}

/// Combines elements of a target with those of the origin, and returns the old ones in `result`.
///
/// # Safety
/// The origin's elements are readable, those of the result writable.
pub unsafe fn accumulate(
    origin: Option<&Local>,
    result: Option<&Local>,
    remote: &Remote,
    op: OpHandle,
) -> Result<()> {
    let Op::Predefined(_) = Op::from_handle(op)? else {
        return Err(Error::new(Class::OP, "a window takes predefined operators only"));
    };
    if remote.bytes == 0 {
        return origin.map_or(Ok(()), |origin| remote.check_room(origin.bytes, true));
    }
    let code = basic_of(&remote.datatype, "target's")?;
    let step = step(op, code)?;
    let origin = origin.filter(|_| !matches!(step, Step::Keep));
    for (local, what) in [(origin, "origin's"), (result, "result's")] {
        let Some(local) = local.filter(|local| local.bytes > 0) else { continue };
        if basic_of(&local.datatype, what)? != code {
            let text = format!("the {what} elements are not of the predefined datatype of the target's");
            return Err(Error::new(Class::TYPE, text));
        }
    }
    // As in a message, the origin may have fewer elements than the target.
    let bytes = origin.map_or(remote.bytes, |origin| origin.bytes);
    remote.check_room(bytes, true)?;
    if let Some(result) = result
        && result.bytes < bytes
    {
        let text = format!("{bytes} bytes are sent to elements of {} bytes", result.bytes);
        return Err(Error::new(Class::TRUNCATE, text));
    }
    // SAFETY: passed on from our caller; the sizes were checked.
    unsafe { run(origin, result, remote, step, code, bytes) }
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
    let (size, extent) = (basic.size() as usize, basic.extent() as usize);
    let most = (PIECE / size).max(1).min(bytes / size);
    let [mut old, mut new] = [(); 2].map(|()| Buffer::new(most * size));
    let [mut wide_old, mut wide_new] =
        [(); 2].map(|()| Buffer::new(if size == extent { 0 } else { most * extent }));
    let mut done = 0;
    while done < bytes {
        let count = most.min((bytes - done) / size);
        let len = count * size;
        if let Some(origin) = origin {
            // SAFETY: promised by the caller; the buffer has room for `most` elements.
            unsafe { origin.pack(done, new.place(), len) };
        }
        let lock = remote.win.lock_atomic(remote.rank)?;
        if result.is_some() || matches!(step, Step::Combine(_)) {
            // SAFETY: the target has these bytes, the buffer has room.
            unsafe { remote.read(done, old.place(), len) }?;
        }
        if let Some(result) = result {
            // SAFETY: promised by the caller.
            unsafe { result.unpack(done, old.place(), len) };
        }
        match step {
            Step::Keep => {}
            // SAFETY: the buffer has these bytes, the target has room.
            Step::Replace => unsafe { remote.write(done, new.place(), len) }?,
            Step::Combine(function) => {
                let (old_at, new_at) = (old.place(), new.place());
                if size == extent {
                    // SAFETY: both buffers have `count` elements, and are aligned.
                    unsafe { function(old_at, new_at, old_at, count) };
                } else {
                    let (wide_at, other_at) = (wide_old.place(), wide_new.place());
                    // SAFETY: the wide buffers have room for `count` elements with their holes.
                    unsafe { basic.scatter(count as i64, wide_at, 0, old_at, len) };
                    // SAFETY: as above.
                    unsafe { basic.scatter(count as i64, other_at, 0, new_at, len) };
                    // SAFETY: both buffers have `count` elements, and are aligned.
                    unsafe { function(wide_at, other_at, wide_at, count) };
                    // SAFETY: as above.
                    unsafe { basic.gather(count as i64, wide_at, 0, old_at, len) };
                }
                // SAFETY: the buffer has these bytes, the target has room.
                unsafe { remote.write(done, old.place(), len) }?;
            }
        }
        drop(lock);
        done += len;
    }
    Ok(())
}

/// Longest element that is compared.
const LONGEST: usize = 16;

/// Replaces an element of the target by that of the origin if it equals another one, and returns it.
///
/// # Safety
/// The elements of `origin` and `compare` are readable, those of `result` writable.
pub unsafe fn compare_and_swap(
    origin: &Local,
    compare: &Local,
    result: &Local,
    remote: &Remote,
) -> Result<()> {
    let is_comparable = |code: u32| kernel(BAND, code).is_some() || kernel(LAND, code).is_some();
    let code = remote.datatype.code().filter(|code| is_comparable(*code));
    if code.is_none() || remote.bytes > LONGEST {
        let text = "the datatype is neither an integer, nor a truth value, nor MPI_BYTE";
        return Err(Error::new(Class::TYPE, text));
    }
    let (len, [mut new, mut wanted, mut old]) = (remote.bytes, [[0u8; LONGEST]; 3]);
    // SAFETY: promised by the caller; the buffer has room.
    unsafe { origin.pack(0, new.as_mut_ptr(), len) };
    // SAFETY: as above.
    unsafe { compare.pack(0, wanted.as_mut_ptr(), len) };
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
