//! A direct call whose kernels and copies run on the library's stream, when the stream of the program has
//! come to it.
//!
//! The stream of the program has only a *gate*: it sets a word, *ready*, and waits for another one, *final*.
//! When it has come there, the thread of the communicator makes the pieces of the call ([`BundleRun`]). After
//! the last piece, *final* is set.
//!
//! So go calls of several pieces, calls that find no slot or table, and all later ones until these have
//! started: a later call never holds what an earlier one waits for. The caller waits for nothing.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::bundle_run::BundleRun;
use super::direct_path::DirectPath;
use super::exchange::Next;
use super::pieces::DirectPieces;
use crate::base::{Rank, Result};
use crate::comm::device::call_streams::CallStream;
use crate::comm::device::host::Host;
use crate::comm::device::stream_call_state::{GATE_WORDS, StreamCallState, WORD_STEP};
use crate::comm::device::stream_order::StreamInContext;
use crate::comm::device::stream_tail::StagedTail;
use crate::device::{Entered, PinnedBlock, StreamEvent};

/// See the module head.
pub struct GatedCall<H: Host> {
    /// Dropped before the gate, which keeps the buffers for the call.
    run: BundleRun<H>,
    gate: StreamCallState,
    /// Set until the last piece has started.
    starting: Option<Starting>,
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

impl<H: Host> fmt::Display for GatedCall<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.run.fmt(f)
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
            run: BundleRun::new(path, pieces, rank, (own, event), None),
            gate: StreamCallState::new(driver, context, stream, block.into(), GATE_WORDS),
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
        self.starting.is_some() || self.gate.waiting.is_some() && !self.run.is_done()
    }

    /// See [`BundleRun::look`].
    pub fn look(&mut self) -> Result<bool> {
        let has_changed = self.run.look()?;
        self.note_started();
        Ok(has_changed)
    }

    /// What the call needs next, after its last work has ended well.
    ///
    /// # Safety
    /// See [`BundleRun::next`].
    pub unsafe fn next(&mut self, comm: &H) -> Result<Next<H::Started>> {
        // SAFETY: passed on from our caller.
        let next = unsafe { self.run.next(comm) };
        self.note_started();
        next
    }

    fn note_started(&mut self) {
        if !self.run.is_starting() {
            self.starting = None;
        }
    }

    /// Whether the kernels, or copies of this rank, may still use the buffers of the call, which has failed.
    pub fn is_in_use(&mut self) -> bool {
        self.run.is_in_use()
    }

    /// Lets the stream of the program go on.
    pub fn end(&mut self) {
        self.starting = None;
        self.gate.let_go();
    }

    /// Asks whether the device still works on what the call waits for.
    pub fn check(&self) -> Result<()> {
        self.run.check().unwrap_or_else(|| self.gate.check())
    }

    /// See [`StreamCallState::has_passed`].
    pub fn has_passed(&mut self) -> Result<bool> {
        self.gate.has_passed()
    }
}
