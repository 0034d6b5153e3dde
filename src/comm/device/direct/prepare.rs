//! Preparing a bundle on this rank: its memory, the copies that its stream makes, and the record for the
//! leader.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::buffers::{BufferRecord, MappedSide, MappedSides, PublishedBuffers, RankBuffers};
use super::bundle::{Bundle, BundleWork, PlacedPiece, SLOT_GRAIN};
use super::call::{DirectCall, HeldMemory, KernelLaunches, Launch, Temporary};
use super::direct_path::{DirectPath, LEADER};
use super::exchange::{DirectExchange, FoundSides, Offered, SharedBuffers};
use super::ipc_cache::Found;
use super::kernels::{most_table_bytes, table_bytes};
use super::leases::Lease;
use super::piece::Piece;
use super::pieces::DirectPieces;
use super::side::{Buffer, Side, Sides, copies_in_stream};
use super::unequal::UnequalBlocks;
use crate::base::{Error, Rank, Result};
use crate::comm::call::operator::{Operator, Scalar};
use crate::comm::device::call_streams::CallStream;
use crate::comm::device::host::Host;
use crate::comm::device::stream_call_state::CallBlock;
use crate::device::{Entered, PinnedBlock};

/// Where a bundle has its pinned memory, its slot and its table.
#[derive(Clone, Copy)]
pub enum BundleMemory<'a> {
    /// Pinned memory of the pool, while there is some.
    Pool,
    /// Pinned memory of the reserve.
    Reserve,
    /// This block, and what is kept for launches of graphs. A call that stands behind a launch in a stream
    /// may have all slots and tables for others.
    Kept(&'a Arc<PinnedBlock>),
}

impl BundleMemory<'_> {
    fn is_launch(self) -> bool {
        matches!(self, BundleMemory::Kept(_))
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
    /// Prepares a bundle of a call of `rank`, on a stream. Enqueues at most an allocation. `None`: no slot,
    /// table, or block of pinned memory is free, and nothing was done.
    pub fn prepare(
        self: &Arc<DirectPath<H>>,
        bundle: &Arc<Bundle>,
        rank: Rank,
        pieces: &DirectPieces,
        stream: &CallStream,
        memory: BundleMemory<'_>,
    ) -> Result<Option<(DirectExchange<H>, DirectCall)>> {
        let _entered = Entered::for_device(self.driver, self.device)?;
        let unequal = pieces.unequal.as_deref();
        let mut sides: Vec<Sides> =
            bundle.pieces.iter().map(|placed| self.sides(placed, rank, unequal)).collect();
        let mut offered = self.place_sides(&mut sides, pieces.are_exchanged_in_place());
        let Some(moved) = self.move_sides(&mut sides[..bundle.fitting], memory, stream)? else {
            return Ok(None);
        };
        let slot = moved.side;
        if slot.token != 0 && offered.is_none() {
            offered = self.offer_slot();
            if offered.is_none() {
                return Ok(None);
            }
        }
        let Some((launches, held, block)) = self.take_rest(bundle, memory, moved, stream)? else {
            return Ok(None);
        };
        sides[..bundle.fitting].iter().for_each(|sides| self.count_buffers(sides));
        let operator = pieces.operator.as_ref();
        let factor = operator.and_then(|operator| self.factor_in_stream(operator));
        let copies = copies_in_stream(&sides[..bundle.fitting], factor);
        let has_factor_in_stream = copies.factor.is_some();
        let all_mapped = !sides.iter().any(Sides::moves);
        let mapped: Vec<MappedSides> = mapped_sides(&sides, offered.as_ref(), unequal.is_some());
        let seen = |sides: Sides| RankBuffers { input: sides.input.seen, output: sides.output.seen };
        let buffers = || sides.into_iter().map(seen).collect();
        let published = self.is_local.then(|| PublishedBuffers::add(rank, buffers())).transpose()?;
        let record = BufferRecord {
            number: published.as_ref().map_or(0, PublishedBuffers::number),
            slot,
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
        let report = unequal.map(UnequalBlocks::report);
        let exchange = DirectExchange::new(self, bundle, report, (record, &mapped), shared, rank);
        Ok(Some((exchange, call)))
    }

    /// Asks the leader to map the buffers of a call that will be launched later.
    pub fn ask_for_buffers(&self, pieces: &DirectPieces, rank: Rank) -> Result<()> {
        let Some(owner) = self.owner(LEADER) else { return Ok(()) };
        let _entered = Entered::for_device(self.driver, self.device)?;
        for placed in pieces.wholes() {
            let Sides { input, output, .. } = self.sides(&placed, rank, pieces.unequal.as_deref());
            let buffers = [input, output].into_iter().filter_map(|side| side.mappable(&placed.piece));
            for Buffer { start, bytes } in buffers {
                owner.find(self.driver, start, bytes, self.map);
            }
        }
        Ok(())
    }

    /// Most bytes of pinned memory for a bundle of a call.
    pub fn block_bytes(&self, pieces: &DirectPieces) -> usize {
        DirectCall::block_bytes(match self.leader() {
            Some(_) if pieces.are_of_list() => table_bytes(self.size()),
            Some(_) => most_table_bytes(self.size()),
            None => 0,
        })
    }

    /// The sides of `rank` in a piece. The context is current.
    fn sides<'a>(
        &self,
        placed: &'a PlacedPiece,
        rank: Rank,
        unequal: Option<&'a UnequalBlocks>,
    ) -> Sides<'a> {
        let PlacedPiece { piece, send, recv, .. } = placed;
        let of_input = unequal.map(|blocks| &blocks.input);
        let of_output = unequal.map(|blocks| &blocks.output);
        let mut input = Side::of(*send, piece.input_blocks(self.size(), rank), piece, of_input);
        let mut output = Side::of(*recv, piece.output_blocks(self.size(), rank), piece, of_output);
        input.is_on_device = input.has_all(*send, |buffer| self.driver.is_on_device(buffer));
        output.is_on_device = output.has_all(*recv, |buffer| self.driver.is_on_device(buffer));
        Sides { placed, input, output }
    }

    /// Finds out which sides must move. Offers to the leader of another process what it has mapped.
    fn place_sides(&self, sides: &mut [Sides], are_exchanged_in_place: bool) -> Option<Offered> {
        let to_offer = sides.iter().map(|Sides { placed: PlacedPiece { piece, .. }, input, output }| {
            (input.mappable(piece).filter(|_| !are_exchanged_in_place), output.mappable(piece))
        });
        let offered = self.offer_mapped(to_offer);
        for (number, Sides { placed, input, output }) in sides.iter_mut().enumerate() {
            let found = offered.as_ref().map(|offered| &offered.found[number]);
            let is_input_found = found.is_some_and(|found| found.input.is_some());
            let is_output_found = found.is_some_and(|found| found.output.is_some());
            input.must_move = are_exchanged_in_place || !self.is_seen(input, placed.send) && !is_input_found;
            output.must_move = !self.is_seen(output, placed.recv) && !is_output_found;
        }
        offered
    }

    /// Takes what a bundle needs next to its slot: on the leader a table, and a block of pinned memory.
    /// `None`: one of them is not free.
    fn take_rest(
        &self,
        bundle: &Bundle,
        memory: BundleMemory<'_>,
        moved: Moved,
        stream: &CallStream,
    ) -> Result<Option<(Option<KernelLaunches>, HeldMemory, CallBlock)>> {
        let mut leases: Vec<Lease> = moved.lease.into_iter().collect();
        let Some(launches) = self.launches(bundle, memory, &mut leases)? else { return Ok(None) };
        let (key, bytes) = (
            stream.events.context(),
            DirectCall::block_bytes(launches.as_ref().map_or(0, |launches| launches.bytes)),
        );
        let block = match memory {
            BundleMemory::Pool => PinnedBlock::take(self.driver, key, bytes)?.map(CallBlock::Own),
            BundleMemory::Reserve => Some(PinnedBlock::of_reserve(self.driver, key, bytes)?.into()),
            BundleMemory::Kept(block) => Some(CallBlock::Kept(Arc::clone(block))),
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
    fn count_buffers(&self, sides: &Sides) {
        for side in [&sides.input, &sides.output] {
            let counter = if side.must_move { &self.moved } else { &self.in_place };
            counter.fetch_add(u64::from(side.blocks > 0), Ordering::Relaxed);
        }
    }

    /// Moves the sides that the leader cannot find where they are: to a slot of this rank, or to memory
    /// that is allocated for the call. `None`: no slot is free.
    fn move_sides(
        &self,
        sides: &mut [Sides],
        memory: BundleMemory<'_>,
        stream: &CallStream,
    ) -> Result<Option<Moved>> {
        if !sides.iter().any(Sides::moves) {
            return Ok(Some(Moved::default()));
        }
        if self.has_slots() {
            let Some(taken) = self.take_slot(memory.is_launch()) else { return Ok(None) };
            for Sides { placed: PlacedPiece { piece, slot_at, .. }, input, output } in sides {
                input.move_to(taken.slot.input + *slot_at as u64, piece, true);
                output.move_to(taken.slot.output + *slot_at as u64, piece, true);
            }
            return Ok(Some(Moved { lease: Some(taken.lease), side: taken.side, temporary: None }));
        }
        let bytes = |side: &Side, piece: &Piece| side.bytes_to_move(piece).next_multiple_of(SLOT_GRAIN);
        let of_both = |Sides { placed: PlacedPiece { piece, .. }, input, output }: &Sides| {
            bytes(input, piece) + bytes(output, piece)
        };
        let all = sides.iter().map(of_both).sum();
        let temporary = Temporary::allocate(self.driver, self.context, stream.stream, all)?;
        let mut start = temporary.address();
        for Sides { placed: PlacedPiece { piece, .. }, input, output } in sides {
            for side in [input, output] {
                side.move_to(start, piece, false);
                start += bytes(side, piece) as u64;
            }
        }
        Ok(Some(Moved { temporary: Some(temporary), ..Moved::default() }))
    }

    /// What the leader launches for a bundle, and nothing on the other ranks. `None`: no table is free.
    fn launches(
        &self,
        bundle: &Bundle,
        memory: BundleMemory<'_>,
        leases: &mut Vec<Lease>,
    ) -> Result<Option<Option<KernelLaunches>>> {
        let Some(leader) = self.leader() else { return Ok(Some(None)) };
        if bundle.works.is_empty() {
            return Err(Error::Internal(format!("no kernel for {}", bundle.signature)));
        }
        let tables = if memory.is_launch() { &leader.launch_tables } else { &leader.table_slots };
        let Some(slot) = tables.take() else { return Ok(None) };
        let table_address = leader.table_address(slot.number());
        leases.push(slot);
        let most: Vec<Piece> =
            bundle.chosen(bundle.may_be_whole()).iter().map(|placed| placed.piece).collect();
        let kernels = leader.kernels;
        let mut launches = Vec::with_capacity(bundle.launches(most.len()));
        for BundleWork { work, pieces, table_at } in &bundle.works {
            let shape = work.shape(&most[pieces.clone()], self.size(), kernels.multiprocessors());
            let function = kernels.function(work.entry())?;
            let launch =
                |number| Launch { function, shape, arguments_at: table_at + number * work.arguments_bytes() };
            launches.extend((0..work.launches()).map(launch));
        }
        Ok(Some(Some(KernelLaunches { kernels, launches, table_address, bytes: bundle.table_bytes() })))
    }

    /// Finds the buffers of each piece that the leader has mapped, and offers them to it. It is asked for
    /// each that it has not mapped.
    fn offer_mapped(
        &self,
        buffers: impl Iterator<Item = (Option<Buffer>, Option<Buffer>)>,
    ) -> Option<Offered> {
        let owner = self.owner(LEADER)?;
        let find = |buffer: Option<Buffer>| {
            let Buffer { start, bytes } = buffer?;
            owner.find(self.driver, start, bytes, self.map)
        };
        let found = buffers.map(|(input, output)| FoundSides { input: find(input), output: find(output) });
        let found: Vec<FoundSides> = found.collect();
        if found.iter().all(|found| found.input.is_none() && found.output.is_none()) {
            return None;
        }
        let offer = owner.offer()?;
        Some(Offered { owner, found, offer })
    }

    /// Offers a slot to the leader of another process.
    fn offer_slot(&self) -> Option<Offered> {
        let owner = self.owner(LEADER)?;
        let offer = owner.offer_slot()?;
        Some(Offered { owner, found: Vec::new(), offer })
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

/// Where the leader finds the sides of each piece. Blocks that differ in length are found from their first
/// byte on.
fn mapped_sides(sides: &[Sides], offered: Option<&Offered>, is_unequal: bool) -> Vec<MappedSides> {
    let mapped = |(number, sides): (usize, &Sides)| {
        let found = offered.and_then(|offered| offered.found.get(number));
        let first = if is_unequal { 0 } else { sides.placed.piece.first_bytes() };
        let side = |found: &Found| MappedSide { token: *found.token, offset: found.offset + first };
        let input = found.and_then(|found| found.input.as_ref()).map(side);
        let output = found.and_then(|found| found.output.as_ref()).map(side);
        MappedSides { input: input.unwrap_or_default(), output: output.unwrap_or_default() }
    };
    sides.iter().enumerate().map(mapped).collect()
}
