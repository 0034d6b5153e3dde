//! The messages of one piece: the ranks tell rank 0 where their buffers are, and rank 0 tells them when the
//! result is there.

use std::sync::Arc;

use super::cut::Share;
use super::direct_way::{DirectWay, EXECUTOR};
use super::mappings::{Found, Offer, Owner};
use super::pieces::Piece;
use super::place::{ListedPlace, Place, PlaceInUse, Told};
use super::table::Places;
use crate::base::{Call, CallKind, Collective, Datatype, Rank, Result};
use crate::comm::call::operation::{Operation, Variant};
use crate::comm::communicator::Communicator;
use crate::comm::work::Work;
use crate::device::direct::DirectCall;

/// What a piece needs next.
pub enum Next {
    /// The end of another call of the engine.
    Work(Work),
    /// The end of the kernels.
    Device,
    /// Nothing: the result is there.
    Ended,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Gathering,
    /// On the executor, for its kernels.
    Running,
    /// On the other ranks, for their turn.
    Waiting,
    Telling,
}

/// Buffers of a piece that the executor of another process has mapped.
pub struct Offered {
    pub owner: Arc<Owner>,
    /// Input and output, as far as they are mapped.
    pub found: [Option<Found>; 2],
    pub offer: Offer,
}

/// The messages of a piece on one rank.
pub struct DirectExchange {
    way: Arc<DirectWay>,
    piece: Piece,
    phase: Phase,
    /// Number of the call among those of the communicator.
    number: u64,
    mine: [u8; Told::BYTES],
    /// On rank 0, what all ranks have told.
    all: Vec<u8>,
    /// The broadcast has one byte: whether the first piece was the whole call.
    end: [u8; 1],
    share: Share,
    listed: Option<ListedPlace>,
    offered: Option<Offered>,
    /// On rank 0, the places that the kernels use.
    uses: Vec<PlaceInUse>,
}

impl DirectExchange {
    /// The messages of a piece whose buffers are as `told` says.
    pub fn new(
        way: &Arc<DirectWay>,
        piece: Piece,
        told: Told,
        (listed, offered): (Option<ListedPlace>, Option<Offered>),
        rank: Rank,
        share: Share,
    ) -> DirectExchange {
        let all = if rank == EXECUTOR { vec![0; way.size() * Told::BYTES] } else { Vec::new() };
        let (way, mine) = (Arc::clone(way), told.to_bytes());
        DirectExchange {
            way,
            piece,
            phase: Phase::Gathering,
            number: 0,
            mine,
            all,
            end: [0],
            share,
            listed,
            offered,
            uses: Vec::new(),
        }
    }

    /// Whether it is known how the piece goes, so that it may begin.
    pub fn may_begin(&self) -> bool {
        self.share.is_known()
    }

    /// Whether the first piece of the call has done the work of this one.
    pub fn is_done(&self) -> bool {
        self.share.is_done()
    }

    /// Starts to gather. Ranks with another call get an error. `None`: there is nothing to do.
    ///
    /// # Safety
    /// `self` stays in its place and lives until the work has ended.
    pub unsafe fn start(&mut self, comm: &Communicator) -> Result<Option<Work>> {
        if self.is_done() {
            return Ok(None);
        }
        self.number = self.way.begin();
        let gather = of_bytes(Collective::Gather, Told::BYTES);
        let operation = Operation { call: gather, send: self.mine.as_ptr(), recv: self.all.as_mut_ptr() };
        let signature = Call { kind: CallKind::OnDevice(self.piece.collective), ..self.piece.call };
        let variant = Variant { signature: Some(signature), callback: None };
        // SAFETY: the buffers are as long as the call says, and live by our caller's promise.
        unsafe { comm.start_variant(&operation, &variant) }.map(|request| Some(request.into()))
    }

    /// Goes on, after the last work has ended well or the device may have.
    ///
    /// # Safety
    /// See [`DirectExchange::start`].
    pub unsafe fn next(&mut self, comm: &Communicator, call: &mut DirectCall) -> Result<Next> {
        if self.is_done() {
            return Ok(Next::Ended);
        }
        let must_run = match self.phase {
            Phase::Gathering if call.executes() => {
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
            Phase::Telling => {
                self.share.decide(self.end[0] != 0);
                return Ok(Next::Ended);
            }
        };
        // All ranks tell the ends in the order in which the calls have begun.
        if must_run && !call.has_run() || !self.way.takes_turn_to_end(self.number) {
            return Ok(Next::Device);
        }
        self.phase = Phase::Telling;
        self.uses.clear();
        let recv = self.end.as_mut_ptr();
        let call = of_bytes(Collective::Broadcast, self.end.len());
        let operation = Operation { call, send: recv.cast_const(), recv };
        let endings = &self.way.endings;
        endings.set_timeout(comm.timeout.get());
        // SAFETY: as in `start`.
        unsafe { endings.start(&operation) }.map(|request| Next::Work(request.into()))
    }

    /// Withdraws the buffers of this rank, because the call has failed. Returns whether the kernels may still
    /// use them.
    pub fn withdraw(&self) -> bool {
        let is_withdrawn = |offered: &Offered| offered.offer.withdraw() && !offered.owner.has_lost_executor();
        self.listed.as_ref().is_some_and(ListedPlace::withdraw)
            || self.offered.as_ref().is_some_and(is_withdrawn)
    }

    fn fill_table(&mut self, comm: &Communicator, call: &mut DirectCall) -> Result<()> {
        let told: Vec<Told> = self.all.as_chunks().0.iter().map(Told::from_bytes).collect();
        let is_whole = self.share.is_first() && told.iter().all(|told| told.all_stay);
        self.end = [u8::from(is_whole)];
        self.share.decide(is_whole);
        let piece = if is_whole { self.piece.whole() } else { self.piece };
        let place =
            |(told, rank): (&Told, Rank)| told.place(rank, |told| self.way.foreign_place(rank, told, &piece));
        let found = told.iter().zip(0..).map(place).collect::<Result<Vec<_>>>()?;
        let (places, uses): (Vec<Place>, Vec<_>) = found.into_iter().unzip();
        self.uses = uses.into_iter().flatten().collect();
        let Some((work, multiprocessors)) = self.way.work(&self.piece) else { return Ok(()) };
        let address = call.table_address();
        let places = Places { places: &places, told: &told, saturates: comm.plan_cache.saturates() };
        places.fill(call.table(), address, &piece, &work, multiprocessors);
        Ok(())
    }
}

impl Drop for DirectExchange {
    fn drop(&mut self) {
        // The piece has failed, and so do the others.
        self.share.decide(false);
    }
}

fn of_bytes(collective: Collective, bytes: usize) -> Call {
    let kind = CallKind::Collective(collective);
    Call { kind, datatype: Datatype::Byte, op: None, root: EXECUTOR, count: bytes as u64 }
}
