//! Division of integers by the number of ranks, truncating towards zero.
//!
//! CPUs have no vector division of integers. Up to 32 bits it is done in float64, which is exact: the
//! quotient of two such integers is an integer or at least 1/divisor away from one. The error of float64 is
//! below 2^-21/divisor. 64-bit integers use the scalar instruction.

use std::marker::PhantomData;

use super::loops::Divide;

/// Truncating quotient of `T`.
pub(super) struct Truncated<T>(PhantomData<T>);

macro_rules! through_float64 {
    ($($integer:ty, $narrow:ty);*) => {$(
        impl Divide for Truncated<$integer> {
            type Element = $integer;
            type Divisor = f64;
            #[inline(always)]
            fn prepare(divisor: u32) -> f64 {
                f64::from(divisor)
            }
            #[inline(always)]
            fn divide(value: $integer, divisor: f64) -> $integer {
                (f64::from(value) / divisor) as $narrow as $integer
            }
        }
    )*};
}
// The result goes through 32 bits, the only width to which every vector set converts.
through_float64!(i8, i32; u8, i32; i16, i32; u16, i32; i32, i32; u32, u32);

macro_rules! directly {
    ($($integer:ty),*) => {$(
        impl Divide for Truncated<$integer> {
            type Element = $integer;
            type Divisor = $integer;
            #[inline(always)]
            fn prepare(divisor: u32) -> $integer {
                <$integer>::from(divisor)
            }
            #[inline(always)]
            fn divide(value: $integer, divisor: $integer) -> $integer {
                value / divisor
            }
        }
    )*};
}
directly!(i64, u64);
