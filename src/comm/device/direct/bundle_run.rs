//! The bundles of a direct call, made one after the other on a stream of the library.
//!
//! Each bundle is a [`DirectCall`]. One that finds no slot of the bounce buffer, or no table, is made when
//! one is free. A bundle takes in more of the call if the leader can address all buffers where they are.
//! Where only the leader knows the lengths of all blocks, it says which bundle is the last.

use std::fmt;
use std::sync::Arc;

use super::bundle::Bundle;
use super::call::DirectCall;
use super::direct_path::DirectPath;
use super::exchange::{DirectExchange, Next};
use super::pieces::DirectPieces;
use super::prepare::BundleMemory;
use crate::base::{Rank, Result};
use crate::comm::device::call_streams::CallStream;
use crate::comm::device::host::Host;
use crate::device::{PinnedBlock, StreamEvent};

/// See the module head.
pub struct BundleRun<H: Host> {
    /// The messages and the stream part of the bundle that runs.
    part: Option<Box<(DirectExchange<H>, DirectCall)>>,
    /// The bundle that runs.
    bundle: Option<Arc<Bundle>>,
    path: Arc<DirectPath<H>>,
    pieces: DirectPieces,
    rank: Rank,
    /// The library's stream, and the event of all bundles.
    own: CallStream,
    event: Arc<StreamEvent>,
    /// Set if the bundles use memory that is kept for launches of graphs.
    kept: Option<Arc<PinnedBlock>>,
    phase: Phase,
    /// Whether the bundle that runs is the last one, whatever the leader answers.
    is_last: bool,
    /// Whether a bundle is still to be started in the engine.
    is_starting: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The next bundle is to be made.
    Preparing,
    /// The bundle is in the stream, and not started in the engine.
    Arriving,
    /// The ranks exchange the messages of the bundle.
    Exchanging,
    /// The bundle has ended, and the stream is to pass it.
    Passing,
    Done,
}

impl<H: Host> fmt::Display for BundleRun<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces.fmt(f)
    }
}

impl<H: Host> BundleRun<H> {
    /// All bundles of a call, none of which is made yet. `kept`: pinned memory for a launch of a graph, which
    /// also has a slot and a table of its own.
    pub fn new(
        path: &Arc<DirectPath<H>>,
        pieces: DirectPieces,
        rank: Rank,
        (own, event): (CallStream, Arc<StreamEvent>),
        kept: Option<Arc<PinnedBlock>>,
    ) -> BundleRun<H> {
        BundleRun {
            part: None,
            bundle: None,
            path: Arc::clone(path),
            pieces,
            rank,
            own,
            event,
            kept,
            phase: Phase::Preparing,
            is_last: false,
            is_starting: true,
        }
    }

    /// Whether a bundle is still to be started in the engine.
    pub fn is_starting(&self) -> bool {
        self.is_starting
    }

    /// Whether all pieces have ended.
    pub fn is_done(&self) -> bool {
        self.phase == Phase::Done
    }

    /// Makes the next piece, or sees that the stream has passed one. Returns whether anything has changed.
    /// The context stays current in this thread.
    pub fn look(&mut self) -> Result<bool> {
        match self.phase {
            Phase::Preparing => self.prepare(),
            Phase::Passing => {
                let has_passed = self.part.as_mut().map_or(Ok(true), |part| part.1.has_passed())?;
                if has_passed {
                    let was_whole = self.part.take().is_some_and(|part| part.0.was_whole());
                    if let Some(bundle) = self.bundle.take() {
                        self.pieces.pass(&bundle, was_whole);
                    }
                    let is_done = self.pieces.is_at_end();
                    self.phase = if is_done { Phase::Done } else { Phase::Preparing };
                    self.is_starting &= !is_done;
                }
                Ok(has_passed)
            }
            Phase::Arriving | Phase::Exchanging | Phase::Done => Ok(false),
        }
    }

    fn prepare(&mut self) -> Result<bool> {
        self.path.driver.ignore_captures().keep();
        self.path.driver.set_current(self.path.context)?;
        let Some(bundle) = self.pieces.next().map(Arc::new) else { return Ok(false) };
        let memory = self.kept.as_ref().map_or(BundleMemory::Reserve, BundleMemory::Kept);
        let prepared = self.path.prepare(&bundle, self.rank, &self.pieces, &self.own, memory)?;
        let Some((exchange, mut call)) = prepared else { return Ok(false) };
        call.set_event(Arc::clone(&self.event));
        let part = self.part.insert(Box::new((exchange, call)));
        part.1.enqueue()?;
        let mut after = self.pieces.clone();
        after.pass(&bundle, false);
        (self.is_last, self.bundle, self.phase) = (after.is_at_end(), Some(bundle), Phase::Arriving);
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
                self.is_starting = !self.is_last;
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

    /// Asks whether the device still works on the piece that runs. `None`: none runs.
    pub fn check(&self) -> Option<Result<()>> {
        self.part.as_ref().map(|part| part.1.check())
    }
}
