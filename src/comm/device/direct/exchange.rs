//! The messages of one bundle: the ranks send rank 0 their records, and rank 0 broadcasts when the result is
//! there.

use std::sync::Arc;

use super::block_report::{self, BlockReport};
use super::buffers::{BufferRecord, BufferUse, MappedSides, PublishedBuffers, RankBuffers};
use super::bundle::{Bundle, PlacedPiece};
use super::call::DirectCall;
use super::direct_path::{DirectPath, LEADER};
use super::ipc_cache::{Found, Offer, Owner};
use super::piece::Piece;
use super::table::{Tables, fill_tables};
use crate::base::{Call, CallKind, Collective, Datatype, Rank, Result};
use crate::comm::call::operation::Operation;
use crate::comm::call::operator::Scalar;
use crate::comm::device::host::Host;

/// What a bundle needs next.
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

/// Buffers of a rank that the leader of another process has mapped.
pub struct Offered {
    pub owner: Arc<Owner>,
    /// For each piece of the bundle.
    pub found: Vec<FoundSides>,
    pub offer: Offer,
}

/// Buffers of a piece in what the leader has mapped.
#[derive(Default)]
pub struct FoundSides {
    pub input: Option<Found>,
    pub output: Option<Found>,
}

/// What the leader may use of the buffers of a rank in a bundle.
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

/// The messages of a bundle on one rank.
pub struct DirectExchange<H: Host> {
    path: Arc<DirectPath<H>>,
    bundle: Arc<Bundle>,
    /// Whether each record has a report of blocks behind it.
    has_reports: bool,
    phase: Phase,
    /// Number of the call among those of the communicator.
    number: u64,
    /// The record, the sides of each piece, and the report.
    mine: Vec<u8>,
    /// On rank 0, those of all ranks.
    all: Vec<u8>,
    /// The broadcast has one byte: whether the bundle has run as a whole, or is the end of the call.
    end: [u8; 1],
    shared: SharedBuffers,
    /// On rank 0, the buffers that the kernels use.
    uses: Vec<BufferUse>,
}

impl<H: Host> DirectExchange<H> {
    /// The messages of a bundle with this record, and these sides of each piece.
    pub fn new(
        path: &Arc<DirectPath<H>>,
        bundle: &Arc<Bundle>,
        report: Option<BlockReport>,
        (record, sides): (BufferRecord, &[MappedSides]),
        shared: SharedBuffers,
        rank: Rank,
    ) -> DirectExchange<H> {
        let mut mine = record.to_bytes().to_vec();
        mine.extend(sides.iter().flat_map(|sides| sides.to_bytes()));
        let has_reports = report.is_some();
        mine.extend(report.iter().flat_map(|report| report.to_bytes(path.size())));
        let all = if rank == LEADER { vec![0; path.size() * mine.len()] } else { Vec::new() };
        DirectExchange {
            path: Arc::clone(path),
            bundle: Arc::clone(bundle),
            has_reports,
            phase: Phase::Gathering,
            number: 0,
            mine,
            all,
            end: [0],
            shared,
            uses: Vec::new(),
        }
    }

    /// The bundle as the other ranks see it.
    pub fn signature(&self) -> &Call {
        &self.bundle.signature
    }

    /// Whether the bundle has run as a whole, or was the last one because only the leader knows the lengths
    /// of all blocks. Known at the end.
    pub fn was_whole(&self) -> bool {
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
        let start = || unsafe { comm.start_signed(&operation, self.bundle.signature) };
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
        let (uses, signature) = (&mut self.uses, self.bundle.signature);
        let end = || {
            uses.clear();
            // SAFETY: as in `start`.
            unsafe { self.path.endings.start_like(&operation, signature, comm) }
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
        let bundle = &*self.bundle;
        let sent = self.all.chunks_exact(self.mine.len()).map(|sent| Sent::from_bytes(sent, bundle));
        let sent: Vec<Sent> = sent.collect();
        let is_whole = bundle.may_be_whole() && sent.iter().all(|sent| sent.record.all_mapped);
        let pieces = bundle.chosen(is_whole);
        let reports: Vec<BlockReport> =
            sent.iter().map(|sent| BlockReport::from_bytes(sent.report)).collect();
        let reports = self.has_reports.then_some(&reports[..]);
        self.end = [u8::from(is_whole)];
        if let (Some(reports), Some(PlacedPiece { piece, .. })) = (reports, pieces.first()) {
            let most = piece.first_bytes() + piece.bytes() as u64;
            self.end[0] |= u8::from(reports.iter().all(|report| report.ends_within(most)));
            block_report::check(piece.collective, &piece.call, reports)?;
        }
        let buffers = |(sent, rank): (&Sent, Rank)| {
            let sides = (&sent.sides[..], reports.map(|reports| &reports[rank as usize]));
            let found = |record: &BufferRecord| self.path.foreign_buffers(rank, record, &pieces, sides);
            sent.record.buffers(rank, found)
        };
        let found = sent.iter().zip(0..).map(buffers).collect::<Result<Vec<_>>>()?;
        let (of_ranks, uses): (Vec<Vec<RankBuffers>>, Vec<_>) = found.into_iter().unzip();
        self.uses = uses.into_iter().flatten().collect();
        let Some(leader) = self.path.leader() else { return Ok(()) };
        let of_piece = |at: usize| -> Vec<RankBuffers> {
            of_ranks.iter().map(|pieces| pieces.get(at).cloned().unwrap_or_default()).collect()
        };
        let buffers: Vec<Vec<RankBuffers>> = (0..pieces.len()).map(of_piece).collect();
        let records: Vec<BufferRecord> = sent.iter().map(|sent| sent.record).collect();
        let (records, saturates) = (&records[..], comm.saturates());
        let tables: Vec<(Piece, Tables)> = pieces
            .iter()
            .zip(&buffers)
            .map(|(placed, buffers)| (placed.piece, Tables { buffers, records, reports, saturates }))
            .collect();
        let address = call.table_address();
        let multiprocessors = leader.kernels.multiprocessors();
        fill_tables(call.table(), address, (&tables, &bundle.works), multiprocessors);
        call.keep_launches(bundle.launches(pieces.len()));
        Ok(())
    }
}

/// What the leader gets from a rank.
struct Sent<'a> {
    record: BufferRecord,
    /// For each piece of the bundle.
    sides: Vec<MappedSides>,
    /// The report, if the ranks have some.
    report: &'a [u8],
}

impl Sent<'_> {
    fn from_bytes<'a>(bytes: &'a [u8], bundle: &Bundle) -> Sent<'a> {
        let (record, rest) = bytes.split_first_chunk().expect("every rank sends as much as this one");
        let (sides, report) = rest.split_at(bundle.pieces.len() * MappedSides::BYTES);
        let sides = sides.as_chunks().0.iter().map(MappedSides::from_bytes).collect();
        Sent { record: BufferRecord::from_bytes(record), sides, report }
    }
}

fn of_bytes(collective: Collective, bytes: usize) -> Call {
    let kind = CallKind::Collective(collective);
    Call { kind, datatype: Datatype::Byte, op: None, root: LEADER, count: bytes as u64 }
}
