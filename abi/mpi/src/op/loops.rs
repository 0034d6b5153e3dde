//! The loop around the operators of this crate.

use std::ptr;

/// A way to combine two elements.
pub(super) trait Combine {
    /// An element in memory.
    type Element: Copy;

    /// The combined element; `a` is the left operand.
    fn combine(a: Self::Element, b: Self::Element) -> Self::Element;
}

/// `dst[i] = a[i] op b[i]` for `count` elements at any address.
///
/// # Safety
/// The contract of [`anyccl_engine::reduce::ReduceFn`]: `dst` is one of the operands or apart from both.
pub(super) unsafe fn run<C: Combine>(dst: *mut u8, a: *const u8, b: *const u8, count: usize) {
    let (dst, a, b) = (dst.cast::<C::Element>(), a.cast::<C::Element>(), b.cast::<C::Element>());
    for at in 0..count {
        // SAFETY: `at` is below the count, for which the caller vouches. Every element consists of plain
        // numbers.
        let left = unsafe { ptr::read_unaligned(a.wrapping_add(at)) };
        // SAFETY: as above.
        let right = unsafe { ptr::read_unaligned(b.wrapping_add(at)) };
        // SAFETY: as above; both operands of this position have been read.
        unsafe { ptr::write_unaligned(dst.wrapping_add(at), C::combine(left, right)) };
    }
}

/// Defines operators, each with its element and the combination of two of them. With `<T: Bound>` after its
/// name, an operator takes each such number.
macro_rules! operators {
    ($($name:ident $(<$number:ident: $bound:path>)?: $element:ty, |$a:ident, $b:ident| $result:expr;)*) => {$(
        struct $name $(<$number>(std::marker::PhantomData<$number>))?;

        impl $(<$number: $bound>)? $crate::op::loops::Combine for $name $(<$number>)? {
            type Element = $element;

            #[inline(always)]
            fn combine($a: $element, $b: $element) -> $element {
                $result
            }
        }
    )*};
}
pub(super) use operators;
