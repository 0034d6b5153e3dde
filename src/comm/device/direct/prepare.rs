//! Preparing a piece on this rank: which copies its stream makes, and the record for the leader.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::bounce::Slot;
use super::buffers::{BufferRecord, MappedSide, PublishedBuffers, RankBuffers, SideBlocks};
use super::call::{DeviceCopy, DirectCall, HeldMemory, KernelLaunches, Launch, StreamCopies, Temporary};
use super::direct_path::{DirectPath, LEADER};
use super::exchange::{DirectExchange, Offered, SharedBuffers};
use super::ipc_cache::Found;
use super::kernels::{KernelWork, most_table_bytes};
use super::leases::Lease;
use super::pieces::{DirectPieces, Piece};
use super::unequal::SidePlaces;
use crate::base::{Error, Rank, Result};
use crate::comm::call::operator::{Operator, Scalar};
use crate::comm::device::call_streams::CallStream;
use crate::comm::device::host::Host;
use crate::comm::device::stream_call_state::CallBlock;
use crate::device::{Entered, PinnedBlock};

/// One side of a rank's buffers: where it is, and where the leader finds it.
struct Side<'a> {
    /// Where its blocks are, if they differ in length.
    places: Option<&'a SidePlaces>,
    /// First byte of the piece in the program's buffer, or of the buffer if its blocks differ in length.
    start: u64,
    /// Bytes from one block to the next, if they do not.
    step: u64,
    blocks: usize,
    /// Whether it is memory of a device alone.
    is_on_device: bool,
    /// Whether the leader cannot find it where it is.
    must_move: bool,
    /// Where the leader finds it.
    seen: SideBlocks,
}

impl Side<'_> {
    /// A side whose blocks the leader finds where they are.
    fn of<'a>(buffer: usize, blocks: usize, piece: &Piece, places: Option<&'a SidePlaces>) -> Side<'a> {
        let (is_on_device, must_move) = (false, false);
        if let Some(places) = places {
            let blocks = if places.bytes() > 0 { blocks } else { 0 };
            let (start, step, seen) = (buffer as u64, 0, places.here());
            return Side { places: Some(places), start, step, blocks, is_on_device, must_move, seen };
        }
        let unit = piece.call.datatype.bytes() as u64;
        let (start, step) = (buffer as u64 + piece.first as u64 * unit, piece.call.count * unit);
        let seen = SideBlocks::Apart { start, step };
        Side { places, start, step, blocks, is_on_device, must_move, seen }
    }

    /// Moves it to a slot, or to memory of its own, if it must move. In a slot, the leader of another process
    /// knows where its blocks are.
    fn move_to(&mut self, address: u64, piece: &Piece, is_slot: bool) {
        if self.must_move {
            self.seen = match self.places {
                Some(places) if !is_slot => places.packed_at(address),
                _ => SideBlocks::Apart { start: address, step: piece.bytes() as u64 },
            };
        }
    }

    /// Whether something holds for the buffer, or for each of a list.
    fn has_all(&self, buffer: usize, holds: impl Fn(usize) -> bool) -> bool {
        match self.places {
            Some(places) => places.buffers().all(holds),
            None => holds(buffer),
        }
    }

    /// The buffer, whatever part of it the piece has. `None`: the rank has no block, or no device memory.
    fn mappable(&self, piece: &Piece) -> Option<Buffer> {
        let (start, bytes) = match self.places {
            Some(places) if !places.is_one_buffer => return None,
            Some(places) => places.span(),
            None => (self.start - piece.first_bytes(), self.blocks as u64 * self.step),
        };
        (self.blocks > 0 && bytes > 0 && self.is_on_device).then_some(Buffer { start, bytes })
    }

    /// Bytes of memory of its own that it needs.
    fn bytes_to_move(&self, piece: &Piece) -> usize {
        match self.places {
            _ if !self.must_move => 0,
            Some(places) => places.bytes(),
            None => self.blocks * piece.bytes(),
        }
    }

    /// Whether it has blocks, which must move.
    fn moves(&self) -> bool {
        self.blocks > 0 && self.must_move
    }

    /// The copies of all blocks to where the leader finds them.
    fn copies(&self, piece: &Piece) -> Vec<DeviceCopy> {
        if !self.moves() {
            return Vec::new();
        }
        if let Some(places) = self.places {
            return places.copies(piece.first_bytes() as usize, piece.bytes(), &self.seen);
        }
        // Blocks that follow each other on both sides are one run.
        let (runs, bytes) = match self.step == piece.bytes() as u64 {
            true => (1, self.blocks * piece.bytes()),
            false => (self.blocks, piece.bytes()),
        };
        let from = SideBlocks::Apart { start: self.start, step: self.step };
        let copy = |run| DeviceCopy { to: self.seen.place(run, 0), from: from.place(run, 0), bytes };
        (0..runs).map(copy).collect()
    }
}

/// A buffer of the program.
struct Buffer {
    start: u64,
    bytes: u64,
}

/// How a piece is used.
#[derive(Clone, Copy)]
pub struct PieceUse<'a> {
    /// Whether the piece becomes the whole call if the leader can address all buffers where they are.
    pub may_be_whole: bool,
    pub memory: PieceMemory<'a>,
}

/// Where a piece has its pinned memory, its slot and its table.
#[derive(Clone, Copy)]
pub enum PieceMemory<'a> {
    /// Pinned memory of the pool, while there is some.
    Pool,
    /// Pinned memory of the reserve.
    Reserve,
    /// This block, and what is kept for launches of graphs. A call that stands behind a launch in a stream
    /// may have all slots and tables for others.
    Kept(&'a Arc<PinnedBlock>),
}

impl PieceUse<'_> {
    fn is_launch(self) -> bool {
        matches!(self.memory, PieceMemory::Kept(_))
    }
}

/// Memory to which sides were moved.
#[derive(Default)]
struct Moved {
    lease: Option<Lease>,
    /// How the leader of another process finds the slot.
    side: MappedSide,
    temporary: Option<Arc<Temporary>>,
}

impl<H: Host> DirectPath<H> {
    /// Prepares a piece of a call of `rank`, on a stream. Enqueues at most an allocation. `None`: no slot,
    /// table, or block of pinned memory is free, and nothing was done.
    pub fn prepare(
        self: &Arc<DirectPath<H>>,
        piece: Piece,
        rank: Rank,
        pieces: &DirectPieces,
        stream: &CallStream,
        piece_use: PieceUse<'_>,
    ) -> Result<Option<(DirectExchange<H>, DirectCall)>> {
        let _entered = Entered::for_device(self.driver, self.device)?;
        let (mut input, mut output) = self.sides(&piece, rank, pieces);
        let is_in_place = pieces.are_exchanged_in_place();
        let to_offer = input.mappable(&piece).filter(|_| !is_in_place);
        let mut offered = self.offer_mapped(to_offer, output.mappable(&piece));
        let of_input = offered.as_ref().and_then(|offered| offered.input.as_ref());
        let of_output = offered.as_ref().and_then(|offered| offered.output.as_ref());
        input.must_move = is_in_place || !self.is_seen(&input, pieces.send) && of_input.is_none();
        output.must_move = !self.is_seen(&output, pieces.recv) && of_output.is_none();
        let Some(moved) = self.move_sides((&mut input, &mut output), &piece, piece_use, stream)? else {
            return Ok(None);
        };
        let slot = moved.side;
        if slot.token != 0 && offered.is_none() {
            offered = self.offer_slot();
            if offered.is_none() {
                return Ok(None);
            }
        }
        let of_input = offered.as_ref().and_then(|offered| offered.input.as_ref());
        let of_output = offered.as_ref().and_then(|offered| offered.output.as_ref());
        let Some((launches, held, block)) = self.take_rest(&piece, piece_use, moved, stream)? else {
            return Ok(None);
        };
        self.count_buffers(&input, &output);
        let operator = pieces.operator.as_ref();
        let factor = operator.and_then(|operator| self.factor_in_stream(operator));
        let copies = copies_in_stream((&input, &output), &piece, factor);
        let has_factor_in_stream = copies.factor.is_some();
        let all_mapped = !input.moves() && !output.moves();
        let buffers = RankBuffers { input: input.seen, output: output.seen };
        let published = self.is_local.then(|| PublishedBuffers::add(rank, buffers)).transpose()?;
        let first = if pieces.unequal.is_some() { 0 } else { piece.first_bytes() };
        let record = BufferRecord {
            number: published.as_ref().map_or(0, PublishedBuffers::number),
            slot,
            input: mapped_side(of_input, first),
            output: mapped_side(of_output, first),
            offer: offered.as_ref().map(|offered| offered.offer.bits()).unwrap_or_default(),
            has_map_request: false,
            all_mapped,
            scalar: match operator {
                Some(operator) if !has_factor_in_stream => operator.factor(),
                _ => [0; Scalar::BYTES],
            },
        };
        let (driver, context, stream) = (self.driver, self.context, stream.clone());
        let call = DirectCall::new(driver, context, stream, copies, launches, held, block);
        let shared = SharedBuffers { published, offered };
        let may_be_whole = piece_use.may_be_whole;
        Ok(Some((DirectExchange::new(self, piece, pieces, record, shared, rank, may_be_whole), call)))
    }

    /// Asks the leader to map the buffers of a call that will be launched later.
    pub fn ask_for_buffers(&self, pieces: &DirectPieces, rank: Rank) -> Result<()> {
        let Some(owner) = self.owner(LEADER) else { return Ok(()) };
        let _entered = Entered::for_device(self.driver, self.device)?;
        let piece = pieces.whole();
        let (input, output) = self.sides(&piece, rank, pieces);
        for Buffer { start, bytes } in [input, output].iter().filter_map(|side| side.mappable(&piece)) {
            owner.find(self.driver, start, bytes, self.map);
        }
        Ok(())
    }

    /// Most bytes of pinned memory for a piece of a call.
    pub fn block_bytes(&self) -> usize {
        let table = if self.leader().is_some() { most_table_bytes(self.size()) } else { 0 };
        DirectCall::block_bytes(table)
    }

    /// The sides of `rank` in a piece. The context is current.
    fn sides<'a>(&self, piece: &Piece, rank: Rank, pieces: &'a DirectPieces) -> (Side<'a>, Side<'a>) {
        let (send, recv) = (pieces.send, pieces.recv);
        let places = pieces.unequal.as_deref();
        let of_input = places.map(|blocks| &blocks.input);
        let of_output = places.map(|blocks| &blocks.output);
        let mut input = Side::of(send, piece.input_blocks(self.size(), rank), piece, of_input);
        let mut output = Side::of(recv, piece.output_blocks(self.size(), rank), piece, of_output);
        input.is_on_device = input.has_all(send, |buffer| self.driver.is_on_device(buffer));
        output.is_on_device = output.has_all(recv, |buffer| self.driver.is_on_device(buffer));
        (input, output)
    }

    /// Takes what a piece needs next to its slot: on the leader a table, and a block of pinned memory.
    /// `None`: one of them is not free.
    fn take_rest(
        &self,
        piece: &Piece,
        piece_use: PieceUse<'_>,
        moved: Moved,
        stream: &CallStream,
    ) -> Result<Option<(Option<KernelLaunches>, HeldMemory, CallBlock)>> {
        let mut leases: Vec<Lease> = moved.lease.into_iter().collect();
        let Some(launches) = self.launches(piece, piece_use, &mut leases)? else { return Ok(None) };
        let (key, bytes) = (
            stream.events.context(),
            DirectCall::block_bytes(launches.as_ref().map_or(0, |launches| launches.bytes)),
        );
        let block = match piece_use.memory {
            PieceMemory::Pool => PinnedBlock::take(self.driver, key, bytes)?.map(CallBlock::Own),
            PieceMemory::Reserve => Some(PinnedBlock::of_reserve(self.driver, key, bytes)?.into()),
            PieceMemory::Kept(block) => Some(CallBlock::Kept(Arc::clone(block))),
        };
        let held = HeldMemory { leases, temporary: moved.temporary };
        Ok(block.map(|block| (launches, held, block)))
    }

    /// Address and length of the factor of an operator, if it is memory that streams may be about to write.
    fn factor_in_stream(&self, operator: &Operator) -> Option<(u64, usize)> {
        let (address, bytes) = operator.deferred_factor()?;
        self.driver.device_of(address).map(|_| (address as u64, bytes))
    }

    /// Counts the buffers that are used where they are, and those that move.
    fn count_buffers(&self, input: &Side, output: &Side) {
        for side in [input, output] {
            let counter = if side.must_move { &self.moved } else { &self.in_place };
            counter.fetch_add(u64::from(side.blocks > 0), Ordering::Relaxed);
        }
    }

    /// Moves the sides that the leader cannot find where they are: to a slot of this rank, or to memory
    /// that is allocated for the call. `None`: no slot is free.
    fn move_sides(
        &self,
        (input, output): (&mut Side, &mut Side),
        piece: &Piece,
        piece_use: PieceUse<'_>,
        stream: &CallStream,
    ) -> Result<Option<Moved>> {
        if !input.moves() && !output.moves() {
            return Ok(Some(Moved::default()));
        }
        let (moved, slot) = if self.has_slots() {
            let Some(taken) = self.take_slot(piece_use.is_launch()) else { return Ok(None) };
            let moved = Moved { lease: Some(taken.lease), side: taken.side, temporary: None };
            (moved, taken.slot)
        } else {
            let bytes = input.bytes_to_move(piece) + output.bytes_to_move(piece);
            let memory = Temporary::allocate(self.driver, self.context, stream.stream, bytes)?;
            let start = memory.address();
            let slot = Slot { input: start, output: start + input.bytes_to_move(piece) as u64 };
            (Moved { temporary: Some(memory), ..Moved::default() }, slot)
        };
        input.move_to(slot.input, piece, self.has_slots());
        output.move_to(slot.output, piece, self.has_slots());
        Ok(Some(moved))
    }

    /// What the leader launches for a piece, and nothing on the other ranks. `None`: no table is free.
    fn launches(
        &self,
        piece: &Piece,
        piece_use: PieceUse<'_>,
        leases: &mut Vec<Lease>,
    ) -> Result<Option<Option<KernelLaunches>>> {
        let Some(leader) = self.leader() else { return Ok(Some(None)) };
        let Some(work) = KernelWork::of(piece, self.size()) else {
            return Err(Error::Internal(format!("no kernel for {}", piece.call)));
        };
        let tables = if piece_use.is_launch() { &leader.launch_tables } else { &leader.table_slots };
        let Some(slot) = tables.take() else { return Ok(None) };
        let table_address = leader.table_address(slot.number());
        leases.push(slot);
        let most = if piece_use.may_be_whole { piece.whole() } else { *piece };
        let kernels = leader.kernels;
        let shape = work.shape(&most, self.size(), kernels.multiprocessors());
        let function = kernels.function(work.entry())?;
        let launch = |number| Launch { function, shape, arguments_at: number * work.arguments_bytes() };
        let launches = (0..work.launches()).map(launch).collect();
        Ok(Some(Some(KernelLaunches { kernels, launches, table_address, bytes: work.table_bytes() })))
    }

    /// Finds the buffers that the leader has mapped, and offers them to it. It is asked for each that it has
    /// not mapped.
    fn offer_mapped(&self, input: Option<Buffer>, output: Option<Buffer>) -> Option<Offered> {
        let owner = self.owner(LEADER)?;
        let find = |buffer: Option<Buffer>| {
            let Buffer { start, bytes } = buffer?;
            owner.find(self.driver, start, bytes, self.map)
        };
        let (input, output) = (find(input), find(output));
        if input.is_none() && output.is_none() {
            return None;
        }
        let offer = owner.offer()?;
        Some(Offered { owner, input, output, offer })
    }

    /// Offers a slot to the leader of another process.
    fn offer_slot(&self) -> Option<Offered> {
        let owner = self.owner(LEADER)?;
        let offer = owner.offer_slot()?;
        Some(Offered { owner, input: None, output: None, offer })
    }

    /// Whether the leader can address a buffer of this rank where it is.
    fn is_seen(&self, side: &Side, buffer: usize) -> bool {
        let is_here = |buffer| {
            self.driver.device_of(buffer) == Some(self.device)
                && (self.shares_device || self.driver.is_plain_memory(buffer))
        };
        side.is_on_device && self.is_local && side.has_all(buffer, is_here)
    }
}

/// The copies of sides that move, before the kernel and after it.
fn copies_in_stream(
    (input, output): (&Side, &Side),
    piece: &Piece,
    factor: Option<(u64, usize)>,
) -> StreamCopies {
    let back = |copy: DeviceCopy| DeviceCopy { to: copy.from, from: copy.to, ..copy };
    StreamCopies {
        before: input.copies(piece),
        after: output.copies(piece).into_iter().map(back).collect(),
        factor,
    }
}

/// Where the leader finds a buffer of which a piece begins at byte `first`.
fn mapped_side(found: Option<&Found>, first: u64) -> MappedSide {
    let side = |found: &Found| MappedSide { token: *found.token, offset: found.offset + first };
    found.map(side).unwrap_or_default()
}
