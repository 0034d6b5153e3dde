//! Gather and scatter: the walk through a layout that moves any part of the packed bytes.
//!
//! A walk enters at the packed position, with one division per loop and one binary search per list. It
//! finishes the part that it entered in the middle, moves whole parts by the kernels, and ends with a piece
//! of the last part. It keeps no state: a transport calls it again for the next piece of a message.
//!
//! Offsets inside a layout were checked when the datatype was made. The address of a later element is
//! computed with wrapping arithmetic, which is correct as long as the memory exists, as the caller promises.

use super::Datatype;
use super::kernels::{self, Direction, Gather, Scatter, Steps};
use super::layout::{Body, Layout, Part, Shape, follows};

/// Bytes of the first-level cache that a piece of a pattern may touch.
const CACHE: u64 = 32 * 1024;
/// Number of layouts from which the loops are exchanged.
const FEWEST: u64 = 6;

/// The packed bytes that must still be moved.
struct Packed {
    at: *mut u8,
    left: u64,
}

impl Packed {
    /// Steps over bytes that were moved.
    #[inline]
    fn advance(&mut self, bytes: u64) {
        self.at = self.at.wrapping_add(bytes as usize);
        self.left -= bytes;
    }
}

/// Moves one run from byte `skip` on, up to the number of bytes that is left.
///
/// # Safety
///
/// The bytes moved exist on both sides, as for [`Direction::copy`].
#[inline]
unsafe fn run<D: Direction>(typed: *mut u8, len: u64, skip: u64, packed: &mut Packed) {
    let bytes = (len - skip).min(packed.left);
    // SAFETY: the promise of the caller: `bytes` are inside the run and inside what is left.
    unsafe { kernels::run::<D>(typed.wrapping_add(skip as usize), packed.at, bytes as usize) };
    packed.advance(bytes);
}

/// Moves equal runs from byte `skip` on.
///
/// # Safety
///
/// The bytes moved exist on both sides, and `skip + packed.left` is no more than the runs have.
#[inline]
unsafe fn blocks<D: Direction>(typed: *mut u8, stride: i64, len: u64, skip: u64, packed: &mut Packed) {
    let mut typed = typed;
    if skip > 0 {
        let (first, inside) = (skip / len, skip % len);
        typed = typed.wrapping_offset((first as i64).wrapping_mul(stride) as isize);
        if inside > 0 {
            // SAFETY: the promise of the caller, for the run in which the walk begins.
            unsafe { run::<D>(typed, len, inside, packed) };
            typed = typed.wrapping_offset(stride as isize);
        }
    }
    let whole = packed.left / len;
    let steps = Steps { count: whole, typed: stride, packed: len as i64 };
    // SAFETY: the promise of the caller, for runs that are whole in what is left.
    unsafe { kernels::strided::<D>(typed, packed.at, steps, len) };
    packed.advance(whole * len);
    if packed.left > 0 {
        typed = typed.wrapping_offset((whole as i64).wrapping_mul(stride) as isize);
        // SAFETY: the promise of the caller, for the run in which the walk ends.
        unsafe { run::<D>(typed, len, 0, packed) };
    }
}

/// Moves equal layouts from byte `skip` on, until nothing is left.
///
/// # Safety
///
/// The bytes moved exist on both sides, and `skip + packed.left` is no more than the layouts have.
unsafe fn repeated<D: Direction>(
    typed: *mut u8,
    stride: i64,
    inner: &Layout,
    skip: u64,
    packed: &mut Packed,
) {
    let mut typed = typed;
    if skip > 0 {
        let (first, inside) = (skip / inner.size, skip % inner.size);
        typed = typed.wrapping_offset((first as i64).wrapping_mul(stride) as isize);
        if inside > 0 {
            // SAFETY: the promise of the caller, for the layout in which the walk begins.
            unsafe { layout::<D>(typed, inner, inside, packed) };
            typed = typed.wrapping_offset(stride as isize);
        }
    }
    if inner.is_pattern() {
        // SAFETY: the promise of the caller.
        let whole = unsafe { pattern::<D>(typed, stride, inner, packed) };
        typed = typed.wrapping_offset((whole as i64).wrapping_mul(stride) as isize);
    }
    while packed.left > 0 {
        // SAFETY: the promise of the caller, for the layout of this step.
        unsafe { layout::<D>(typed, inner, 0, packed) };
        typed = typed.wrapping_offset(stride as isize);
    }
}

/// Moves many small layouts, as far as they are whole, and returns their number. The loops are exchanged: one
/// run of all layouts, then the next run, on a piece that fits the first-level cache.
///
/// # Safety
///
/// The bytes moved exist on both sides.
unsafe fn pattern<D: Direction>(typed: *mut u8, stride: i64, inner: &Layout, packed: &mut Packed) -> u64 {
    let runs = inner.runs();
    let whole = packed.left / inner.size;
    // Memory that one layout touches, and the number of layouts that are moved together.
    let touched = stride.unsigned_abs().min(runs * 64).max(inner.size);
    let together = CACHE / touched;
    if whole.min(together) < FEWEST {
        return 0;
    }
    let mut done = 0;
    while done < whole {
        let count = together.min(whole - done);
        let steps = Steps { count, typed: stride, packed: inner.size as i64 };
        let typed = typed.wrapping_offset((done as i64).wrapping_mul(stride) as isize);
        let target = packed.at.wrapping_add((done * inner.size) as usize);
        let one = |offset: i64, start: u64, len: u64| {
            let (typed, packed) =
                (typed.wrapping_offset(offset as isize), target.wrapping_add(start as usize));
            // SAFETY: the promise of the caller, for this run of `count` layouts.
            unsafe { kernels::strided::<D>(typed, packed, steps, len) }
        };
        match &inner.shape {
            Shape::Blocks { count, stride, len } => {
                (0..*count).for_each(|run| one((run as i64).wrapping_mul(*stride), run * len, *len));
            }
            Shape::Offsets { offsets, len } => {
                offsets.iter().zip(0..).for_each(|(offset, run)| one(*offset, run * len, *len));
            }
            Shape::List(parts) => {
                parts.iter().for_each(|part| one(part.offset, part.start, part.body.size()))
            }
            Shape::Loop { .. } => return done,
        }
        done += count;
    }
    packed.advance(whole * inner.size);
    whole
}

/// Moves the bytes of a list from byte `skip` on, up to the number that is left.
///
/// # Safety
///
/// The bytes moved exist on both sides.
unsafe fn list<D: Direction>(typed: *mut u8, parts: &[Part], skip: u64, packed: &mut Packed) {
    let first = if skip == 0 { 0 } else { parts.partition_point(|part| part.start <= skip) - 1 };
    let mut inside = skip - parts[first].start;
    for part in &parts[first..] {
        let typed = typed.wrapping_offset(part.offset as isize);
        match &part.body {
            // SAFETY: the promise of the caller, for the run of this part.
            Body::Run(len) => unsafe { run::<D>(typed, *len, inside, packed) },
            // SAFETY: the promise of the caller, for the layout of this part.
            Body::Nested(inner) => unsafe { layout::<D>(typed, inner, inside, packed) },
        }
        if packed.left == 0 {
            return;
        }
        inside = 0;
    }
}

/// Moves the bytes of a layout from byte `skip` on, up to the number that is left or to the end of the
/// layout.
///
/// # Safety
///
/// The bytes moved exist on both sides, and `skip` is less than the layout has.
unsafe fn layout<D: Direction>(typed: *mut u8, layout: &Layout, skip: u64, packed: &mut Packed) {
    // Bytes behind the end of this layout are left to the caller.
    let beyond = packed.left.saturating_sub(layout.size - skip);
    packed.left -= beyond;
    match &layout.shape {
        // SAFETY: the promise of the caller, with what is left cut to this layout.
        Shape::Blocks { stride, len, .. } => unsafe { blocks::<D>(typed, *stride, *len, skip, packed) },
        Shape::Offsets { offsets, len } => {
            let (mut first, inside) = ((skip / len) as usize, skip % len);
            if inside > 0 {
                // SAFETY: the promise of the caller, for the run in which the walk begins.
                unsafe { run::<D>(typed.wrapping_offset(offsets[first] as isize), *len, inside, packed) };
                first += 1;
            }
            let whole = packed.left / len;
            let last = first + whole as usize;
            // SAFETY: the promise of the caller, for the runs that are whole in what is left.
            unsafe { kernels::indexed::<D>(typed, &offsets[first..last], *len, packed.at) };
            packed.advance(whole * len);
            if packed.left > 0 {
                // SAFETY: the promise of the caller, for the run in which the walk ends.
                unsafe { run::<D>(typed.wrapping_offset(offsets[last] as isize), *len, 0, packed) };
            }
        }
        // SAFETY: the promise of the caller, with what is left cut to this layout.
        Shape::Loop { stride, inner, .. } => unsafe { repeated::<D>(typed, *stride, inner, skip, packed) },
        // SAFETY: the promise of the caller.
        Shape::List(parts) => unsafe { list::<D>(typed, parts, skip, packed) },
    }
    packed.left += beyond;
}

impl Datatype {
    /// Number of bytes of `count` elements from packed position `position` on, at most `len`.
    fn bytes_at(&self, count: i64, position: usize, len: usize) -> u64 {
        let total = i128::from(self.size()) * i128::from(count.max(0));
        (total - position as i128).clamp(0, len as i128) as u64
    }

    /// Moves `packed.left` bytes of the elements at `base`, which have at least this many.
    ///
    /// # Safety
    ///
    /// The bytes moved exist on both sides, as for [`Direction::copy`].
    #[inline]
    unsafe fn walk<D: Direction>(&self, base: *mut u8, position: u64, packed: &mut Packed) {
        let extent = self.extent();
        let typed = base.wrapping_offset(self.typemap.placed.offset as isize);
        match &self.typemap.placed.body {
            Body::Run(len) if *len as i64 == extent => {
                // SAFETY: all elements are one run, and the caller promises these bytes of it.
                unsafe { D::copy(typed.wrapping_add(position as usize), packed.at, packed.left as usize) }
            }
            // SAFETY: the promise of the caller.
            Body::Run(len) => unsafe { blocks::<D>(typed, extent, *len, position, packed) },
            Body::Nested(inner) => match &inner.shape {
                Shape::Blocks { count, stride, len } if follows(extent, *count, *stride) => {
                    // SAFETY: the elements continue each other's steps; the promise of the caller.
                    unsafe { blocks::<D>(typed, *stride, *len, position, packed) }
                }
                // SAFETY: the promise of the caller.
                _ => unsafe { repeated::<D>(typed, extent, inner, position, packed) },
            },
        }
    }

    /// Copies packed bytes `[position, position + len)` of `count` elements at `base` to `target`. Returns
    /// the number of bytes, which is less than `len` if the elements end before.
    ///
    /// # Safety
    ///
    /// The copied bytes of the elements are readable at `base` plus their offsets. They lie inside one object
    /// each, or anywhere in memory if `base` is null. `target` is writable for `len` bytes and does not
    /// overlap them.
    pub unsafe fn gather(
        &self,
        count: i64,
        base: *const u8,
        position: usize,
        target: *mut u8,
        len: usize,
    ) -> usize {
        let bytes = self.bytes_at(count, position, len);
        if bytes > 0 {
            let mut packed = Packed { at: target, left: bytes };
            // SAFETY: the promise of the caller. `Gather` only reads typed memory.
            unsafe { self.walk::<Gather>(base.cast_mut(), position as u64, &mut packed) };
        }
        bytes as usize
    }

    /// Copies `len` bytes from `source` to packed bytes `[position, position + len)` of `count` elements at
    /// `base`. Returns the number of bytes, which is less than `len` if the elements end before.
    ///
    /// # Safety
    ///
    /// The copied bytes of the elements are writable at `base` plus their offsets. `source` is readable for
    /// `len` bytes and does not overlap them.
    pub unsafe fn scatter(
        &self,
        count: i64,
        base: *mut u8,
        position: usize,
        source: *const u8,
        len: usize,
    ) -> usize {
        let bytes = self.bytes_at(count, position, len);
        if bytes > 0 {
            let mut packed = Packed { at: source.cast_mut(), left: bytes };
            // SAFETY: the promise of the caller. `Scatter` only reads packed bytes.
            unsafe { self.walk::<Scatter>(base, position as u64, &mut packed) };
        }
        bytes as usize
    }
}
