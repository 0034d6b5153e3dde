//! Operators on integers, bytes and bools.

use std::marker::PhantomData;
use std::num::Wrapping;
use std::ops::{Add, BitAnd, BitOr, BitXor, Mul};

use super::loops::{AnyBits, Combine};

/// The machine integers. Sums, products and bit operations are the same for signed and unsigned ones, so
/// `table` uses the unsigned types for both.
pub(super) trait Integer: AnyBits + Ord + Default + From<bool>
where
    Self: BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self>,
{
    /// Whether a logical operator takes this value for true.
    #[inline(always)]
    fn is_true(self) -> bool {
        self != Self::default()
    }
}

impl<T> Integer for T where
    T: AnyBits + Ord + Default + From<bool> + BitAnd<Output = T> + BitOr<Output = T> + BitXor<Output = T>
{
}

/// Declares an operator on one integer type: its name, its bound, and its result for two elements.
macro_rules! operator {
    ($(#[$doc:meta])* $name:ident, |$a:ident, $b:ident| $result:expr $(, where $($bound:tt)*)?) => {
        $(#[$doc])*
        pub(super) struct $name<T>(PhantomData<T>);

        impl<T: Integer> Combine for $name<T> $(where $($bound)*)? {
            type Element = T;
            #[inline(always)]
            fn combine($a: T, $b: T) -> T {
                $result
            }
        }
    };
}

operator!(
    /// Sum modulo the range of the type.
    Sum, |a, b| (Wrapping(a) + Wrapping(b)).0, where Wrapping<T>: Add<Output = Wrapping<T>>
);
operator!(
    /// Product modulo the range of the type.
    Product, |a, b| (Wrapping(a) * Wrapping(b)).0, where Wrapping<T>: Mul<Output = Wrapping<T>>
);
operator!(
    /// The smaller value.
    Min, |a, b| a.min(b)
);
operator!(
    /// The larger value.
    Max, |a, b| a.max(b)
);
operator!(
    /// Bitwise and.
    Band, |a, b| a & b
);
operator!(
    /// Bitwise or.
    Bor, |a, b| a | b
);
operator!(
    /// Bitwise exclusive or.
    Bxor, |a, b| a ^ b
);
operator!(
    /// 1 if both are non-zero, else 0.
    Land, |a, b| T::from(a.is_true() & b.is_true())
);
operator!(
    /// 1 if at least one is non-zero, else 0.
    Lor, |a, b| T::from((a | b).is_true())
);
operator!(
    /// 1 if exactly one is non-zero, else 0.
    Lxor, |a, b| T::from(a.is_true() ^ b.is_true())
);
