//! The kernels of a piece, and the layout of their tables. Both are known before the addresses are.

use std::ffi::CStr;

use super::pieces::Piece;
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

    /// Grid and block of each launch, on a device with so many multiprocessors. If the piece has fewer bytes
    /// than it may have, some blocks are idle.
    pub fn shape(&self, piece: &Piece, size: usize, multiprocessors: u32) -> Shape {
        let bytes = piece.bytes() as u64;
        match *self {
            KernelWork::Copies { segments, .. } => {
                let tile = tile_bytes(bytes * segments as u64, multiprocessors);
                copy_shape(segments as u64 * bytes.div_ceil(u64::from(tile)), multiprocessors)
            }
            KernelWork::Reductions { launches, .. } => {
                let is_in_parts = piece.collective == Collective::ReduceScatter && launches == 1;
                reduce_shape(bytes, if is_in_parts { size as u32 } else { 1 }, multiprocessors)
            }
        }
    }
}

/// Most bytes of a table, over all calls of a communicator of `size` ranks.
pub fn most_table_bytes(size: usize) -> usize {
    let copies = KernelWork::Copies { segments: size * size, destinations: size * size };
    copies.table_bytes().max(size * size_of::<PremulSumArguments>())
}
