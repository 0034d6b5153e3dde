//! Operators on real and complex floats of every width.
//!
//! A format says how its bits become a number to compute with, and back. The operators are written once, for
//! all formats. Formats return only the canonical NaN, so a result does not depend on the operand whose
//! payload the hardware would have passed on.

use std::marker::PhantomData;
use std::ops::{Add, BitAnd, Div, Mul, Sub};

use super::loops::{AnyBits, Combine, Divide};

/// A floating-point format in memory.
pub(super) trait Float {
    /// The signed integer of the same width, so that the sign bit is its sign.
    type Bits: AnyBits + Ord + Default + BitAnd<Output = Self::Bits>;
    /// The type in which the format is computed.
    type Wide: Copy
        + Add<Output = Self::Wide>
        + Sub<Output = Self::Wide>
        + Mul<Output = Self::Wide>
        + Div<Output = Self::Wide>;
    /// Every bit but the sign.
    const MAGNITUDE: Self::Bits;
    /// The magnitude of infinity, or of the largest number in a format without one. Larger magnitudes are
    /// NaNs.
    const LARGEST: Self::Bits;
    /// The only NaN that kernels write: quiet, positive.
    const NAN: Self::Bits;
    /// The number that these bits mean; exact.
    fn decode(bits: Self::Bits) -> Self::Wide;
    /// The nearest number of the format, ties to even; [`Float::NAN`] for every NaN.
    fn encode(value: Self::Wide) -> Self::Bits;
    /// The nearest number of the computing type.
    fn wide_from(integer: u32) -> Self::Wide;
}

/// The format float32.
pub(super) struct Float32;

impl Float for Float32 {
    type Bits = i32;
    type Wide = f32;
    const MAGNITUDE: i32 = i32::MAX;
    const LARGEST: i32 = 0x7f80_0000;
    const NAN: i32 = 0x7fc0_0000;
    #[inline(always)]
    fn decode(bits: i32) -> f32 {
        f32::from_bits(bits as u32)
    }
    #[inline(always)]
    fn encode(value: f32) -> i32 {
        if value.is_nan() { Self::NAN } else { value.to_bits() as i32 }
    }
    #[inline(always)]
    fn wide_from(integer: u32) -> f32 {
        integer as f32
    }
}

/// The format float64.
pub(super) struct Float64;

impl Float for Float64 {
    type Bits = i64;
    type Wide = f64;
    const MAGNITUDE: i64 = i64::MAX;
    const LARGEST: i64 = 0x7ff0_0000_0000_0000;
    const NAN: i64 = 0x7ff8_0000_0000_0000;
    #[inline(always)]
    fn decode(bits: i64) -> f64 {
        f64::from_bits(bits as u64)
    }
    #[inline(always)]
    fn encode(value: f64) -> i64 {
        if value.is_nan() { Self::NAN } else { value.to_bits() as i64 }
    }
    #[inline(always)]
    fn wide_from(integer: u32) -> f64 {
        f64::from(integer)
    }
}

/// Sum or product, in the computing type.
pub(super) trait Arithmetic {
    /// `a op b`.
    fn apply<W: Add<Output = W> + Mul<Output = W>>(a: W, b: W) -> W;
}

/// Addition.
pub(super) struct Plus;

impl Arithmetic for Plus {
    #[inline(always)]
    fn apply<W: Add<Output = W> + Mul<Output = W>>(a: W, b: W) -> W {
        a + b
    }
}

/// Multiplication.
pub(super) struct Times;

impl Arithmetic for Times {
    #[inline(always)]
    fn apply<W: Add<Output = W> + Mul<Output = W>>(a: W, b: W) -> W {
        a * b
    }
}

/// Applies `O` to the numbers of `F`, and rounds to the format.
pub(super) struct Rounded<F, O>(PhantomData<(F, O)>);

impl<F: Float, O: Arithmetic> Combine for Rounded<F, O> {
    type Element = F::Bits;
    #[inline(always)]
    fn combine(a: F::Bits, b: F::Bits) -> F::Bits {
        F::encode(O::apply(F::decode(a), F::decode(b)))
    }
}

/// Product of complex numbers, real part first.
pub(super) struct ComplexProduct<F>(PhantomData<F>);

impl<F: Float> Combine for ComplexProduct<F> {
    type Element = [F::Bits; 2];
    #[inline(always)]
    fn combine(a: [F::Bits; 2], b: [F::Bits; 2]) -> [F::Bits; 2] {
        let [a_re, a_im] = a.map(F::decode);
        let [b_re, b_im] = b.map(F::decode);
        [F::encode(a_re * b_re - a_im * b_im), F::encode(a_re * b_im + a_im * b_re)]
    }
}

/// The smaller number; -0 is smaller than +0. NaN if either operand is NaN.
pub(super) struct Min<F>(PhantomData<F>);

impl<F: Float> Combine for Min<F> {
    type Element = F::Bits;
    #[inline(always)]
    fn combine(a: F::Bits, b: F::Bits) -> F::Bits {
        let (low, high) = (a.min(b), a.max(b));
        or_nan::<F>(a, b, if both_negative::<F>(a, b) { high } else { low })
    }
}

/// The larger number; +0 is larger than -0. NaN if either operand is NaN.
pub(super) struct Max<F>(PhantomData<F>);

impl<F: Float> Combine for Max<F> {
    type Element = F::Bits;
    #[inline(always)]
    fn combine(a: F::Bits, b: F::Bits) -> F::Bits {
        let (low, high) = (a.min(b), a.max(b));
        or_nan::<F>(a, b, if both_negative::<F>(a, b) { low } else { high })
    }
}

/// Whether both numbers are negative. Signed integers order float bits correctly, except for two negative
/// ones, which they order by magnitude. Comparing integers needs no conversion of small formats. It also
/// gives the same answer in a process whose CPU takes denormals for zero.
#[inline(always)]
fn both_negative<F: Float>(a: F::Bits, b: F::Bits) -> bool {
    (a & b) < F::Bits::default()
}

#[inline(always)]
fn or_nan<F: Float>(a: F::Bits, b: F::Bits, result: F::Bits) -> F::Bits {
    let larger_magnitude = (a & F::MAGNITUDE).max(b & F::MAGNITUDE);
    if larger_magnitude > F::LARGEST { F::NAN } else { result }
}

/// Quotient by a true division, not by a product with the reciprocal.
pub(super) struct Quotient<F>(PhantomData<F>);

impl<F: Float> Divide for Quotient<F> {
    type Element = F::Bits;
    type Divisor = F::Wide;
    #[inline(always)]
    fn prepare(divisor: u32) -> F::Wide {
        F::wide_from(divisor)
    }
    #[inline(always)]
    fn divide(value: F::Bits, divisor: F::Wide) -> F::Bits {
        F::encode(F::decode(value) / divisor)
    }
}
