//! The messages of one piece: the ranks send rank 0 their records, and rank 0 broadcasts when the
//! result is there.

use std::sync::Arc;

use super::block_report::{self, BlockReport};
use super::buffers::{BufferRecord, BufferUse, PublishedBuffers, RankBuffers};
use super::call::DirectCall;
use super::direct_path::{DirectPath, LEADER};
use super::ipc_cache::{Found, Offer, Owner};
use super::kernels::KernelWork;
use super::pieces::{DirectPieces, Piece};
use super::table::Tables;
use crate::base::{Call, CallKind, Collective, Datatype, Rank, Result};
use crate::comm::call::operation::Operation;
use crate::comm::call::operator::Scalar;
use crate::comm::device::host::Host;

/// What a piece needs next.
pub enum Next<S> {
    /// The end of another call of the engine.
    Call(S),
    /// The end of the kernels.
    Device,
    /// Nothing: the result is there.
    Ended,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Gathering,
    /// On the leader, for its kernels.
    Running,
    /// On the other ranks, for their turn.
    Waiting,
    Telling,
}

/// Buffers of a piece that the leader of another process has mapped.
pub struct Offered {
    pub owner: Arc<Owner>,
    pub input: Option<Found>,
    pub output: Option<Found>,
    pub offer: Offer,
}

/// What the leader may use of the buffers of a rank in a piece.
pub struct SharedBuffers {
    /// Set if the rank shares the process of the leader.
    pub published: Option<PublishedBuffers>,
    /// Set if the leader has mapped something.
    pub offered: Option<Offered>,
}

impl SharedBuffers {
    /// Withdraws the buffers. Returns whether the other rank may still use them.
    pub fn withdraw(&self) -> bool {
        let is_withdrawn = |offered: &Offered| offered.offer.withdraw() && !offered.owner.has_lost_leader();
        self.published.as_ref().is_some_and(PublishedBuffers::withdraw)
            || self.offered.as_ref().is_some_and(is_withdrawn)
    }
}

/// The messages of a piece on one rank.
pub struct DirectExchange<H: Host> {
    path: Arc<DirectPath<H>>,
    piece: Piece,
    /// The call as the other ranks see it.
    signature: Call,
    /// Whether each record has a report of blocks behind it.
    has_reports: bool,
    phase: Phase,
    /// Number of the call among those of the communicator.
    number: u64,
    /// The record, and the report.
    mine: Vec<u8>,
    /// On rank 0, those of all ranks.
    all: Vec<u8>,
    /// The broadcast has one byte: whether nothing of the call is left behind the piece.
    end: [u8; 1],
    /// Whether the piece becomes the whole call if all buffers of all ranks can be used where they are.
    may_be_whole: bool,
    shared: SharedBuffers,
    /// On rank 0, the buffers that the kernels use.
    uses: Vec<BufferUse>,
}

impl<H: Host> DirectExchange<H> {
    /// The messages of a piece with this record.
    pub fn new(
        path: &Arc<DirectPath<H>>,
        piece: Piece,
        pieces: &DirectPieces,
        record: BufferRecord,
        shared: SharedBuffers,
        rank: Rank,
        may_be_whole: bool,
    ) -> DirectExchange<H> {
        let mut mine = record.to_bytes().to_vec();
        if let Some(blocks) = &pieces.unequal {
            mine.extend(blocks.report().to_bytes(path.size()));
        }
        let all = if rank == LEADER { vec![0; path.size() * mine.len()] } else { Vec::new() };
        let path = Arc::clone(path);
        DirectExchange {
            path,
            piece,
            signature: pieces.signature(),
            has_reports: pieces.unequal.is_some(),
            phase: Phase::Gathering,
            number: 0,
            mine,
            all,
            end: [0],
            may_be_whole,
            shared,
            uses: Vec::new(),
        }
    }

    /// Whether the piece was the last one, although the pieces of the call do not say so: it has become the
    /// whole call, or only the leader knows the lengths of all blocks. Known at the end.
    pub fn was_last(&self) -> bool {
        self.end[0] != 0
    }

    /// Starts to gather, with the factor that the stream has brought. Ranks with another call get an error.
    ///
    /// # Safety
    /// `self` does not move, and lives, until the work has ended.
    pub unsafe fn start(&mut self, comm: &H, factor: Option<[u8; Scalar::BYTES]>) -> Result<H::Started> {
        BufferRecord::set_map_request(&mut self.mine, self.path.take_map_request());
        if let Some(factor) = factor {
            BufferRecord::set_factor(&mut self.mine, factor);
        }
        let gather = of_bytes(Collective::Gather, self.mine.len());
        let operation = Operation { call: gather, send: self.mine.as_ptr(), recv: self.all.as_mut_ptr() };
        // SAFETY: the buffers are as long as the call says, and live by our caller's promise.
        let start = || unsafe { comm.start_signed(&operation, self.signature) };
        let (number, started) = self.path.begin(start);
        self.number = number;
        started
    }

    /// Goes on, after the last work has ended well or the device may have.
    ///
    /// # Safety
    /// See [`DirectExchange::start`].
    pub unsafe fn next(&mut self, comm: &H, call: &mut DirectCall) -> Result<Next<H::Started>> {
        let must_run = match self.phase {
            Phase::Gathering if call.is_leader() => {
                self.fill_table(comm, call)?;
                self.phase = Phase::Running;
                call.go()?;
                return Ok(Next::Device);
            }
            Phase::Gathering => {
                self.phase = Phase::Waiting;
                false
            }
            Phase::Waiting => false,
            Phase::Running => true,
            Phase::Telling => return Ok(Next::Ended),
        };
        // All ranks broadcast the ends in the order in which the calls have begun.
        if must_run && !call.has_run() {
            return Ok(Next::Device);
        }
        let recv = self.end.as_mut_ptr();
        let broadcast = of_bytes(Collective::Broadcast, self.end.len());
        let operation = Operation { call: broadcast, send: recv.cast_const(), recv };
        let uses = &mut self.uses;
        let end = || {
            uses.clear();
            // SAFETY: as in `start`.
            unsafe { self.path.endings.start_like(&operation, comm) }
        };
        let Some(started) = self.path.end_in_turn(self.number, end) else { return Ok(Next::Device) };
        self.phase = Phase::Telling;
        started.map(Next::Call)
    }

    /// Withdraws the buffers of this rank, because the call has failed. Returns whether the kernels may still
    /// use them.
    pub fn withdraw(&self) -> bool {
        self.shared.withdraw()
    }

    fn fill_table(&mut self, comm: &H, call: &mut DirectCall) -> Result<()> {
        let messages = self.all.chunks_exact(self.mine.len()).filter_map(<[u8]>::split_first_chunk);
        let (records, reports): (Vec<BufferRecord>, Vec<BlockReport>) = messages
            .map(|(record, report)| (BufferRecord::from_bytes(record), BlockReport::from_bytes(report)))
            .unzip();
        let is_whole = self.may_be_whole && records.iter().all(|record| record.all_mapped);
        let piece = if is_whole { self.piece.whole() } else { self.piece };
        let reports = self.has_reports.then_some(&reports[..]);
        let most = piece.first_bytes() + piece.bytes() as u64;
        let is_last = |reports: &[BlockReport]| reports.iter().all(|report| report.ends_within(most));
        self.end = [u8::from(is_whole || reports.is_some_and(is_last))];
        reports.map_or(Ok(()), |reports| block_report::check(piece.collective, &piece.call, reports))?;
        let buffers = |(record, rank): (&BufferRecord, Rank)| {
            let report = reports.map(|reports| &reports[rank as usize]);
            record.buffers(rank, |record| self.path.foreign_buffers(rank, record, &piece, report))
        };
        let found = records.iter().zip(0..).map(buffers).collect::<Result<Vec<_>>>()?;
        let (buffers, uses): (Vec<RankBuffers>, Vec<_>) = found.into_iter().unzip();
        self.uses = uses.into_iter().flatten().collect();
        let work = KernelWork::of(&self.piece, self.path.size());
        let (Some(work), Some(leader)) = (work, self.path.leader()) else { return Ok(()) };
        let address = call.table_address();
        let saturates = comm.saturates();
        let tables = Tables { buffers: &buffers, records: &records, reports, saturates };
        tables.fill(call.table(), address, &piece, &work, leader.kernels.multiprocessors());
        Ok(())
    }
}

fn of_bytes(collective: Collective, bytes: usize) -> Call {
    let kind = CallKind::Collective(collective);
    Call { kind, datatype: Datatype::Byte, op: None, root: LEADER, count: bytes as u64 }
}
