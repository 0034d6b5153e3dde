//! The kernels of a piece, and the layout of their tables. Both are known before the addresses are.

use std::ffi::CStr;

use super::piece::Piece;
use crate::base::{Collective, ReduceOp};
use crate::device::kernels::{
    COPY, CopyArguments, CopySegment, PremulSumArguments, ReduceArguments, Reduction, Shape, copy_shape,
    reduce_shape, reduction, tile_bytes,
};

/// The work of the leader for one piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelWork {
    /// One launch that copies this many segments, with this many destinations in all.
    Copies { segments: usize, destinations: usize },
    /// Launches of a reduction, each with its arguments.
    Reductions { kernel: Reduction, launches: usize, is_premul: bool },
}

impl KernelWork {
    /// The work of a piece of a communicator of `size` ranks. `None`: there is no kernel for it.
    pub fn of(piece: &Piece, size: usize) -> Option<KernelWork> {
        let copies = |segments, destinations| Some(KernelWork::Copies { segments, destinations });
        match piece.collective {
            Collective::Broadcast => copies(1, size),
            Collective::Gather | Collective::GatherV | Collective::Scatter | Collective::ScatterV => {
                copies(size, size)
            }
            Collective::AllGather | Collective::AllGatherV => copies(size, size * size),
            Collective::AllToAll | Collective::AllToAllV => copies(size * size, size * size),
            Collective::AllReduce
            | Collective::Reduce
            | Collective::Scan
            | Collective::Exscan
            | Collective::ReduceScatter
            | Collective::ReduceScatterV => {
                let op = piece.call.op?;
                let kernel = reduction(piece.call.datatype, op)?;
                // The blocks of a whole call follow each other on every rank, so one launch has them as
                // parts. Those of a piece may lie at different distances, or differ in length.
                let is_split = piece.collective == Collective::ReduceScatterV
                    || piece.collective == Collective::ReduceScatter && !piece.is_whole();
                let launches = if is_split { size } else { 1 };
                Some(KernelWork::Reductions { kernel, launches, is_premul: op == ReduceOp::PremulSum })
            }
            _ => None,
        }
    }

    /// The work of two pieces, if one launch can do it.
    pub fn joined(self, other: KernelWork) -> Option<KernelWork> {
        match (self, other) {
            (
                KernelWork::Copies { segments, destinations },
                KernelWork::Copies { segments: further, destinations: others },
            ) => {
                Some(KernelWork::Copies { segments: segments + further, destinations: destinations + others })
            }
            _ => None,
        }
    }

    /// Bytes of its tables.
    pub fn table_bytes(&self) -> usize {
        match *self {
            KernelWork::Copies { segments, destinations } => {
                size_of::<CopyArguments>()
                    + segments * size_of::<CopySegment>()
                    + destinations * size_of::<u64>()
            }
            KernelWork::Reductions { launches, .. } => launches * self.arguments_bytes(),
        }
    }

    /// Bytes of the arguments of one launch.
    pub fn arguments_bytes(&self) -> usize {
        match self {
            KernelWork::Copies { .. } => self.table_bytes(),
            KernelWork::Reductions { is_premul: true, .. } => size_of::<PremulSumArguments>(),
            KernelWork::Reductions { .. } => size_of::<ReduceArguments>().next_multiple_of(16),
        }
    }

    /// Name of the kernel.
    pub fn entry(&self) -> &'static CStr {
        match self {
            KernelWork::Copies { .. } => COPY,
            KernelWork::Reductions { kernel, .. } => kernel.entry,
        }
    }

    /// Number of launches.
    pub fn launches(&self) -> usize {
        match *self {
            KernelWork::Copies { .. } => 1,
            KernelWork::Reductions { launches, .. } => launches,
        }
    }

    /// Grid and block of each launch, on a device with so many multiprocessors. Some blocks are idle if the
    /// pieces have fewer bytes than they may have.
    pub fn shape(&self, pieces: &[Piece], size: usize, multiprocessors: u32) -> Shape {
        let bytes = |piece: &Piece| piece.bytes() as u64;
        match *self {
            KernelWork::Copies { segments, .. } => {
                let of_each = (segments / pieces.len().max(1)) as u64;
                let all: u64 = pieces.iter().map(|piece| of_each * bytes(piece)).sum();
                let tile = tile_bytes(all, multiprocessors);
                let tiles = pieces.iter().map(|piece| of_each * bytes(piece).div_ceil(u64::from(tile)));
                copy_shape(tiles.sum(), multiprocessors)
            }
            KernelWork::Reductions { launches, .. } => {
                let is_in_parts =
                    |piece: &Piece| piece.collective == Collective::ReduceScatter && launches == 1;
                let parts = if pieces.iter().any(is_in_parts) { size as u32 } else { 1 };
                reduce_shape(pieces.iter().map(bytes).sum(), parts, multiprocessors)
            }
        }
    }
}

/// Bytes of the tables of a call with several collectives.
const LIST_TABLE_BYTES: usize = 32 << 10;

/// Bytes of the tables of a call, in a communicator of `size` ranks.
pub fn table_bytes(size: usize) -> usize {
    most_table_bytes(size).max(LIST_TABLE_BYTES)
}

/// Most bytes of the tables of a single collective, in a communicator of `size` ranks.
pub fn most_table_bytes(size: usize) -> usize {
    let copies = KernelWork::Copies { segments: size * size, destinations: size * size };
    copies.table_bytes().max(size * size_of::<PremulSumArguments>())
}
