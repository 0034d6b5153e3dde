//! Elements for the tests: arbitrary bits, and the values that cause trouble.

use crate::base::Datatype;

/// Bit patterns that matter for `datatype`, in the low bits: zeros, ones, extremes, denormals,
/// infinities, NaNs with payloads, of either sign.
pub fn special_bits(datatype: Datatype) -> Vec<u64> {
    let bits = 8 * scalar_bytes(datatype) as u32;
    let sign = 1u64 << (bits - 1);
    let magnitudes = match datatype {
        Datatype::Float16 => vec![0, 1, 0x3ff, 0x400, 0x3c00, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7fff],
        Datatype::Bfloat16 => vec![0, 1, 0x7f, 0x80, 0x3f80, 0x7f7f, 0x7f80, 0x7f81, 0x7fc0, 0x7fff],
        Datatype::Float8E4m3 => vec![0, 1, 7, 8, 0x38, 0x7e, 0x7f],
        Datatype::Float8E5m2 => vec![0, 1, 3, 4, 0x3c, 0x7b, 0x7c, 0x7d, 0x7e, 0x7f],
        Datatype::Float32 | Datatype::Complex64 => vec![
            0,
            1,
            0x007f_ffff,
            0x0080_0000,
            0x3f80_0000,
            0x7f7f_ffff,
            0x7f80_0000,
            0x7f80_0001,
            0x7fc0_0000,
            0x7fff_ffff,
        ],
        Datatype::Float64 | Datatype::Complex128 => vec![
            0,
            1,
            0x000f_ffff_ffff_ffff,
            0x0010_0000_0000_0000,
            0x3ff0_0000_0000_0000,
            0x7fef_ffff_ffff_ffff,
            0x7ff0_0000_0000_0000,
            0x7ff0_0000_0000_0001,
            0x7ff8_0000_0000_0000,
            0x7fff_ffff_ffff_ffff,
        ],
        _ => vec![0, 1, 2, sign - 1, sign - 2],
    };
    magnitudes.iter().flat_map(|&m| [m, m | sign]).collect()
}

/// Bytes of one number: of an element, or of one part of a complex element.
pub fn scalar_bytes(datatype: Datatype) -> usize {
    if datatype.is_complex() { datatype.bytes() / 2 } else { datatype.bytes() }
}

/// The low bytes of `bits` as a number of `bytes` bytes in memory.
pub fn scalar(bits: u64, bytes: usize) -> Vec<u8> {
    match bytes {
        1 => (bits as u8).to_ne_bytes().to_vec(),
        2 => (bits as u16).to_ne_bytes().to_vec(),
        4 => (bits as u32).to_ne_bytes().to_vec(),
        _ => bits.to_ne_bytes().to_vec(),
    }
}

/// A sequence of numbers that is the same in every run.
pub struct Generator(pub u64);

impl Generator {
    /// The next 64 bits (splitmix64).
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Makes `count` elements; a third of their numbers are special.
    pub fn elements(&mut self, datatype: Datatype, count: usize) -> Vec<u8> {
        let special = special_bits(datatype);
        let bytes = scalar_bytes(datatype);
        let numbers = count * datatype.bytes() / bytes;
        let mut out = Vec::with_capacity(count * datatype.bytes());
        for _ in 0..numbers {
            let bits = if self.next().is_multiple_of(3) {
                special[self.next() as usize % special.len()]
            } else {
                self.next()
            };
            out.extend(scalar(bits, bytes));
        }
        out
    }
}
