//! Elements that are the same in every run, with many that cause trouble: zeros, extremes, infinities, NaN.

use anyccl_engine::base::Datatype;

pub struct Generator(pub u64);

impl Generator {
    /// The next 64 bits (splitmix64).
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// `count` elements. An eighth of the numbers are special, and half of the floats are of ordinary size.
    pub fn elements(&mut self, datatype: Datatype, count: usize) -> Vec<u8> {
        let bytes = if datatype.is_complex() { datatype.bytes() / 2 } else { datatype.bytes() };
        let mut out = Vec::with_capacity(count * datatype.bytes());
        for _ in 0..count * datatype.bytes() / bytes {
            let bits = match self.next() % 8 {
                0 => self.special(datatype, 8 * bytes as u32),
                1..4 => ordinary(datatype, (self.next() % 2000) as f64 / 16.0 - 60.0)
                    .unwrap_or_else(|| self.next()),
                _ => self.next(),
            };
            out.extend(&bits.to_le_bytes()[..bytes]);
        }
        out
    }

    fn special(&mut self, datatype: Datatype, bits: u32) -> u64 {
        let sign = 1 << (bits - 1);
        let infinity = match datatype {
            Datatype::Float16 => 0x7c00,
            Datatype::Bfloat16 => 0x7f80,
            Datatype::Float8E4m3 => 0x7e,
            Datatype::Float8E5m2 => 0x7c,
            Datatype::Float32 | Datatype::Complex64 => 0x7f80_0000,
            Datatype::Float64 | Datatype::Complex128 => 0x7ff0_0000_0000_0000,
            _ => sign - 1,
        };
        let magnitude = [0, 1, 2, infinity - 1, infinity, infinity + 1][self.next() as usize % 6];
        if self.next().is_multiple_of(2) { magnitude } else { magnitude | sign }
    }
}

/// The bits of a number, where the datatype is a float of 16 bits or more.
fn ordinary(datatype: Datatype, value: f64) -> Option<u64> {
    match datatype {
        Datatype::Float16 => Some(half::f16::from_f64(value).to_bits().into()),
        Datatype::Bfloat16 => Some(half::bf16::from_f64(value).to_bits().into()),
        Datatype::Float32 | Datatype::Complex64 => Some((value as f32).to_bits().into()),
        Datatype::Float64 | Datatype::Complex128 => Some(value.to_bits()),
        _ => None,
    }
}
