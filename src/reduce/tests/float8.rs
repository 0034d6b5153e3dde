//! The float8 formats by their definition: a table of values, and rounding by search.

use std::cmp::Ordering;
use std::sync::LazyLock;

/// A float8 format, with the values that its magnitudes would have if there were neither infinity nor NaN.
pub struct Float8 {
    magnitudes: LazyLock<[f64; 128]>,
    /// The first magnitude beyond the finite ones.
    overflow: u8,
    /// The value of that magnitude.
    overflow_value: f32,
    nan: u8,
}

/// OCP E4M3.
pub static E4M3: Float8 = Float8 {
    magnitudes: LazyLock::new(|| std::array::from_fn(|code| magnitude(code as i32, 3, 7))),
    overflow: 0x7f,
    overflow_value: f32::NAN,
    nan: 0x7f,
};

/// OCP E5M2.
pub static E5M2: Float8 = Float8 {
    magnitudes: LazyLock::new(|| std::array::from_fn(|code| magnitude(code as i32, 2, 15))),
    overflow: 0x7c,
    overflow_value: f32::INFINITY,
    nan: 0x7e,
};

/// The definition: fraction / 2^bits, plus one unless denormal, times 2^exponent.
fn magnitude(code: i32, fraction_bits: u32, bias: i32) -> f64 {
    let scale = f64::from(1 << fraction_bits);
    let fraction = f64::from(code % (1 << fraction_bits)) / scale;
    match code >> fraction_bits {
        0 => fraction * power_of_two(1 - bias),
        exponent => (1.0 + fraction) * power_of_two(exponent - bias),
    }
}

/// 2^exponent, exactly. Rust does not promise that of `powi`, and Miri adds an error to its result.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

impl Float8 {
    /// The value of a pattern.
    pub fn decode(&self, bits: u8) -> f32 {
        let code = bits & 0x7f;
        let magnitude = match code.cmp(&self.overflow) {
            Ordering::Less => self.magnitudes[usize::from(code)] as f32,
            Ordering::Equal => self.overflow_value,
            Ordering::Greater => f32::NAN,
        };
        if bits < 0x80 { magnitude } else { -magnitude }
    }

    /// The nearest pattern, ties to even: tries all magnitudes up to the first that overflows.
    pub fn nearest(&self, value: f32) -> u8 {
        if value.is_nan() {
            return self.nan;
        }
        let target = f64::from(value.abs()).min(self.magnitudes[usize::from(self.overflow)]);
        let distance = |code: u8| (self.magnitudes[usize::from(code)] - target).abs();
        let mut best = 0;
        for code in 1..=self.overflow {
            let closer = distance(code) < distance(best);
            let even_tie = distance(code) == distance(best) && code % 2 == 0;
            if closer || even_tie {
                best = code;
            }
        }
        if best == self.overflow && self.overflow_value.is_nan() {
            return self.nan;
        }
        if value.is_sign_negative() { best | 0x80 } else { best }
    }
}
