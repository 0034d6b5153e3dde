//! A seeded sample of the calls that a test could make: `ANYCCL_TEST_SEED` chooses another one (44), and
//! `ANYCCL_TEST_LONG=1` takes the full product.
//!
//! A cell is what must be tested in any case, such as a collective with a datatype and an operator.
//! Everything else about a call is a factor with some levels: its count, its root, the number of ranks. In
//! turn k, factor f of cell c has level (k + hash(seed, f, c)) modulo the number of its levels. So a cell
//! meets every level of a factor in as many turns, and over many cells, any two levels of different factors
//! meet.
//! `capi-tests/common/sample.c` does the same in C.

use std::fmt;

/// So many turns that the cell meets every level.
pub const ALL_LEVELS: usize = usize::MAX;

/// Whether the full products are asked for.
pub fn is_long() -> bool {
    std::env::var("ANYCCL_TEST_LONG").is_ok_and(|value| !["", "0"].contains(&value.as_str()))
}

/// The seed of every sample.
pub fn seed() -> u64 {
    let given = std::env::var("ANYCCL_TEST_SEED").ok().filter(|text| !text.is_empty());
    given.map_or(44, |text| text.parse().expect("ANYCCL_TEST_SEED is a number"))
}

/// Which calls a test makes, for its output: the harness shows it when the test fails.
pub struct Coverage;

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match is_long() {
            true => f.write_str("the full product, as ANYCCL_TEST_LONG is set"),
            false => write!(f, "a sample with ANYCCL_TEST_SEED={}", seed()),
        }
    }
}

/// The points at which a cell is tested: the level of each factor, in at most `turns` turns.
pub fn points<const N: usize>(cell: usize, turns: usize, levels: [usize; N]) -> Vec<[usize; N]> {
    if is_long() { product(levels) } else { sample(seed(), cell, turns, levels) }
}

/// The sample of a seed.
pub fn sample<const N: usize>(seed: u64, cell: usize, turns: usize, levels: [usize; N]) -> Vec<[usize; N]> {
    let offsets: [u64; N] = std::array::from_fn(|factor| hash(seed, factor, cell));
    let most = levels.into_iter().max().unwrap_or(1);
    let level = |turn, factor| ((turn as u64 + offsets[factor]) % levels[factor] as u64) as usize;
    (0..turns.min(most)).map(|turn| std::array::from_fn(|factor| level(turn, factor))).collect()
}

/// Every combination of levels.
pub fn product<const N: usize>(levels: [usize; N]) -> Vec<[usize; N]> {
    let point = |mut rest: usize| {
        levels.map(|levels| {
            let level = rest % levels;
            rest /= levels;
            level
        })
    };
    (0..levels.into_iter().product()).map(point).collect()
}

/// FNV-1a of "seed/factor/cell", and one more multiplication: the lowest bit of FNV-1a is the parity of the
/// text, so two factors of two levels would go together.
pub fn hash(seed: u64, factor: usize, cell: usize) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    let fnv = format!("{seed}/{factor}/{cell}").bytes().fold(0xcbf2_9ce4_8422_2325, step);
    fnv.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32
}
