//! The input of every rank: noise that is the same in every run, and that rounds alike in every order of
//! reduction.
//!
//! Sums of floats get small integers. Products get powers of two with one factor of 1.5. So every partial
//! result is exact in the narrowest format, and each algorithm must give the oracle's bits. The signs
//! alternate between ranks, so that nine contributions stay in the range where float8 is exact.
//!
//! Integers wrap around, so their result does not depend on the order, and any bits will do. The same is true
//! of minima and maxima, which also get infinities, NaN and zeros of both signs.

use anyccl_engine::base::{Datatype, Rank, ReduceOp};

use super::case::Case;
use super::numbers::{decode, encode, join, mask};

/// Largest number of ranks for which float8 sums stay exact.
pub const MOST_RANKS: u32 = 9;

/// Bits of input element `at` of `rank`.
pub fn value(case: &Case, size: u32, rank: Rank, at: usize) -> u128 {
    let noise = noise(rank, at);
    let bits = noise_bits(noise) & mask(case.datatype);
    let Some(op) = case.op else { return bits };
    let wraps = !case.datatype.is_float() && !case.datatype.is_complex();
    assert!(size <= MOST_RANKS || wraps, "sums of more ranks are not exact");
    match case.datatype {
        Datatype::Bool if size == 1 => bits & 1,
        // Half of the elements are false. Few of the others have exactly the bits of 1.
        Datatype::Bool => bits * (noise >> 63) as u128,
        Datatype::Complex64 => complex(Datatype::Float32, op, rank, at, noise),
        Datatype::Complex128 => complex(Datatype::Float64, op, rank, at, noise),
        d if d.is_float() => real(d, op, size, rank, at, noise),
        _ if matches!(op, ReduceOp::Land | ReduceOp::Lor | ReduceOp::Lxor) => bits * (noise >> 63) as u128,
        _ => bits,
    }
}

fn real(datatype: Datatype, op: ReduceOp, size: u32, rank: Rank, at: usize, noise: u64) -> u128 {
    match op {
        ReduceOp::Sum | ReduceOp::Avg => encode(datatype, small_integer(datatype, rank, at, noise)),
        ReduceOp::Product => {
            let sign = if noise & 1 == 0 { 1.0 } else { -1.0 };
            let factor = if at % size as usize == rank as usize { 1.5 } else { 1.0 };
            // Neighbouring exponents cancel each other, so every partial product of nine factors stays within
            // 2^-6..2^6.
            let exponent = if (rank as usize + at).is_multiple_of(2) { 1 } else { -1 };
            encode(datatype, sign * factor * 2f64.powi(exponent * (noise >> 1 & 1) as i32))
        }
        _ => {
            let bits = match noise >> 60 {
                0 => 0,
                1 => (mask(datatype) >> 1) + 1,
                _ => noise_bits(noise) & mask(datatype),
            };
            // A NaN with a payload would keep the payload on one rank and lose it on several.
            if decode(datatype, bits).is_nan() { encode(datatype, f64::NAN) } else { bits }
        }
    }
}

fn complex(part: Datatype, op: ReduceOp, rank: Rank, at: usize, noise: u64) -> u128 {
    if op == ReduceOp::Product {
        // No power of 2+i is real or imaginary, so no zero arises whose sign would depend on the order.
        let (re, im) = [(2.0, 1.0), (-1.0, 2.0), (-2.0, -1.0), (1.0, -2.0)][(noise & 3) as usize];
        return join(part, re, im);
    }
    join(part, small_integer(part, rank, at, noise), small_integer(part, rank + 1, at, noise >> 8))
}

/// A small integer. Any five of them with the same sign add up exactly.
fn small_integer(datatype: Datatype, rank: Rank, at: usize, noise: u64) -> f64 {
    let limit: u64 = match datatype {
        Datatype::Float8E5m2 => 1,
        Datatype::Float8E4m3 => 2,
        Datatype::Bfloat16 => 1 << 5,
        Datatype::Float16 => 1 << 8,
        Datatype::Float32 => 1 << 21,
        _ => 1 << 50,
    };
    let magnitude = ((noise >> 2) % (limit + 1)) as f64;
    // A product with -1 would turn a zero into -0.
    if (rank as usize + at).is_multiple_of(2) { magnitude } else { 0.0 - magnitude }
}

fn noise_bits(noise: u64) -> u128 {
    u128::from(noise) << 64 | u128::from(noise.wrapping_mul(0xd6e8_feb8_6659_fd93))
}

/// 64 bits that depend on rank and index only (the finalizer of SplitMix64).
pub fn noise(rank: Rank, at: usize) -> u64 {
    let mut z = (u64::from(rank) << 40 ^ at as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
