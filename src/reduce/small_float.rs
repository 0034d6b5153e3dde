//! float16 and both float8, by integer operations that vectorise on any CPU.
//!
//! The formats share one pair of conversions, and differ only in the constants of [`SmallFormat`]. Neither
//! direction produces or reads a float32 denormal, so the conversions do not depend on the flush-to-zero
//! modes of the CPU.

use super::float::Float;

/// A format narrower than float32 in exponent and fraction.
pub(super) trait SmallFormat {
    /// The signed integer of the same width.
    type Bits: super::loops::AnyBits + Ord + Default + std::ops::BitAnd<Output = Self::Bits>;
    /// Every bit but the sign.
    const MAGNITUDE: Self::Bits;
    /// See [`Float::LARGEST`].
    const LARGEST: Self::Bits;
    /// See [`Float::NAN`].
    const NAN: Self::Bits;
    /// Number of fraction bits.
    const FRACTION: u32;
    /// Bias that is added to the exponent before it is stored.
    const BIAS: u32;
    /// The magnitude after the largest finite number: infinity, or NaN in a format without infinity.
    const OVERFLOW: u32;
    /// Distance in bits from the sign bit of the format to that of float32.
    const SIGN_SHIFT: u32;
    /// The bits as an unsigned number.
    fn widen(bits: Self::Bits) -> u32;
    /// The lowest bits of `bits`.
    fn narrow(bits: u32) -> Self::Bits;
}

/// float16: IEEE 754 binary16.
pub(super) struct Float16;

impl SmallFormat for Float16 {
    type Bits = i16;
    const MAGNITUDE: i16 = i16::MAX;
    const LARGEST: i16 = 0x7c00;
    const NAN: i16 = 0x7e00;
    const FRACTION: u32 = 10;
    const BIAS: u32 = 15;
    const OVERFLOW: u32 = 0x7c00;
    const SIGN_SHIFT: u32 = 16;
    #[inline(always)]
    fn widen(bits: i16) -> u32 {
        u32::from(bits as u16)
    }
    #[inline(always)]
    fn narrow(bits: u32) -> i16 {
        bits as i16
    }
}

/// float8_e4m3: the OCP format, with one NaN of each sign and no infinity. Its largest number is 448.
pub(super) struct Float8E4m3;

impl SmallFormat for Float8E4m3 {
    type Bits = i8;
    const MAGNITUDE: i8 = i8::MAX;
    const LARGEST: i8 = 0x7e;
    const NAN: i8 = 0x7f;
    const FRACTION: u32 = 3;
    const BIAS: u32 = 7;
    const OVERFLOW: u32 = 0x7f;
    const SIGN_SHIFT: u32 = 24;
    #[inline(always)]
    fn widen(bits: i8) -> u32 {
        u32::from(bits as u8)
    }
    #[inline(always)]
    fn narrow(bits: u32) -> i8 {
        bits as i8
    }
}

/// float8_e5m2: the OCP format, a float16 with two fraction bits.
pub(super) struct Float8E5m2;

impl SmallFormat for Float8E5m2 {
    type Bits = i8;
    const MAGNITUDE: i8 = i8::MAX;
    const LARGEST: i8 = 0x7c;
    const NAN: i8 = 0x7e;
    const FRACTION: u32 = 2;
    const BIAS: u32 = 15;
    const OVERFLOW: u32 = 0x7c;
    const SIGN_SHIFT: u32 = 24;
    #[inline(always)]
    fn widen(bits: i8) -> u32 {
        u32::from(bits as u8)
    }
    #[inline(always)]
    fn narrow(bits: u32) -> i8 {
        bits as i8
    }
}

const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7f80_0000;

impl<S: SmallFormat> Float for S {
    type Bits = S::Bits;
    type Wide = f32;
    const MAGNITUDE: S::Bits = S::MAGNITUDE;
    const LARGEST: S::Bits = S::LARGEST;
    const NAN: S::Bits = S::NAN;

    #[inline(always)]
    fn decode(bits: S::Bits) -> f32 {
        let shift = 23 - S::FRACTION;
        let sign = (S::widen(bits) << S::SIGN_SHIFT) & SIGN;
        let magnitude = S::widen(bits & S::MAGNITUDE);
        let rebias = (127 - S::BIAS) << 23;
        let normal = (magnitude << shift) + rebias;
        // The fraction with the exponent of the smallest normal number has an implicit one too many.
        // Subtracting that one leaves the value of the denormal.
        let one_too_many = rebias + (1 << 23);
        let denormal = f32::from_bits((magnitude << shift) + one_too_many) - f32::from_bits(one_too_many);
        let finite = if magnitude < 1 << S::FRACTION { denormal.to_bits() } else { normal };
        let number = if magnitude >= S::OVERFLOW { INFINITY } else { finite };
        let value = if magnitude > S::widen(S::LARGEST) { 0x7fc0_0000 } else { number };
        f32::from_bits(value | sign)
    }

    #[inline(always)]
    fn encode(value: f32) -> S::Bits {
        let shift = 23 - S::FRACTION;
        let sign = (value.to_bits() & SIGN) >> S::SIGN_SHIFT;
        let magnitude = value.to_bits() & !SIGN;
        let rebias = 127 - S::BIAS;
        // A carry out of the fraction moves into the exponent, which is correct.
        let half_less_one = (1 << (shift - 1)) - 1;
        let odd = (magnitude >> shift) & 1;
        let normal = ((magnitude + half_less_one + odd) >> shift).wrapping_sub(rebias << S::FRACTION);
        // The last bit of `unit` is worth one denormal step, so adding it rounds.
        let unit = (127 + 24 - S::BIAS - S::FRACTION) << 23;
        let denormal = (f32::from_bits(magnitude) + f32::from_bits(unit)).to_bits().wrapping_sub(unit);
        let rounded = if magnitude < (rebias + 1) << 23 { denormal } else { normal };
        let code = rounded.min(S::OVERFLOW);
        let nan = (magnitude > INFINITY) | (code > S::widen(S::LARGEST));
        if nan { S::NAN } else { S::narrow(code | sign) }
    }

    #[inline(always)]
    fn wide_from(integer: u32) -> f32 {
        integer as f32
    }
}
