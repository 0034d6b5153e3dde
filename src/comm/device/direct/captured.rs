//! A direct call that is part of a graph: what it keeps between launches.
//!
//! At each launch, a thread of the communicator makes the pieces of the call on a stream of the library
//! ([`BundleRun`]), as for a gated call. The ranks exchange their records anew each time. So a launch of one
//! rank may meet an eager call of another one, and ranks need not agree on anything when they capture.
//!
//! Nothing that a launch needs can be held by a call behind it in the stream: it has a slot, a table and a
//! block of pinned memory of its own. It allocates nothing, and so never waits for the device.

use std::fmt;
use std::sync::{Arc, LazyLock, Weak};
use std::time::Duration;

use super::bundle_run::BundleRun;
use super::direct_path::DirectPath;
use super::pieces::DirectPieces;
use crate::base::{Error, Rank, Result};
use crate::comm::device::call_streams::{CallStream, CallStreams};
use crate::comm::device::host::Host;
use crate::device::direct::fill_in;
use crate::device::{CudaContext, CudaDriver, Entered, PinnedBlock, StreamEvent};
use crate::sys::clock;

/// Time between two looks whether a stream has filled memory.
const NAP: Duration = Duration::from_micros(50);

/// The streams of launches. They stay, as graphs may outlive their communicators.
static STREAMS: LazyLock<CallStreams> = LazyLock::new(CallStreams::default);

/// See the module head.
pub struct CapturedPieces<H: Host> {
    /// A graph does not keep a communicator.
    path: Weak<DirectPath<H>>,
    driver: &'static CudaDriver,
    context: CudaContext,
    pieces: DirectPieces,
    rank: Rank,
    stream: CallStream,
    event: Arc<StreamEvent>,
    block: Arc<PinnedBlock>,
    /// What the call writes on devices: address and length.
    outputs: Vec<(u64, usize)>,
}

impl<H: Host> fmt::Display for CapturedPieces<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces.fmt(f)
    }
}

impl<H: Host> CapturedPieces<H> {
    /// A call of `rank` that writes `outputs`. The leader is asked to map its buffers, and maps what the
    /// others have asked for, as long as no stream waits.
    pub fn new(
        path: &Arc<DirectPath<H>>,
        pieces: DirectPieces,
        rank: Rank,
        outputs: Vec<(u64, usize)>,
    ) -> Result<CapturedPieces<H>> {
        let (driver, context) = (path.driver, path.context);
        let _ignored = driver.ignore_captures();
        path.ask_for_buffers(&pieces, rank)?;
        path.serve_requests();
        let stream = path.stream(|driver, context| STREAMS.own(driver, context))?;
        let _entered = Entered::in_context(driver, context)?;
        let event = Arc::new(stream.events.borrow()?);
        let block = Arc::new(PinnedBlock::kept(driver, stream.events.context(), path.block_bytes(&pieces))?);
        let path = Arc::downgrade(path);
        Ok(CapturedPieces { path, driver, context, pieces, rank, stream, event, block, outputs })
    }

    /// Begins a launch. No other one runs.
    pub fn begin(&self) -> Result<BundleRun<H>> {
        let ended = || Error::InvalidUsage("the communicator has ended".into());
        let path = self.path.upgrade().ok_or_else(ended)?;
        let stream = (self.stream.clone(), Arc::clone(&self.event));
        Ok(BundleRun::new(&path, self.pieces.clone(), self.rank, stream, Some(Arc::clone(&self.block))))
    }

    /// Fills the outputs with a byte. Nobody uses them.
    pub fn fill(&self, byte: u8) -> Result<()> {
        let _ignored = self.driver.ignore_captures();
        let _entered = Entered::in_context(self.driver, self.context)?;
        for (address, bytes) in &self.outputs {
            // SAFETY: an output of the call, for which the program vouches until the launch has ended.
            unsafe { fill_in(self.driver, *address, byte, *bytes, self.stream.stream) }?;
        }
        self.event.record(self.stream.stream)?;
        while !self.event.has_passed()? {
            clock::sleep(NAP);
        }
        Ok(())
    }
}
