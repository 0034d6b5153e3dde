//! The numbers that ranks contribute to a reduction, and their results.
//!
//! Every number and every partial result must be exact in the datatype. All ranks contribute to each element
//! where that is possible. Where the sum would become too large, or one contribution settles the result, only
//! a few ranks do, and different ones for each element.

use anyccl_engine::base::{Datatype, Rank, ReduceOp};

use super::numbers::{format_of, largest_exact};

/// Number of ranks that contribute to an element where not all can.
const FEW: usize = 3;

/// The contribution of `rank` of `size` to the element at `index`: at least 0 and below 128.
pub fn contribution(op: ReduceOp, datatype: Datatype, rank: Rank, index: usize, size: u32) -> i64 {
    use ReduceOp::*;
    let position = (rank as usize + index) % size as usize;
    let few = position < FEW;
    let varied = (rank as usize * 5 + index * 3) % 7;
    let number = match op {
        Sum | Avg if i64::from(size) * 7 <= largest_exact(format_of(datatype)) => 1 + varied,
        Sum | Avg => usize::from(few) * (1 + index % 2),
        Product => 1 + usize::from(few),
        Min | Max => varied,
        Band => 127 & !(usize::from(few) << ((position + index) % 7)),
        Bor => usize::from(few) << ((position + index) % 7),
        Bxor => (rank as usize * 37 + index * 11) % 128,
        Land => usize::from(index.is_multiple_of(2) || position != 0),
        Lor => usize::from(index.is_multiple_of(2) && position == 0),
        Lxor => varied % 2,
        PremulSum | Callback | OrderedCallback => unreachable!("has no name on the command line"),
    };
    number as i64
}

/// The combined contributions of the first `ranks` of `size` ranks to the element at `index`. For an average
/// of floats it is the sum.
pub fn reduced(op: ReduceOp, datatype: Datatype, index: usize, size: u32, ranks: u32) -> i64 {
    use ReduceOp::*;
    let all = (0..ranks).map(|rank| contribution(op, datatype, rank, index, size));
    let truth = |holds| i64::from(holds);
    match op {
        Sum => all.sum(),
        Avg if datatype.is_integer() => all.sum::<i64>() / i64::from(ranks.max(1)),
        Avg => all.sum(),
        Product => all.product(),
        Min => all.min().unwrap_or(0),
        Max => all.max().unwrap_or(0),
        Band => all.fold(!0, |a, b| a & b),
        Bor => all.fold(0, |a, b| a | b),
        Bxor => all.fold(0, |a, b| a ^ b),
        Land => truth(all.fold(true, |a, b| a & (b != 0))),
        Lor => truth(all.fold(false, |a, b| a | (b != 0))),
        Lxor => truth(all.fold(false, |a, b| a ^ (b != 0))),
        PremulSum | Callback | OrderedCallback => unreachable!("has no name on the command line"),
    }
}
