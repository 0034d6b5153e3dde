//! Operators that are functions of the program.
//!
//! Elements are those of a datatype, or *opaque*: runs of a fixed number of bytes whose meaning only the
//! function knows.
//!
//! The function sees only memory of its own rank, aligned for the elements. Operands may lie elsewhere, such
//! as in a bounce buffer that a peer writes or at an odd address. They are first copied into a *piece*, which
//! stays in the nearest cache. So the function can be written as if its arguments were plain arrays.
//!
//! The function runs on a thread that is inside a call of the communicator, with the engine locked. A call
//! from inside it would wait for itself; [`is_inside_callback`] lets the door refuse it. A function that
//! unwinds (a C++ exception, a Rust panic) ends the process with a message, because half of a reduction can
//! be neither finished nor undone.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::base::Datatype;

/// Computes `inout[i] = in[i] op inout[i]` for `count` elements of the datatype with this number. `context`
/// is the program's own. Opaque elements have [`Datatype::Byte`]; `count` is still their number.
pub type CallbackFn = unsafe extern "C-unwind" fn(
    input: *const c_void,
    inout: *mut c_void,
    count: usize,
    datatype: c_int,
    context: *mut c_void,
);

/// A function of the program, for elements of one datatype or size.
#[derive(Clone, Copy, Debug)]
pub struct Callback {
    function: CallbackFn,
    context: *mut c_void,
    datatype: Datatype,
    element_bytes: usize,
}

// SAFETY: the maker of a callback promises that any thread may use function and context.
unsafe impl Send for Callback {}
// SAFETY: as above, by several threads at a time.
unsafe impl Sync for Callback {}

/// Most bytes that the function gets at once, unless one element is longer.
const PIECE_BYTES: usize = if cfg!(miri) { 256 } else { 16 << 10 };
/// Logarithm of the largest alignment of operands. Opaque elements are aligned for the largest power of two
/// that divides their size.
const MOST_ALIGNED: u32 = 6;

/// Operands that are being passed to the function.
#[repr(align(64))]
struct Piece([u8; PIECE_BYTES]);

/// A part of a piece for an element that is longer than [`PIECE_BYTES`].
#[derive(Clone, Copy)]
#[repr(align(64))]
struct HeapLine(#[expect(dead_code, reason = "used as plain memory")] [u8; 64]);

/// Number of threads that are inside callbacks now. While it is 0, nothing else is checked.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is inside a callback.
#[inline]
pub fn is_inside_callback() -> bool {
    RUNNING.load(Ordering::Relaxed) > 0 && is_this_inside()
}

/// Out of line: finding thread-local memory is a call in a shared library, and is rarely needed.
#[cold]
#[inline(never)]
fn is_this_inside() -> bool {
    INSIDE.get()
}

impl Callback {
    /// # Safety
    /// `function` keeps to [`CallbackFn`] and may be called from any thread and from several at a time. It
    /// touches nothing but its operands and `context`, which is valid for as long as the callback is in use.
    pub unsafe fn new(function: CallbackFn, context: *mut c_void, datatype: Datatype) -> Callback {
        Callback { function, context, datatype, element_bytes: datatype.bytes() }
    }

    /// Makes a function on opaque elements of `element_bytes` bytes, at least one.
    ///
    /// # Safety
    /// See [`Callback::new`].
    pub unsafe fn opaque(function: CallbackFn, context: *mut c_void, element_bytes: usize) -> Callback {
        Callback { function, context, datatype: Datatype::Byte, element_bytes }
    }

    /// Size of an element.
    pub fn element_bytes(&self) -> usize {
        self.element_bytes
    }

    /// Computes `dst[i] = a[i] op b[i]`, in this order, for `count` elements.
    ///
    /// # Safety
    /// The contract of [`super::ReduceFn`] holds.
    #[cold]
    pub(super) unsafe fn apply(&self, dst: *mut u8, a: *const u8, b: *const u8, count: usize) {
        let _inside = Inside::enter();
        if self.element_bytes > PIECE_BYTES {
            let lines = self.element_bytes.div_ceil(64);
            let (mut left, mut right) = (vec![HeapLine([0; 64]); lines], vec![HeapLine([0; 64]); lines]);
            let pieces = [left.as_mut_ptr().cast(), right.as_mut_ptr().cast()];
            // SAFETY: passed on from our caller; both pieces hold one element.
            return unsafe { self.apply_by_pieces(dst, a, b, count, 1, pieces) };
        }
        let (mut left, mut right) = (Piece([0; PIECE_BYTES]), Piece([0; PIECE_BYTES]));
        let pieces = [left.0.as_mut_ptr(), right.0.as_mut_ptr()];
        // SAFETY: passed on from our caller; both pieces hold that many elements.
        unsafe { self.apply_by_pieces(dst, a, b, count, PIECE_BYTES / self.element_bytes, pieces) };
    }

    /// Like [`Callback::apply`], with at most `step` elements at a time.
    ///
    /// # Safety
    /// The contract of [`super::ReduceFn`] holds; both pieces are aligned, do not overlap anything else, and
    /// hold `step` elements.
    unsafe fn apply_by_pieces(
        &self,
        dst: *mut u8,
        a: *const u8,
        b: *const u8,
        count: usize,
        step: usize,
        [left, right]: [*mut u8; 2],
    ) {
        let element = self.element_bytes;
        let mut done = 0;
        while done < count {
            let n = step.min(count - done);
            let (at, bytes) = (done * element, n * element);
            let (dst, a, b) = (dst.wrapping_add(at), a.wrapping_add(at), b.wrapping_add(at));
            let input = if self.is_plain(a) {
                a
            } else {
                // SAFETY: `bytes` of `a` are readable by the caller's promise, and a piece holds as many.
                unsafe { std::ptr::copy_nonoverlapping(a, left, bytes) };
                left
            };
            // `dst` may be `a`, so it is written only at the end.
            // SAFETY: as above, for `b` and the other piece.
            unsafe { std::ptr::copy_nonoverlapping(b, right, bytes) };
            let returns = MustReturn;
            // SAFETY: both operands are readable for `n` elements, aligned, and do not overlap; the second
            // one is a piece, which may be written. The function keeps the promise of `new`.
            unsafe { (self.function)(input.cast(), right.cast(), n, self.datatype as c_int, self.context) };
            std::mem::forget(returns);
            // SAFETY: `dst` is writable for `bytes` by the caller's promise; the piece belongs to `apply`.
            unsafe { std::ptr::copy_nonoverlapping(right, dst, bytes) };
            done += n;
        }
    }

    /// Whether the function may read a left operand in place. A left operand is never a peer's memory: plans
    /// receive the right one, into memory of this rank or straight out of a link.
    fn is_plain(&self, left: *const u8) -> bool {
        left.addr().is_multiple_of(1 << self.element_bytes.trailing_zeros().min(MOST_ALIGNED))
    }
}

/// Marks this thread as inside a callback while it lives.
struct Inside;

impl Inside {
    fn enter() -> Inside {
        RUNNING.fetch_add(1, Ordering::Relaxed);
        INSIDE.set(true);
        Inside
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.set(false);
        RUNNING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A guard that is dropped only if the function unwinds.
struct MustReturn;

impl Drop for MustReturn {
    fn drop(&mut self) {
        eprintln!("anyccl: the function of a reduction operator threw; it must return: the process ends");
        std::process::abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Not commutative: keeps the lower half of the left operand and the upper half of the right one.
    unsafe extern "C-unwind" fn halves(
        input: *const c_void,
        inout: *mut c_void,
        count: usize,
        datatype: c_int,
        context: *mut c_void,
    ) {
        assert_eq!(datatype, Datatype::Uint32 as c_int);
        assert!(is_inside_callback());
        // SAFETY: the context of the test is this counter.
        unsafe { &*context.cast::<AtomicUsize>() }.fetch_add(count, Ordering::Relaxed);
        assert!(input.addr().is_multiple_of(4) && inout.addr().is_multiple_of(4));
        // SAFETY: `count` aligned elements, as the contract of a callback says.
        let left = unsafe { std::slice::from_raw_parts(input.cast::<u32>(), count) };
        // SAFETY: as above, and apart from the others.
        let right = unsafe { std::slice::from_raw_parts_mut(inout.cast::<u32>(), count) };
        for (x, y) in left.iter().zip(right) {
            *y = (*y & 0xffff_0000) | (x & 0xffff);
        }
    }

    #[test]
    fn a_callback_sees_every_element_once_aligned_and_in_order_at_any_address() {
        let calls = AtomicUsize::new(0);
        let context = (&raw const calls).cast_mut().cast();
        // SAFETY: the function is as it should be, and the counter outlives the callback.
        let callback = unsafe { Callback::new(halves, context, Datatype::Uint32) };
        let count = 2 * PIECE_BYTES / 4 + 7;
        let element = |from: u32, i: usize| (from + i as u32).to_le_bytes();
        for shift in [0, 1] {
            for into in ["a", "b", "other"] {
                let fill = |from: u32| {
                    let elements = (0..count).flat_map(|i| element(from, i));
                    vec![0; shift].into_iter().chain(elements).collect::<Vec<u8>>()
                };
                let (mut a, mut b, mut other) = (fill(0x0001_0000), fill(0x0205_0000), fill(0));
                let (left, right) = (a[shift..].as_mut_ptr(), b[shift..].as_mut_ptr());
                let dst = match into {
                    "a" => left,
                    "b" => right,
                    _ => other[shift..].as_mut_ptr(),
                };
                // SAFETY: three vectors of `count` elements behind the shift.
                unsafe { callback.apply(dst, left, right, count) };
                let result = match into {
                    "a" => &a,
                    "b" => &b,
                    _ => &other,
                };
                let expected = (0..count).flat_map(|i| {
                    let (x, y) = (0x0001_0000 + i as u32, 0x0205_0000 + i as u32);
                    ((y & 0xffff_0000) | (x & 0xffff)).to_le_bytes()
                });
                assert!(result[shift..].iter().copied().eq(expected), "into {into}, shifted by {shift}");
            }
        }
        assert_eq!(calls.load(Ordering::Relaxed), 6 * count);
        assert!(!is_inside_callback());
    }

    /// Adds the bytes of each element, as numbers, and checks what it gets.
    unsafe extern "C-unwind" fn add_bytes(
        input: *const c_void,
        inout: *mut c_void,
        count: usize,
        datatype: c_int,
        context: *mut c_void,
    ) {
        assert_eq!(datatype, Datatype::Byte as c_int);
        // SAFETY: the context of the test is the size of an element.
        let element = unsafe { *context.cast::<usize>() };
        let aligned = 1 << element.trailing_zeros().min(6);
        assert!(input.addr().is_multiple_of(aligned) && inout.addr().is_multiple_of(aligned));
        // SAFETY: `count` elements of that size.
        let left = unsafe { std::slice::from_raw_parts(input.cast::<u8>(), count * element) };
        // SAFETY: as above, and apart from the others.
        let right = unsafe { std::slice::from_raw_parts_mut(inout.cast::<u8>(), count * element) };
        left.iter().zip(right).for_each(|(x, y)| *y = y.wrapping_add(*x));
    }

    #[test]
    fn opaque_elements_of_any_size_reach_the_function_whole_and_aligned() {
        for element in [
            1,
            3,
            12,
            48,
            PIECE_BYTES / 4,
            PIECE_BYTES,
            PIECE_BYTES + 8,
            if cfg!(miri) { 1001 } else { 100_001 },
        ] {
            let mut size = element;
            // SAFETY: the function is as it should be, and the size outlives the callback.
            let callback = unsafe { Callback::opaque(add_bytes, (&raw mut size).cast(), element) };
            let count = 2 * PIECE_BYTES / element + 3;
            let bytes = count * element;
            let fill = |factor: usize| (0..=bytes).map(|i| (i * factor) as u8).collect::<Vec<u8>>();
            for shift in [0, 1] {
                let (mut a, b) = (fill(3), fill(7));
                let start = a[shift..].as_mut_ptr();
                // SAFETY: two vectors of `count` elements behind the shift.
                unsafe { callback.apply(start, start.cast_const(), b[shift..].as_ptr(), count) };
                let expected = (shift..shift + bytes).map(|i| (i * 10) as u8);
                assert!(a[shift..shift + bytes].iter().copied().eq(expected), "{element} bytes, {shift}");
            }
        }
    }
}
