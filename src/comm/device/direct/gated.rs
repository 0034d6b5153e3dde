//! A direct call whose kernels and copies run on the library's stream, when the stream of the program has
//! come to it.
//!
//! The stream of the program has only a *gate*: it sets a word, *ready*, and waits for another one, *final*.
//! When it has come there, the thread of the communicator makes the pieces of the call one after the other,
//! each as a [`DirectCall`] on the library's stream. A piece that finds no slot of the bounce buffer, or no
//! table, is made when one is free. After the last piece, *final* is set.
//!
//! So go calls of several pieces, calls that find no slot or table, and all later ones until these have
//! started: a later call never holds what an earlier one waits for. The caller waits for nothing.
//!
//! The first of several pieces becomes the whole call if the leader can address all buffers where they are.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::call::DirectCall;
use super::direct_path::DirectPath;
use super::exchange::{DirectExchange, Next};
use super::pieces::DirectPieces;
use super::prepare::PieceUse;
use crate::base::{Rank, Result};
use crate::comm::device::call_streams::CallStream;
use crate::comm::device::host::Host;
use crate::comm::device::stream_call_state::{GATE_WORDS, StreamCallState, WORD_STEP};
use crate::comm::device::stream_order::StreamInContext;
use crate::comm::device::stream_tail::StagedTail;
use crate::device::{Entered, PinnedBlock, StreamEvent};

/// See the module head.
pub struct GatedCall<H: Host> {
    /// The piece that runs. Dropped before the gate, which keeps the buffers for the call.
    part: Option<Box<(DirectExchange<H>, DirectCall)>>,
    gate: StreamCallState,
    path: Arc<DirectPath<H>>,
    pieces: DirectPieces,
    rank: Rank,
    /// The library's stream, and the event of all pieces.
    own: CallStream,
    event: Arc<StreamEvent>,
    phase: Phase,
    /// Whether the piece that runs is the last one.
    is_last: bool,
    /// Set until the last piece has started.
    starting: Option<Starting>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The next piece is to be made.
    Preparing,
    /// The piece is in the stream, and not started in the engine.
    Arriving,
    /// The ranks exchange the messages of the piece.
    Exchanging,
    /// The piece has ended, and the stream is to pass it.
    Passing,
    Done,
}

/// Counts a call that has not started its last piece.
struct Starting(Arc<AtomicUsize>);

impl Starting {
    fn new(count: &Arc<AtomicUsize>) -> Starting {
        count.fetch_add(1, Ordering::Relaxed);
        Starting(Arc::clone(count))
    }
}

impl Drop for Starting {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl<H: Host> GatedCall<H> {
    /// Makes a call on a stream; `own` is the library's stream of the context. Nothing is enqueued yet.
    pub fn new(
        path: &Arc<DirectPath<H>>,
        pieces: DirectPieces,
        rank: Rank,
        stream: CallStream,
        own: CallStream,
    ) -> Result<GatedCall<H>> {
        let (driver, context) = (path.driver, path.context);
        let entered = Entered::for_device(driver, path.device)?;
        // The thread of the communicator makes no events.
        let event = Arc::new(own.events.borrow()?);
        drop(entered);
        let block = PinnedBlock::of_reserve(driver, stream.events.context(), GATE_WORDS * WORD_STEP)?;
        Ok(GatedCall {
            part: None,
            gate: StreamCallState::new(driver, context, stream, block, GATE_WORDS),
            path: Arc::clone(path),
            pieces,
            rank,
            own,
            event,
            phase: Phase::Preparing,
            is_last: false,
            starting: Some(Starting::new(&path.starting)),
        })
    }

    /// See [`StreamCallState::stream_in_context`].
    pub fn stream_in_context(&self) -> StreamInContext {
        self.gate.stream_in_context()
    }

    /// See [`StreamCallState::event`].
    pub fn event(&self) -> Option<Arc<StreamEvent>> {
        self.gate.event()
    }

    /// Puts the gate into the stream, or only its start if the tail is apart. After an error, the stream does
    /// not wait.
    pub fn enqueue(&mut self) -> Result<()> {
        self.gate.enqueue_gate()
    }

    /// Takes the tail out of the call.
    pub fn split_tail(&mut self) -> Result<StagedTail> {
        self.gate.split_gate()
    }

    /// Whether the stream of the program has come to the call.
    pub fn is_ready(&self) -> bool {
        self.gate.is_ready()
    }

    /// Whether a piece is still to be started in the engine. If the stream waits by a kernel, no event orders
    /// the next collective behind this one, so the whole call counts.
    pub fn is_starting(&self) -> bool {
        self.starting.is_some() || self.gate.waiting.is_some() && self.phase != Phase::Done
    }

    /// Makes the next piece, or sees that the stream has passed one. Returns whether anything has changed.
    /// The context stays current in this thread.
    pub fn look(&mut self) -> Result<bool> {
        match self.phase {
            Phase::Preparing => self.prepare(),
            Phase::Passing => {
                let has_passed = self.part.as_mut().map_or(Ok(true), |part| part.1.has_passed())?;
                if has_passed {
                    let is_whole = self.part.take().is_some_and(|part| part.0.is_whole());
                    let is_done = self.is_last || is_whole;
                    self.phase = if is_done { Phase::Done } else { Phase::Preparing };
                    if is_done {
                        self.starting = None;
                    }
                }
                Ok(has_passed)
            }
            Phase::Arriving | Phase::Exchanging | Phase::Done => Ok(false),
        }
    }

    fn prepare(&mut self) -> Result<bool> {
        self.gate.adopt_context()?;
        let (mut pieces, may_be_whole) = (self.pieces.clone(), self.pieces.is_at_first_of_many());
        let Some((piece, is_last)) = pieces.next() else { return Ok(false) };
        let piece_use = PieceUse { may_be_whole, of_reserve: true };
        let prepared = self.path.prepare(piece, self.rank, &self.pieces, &self.own, piece_use)?;
        let Some((exchange, mut call)) = prepared else { return Ok(false) };
        call.set_event(Arc::clone(&self.event));
        let part = self.part.insert(Box::new((exchange, call)));
        part.1.enqueue()?;
        (self.pieces, self.is_last, self.phase) = (pieces, is_last, Phase::Arriving);
        Ok(true)
    }

    /// What the call needs next, after its last work has ended well.
    ///
    /// # Safety
    /// See [`DirectExchange::start`].
    pub unsafe fn next(&mut self, comm: &H) -> Result<Next<H::Started>> {
        let Some((exchange, call)) = self.part.as_deref_mut() else {
            return Ok(if self.phase == Phase::Done { Next::Ended } else { Next::Device });
        };
        match self.phase {
            Phase::Arriving if call.is_ready() => {
                self.phase = Phase::Exchanging;
                if self.is_last {
                    self.starting = None;
                }
                // SAFETY: passed on from our caller. The box does not move.
                unsafe { exchange.start(comm, call.factor()) }.map(Next::Call)
            }
            Phase::Exchanging => {
                // SAFETY: passed on from our caller. The box does not move.
                match unsafe { exchange.next(comm, call) }? {
                    Next::Ended => {
                        call.end(true)?;
                        self.phase = Phase::Passing;
                        Ok(Next::Device)
                    }
                    next => Ok(next),
                }
            }
            _ => Ok(Next::Device),
        }
    }

    /// Whether the kernels, or copies of this rank, may still use the buffers of the call, which has failed.
    pub fn is_in_use(&mut self) -> bool {
        let Some((exchange, call)) = self.part.as_deref_mut() else { return false };
        if exchange.withdraw() && !call.is_leader() {
            return true;
        }
        call.end(false).is_ok() && matches!(call.has_passed(), Ok(false))
    }

    /// Lets the stream of the program go on.
    pub fn end(&mut self) {
        self.starting = None;
        self.gate.let_go();
    }

    /// Asks whether the device still works on what the call waits for.
    pub fn check(&self) -> Result<()> {
        self.part.as_ref().map_or_else(|| self.gate.check(), |part| part.1.check())
    }

    /// See [`StreamCallState::has_passed`].
    pub fn has_passed(&mut self) -> Result<bool> {
        self.gate.has_passed()
    }
}
