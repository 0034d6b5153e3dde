//! What a rank has for the direct path: its slots of bounce buffers, its connections to the other ranks, and
//! on the leader the kernels and their tables.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use parking_lot::Mutex;

use super::block_report::{BlockReport, BlockSpan};
use super::bounce::{Bounce, SLOT_BYTES, Slot, TakenSlot};
use super::buffers::{BufferRecord, BufferUse, MappedSide, MappedSides, RankBuffers, SideBlocks};
use super::bundle::{BundleLimits, PlacedPiece};
use super::ipc_cache::{Importer, Owner, serve_all};
use super::kernels::{KernelWork, table_bytes};
use super::leases::Leases;
use super::pieces::DirectPieces;
use crate::base::{Rank, Result};
use crate::comm::device::call_streams::CallStream;
use crate::comm::device::host::Host;
use crate::config::DeviceMapChoice;
use crate::device::direct::{DeviceMemory, Kernels, Mapped};
use crate::device::{CudaContext, CudaDriver, Entered, Ordinal};

/// The rank that carries out the calls.
pub const LEADER: Rank = 0;

/// Tables on the device of the leader. The last one is for launches of graphs.
pub(super) const TABLES: usize = 32;

/// What a rank has for the direct path.
pub struct DirectPath<H: Host> {
    pub driver: &'static CudaDriver,
    pub context: CudaContext,
    pub device: Ordinal,
    pub(super) size: usize,
    /// Whether this rank shares the process of the leader, and so its addresses.
    pub is_local: bool,
    /// Whether the leader has the same device.
    pub shares_device: bool,
    /// Whether ranks may have slots in memory that the leader can address: they are several processes, or
    /// have several devices.
    pub(super) has_slots: bool,
    /// The slots of this rank. Unset at the end.
    pub(super) bounce: Mutex<Option<Bounce>>,
    /// Which buffers of the program other processes map.
    pub(super) map: DeviceMapChoice,
    /// Number of calls that are made piece by piece, and have pieces to start. Others must not take slots and
    /// tables for later calls meanwhile.
    pub(super) starting: Arc<AtomicUsize>,
    pub(super) leader: Option<Leader>,
    /// The other ranks, as this one sees them.
    pub(super) peers: Vec<Peer>,
    /// By rank, the connections to other processes that map buffers of this one. Empty at the end.
    pub(super) owners: Mutex<Vec<Option<Arc<Owner>>>>,
    /// By rank, the connections to other processes whose buffers this one maps. Empty at the end.
    pub(super) importers: Mutex<Vec<Option<Arc<Importer>>>>,
    /// A second communicator of these ranks, for the broadcast at the end of a call: a kernel may end after
    /// the next calls have begun.
    pub endings: H,
    /// Number of buffers of this rank that calls have used where they are, and that have moved.
    pub in_place: AtomicU64,
    pub moved: AtomicU64,
    /// Numbers of the next calls to begin, and to end, in this communicator. They are locked while the call
    /// does so, because eager calls and launches of graphs have a thread each.
    pub(super) begun: Mutex<u64>,
    pub(super) ended: Mutex<u64>,
}

/// How another rank is placed.
#[derive(Clone, Copy)]
pub struct Peer {
    /// Whether it shares the process of this rank.
    pub is_local: bool,
    /// Whether it has the same device.
    pub shares_device: bool,
}

/// What only the leader has.
pub(super) struct Leader {
    pub(super) kernels: &'static Kernels,
    pub(super) tables: DeviceMemory,
    pub(super) table_bytes: usize,
    pub(super) table_slots: Arc<Leases>,
    /// The table for launches of graphs.
    pub(super) launch_tables: Arc<Leases>,
}

impl<H: Host> DirectPath<H> {
    /// Number of ranks.
    pub fn size(&self) -> usize {
        self.size
    }

    /// What bundles of calls may have. Equal on all ranks.
    pub fn bundle_limits(&self) -> BundleLimits {
        let slot = self.has_slots().then_some(SLOT_BYTES);
        BundleLimits { size: self.size, slot, table: table_bytes(self.size) }
    }

    /// Whether ranks may have slots in memory that the leader can address. Equal on all ranks.
    pub fn has_slots(&self) -> bool {
        self.has_slots
    }

    /// Whether the leader has a kernel for the pieces of a call.
    pub fn has_kernel(&self, pieces: &DirectPieces) -> bool {
        pieces.wholes().all(|placed| KernelWork::of(&placed.piece, self.size).is_some())
    }

    /// The stream of a call in the context of this rank.
    pub fn stream(
        &self,
        stream: impl FnOnce(&'static CudaDriver, CudaContext) -> Result<CallStream>,
    ) -> Result<CallStream> {
        let entered = Entered::for_device(self.driver, self.device)?;
        stream(self.driver, entered.context())
    }

    /// Whether a call may take slots and tables when it is made.
    pub fn may_take(&self) -> bool {
        self.starting.load(Ordering::Relaxed) == 0
    }

    /// Number of pieces that have begun.
    pub fn begun(&self) -> u64 {
        *self.begun.lock()
    }

    /// Begins a call in this communicator. Returns its number, which is the same on all ranks.
    pub fn begin<T>(&self, start: impl FnOnce() -> T) -> (u64, T) {
        let mut next = self.begun.lock();
        let number = *next;
        *next += 1;
        (number, start())
    }

    /// Ends the call with this number, if it is its turn. Then it is the next one's.
    pub fn end_in_turn<T>(&self, number: u64, end: impl FnOnce() -> T) -> Option<T> {
        let mut next = self.ended.lock();
        if *next != number {
            return None;
        }
        *next += 1;
        Some(end())
    }

    /// Where a rank in another process has its buffers of some pieces, as the leader addresses them, and the
    /// use of what it has mapped. `None`: what it has sent is wrong, or the rank has withdrawn its buffers.
    pub fn foreign_buffers(
        &self,
        rank: Rank,
        record: &BufferRecord,
        pieces: &[PlacedPiece],
        (sides, report): (&[MappedSides], Option<&BlockReport>),
    ) -> Option<(Vec<RankBuffers>, Option<BufferUse>)> {
        let importer = self.importer(rank);
        if let Some(importer) = importer.as_ref().filter(|_| record.has_map_request) {
            importer.note_map_request();
        }
        let importer = importer?;
        let mut mapped = Vec::new();
        let mut slot = None;
        if record.slot.token != 0 {
            let MappedSide { token, offset } = record.slot;
            let (address, allocation) = importer.address(token, offset, 2 * SLOT_BYTES as u64)?;
            mapped.push(allocation);
            slot = Slot::is_at(offset).then(|| Slot::at(address));
        }
        let (in_slot, out_slot) = (slot.map(|slot| slot.input), slot.map(|slot| slot.output));
        let (of_input, of_output) =
            (report.map(|report| &report.input[..]), report.map(|report| &report.output[..]));
        let mut foreign = Foreign { importer: &importer, mapped };
        let buffers = |(placed, sides): (&PlacedPiece, &MappedSides)| {
            let piece = &placed.piece;
            let (reads, writes) = (piece.input_blocks(self.size, rank), piece.output_blocks(self.size, rank));
            let input = foreign.side(sides.input, in_slot, (placed, reads), of_input)?;
            let output = foreign.side(sides.output, out_slot, (placed, writes), of_output)?;
            Some(RankBuffers { input, output })
        };
        let buffers = pieces.iter().zip(sides).map(buffers).collect::<Option<Vec<_>>>()?;
        let in_use = match foreign.mapped.is_empty() {
            true => None,
            false => Some(BufferUse::Mapped(importer.take(record.offer)?, foreign.mapped)),
        };
        Some((buffers, in_use))
    }

    /// The connection to a rank in another process, which maps buffers of this one.
    pub fn owner(&self, rank: Rank) -> Option<Arc<Owner>> {
        self.owners.lock().get(rank as usize).cloned().flatten()
    }

    /// The connection to a rank in another process, whose buffers this one maps.
    pub fn importer(&self, rank: Rank) -> Option<Arc<Importer>> {
        self.importers.lock().get(rank as usize).cloned().flatten()
    }

    /// Claims the flag by which the next record reports that this process has asked the leader to map or
    /// unmap.
    pub fn take_map_request(&self) -> bool {
        self.owner(LEADER).is_some_and(|owner| owner.take_map_request())
    }

    /// Maps what other ranks have asked for, if it can be done now.
    pub fn serve_owners(&self) {
        // A launch of a graph, which this may make wait, looks at the list.
        let importers: Vec<Arc<Importer>> = self.importers.lock().iter().flatten().cloned().collect();
        serve_all(importers.iter());
    }

    /// Like [`DirectPath::serve_owners`], for requests that no record has announced.
    pub fn serve_requests(&self) {
        self.importers.lock().iter().flatten().for_each(|importer| importer.note_map_request());
        self.serve_owners();
    }

    /// Takes a slot of this rank, for a launch of a graph or another call. `None`: all are in use.
    pub fn take_slot(&self, is_launch: bool) -> Option<TakenSlot> {
        let bounce = self.bounce.lock();
        let bounce = bounce.as_ref()?;
        if is_launch { bounce.take_for_launch() } else { bounce.take() }
    }

    /// Gives back the slots, and ends the mappings, of this communicator's ranks, unless another communicator
    /// has them, too. Every call has ended.
    pub fn end_memory(&self) {
        let bounce = self.bounce.lock().take();
        drop(bounce);
        self.owners.lock().clear();
        self.importers.lock().clear();
        serve_all(std::iter::empty());
    }

    /// What only the leader has; `None` on the other ranks.
    pub(super) fn leader(&self) -> Option<&Leader> {
        self.leader.as_ref()
    }
}

/// The buffers of a rank in another process, as they are found.
struct Foreign<'a> {
    importer: &'a Importer,
    /// The allocations that were found.
    mapped: Vec<Arc<Mapped>>,
}

impl Foreign<'_> {
    /// One side of a piece with so many blocks. `in_slot`: where the side of the slot begins.
    fn side(
        &mut self,
        side: MappedSide,
        in_slot: Option<u64>,
        (placed, blocks): (&PlacedPiece, usize),
        spans: Option<&[BlockSpan]>,
    ) -> Option<SideBlocks> {
        let piece = &placed.piece;
        let bytes = piece.bytes() as u64;
        if side.token == 0 {
            let has_none = spans.is_some_and(|spans| spans.iter().all(|span| span.bytes == 0));
            let end = placed.slot_at as u64 + blocks as u64 * bytes;
            let in_slot = in_slot.filter(|_| end <= SLOT_BYTES as u64);
            let nowhere = (blocks == 0 || has_none).then_some(0);
            let start = in_slot.map(|start| start + placed.slot_at as u64).or(nowhere)?;
            return Some(SideBlocks::Apart { start, step: bytes });
        }
        let step = piece.call.count * piece.call.datatype.bytes() as u64;
        let end = |most: u64, span: &BlockSpan| Some(most.max(span.offset.checked_add(span.bytes)?));
        let span = match spans {
            Some(spans) => spans.iter().try_fold(0, end)?,
            None => blocks.saturating_sub(1) as u64 * step + bytes,
        };
        let (start, allocation) = self.importer.address(side.token, side.offset, span)?;
        self.mapped.push(allocation);
        Some(match spans {
            Some(spans) => SideBlocks::At(spans.iter().map(|span| start + span.offset).collect()),
            None => SideBlocks::Apart { start, step },
        })
    }
}

impl Leader {
    /// Address of a slot for a table.
    pub fn table_address(&self, slot: usize) -> u64 {
        self.tables.address() + (slot * self.table_bytes) as u64
    }
}

impl<H: Host> Drop for DirectPath<H> {
    fn drop(&mut self) {
        self.end_memory();
    }
}
