//! Converts `long double` to IEEE quadruple precision and back.
//!
//! On x86-64 a `long double` has the x87 format: a mantissa of 64 bits with an explicit first bit, and the
//! exponent of quadruple precision. Widening is exact; narrowing rounds to nearest, ties to even. On other
//! processors a `long double` of 16 bytes is quadruple precision already.

/// Number of fraction bits of quadruple precision that the x87 format lacks.
const EXTRA: u32 = 49;
/// The explicit first bit of an x87 mantissa.
const FIRST: u64 = 1 << 63;
/// Exponent of infinities and NaNs.
const SPECIAL: u16 = 0x7fff;

/// The bits of quadruple precision of a `long double` in memory.
pub(super) fn from_long_double(bytes: [u8; 16]) -> u128 {
    if cfg!(target_arch = "x86_64") { widened(bytes) } else { u128::from_ne_bytes(bytes) }
}

/// A `long double` in memory from the bits of quadruple precision.
pub(super) fn to_long_double(bits: u128) -> [u8; 16] {
    if cfg!(target_arch = "x86_64") { narrowed(bits) } else { bits.to_ne_bytes() }
}

fn widened(bytes: [u8; 16]) -> u128 {
    let bits = u128::from_le_bytes(bytes);
    let (mantissa, high) = (bits as u64, (bits >> 64) as u16);
    let mut exponent = high & SPECIAL;
    if exponent == 0 && mantissa & FIRST != 0 {
        // A denormal with the first bit set has the value of the smallest normal exponent.
        exponent = 1;
    }
    let sign = u128::from(high >> 15) << 127;
    sign | u128::from(exponent) << 112 | u128::from(mantissa & !FIRST) << EXTRA
}

fn narrowed(bits: u128) -> [u8; 16] {
    let sign = (bits >> 127) as u16;
    let mut exponent = (bits >> 112) as u16 & SPECIAL;
    let fraction = bits & ((1 << 112) - 1);
    let (mut mantissa, rest) = ((fraction >> EXTRA) as u64, fraction & ((1 << EXTRA) - 1));
    let half = 1 << (EXTRA - 1);
    if exponent == SPECIAL {
        // A NaN must stay one although its lowest bits are dropped.
        if fraction != 0 {
            mantissa |= FIRST >> 1;
        }
    } else if rest > half || rest == half && mantissa & 1 == 1 {
        mantissa += 1;
        if mantissa == FIRST {
            mantissa = 0;
            exponent += 1;
        }
    }
    if exponent != 0 {
        mantissa |= FIRST;
    }
    let high = sign << 15 | exponent;
    (u128::from(high) << 64 | u128::from(mantissa)).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The x87 bytes of a number with this sign, exponent and mantissa.
    fn x87(high: u16, mantissa: u64) -> [u8; 16] {
        (u128::from(high) << 64 | u128::from(mantissa)).to_le_bytes()
    }

    #[test]
    fn one_and_a_quarter_has_the_bits_of_quadruple_precision() {
        let quad = widened(x87(0xbfff, 0xa000_0000_0000_0000));
        assert_eq!(quad, 0xbfff_4000_0000_0000_0000_0000_0000_0000);
    }

    #[test]
    fn every_kind_of_number_comes_back() {
        for (high, mantissa) in [
            (0, 0),
            (0x8000, 0),
            (0, 1),
            (0, FIRST - 1),
            (1, FIRST),
            (0x3fff, FIRST | 0x1234_5678_9abc_def1),
            (0x7ffe, u64::MAX),
            (0x7fff, FIRST),
            (0xffff, FIRST | FIRST >> 1),
        ] {
            let bytes = x87(high, mantissa);
            assert_eq!(narrowed(widened(bytes)), bytes, "{high:#x} {mantissa:#x}");
        }
    }

    #[test]
    fn narrowing_rounds_to_even_and_carries_into_the_exponent() {
        let one = 0x3fff_u128 << 112;
        let half = 1_u128 << (EXTRA - 1);
        assert_eq!(narrowed(one | half), x87(0x3fff, FIRST));
        assert_eq!(narrowed(one | half | 1), x87(0x3fff, FIRST | 1));
        assert_eq!(narrowed(one | (3 * half)), x87(0x3fff, FIRST | 2));
        assert_eq!(narrowed(one | ((1 << 112) - 1)), x87(0x4000, FIRST));
        assert_eq!(narrowed((0x7ffe_u128 << 112) | ((1 << 112) - 1)), x87(0x7fff, FIRST), "infinity");
        assert_eq!(narrowed((0x7fff_u128 << 112) | 1), x87(0x7fff, FIRST | FIRST >> 1), "a NaN stays a NaN");
    }
}
