//! What an accumulate does with elements: read, combined and written back in packed form. A pair with a
//! hole, such as `MPI_DOUBLE_INT`, is spread for the operator.

use anyccl_engine::reduce::{ReduceFn, reduce_fn};

use crate::arguments::OpHandle;
use crate::constants::{BAND, LAND, NO_OP, REPLACE};
use crate::datatype::Datatype;
use crate::error::{Class, Error, Result};
use crate::op::{Kernel, Op, kernel, name};

/// Longest element that is compared.
pub const LONGEST_COMPARED: usize = 16;

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
pub enum Step {
    Replace,
    Keep,
    Combine(ReduceFn),
}

/// Refuses operators of the program.
pub fn check_predefined(op: OpHandle) -> Result<u32> {
    let Op::Predefined(op) = Op::from_handle(op)? else {
        return Err(Error::new(Class::OP, "a window takes predefined operators only"));
    };
    Ok(op)
}

/// The operator on elements of this predefined datatype.
pub fn step(op: OpHandle, code: u32) -> Result<Step> {
    let op = check_predefined(op)?;
    let undefined = || {
        let datatype = Datatype::predefined(code).and_then(|basic| basic.name());
        let text = format!("{} is not defined on {}", name(op), datatype.unwrap_or("such elements"));
        Error::new(Class::OP, text)
    };
    Ok(match op {
        REPLACE => Step::Replace,
        NO_OP => Step::Keep,
        _ => Step::Combine(kernel_of(op, code).ok_or_else(undefined)?),
    })
}

/// The loop of a predefined operator on elements of a predefined datatype.
#[inline]
pub fn kernel_of(op: u32, code: u32) -> Option<ReduceFn> {
    match kernel(op, code)? {
        Kernel::Own(function) => Some(function),
        Kernel::Engine(op, element) => reduce_fn(element, op),
    }
}

/// A copy of one element, aligned for each of them. Bytes behind a shorter one are 0.
#[derive(Clone, Copy, Default, PartialEq)]
pub struct Element(u128);

impl Element {
    /// Its first byte.
    pub fn place(&mut self) -> *mut u8 {
        (&raw mut self.0).cast()
    }
}

/// What is written after an element of the origin has met the old one. `None`: nothing is.
#[inline]
pub fn meet_one(step: Step, mut old: Element, mut new: Element) -> Option<Element> {
    match step {
        Step::Keep => None,
        Step::Replace => Some(new),
        Step::Combine(function) => {
            // SAFETY: two elements, which are aligned.
            unsafe { function(old.place(), new.place(), old.place(), 1) };
            Some(old)
        }
    }
}

/// Whether elements of this predefined datatype can be compared and swapped.
pub fn is_comparable(code: u32) -> bool {
    kernel(BAND, code).is_some() || kernel(LAND, code).is_some()
}

/// Memory for the elements of a piece.
pub struct Scratch {
    basic: &'static Datatype,
    old: Buffer,
    new: Buffer,
    /// Both with their holes, if elements have some.
    wide: Option<(Buffer, Buffer)>,
}

impl Scratch {
    /// Memory for `count` elements.
    pub fn for_elements(basic: &'static Datatype, count: usize) -> Scratch {
        let (size, extent) = (basic.size() as usize, basic.extent() as usize);
        let buffer = |each: usize| Buffer::new(count * each);
        let wide = (size != extent).then(|| (buffer(extent), buffer(extent)));
        Scratch { basic, old: buffer(size), new: buffer(size), wide }
    }

    /// The elements of the target, packed.
    pub fn old(&mut self) -> *mut u8 {
        self.old.place()
    }

    /// The elements of the origin, packed.
    pub fn incoming(&mut self) -> *mut u8 {
        self.new.place()
    }

    /// The elements to be written, after those of the origin have met the old ones. `None`: there are none.
    pub fn meet(&mut self, step: Step, count: usize) -> Option<*mut u8> {
        match step {
            Step::Keep => None,
            Step::Replace => Some(self.incoming()),
            Step::Combine(function) => {
                self.combine(function, count);
                Some(self.old())
            }
        }
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
