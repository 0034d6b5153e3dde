//! The loops around element operators: plain loops over unaligned elements, which the compiler vectorises
//! (`compiled` chooses the instruction sets).
//!
//! Two forms are needed: one for a destination that overlaps neither operand, and one in place. In a single
//! form, the compiler's overlap check would send an in-place call to its scalar loop.

use std::marker::PhantomData;

/// Types for which every bit pattern is a value, so that any memory can be read as one.
///
/// # Safety
/// The type has no padding and no invalid bit pattern.
pub(super) unsafe trait AnyBits: Copy {}

macro_rules! any_bits {
    ($($integer:ty),*) => {$(
        // SAFETY: integers have neither padding nor invalid patterns.
        unsafe impl AnyBits for $integer {}
    )*};
}
any_bits!(i8, u8, i16, u16, i32, u32, i64, u64);

// SAFETY: an array has no padding between elements that have none themselves.
unsafe impl<T: AnyBits, const N: usize> AnyBits for [T; N] {}

/// A reduction operator on one element. It commutes, bit by bit, so the loops may swap the operands.
pub(super) trait Combine {
    /// The element as it lies in memory.
    type Element: AnyBits;
    /// Loop elements per element of the datatype; 2 for a complex number that is treated as two floats.
    const PARTS: usize = 1;
    /// Computes `a op b`. Every implementation is `inline(always)`, because only then does it become part of
    /// the vector loop.
    fn combine(a: Self::Element, b: Self::Element) -> Self::Element;
}

/// Division of one element by a divisor that all elements share.
pub(super) trait Divide {
    /// The element as it lies in memory.
    type Element: AnyBits;
    /// The divisor in the form that the division needs.
    type Divisor: Copy;
    /// Like [`Combine::PARTS`].
    const PARTS: usize = 1;
    /// Converts the divisor, once per call.
    fn prepare(divisor: u32) -> Self::Divisor;
    /// Computes `value / divisor`. Every implementation is `inline(always)`.
    fn divide(value: Self::Element, divisor: Self::Divisor) -> Self::Element;
}

/// Applies an operator of real numbers to both parts of complex ones.
pub(super) struct BothParts<R>(PhantomData<R>);

impl<C: Combine> Combine for BothParts<C> {
    type Element = C::Element;
    const PARTS: usize = 2;
    #[inline(always)]
    fn combine(a: C::Element, b: C::Element) -> C::Element {
        C::combine(a, b)
    }
}

impl<D: Divide> Divide for BothParts<D> {
    type Element = D::Element;
    type Divisor = D::Divisor;
    const PARTS: usize = 2;
    #[inline(always)]
    fn prepare(divisor: u32) -> D::Divisor {
        D::prepare(divisor)
    }
    #[inline(always)]
    fn divide(value: D::Element, divisor: D::Divisor) -> D::Element {
        D::divide(value, divisor)
    }
}

/// A loop over a whole run of elements.
pub(super) trait Loop {
    /// Bytes of one element. A cache line is a multiple of it.
    const ELEMENT_BYTES: usize;
    /// # Safety
    /// The contract of [`super::ReduceFn`] holds.
    unsafe fn run(dst: *mut u8, a: *const u8, b: *const u8, count: usize);
}

/// Applies `C` to one element after the other.
pub(super) struct Each<C>(PhantomData<C>);

impl<C: Combine> Loop for Each<C> {
    const ELEMENT_BYTES: usize = size_of::<C::Element>() * C::PARTS;
    #[inline(always)]
    unsafe fn run(dst: *mut u8, a: *const u8, b: *const u8, count: usize) {
        // SAFETY: the caller's promise is the one asked for.
        unsafe { combine_all::<C>(dst, a, b, count * C::PARTS) }
    }
}

/// Applies `P` to two adjacent elements at once, and `C` to an odd last one.
pub(super) struct InPairs<P, C>(PhantomData<(P, C)>);

impl<P: Combine, C: Combine> Loop for InPairs<P, C> {
    const ELEMENT_BYTES: usize = size_of::<C::Element>();
    #[inline(always)]
    unsafe fn run(dst: *mut u8, a: *const u8, b: *const u8, count: usize) {
        const { assert!(size_of::<P::Element>() == 2 * size_of::<C::Element>()) };
        // SAFETY: a pair is as long as two elements, so these are at most `count` elements.
        unsafe { combine_all::<P>(dst, a, b, count / 2) };
        let done = count / 2 * size_of::<P::Element>();
        // SAFETY: `done` bytes are within `count` elements.
        let (dst, a, b) = unsafe { advance(dst, a, b, done) };
        // SAFETY: one element is left or none, at the same offset of all three.
        unsafe { combine_all::<C>(dst, a, b, count % 2) }
    }
}

/// # Safety
/// The contract of [`super::ReduceFn`] holds; `count` is a number of `C::Element`s.
#[inline(always)]
unsafe fn combine_all<C: Combine>(dst: *mut u8, a: *const u8, b: *const u8, count: usize) {
    let other = if dst.cast_const() == a {
        b
    } else if dst.cast_const() == b {
        a
    } else {
        for i in 0..count {
            // SAFETY: `i` is below `count`, for which the caller vouches for `a`.
            let x = unsafe { load::<C::Element>(a, i) };
            // SAFETY: likewise for `b`.
            let y = unsafe { load::<C::Element>(b, i) };
            // SAFETY: likewise for `dst`.
            unsafe { store(dst, i, C::combine(x, y)) };
        }
        return;
    };
    for i in 0..count {
        // SAFETY: `i` is below `count`, and `dst` is one of the operands, hence readable.
        let x = unsafe { load::<C::Element>(dst, i) };
        // SAFETY: `other` is the other operand, readable for `count` elements.
        let y = unsafe { load::<C::Element>(other, i) };
        // SAFETY: the caller vouches for `dst`.
        unsafe { store(dst, i, C::combine(x, y)) };
    }
}

/// # Safety
/// The contract of [`super::DivideFn`] holds.
#[inline(always)]
pub(super) unsafe fn divide_all<D: Divide>(data: *mut u8, count: usize, divisor: u32) {
    debug_assert_ne!(divisor, 0);
    let divisor = D::prepare(divisor);
    for i in 0..count * D::PARTS {
        // SAFETY: `i` is below the number of parts, for which the caller vouches for `data`.
        let value = unsafe { load::<D::Element>(data, i) };
        // SAFETY: as above; `data` is writable too.
        unsafe { store(data, i, D::divide(value, divisor)) };
    }
}

/// # Safety
/// `base` is readable for more than `index` elements of type `T`.
#[inline(always)]
pub(super) unsafe fn load<T: AnyBits>(base: *const u8, index: usize) -> T {
    // SAFETY: the element lies inside the caller's memory.
    let at = unsafe { base.cast::<T>().add(index) };
    // SAFETY: readable as above, at any alignment, and any bytes are a value of `T`. If another process
    // writes here meanwhile, the value is some mixture of bytes, with which the kernel only computes.
    unsafe { at.read_unaligned() }
}

/// # Safety
/// `base` is writable for more than `index` elements of type `T`.
#[inline(always)]
pub(super) unsafe fn store<T: AnyBits>(base: *mut u8, index: usize, value: T) {
    // SAFETY: the element lies inside the caller's memory.
    let at = unsafe { base.cast::<T>().add(index) };
    // SAFETY: writable as above, at any alignment.
    unsafe { at.write_unaligned(value) }
}

/// # Safety
/// Each pointer has at least `bytes` bytes behind it.
#[inline(always)]
pub(super) unsafe fn advance(
    dst: *mut u8,
    a: *const u8,
    b: *const u8,
    bytes: usize,
) -> (*mut u8, *const u8, *const u8) {
    // SAFETY: within the caller's memory.
    let dst = unsafe { dst.add(bytes) };
    // SAFETY: within the caller's memory.
    let a = unsafe { a.add(bytes) };
    // SAFETY: within the caller's memory.
    let b = unsafe { b.add(bytes) };
    (dst, a, b)
}
