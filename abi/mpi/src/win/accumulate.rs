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

/// Memory for the elements of a piece.
struct Scratch {
    basic: &'static Datatype,
    old: Buffer,
    new: Buffer,
    /// Both with their holes, if elements have some.
    wide: Option<(Buffer, Buffer)>,
}

impl Scratch {
    /// Memory for `count` elements.
    fn for_elements(basic: &'static Datatype, count: usize) -> Scratch {
        let (size, extent) = (basic.size() as usize, basic.extent() as usize);
        let buffer = |each: usize| Buffer::new(count * each);
        let wide = (size != extent).then(|| (buffer(extent), buffer(extent)));
        Scratch { basic, old: buffer(size), new: buffer(size), wide }
    }

    /// Combines the old elements with the new ones. The result is in the place of the old ones.
    fn combine(&mut self, function: ReduceFn, count: usize) {
        let (old, new) = (self.old.place(), self.new.place());
        let Some((wide_old, wide_new)) = &mut self.wide else {
            // SAFETY: both buffers have `count` elements, and are aligned.
            unsafe { function(old, new, old, count) };
            return;
        };
        let (wide_old, wide_new) = (wide_old.place(), wide_new.place());
        let (elements, len) = (count as i64, count * self.basic.size() as usize);
        // SAFETY: the wide buffer has room for `count` elements with their holes.
        unsafe { self.basic.scatter(elements, wide_old, 0, old, len) };
        // SAFETY: as above.
        unsafe { self.basic.scatter(elements, wide_new, 0, new, len) };
        // SAFETY: both buffers have `count` elements, and are aligned.
        unsafe { function(wide_old, wide_new, wide_old, count) };
        // SAFETY: as above.
        unsafe { self.basic.gather(elements, wide_old, 0, old, len) };
    }
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
    let size = basic.size() as usize;
    let most = (PIECE / size).max(1).min(bytes / size);
    let mut scratch = Scratch::for_elements(basic, most);
    let mut done = 0;
    while done < bytes {
        let count = most.min((bytes - done) / size);
        let len = count * size;
        if let Some(origin) = origin {
            // SAFETY: promised by the caller; the buffer has room for `most` elements.
            unsafe { origin.pack(done, scratch.new.place(), len) };
        }
        let lock = remote.win.lock_atomic(remote.rank)?;
        if result.is_some() || matches!(step, Step::Combine(_)) {
            // SAFETY: the target has these bytes, the buffer has room.
            unsafe { remote.read(done, scratch.old.place(), len) }?;
        }
        if let Some(result) = result {
            // SAFETY: promised by the caller.
            unsafe { result.unpack(done, scratch.old.place(), len) };
        }
        let written = match step {
            Step::Keep => None,
            Step::Replace => Some(scratch.new.place()),
            Step::Combine(function) => {
                scratch.combine(function, count);
                Some(scratch.old.place())
            }
        };
        if let Some(written) = written {
            // SAFETY: the buffer has these bytes, the target has room.
            unsafe { remote.write(done, written, len) }?;
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
