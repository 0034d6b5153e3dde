//! Small whole numbers in every datatype, written and read without the library under test.

use anyccl_engine::base::Datatype;

/// The layout of a datatype's numbers; for a complex datatype, that of each part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A binary integer. Its sign does not matter for numbers from 0 to 127.
    Whole {
        /// Width.
        bytes: usize,
    },
    /// Sign, exponent, mantissa, as in IEEE 754.
    Float {
        /// Width of the exponent in bits.
        exponent: u32,
        /// Width of the mantissa in bits.
        mantissa: u32,
    },
}

impl Format {
    /// Width of one number.
    pub fn bytes(self) -> usize {
        match self {
            Format::Whole { bytes } => bytes,
            Format::Float { exponent, mantissa } => (1 + exponent + mantissa) as usize / 8,
        }
    }

    /// Twice the largest distance from `exact` after one rounding: a neighbouring number is accepted.
    pub fn rounding_error(self, exact: f64) -> f64 {
        match self {
            Format::Whole { .. } => 0.0,
            Format::Float { exponent, mantissa } => {
                let smallest = (1.0 - bias(exponent) as f64 - f64::from(mantissa)).exp2();
                (exact.abs() * (-f64::from(mantissa)).exp2()).max(smallest)
            }
        }
    }
}

/// The layout of a datatype.
pub fn format_of(datatype: Datatype) -> Format {
    use Datatype::*;
    let float = |exponent, mantissa| Format::Float { exponent, mantissa };
    match datatype {
        Float16 => float(5, 10),
        Bfloat16 => float(8, 7),
        Float8E4m3 => float(4, 3),
        Float8E5m2 => float(5, 2),
        Float32 | Complex64 => float(8, 23),
        Float64 | Complex128 => float(11, 52),
        Int8 | Uint8 | Int16 | Uint16 | Int32 | Uint32 | Int64 | Uint64 | Bool | Byte => {
            Format::Whole { bytes: datatype.bytes() }
        }
    }
}

/// The number up to which every whole number is exact.
pub fn largest_exact(format: Format) -> i64 {
    match format {
        Format::Whole { bytes } => i64::MAX >> (64 - 8 * bytes),
        Format::Float { mantissa, .. } => 1 << (mantissa + 1),
    }
}

/// Appends a number that is exact in this format and not negative.
pub fn encode(format: Format, number: i64, into: &mut Vec<u8>) {
    let bits = match format {
        Format::Float { exponent, mantissa } if number > 0 => {
            let power = number.ilog2();
            let fraction = (number as u64) << mantissa >> power & ((1 << mantissa) - 1);
            (u64::from(power) + bias(exponent)) << mantissa | fraction
        }
        _ => number as u64,
    };
    match format.bytes() {
        1 => into.push(bits as u8),
        2 => into.extend((bits as u16).to_ne_bytes()),
        4 => into.extend((bits as u32).to_ne_bytes()),
        _ => into.extend(bits.to_ne_bytes()),
    }
}

/// Reads a number. Infinities of small formats are read as large numbers, which are equally wrong.
pub fn decode(format: Format, bytes: &[u8]) -> f64 {
    let bits = match *bytes {
        [byte] => u64::from(byte),
        [a, b] => u64::from(u16::from_ne_bytes([a, b])),
        [a, b, c, d] => u64::from(u32::from_ne_bytes([a, b, c, d])),
        _ => u64::from_ne_bytes(bytes.try_into().expect("numbers have 1, 2, 4 or 8 bytes")),
    };
    let Format::Float { exponent, mantissa } = format else {
        return bits as f64;
    };
    let sign = if bits >> (exponent + mantissa) & 1 == 1 { -1.0 } else { 1.0 };
    let power = bits >> mantissa & ((1 << exponent) - 1);
    let fraction = (bits & ((1 << mantissa) - 1)) as f64 * (-f64::from(mantissa)).exp2();
    let scale = |power: u64| (power as f64 - bias(exponent) as f64).exp2();
    sign * if power == 0 { fraction * scale(1) } else { (1.0 + fraction) * scale(power) }
}

fn bias(exponent: u32) -> u64 {
    (1 << (exponent - 1)) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_bytes_of_the_machines_numbers() {
        for number in 0..128_i64 {
            let bytes_of = |datatype| {
                let mut bytes = Vec::new();
                encode(format_of(datatype), number, &mut bytes);
                bytes
            };
            assert_eq!(bytes_of(Datatype::Float32), (number as f32).to_ne_bytes());
            assert_eq!(bytes_of(Datatype::Float64), (number as f64).to_ne_bytes());
            assert_eq!(bytes_of(Datatype::Int16), (number as i16).to_ne_bytes());
            assert_eq!(bytes_of(Datatype::Uint8), (number as u8).to_ne_bytes());
        }
    }

    #[test]
    fn exact_numbers_survive_in_every_datatype() {
        for datatype in Datatype::ALL {
            let format = format_of(datatype);
            for number in 0..=largest_exact(format).min(1000) {
                let mut bytes = Vec::new();
                encode(format, number, &mut bytes);
                assert_eq!(decode(format, &bytes), number as f64, "{}", datatype.name());
            }
        }
    }

    #[test]
    fn fractions_and_the_smallest_numbers_are_read() {
        for number in [0.1_f32, -3.75, 1e-40, f32::MIN_POSITIVE] {
            assert_eq!(decode(format_of(Datatype::Float32), &number.to_ne_bytes()), f64::from(number));
        }
        assert_eq!(decode(format_of(Datatype::Float8E4m3), &[1]), 2f64.powi(-9));
    }
}
