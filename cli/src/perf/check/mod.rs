//! Checks results against the definition of the collective.
//!
//! What every rank sends repeats after [`PERIOD`] elements. This is a prime, so a block in the wrong place
//! shows. What every rank must receive repeats as well. So one period is computed by the definition, and the
//! whole output is compared with it. The numbers are chosen so that the result is exact in every datatype,
//! whatever the order of reduction. Only averages of floats are rounded, and sums that travel between hosts
//! in a narrow form: of these, an eighth of the largest is allowed.

mod contributions;
mod numbers;

use anyccl_engine::base::{Collective, Datatype, Rank, ReduceOp};

use contributions::{contribution, reduced};
use numbers::{decode, encode, format_of};

/// Number of elements after which the data repeat.
const PERIOD: usize = 1009;
/// Byte that fills output buffers before the call, so that an unwritten byte shows.
const UNWRITTEN: u8 = 0xa5;

/// A call whose result is known.
#[derive(Clone, Copy)]
pub struct Case {
    /// The collective.
    pub collective: Collective,
    /// Element type.
    pub datatype: Datatype,
    /// Operator, if the collective reduces.
    pub op: ReduceOp,
    /// Root, if the collective has one.
    pub root: Rank,
    /// Elements, as in the call.
    pub count: usize,
    /// This rank.
    pub rank: Rank,
    /// Number of ranks.
    pub size: u32,
    /// Whether numbers travel in a narrow form.
    pub is_narrow: bool,
}

impl Case {
    /// Fills an output before the call.
    pub fn clear(output: &mut [u8]) {
        output.fill(UNWRITTEN);
    }

    /// Fills an input with this rank's contribution.
    pub fn fill(&self, input: &mut [u8]) {
        let block = self.block_bytes();
        if self.collective.reduces() {
            let (op, datatype) = (self.operator(), self.datatype);
            let period = self.numbers(0, |index| contribution(op, datatype, self.rank, index, self.size));
            return repeat(&period, input);
        }
        for (to, block) in input.chunks_mut(block.max(1)).enumerate() {
            let to = if self.has_blocks_for_each() { to as Rank } else { 0 };
            repeat(&data(self.rank, to, self.datatype), block);
        }
    }

    /// Index of the first element of the output that is wrong.
    pub fn first_wrong_element(&self, output: &[u8]) -> Option<usize> {
        let block = self.block_bytes();
        let element = self.datatype.bytes();
        if self.collective.reduces() {
            return self.first_wrong_number(output);
        }
        let mut blocks = output.chunks(block.max(1)).enumerate();
        blocks.find_map(|(at, block_bytes)| {
            use Collective::*;
            let (from, to) = match self.collective {
                Broadcast => (self.root, 0),
                Scatter => (self.root, self.rank),
                AllToAll => (at as Rank, self.rank),
                _ => (at as Rank, 0),
            };
            let wrong = first_difference(&data(from, to, self.datatype), block_bytes, element)?;
            Some(at * block / element + wrong)
        })
    }

    fn first_wrong_number(&self, output: &[u8]) -> Option<usize> {
        // In a reduce_scatter this rank gets a part from the middle.
        let skipped = match self.collective {
            Collective::ReduceScatter => self.rank as usize * self.count,
            _ => 0,
        };
        let exact = (self.op != ReduceOp::Avg || self.datatype.is_integer()) && !self.is_narrow;
        let ranks = self.contributors();
        let value = |index| reduced(self.operator(), self.datatype, index, self.size, ranks);
        let element = self.datatype.bytes();
        if exact {
            return first_difference(&self.numbers(skipped, value), output, element);
        }
        let by = if self.op == ReduceOp::Avg { f64::from(ranks) } else { 1.0 };
        let largest = (0..PERIOD).map(value).max().unwrap_or(0) as f64 / by;
        let allowed = if self.is_narrow { largest / 8.0 } else { 0.0 };
        let format = format_of(self.datatype);
        let components = output.chunks_exact(format.bytes()).enumerate();
        let per_element = element / format.bytes();
        let wrong = components.map(|(at, bytes)| (at, decode(format, bytes))).find(|&(at, got)| {
            let index = (at / per_element + skipped) % PERIOD + at % per_element;
            let expected = value(index) as f64 / by;
            let error = (got - expected).abs();
            error.is_nan() || error > format.rounding_error(expected) + allowed
        });
        wrong.map(|(at, _)| at / per_element)
    }

    /// One period of numbers, from the element at `first` on. The imaginary part of a complex number is the
    /// real part of the next one, or 0 if the operator would mix the parts.
    fn numbers(&self, first: usize, value: impl Fn(usize) -> i64) -> Vec<u8> {
        let format = format_of(self.datatype);
        let mut bytes = Vec::with_capacity(PERIOD * self.datatype.bytes());
        for index in (first..first + PERIOD).map(|index| index % PERIOD) {
            encode(format, value(index), &mut bytes);
            if self.datatype.is_complex() {
                let imaginary = if self.op == ReduceOp::Product { 0 } else { value(index + 1) };
                encode(format, imaginary, &mut bytes);
            }
        }
        bytes
    }

    /// The operator. Arithmetic on truth values is logic.
    fn operator(&self) -> ReduceOp {
        use ReduceOp::*;
        match (self.datatype, self.op) {
            (Datatype::Bool, Sum | Max | Bor) => Lor,
            (Datatype::Bool, Product | Min | Band) => Land,
            (Datatype::Bool, Bxor) => Lxor,
            (_, op) => op,
        }
    }

    /// Number of ranks, from the first on, that contribute to the result.
    fn contributors(&self) -> u32 {
        match self.collective {
            Collective::Scan => self.rank + 1,
            Collective::Exscan => self.rank,
            _ => self.size,
        }
    }

    fn block_bytes(&self) -> usize {
        self.count * self.datatype.bytes()
    }

    fn has_blocks_for_each(&self) -> bool {
        matches!(self.collective, Collective::Scatter | Collective::AllToAll)
    }
}

/// One period of the data that `from` has for `to`.
pub fn data(from: Rank, to: Rank, datatype: Datatype) -> Vec<u8> {
    let seed = from.wrapping_mul(0x9e37_79b1) ^ to.wrapping_mul(0x85eb_ca6b);
    let byte = |index: usize| {
        let mixed = (seed ^ index as u32).wrapping_mul(0x2c1b_3c6d);
        (mixed ^ mixed >> 15).wrapping_mul(0x297a_2d39).to_ne_bytes()[3]
    };
    (0..PERIOD * datatype.bytes()).map(byte).collect()
}

/// Fills a buffer by repeating the period.
pub fn repeat(period: &[u8], into: &mut [u8]) {
    into.chunks_mut(period.len()).for_each(|chunk| chunk.copy_from_slice(&period[..chunk.len()]));
}

/// Index of the first element in which `bytes` differs from the repeated period.
pub fn first_difference(period: &[u8], bytes: &[u8], element: usize) -> Option<usize> {
    let mut chunks = bytes.chunks(period.len()).enumerate();
    chunks.find_map(|(at, chunk)| {
        // Compares a chunk as a whole first: this takes most of the time, and chunks are nearly always equal.
        if chunk == &period[..chunk.len()] {
            return None;
        }
        let byte = chunk.iter().zip(period).position(|(got, expected)| got != expected)?;
        Some((at * period.len() + byte) / element)
    })
}

#[cfg(test)]
mod tests;
