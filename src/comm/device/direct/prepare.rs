//! Preparing a piece on this rank: which copies its stream makes, and the record for the leader.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::buffers::{BufferRecord, PublishedBuffers, RankBuffers};
use super::direct_path::DirectPath;
use super::exchange::{DirectExchange, Offered};
use super::ipc_cache::Found;
use super::pieces::Piece;
use super::whole_call::PieceRole;
use crate::base::{Collective, Error, Rank, Result};
use crate::comm::call::operation::Operation;
use crate::comm::call::operator::{Operator, Scalar};
use crate::comm::device::host::Host;
use crate::device::direct::{DeviceCopy, DirectCall, KernelLaunches, Launch, Lease, Temporary};
use crate::device::{CallStream, Entered};

/// One side of a rank's buffers: where they are, and where the leader finds them.
struct Side {
    /// First byte of the piece in the first block of the program's buffer.
    start: u64,
    /// Bytes from one block to the next.
    step: u64,
    blocks: usize,
    /// Where the leader finds them, and how far apart.
    seen: u64,
    seen_step: u64,
}

impl Side {
    /// A side whose blocks the leader finds where they are.
    fn of(buffer: usize, blocks: usize, piece: &Piece) -> Side {
        let unit = piece.call.datatype.bytes() as u64;
        let (start, step) = (buffer as u64 + piece.first as u64 * unit, piece.call.count * unit);
        Side { start, step, blocks, seen: start, seen_step: step }
    }

    /// Moves it to other memory, in which the blocks follow each other.
    fn move_to(&mut self, address: u64, piece: &Piece) {
        (self.seen, self.seen_step) = (address, piece.bytes() as u64);
    }

    /// Start and length of the buffer, whatever part of it the piece has.
    fn all(&self, piece: &Piece) -> (u64, u64) {
        (self.start - piece.first_bytes(), self.blocks as u64 * self.step)
    }

    fn has_moved(&self) -> bool {
        self.blocks > 0 && self.seen != self.start
    }

    /// The copies of all blocks to where the leader finds them.
    fn copies(&self, piece: &Piece) -> impl Iterator<Item = DeviceCopy> {
        // Blocks that follow each other on both sides are one run.
        let is_one_run = self.step == self.seen_step;
        let (runs, bytes) =
            if is_one_run { (1, self.blocks * piece.bytes()) } else { (self.blocks, piece.bytes()) };
        let runs = if self.has_moved() { runs as u64 } else { 0 };
        let (from, to) = ((self.start, self.step), (self.seen, self.seen_step));
        (0..runs).map(move |run| DeviceCopy { to: to.0 + run * to.1, from: from.0 + run * from.1, bytes })
    }
}

/// Memory to which sides were moved.
struct Moved {
    lease: Option<Lease>,
    temporary: Option<Arc<Temporary>>,
}

/// Where the leader finds both sides.
fn buffers_of(sides: &[Side; 2]) -> RankBuffers {
    let [input, output] = sides;
    RankBuffers {
        input: input.seen,
        input_step: input.seen_step,
        output: output.seen,
        output_step: output.seen_step,
    }
}

impl<H: Host> DirectPath<H> {
    /// Prepares a piece of a call of `rank`, on a stream. Enqueues at
    /// most an allocation.
    pub fn prepare(
        self: &Arc<DirectPath<H>>,
        piece: Piece,
        rank: Rank,
        (operation, operator): (&Operation, Option<&Arc<Operator>>),
        stream: &CallStream,
        role: PieceRole,
    ) -> Result<(DirectExchange<H>, DirectCall)> {
        let buffers = [operation.send.addr(), operation.recv.addr()];
        let blocks = [piece.input_blocks(self.size(), rank), piece.output_blocks(self.size(), rank)];
        let mut sides: [Side; 2] = std::array::from_fn(|i| Side::of(buffers[i], blocks[i], &piece));
        let _entered = Entered::for_device(self.driver, self.device)?;
        let is_in_place = piece.collective == Collective::AllToAll && buffers[0] == buffers[1];
        let is_on_device = buffers.map(|buffer| self.driver.is_on_device(buffer));
        // An input in place is overwritten by the kernel before other blocks of it are read.
        let offered = self.offer_mapped([0, 1].map(|i| {
            let may_stay = is_on_device[i] && !(i == 0 && is_in_place);
            (blocks[i] > 0 && may_stay).then(|| sides[i].all(&piece))
        }));
        let is_mapped = |i: usize| offered.as_ref().is_some_and(|offered| offered.found[i].is_some());
        let may_stay = |i: usize| is_on_device[i] && self.is_seen(buffers[i]) || is_mapped(i);
        let must_move = [is_in_place || !may_stay(0), !may_stay(1)];
        for i in (0..2).filter(|i| blocks[*i] > 0) {
            let counter = if must_move[i] { &self.moved } else { &self.in_place };
            counter.fetch_add(1, Ordering::Relaxed);
        }
        let moved = self.move_sides(&mut sides, must_move, &piece, stream)?;
        let before = sides[0].copies(&piece).collect();
        let back = |copy: DeviceCopy| DeviceCopy { to: copy.from, from: copy.to, ..copy };
        let after = sides[1].copies(&piece).map(back).collect();
        let published = self.is_local.then(|| PublishedBuffers::add(rank, buffers_of(&sides))).transpose()?;
        let mapped = |i: usize| {
            let found: Option<&Found> = offered.as_ref()?.found[i].as_ref();
            found.map(|found| (*found.token, found.offset + piece.first_bytes()))
        };
        let record = BufferRecord {
            number: published.as_ref().map_or(0, PublishedBuffers::number),
            slot: moved.lease.as_ref().map_or(0, |lease| lease.number() as u64),
            mapped: [0, 1].map(|i| mapped(i).unwrap_or_default()),
            offer: offered.as_ref().map_or((0, 0), |offered| offered.offer.bits()),
            has_map_request: self.take_map_request(),
            all_mapped: (0..2).all(|i| blocks[i] == 0 || !must_move[i]),
            scalar: operator.map_or([0; Scalar::BYTES], |operator| operator.factor()),
        };
        let mut leases: Vec<Lease> = moved.lease.into_iter().collect();
        let launches = self.launches(&piece, &role, &mut leases)?;
        let stream = (self.context, stream.clone());
        let call = DirectCall::new(self.driver, stream, before, after, launches, leases, moved.temporary)?;
        Ok((DirectExchange::new(self, piece, record, (published, offered), rank, role), call))
    }

    /// Moves the sides that the leader cannot find where they are: to a slot of this rank, or to memory
    /// that is allocated for the call.
    fn move_sides(
        &self,
        sides: &mut [Side; 2],
        must_move: [bool; 2],
        piece: &Piece,
        stream: &CallStream,
    ) -> Result<Moved> {
        let mut moved = Moved { lease: None, temporary: None };
        if (0..2).all(|i| sides[i].blocks == 0 || !must_move[i]) {
            return Ok(moved);
        }
        let addresses = if self.has_slots() {
            let lease = self.slots.take()?;
            let number = lease.number();
            moved.lease = Some(lease);
            self.own_slot(number).map(<[u64; 2]>::from).unwrap_or_default()
        } else {
            let bytes = |i: usize| if must_move[i] { sides[i].blocks * piece.bytes() } else { 0 };
            let of_stream = (self.context, stream.stream);
            let memory = Temporary::allocate(self.driver, of_stream, bytes(0) + bytes(1))?;
            let start = memory.address();
            moved.temporary = Some(memory);
            [start, start + bytes(0) as u64]
        };
        for i in (0..2).filter(|i| must_move[*i]) {
            sides[i].move_to(addresses[i], piece);
        }
        Ok(moved)
    }

    /// What the leader launches for a piece; `None` on the other ranks.
    fn launches(
        &self,
        piece: &Piece,
        role: &PieceRole,
        leases: &mut Vec<Lease>,
    ) -> Result<Option<KernelLaunches>> {
        let Some((kernels, table_slots, address)) = self.leader() else { return Ok(None) };
        let Some((work, multiprocessors)) = self.work(piece) else {
            return Err(Error::Internal(format!("no kernel for {}", piece.call)));
        };
        let table_slot = table_slots.take()?;
        let table_address = address(table_slot.number());
        leases.push(table_slot);
        // The first piece of several may become the whole call.
        let most = if role.is_first() { piece.whole() } else { *piece };
        let shape = work.shape(&most, self.size(), multiprocessors);
        let function = kernels.function(work.entry())?;
        let launch = |number| Launch { function, shape, arguments_at: number * work.arguments_bytes() };
        let launches = (0..work.launches()).map(launch).collect();
        Ok(Some(KernelLaunches { kernels, launches, table_address, bytes: work.table_bytes() }))
    }

    /// Finds the buffers that the leader has mapped, and offers them to it: for input and output, start and
    /// length. Each that it has not mapped it is asked for.
    fn offer_mapped(&self, sides: [Option<(u64, u64)>; 2]) -> Option<Offered> {
        let owner = self.owner()?;
        let found = sides.map(|side| {
            let (start, bytes) = side?;
            owner.find(self.driver, start, bytes)
        });
        if found.iter().all(Option::is_none) {
            return None;
        }
        let offer = owner.offer()?;
        Some(Offered { owner, found, offer })
    }

    /// Whether the leader can address a buffer of this rank where it is.
    fn is_seen(&self, buffer: usize) -> bool {
        self.is_local
            && self.driver.device_of(buffer) == Some(self.device)
            && (self.shares_device || self.driver.is_plain_memory(buffer))
    }
}
