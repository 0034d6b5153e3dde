//! The tables of a piece: the addresses of all ranks, as the kernels read them.

use std::mem::offset_of;

use super::block_report::BlockReport;
use super::buffers::{BufferRecord, RankBuffers};
use super::bundle::BundleWork;
use super::kernels::KernelWork;
use super::piece::Piece;
use crate::base::{Collective, Rank};
use crate::device::kernels::{
    CopyArguments, CopySegment, Form, PremulSumArguments, ReduceArguments, Scalar, tile_bytes,
};

/// Where the buffers of each rank are in a piece, and what else it has reported.
pub struct Tables<'a> {
    pub buffers: &'a [RankBuffers],
    pub records: &'a [BufferRecord],
    /// Set if the blocks differ in length.
    pub reports: Option<&'a [BlockReport]>,
    /// Whether 8-bit floats become the largest finite number where they would overflow.
    pub saturates: bool,
}

/// Fills the tables of the first pieces of a bundle, or of all, which will lie at `address` on the device.
pub fn fill_tables(
    table: &mut [u8],
    address: u64,
    (pieces, works): (&[(Piece, Tables)], &[BundleWork]),
    multiprocessors: u32,
) {
    for BundleWork { work, pieces: range, table_at } in works {
        let (start, end) = (range.start.min(pieces.len()), range.end.min(pieces.len()));
        let place = &mut table[*table_at..][..work.table_bytes()];
        match (work, &pieces[start..end]) {
            (_, []) => {}
            (KernelWork::Copies { .. }, pieces) => {
                let runs: Vec<Run> = pieces.iter().flat_map(|(piece, tables)| tables.runs(piece)).collect();
                fill_copies(place, address + *table_at as u64, &runs, multiprocessors);
            }
            (KernelWork::Reductions { .. }, pieces) => {
                pieces.iter().for_each(|(piece, tables)| tables.fill_reduction(place, piece, work));
            }
        }
    }
}

/// Bytes that a piece copies, to several places.
struct Run {
    source: u64,
    bytes: u64,
    destinations: Vec<u64>,
}

impl Tables<'_> {
    fn size(&self) -> usize {
        self.buffers.len()
    }

    fn input(&self, piece: &Piece, rank: usize, block: usize) -> u64 {
        self.buffers[rank].input.place(block, piece.first_bytes())
    }

    fn output(&self, piece: &Piece, rank: usize, block: usize) -> u64 {
        self.buffers[rank].output.place(block, piece.first_bytes())
    }

    /// Bytes of a piece in a block of the input of a rank.
    fn bytes(&self, piece: &Piece, rank: usize, block: usize) -> u64 {
        let of_piece = piece.bytes() as u64;
        self.reports.map_or(of_piece, |reports| {
            let whole = reports[rank].input[block].bytes;
            whole.saturating_sub(piece.first_bytes()).min(of_piece)
        })
    }

    /// What a piece copies.
    fn runs(&self, piece: &Piece) -> Vec<Run> {
        let ranks = 0..self.size();
        let root = piece.call.root as usize;
        let run = |(rank, block): (usize, usize), destinations: Vec<u64>| Run {
            source: self.input(piece, rank, block),
            bytes: self.bytes(piece, rank, block),
            destinations,
        };
        match piece.collective {
            Collective::Broadcast => {
                vec![run((root, 0), ranks.map(|rank| self.output(piece, rank, 0)).collect())]
            }
            Collective::Scatter | Collective::ScatterV => {
                ranks.map(|rank| run((root, rank), vec![self.output(piece, rank, 0)])).collect()
            }
            Collective::Gather | Collective::GatherV => {
                ranks.map(|rank| run((rank, 0), vec![self.output(piece, root, rank)])).collect()
            }
            Collective::AllGather | Collective::AllGatherV => {
                let to_all = |from| ranks.clone().map(|rank| self.output(piece, rank, from)).collect();
                ranks.clone().map(|from| run((from, 0), to_all(from))).collect()
            }
            _ => {
                let pairs = ranks.clone().flat_map(|from| ranks.clone().map(move |to| (from, to)));
                pairs.map(|(from, to)| run((from, to), vec![self.output(piece, to, from)])).collect()
            }
        }
    }

    /// The arguments of a reduction. `part`: it is the part of one rank only.
    fn reduction(&self, piece: &Piece, units: usize, part: Option<usize>) -> ReduceArguments {
        let size = self.size();
        let mut arguments = ReduceArguments::EMPTY;
        let bytes = part.map_or(piece.bytes() as u64, |rank| self.bytes(piece, 0, rank));
        let count = bytes / piece.call.datatype.bytes() as u64 * units as u64;
        (arguments.count, arguments.inputs, arguments.divisor) = (count, size as u32, size as u32);
        arguments.saturates = u32::from(self.saturates);
        for rank in 0..size {
            arguments.input[rank] = self.input(piece, rank, part.unwrap_or(0));
        }
        let (form, outputs): (Form, Vec<u64>) = match (piece.collective, part) {
            (Collective::AllReduce, _) => {
                (Form::All, (0..size).map(|rank| self.output(piece, rank, 0)).collect())
            }
            (Collective::Reduce, _) => (Form::All, vec![self.output(piece, piece.call.root as usize, 0)]),
            (Collective::ReduceScatter | Collective::ReduceScatterV, Some(rank)) => {
                (Form::All, vec![self.output(piece, rank, 0)])
            }
            (Collective::ReduceScatter, None) => {
                (0..=size).for_each(|rank| arguments.part[rank] = rank as u64 * count);
                (Form::Parts, (0..size).map(|rank| self.output(piece, rank, 0)).collect())
            }
            (Collective::Exscan, _) => {
                (Form::ExclusiveScan, (0..size).map(|rank| self.output(piece, rank, 0)).collect())
            }
            _ => (Form::InclusiveScan, (0..size).map(|rank| self.output(piece, rank, 0)).collect()),
        };
        (arguments.form, arguments.outputs) = (form as u32, outputs.len() as u32);
        arguments.output[..outputs.len()].copy_from_slice(&outputs);
        arguments
    }

    /// Fills the tables of a reduction.
    fn fill_reduction(&self, table: &mut [u8], piece: &Piece, work: &KernelWork) {
        let KernelWork::Reductions { kernel, launches, is_premul } = *work else { return };
        let is_split = launches > 1 || piece.collective == Collective::ReduceScatterV;
        for (number, place) in table.chunks_exact_mut(work.arguments_bytes()).enumerate() {
            let arguments = self.reduction(piece, kernel.units as usize, is_split.then_some(number));
            if is_premul {
                write(place, 0, &self.premul(arguments));
            } else {
                write(place, 0, &arguments);
            }
        }
    }

    fn premul(&self, reduce: ReduceArguments) -> PremulSumArguments {
        let mut arguments = PremulSumArguments { reduce, ..PremulSumArguments::EMPTY };
        for (place, record) in arguments.scalar.iter_mut().zip(self.records) {
            *place = Scalar(record.scalar);
        }
        arguments
    }
}

/// Fills the table of a launch that copies, which will lie at `address` on the device.
fn fill_copies(table: &mut [u8], address: u64, runs: &[Run], multiprocessors: u32) {
    let tile_bytes = tile_bytes(runs.iter().map(|run| run.bytes).sum(), multiprocessors);
    let tiles = |run: &Run| run.bytes.div_ceil(u64::from(tile_bytes));
    let segments_at = size_of::<CopyArguments>();
    let destinations_at = segments_at + runs.len() * size_of::<CopySegment>();
    let arguments = CopyArguments {
        segment: address + segments_at as u64,
        destination: address + destinations_at as u64,
        tiles: runs.iter().map(tiles).sum(),
        segments: runs.len() as u32,
        tile_bytes,
    };
    write(table, 0, &arguments);
    let (mut first, mut first_tile) = (0, 0);
    for (number, run) in runs.iter().enumerate() {
        let segment = CopySegment {
            source: run.source,
            bytes: run.bytes,
            first_tile,
            first_destination: first as u32,
            destinations: run.destinations.len() as u32,
        };
        write(table, segments_at + number * size_of::<CopySegment>(), &segment);
        for (at, destination) in run.destinations.iter().enumerate() {
            write(table, destinations_at + (first + at) * size_of::<u64>(), destination);
        }
        first += run.destinations.len();
        first_tile += tiles(run);
    }
}

/// Writes a value of the kernels' types.
fn write<T: Copy>(table: &mut [u8], at: usize, value: &T) {
    let place = &mut table[at..at + size_of::<T>()];
    // SAFETY: plain numbers, as many bytes as the value has. The address may have any alignment.
    unsafe { place.as_mut_ptr().cast::<T>().write_unaligned(*value) };
}

const _: () = assert!(offset_of!(PremulSumArguments, reduce) == 0);
const _: () = assert!(size_of::<Rank>() == 4);
