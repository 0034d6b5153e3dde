//! The definition of each collective: the origin of every element of the output.

use anyccl_engine::base::{Collective, Rank};

use super::case::Case;
use super::numbers::combine;
use super::values::value;

/// Origin of one element of the output.
enum Origin {
    /// The element is element `at` of the input of `rank`.
    Copy { rank: Rank, at: usize },
    /// The element combines element `at` of the inputs of the first `ranks` ranks, or of all ranks.
    Combine { at: usize, ranks: Option<u32> },
}

fn origin(case: &Case, rank: Rank, at: usize) -> Origin {
    let mine = rank as usize * case.count;
    match case.collective {
        Collective::AllReduce | Collective::Reduce => Origin::Combine { at, ranks: None },
        Collective::ReduceScatter => Origin::Combine { at: mine + at, ranks: None },
        Collective::Scan => Origin::Combine { at, ranks: Some(rank + 1) },
        Collective::Exscan => Origin::Combine { at, ranks: Some(rank) },
        Collective::Broadcast => Origin::Copy { rank: case.root, at },
        Collective::Scatter => Origin::Copy { rank: case.root, at: mine + at },
        Collective::AllGather | Collective::Gather => {
            Origin::Copy { rank: (at / case.count) as Rank, at: at % case.count }
        }
        Collective::AllToAll => Origin::Copy { rank: (at / case.count) as Rank, at: mine + at % case.count },
        Collective::Barrier => unreachable!("a barrier has no output"),
        _ => unreachable!("it has a layout"),
    }
}

/// Elements that `rank` contributes.
pub fn input_len(case: &Case, size: u32, rank: Rank) -> usize {
    match case.collective {
        Collective::Barrier => 0,
        Collective::Broadcast | Collective::Scatter if rank != case.root => 0,
        Collective::AllToAll | Collective::ReduceScatter | Collective::Scatter => case.count * size as usize,
        _ => case.count,
    }
}

/// Elements that `rank` receives.
pub fn output_len(case: &Case, size: u32, rank: Rank) -> usize {
    match case.collective {
        Collective::Barrier => 0,
        Collective::Reduce | Collective::Gather if rank != case.root => 0,
        Collective::Exscan if rank == 0 => 0,
        Collective::AllToAll | Collective::AllGather | Collective::Gather => case.count * size as usize,
        _ => case.count,
    }
}

/// The bytes that `rank` contributes.
pub fn input(case: &Case, size: u32, rank: Rank) -> Vec<u8> {
    bytes(case, (0..input_len(case, size, rank)).map(|at| value(case, size, rank, at)))
}

/// The bytes that `rank` must receive.
pub fn output(case: &Case, size: u32, rank: Rank) -> Vec<u8> {
    let mut contributions = Vec::with_capacity(size as usize);
    let element = |at| match origin(case, rank, at) {
        Origin::Copy { rank, at } => value(case, size, rank, at),
        Origin::Combine { at, ranks } => {
            contributions.clear();
            contributions.extend((0..ranks.unwrap_or(size)).map(|rank| value(case, size, rank, at)));
            let op = case.op.expect("a reducing call has an operator");
            combine(case.datatype, op, &contributions)
        }
    };
    bytes(case, (0..output_len(case, size, rank)).map(element))
}

fn bytes(case: &Case, elements: impl Iterator<Item = u128>) -> Vec<u8> {
    let width = case.datatype.bytes();
    let mut bytes = Vec::with_capacity(elements.size_hint().0 * width);
    elements.for_each(|bits| bytes.extend_from_slice(&bits.to_le_bytes()[..width]));
    bytes
}
