//! A call that is put into a graph.

use std::ops::Range;
use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use super::captured_call::{CapturedCall, CapturedWork, GraphLaunches, HEAD_BYTES, PASSED_AT};
use super::order::CaptureOrder;
use super::runner::launch;
use crate::base::Result;
use crate::comm::device::direct::CapturedPieces;
use crate::comm::device::host::Host;
use crate::comm::device::staged::ranges::{Placed, Touched};
use crate::comm::device::stream_order::StreamInContext;
use crate::device::kernels::WaitArguments;
use crate::device::{Capture, Entered, PinnedBlock, drop_given_back};

/// The copies of a call that a stream captures.
pub struct CapturedCopies {
    block: PinnedBlock,
    placed: Placed,
}

/// A call that is to become part of a graph.
pub struct Capturing<H: Host> {
    call: Arc<CapturedCall<H>>,
    placed: Placed,
    pub(super) capture: Capture,
    pub(super) stream: StreamInContext,
    pub(super) is_collective: bool,
}

impl CapturedCopies {
    /// Pinned memory for copies of `touched`. The context of `stream` is current in this thread.
    pub fn of(touched: &Touched, stream: &StreamInContext) -> Result<CapturedCopies> {
        drop_given_back();
        let placed = Placed::of(touched, HEAD_BYTES);
        let block = PinnedBlock::kept(stream.driver, stream.stream.events.context(), placed.bytes())?;
        Ok(CapturedCopies { block, placed })
    }

    /// The copy of an address in one of the buffers; the address itself if it is in none.
    pub fn host(&self, address: usize) -> usize {
        let start = self.block.start().expose_provenance();
        self.placed.offset(address).map_or(address, |offset| start + offset)
    }
}

impl<H: Host> Capturing<H> {
    /// A call of a communicator on these copies, in a stream that captures. A receive must get `expected`
    /// elements.
    pub fn staged(
        host: (Weak<H>, &Arc<GraphLaunches<H>>),
        copies: CapturedCopies,
        (capture, stream): (Capture, StreamInContext),
        ready: H::Ready,
        (is_collective, expected): (bool, Option<u64>),
    ) -> Capturing<H> {
        let CapturedCopies { block, placed } = copies;
        let outputs: Vec<Range<usize>> =
            placed.writes().iter().map(|copy| copy.offset..copy.offset + copy.bytes).collect();
        let work = CapturedWork::Staged { outputs, ready: Mutex::new(ready), expected };
        let call = Arc::new(CapturedCall::new(host, block, work));
        Capturing { call, placed, capture, stream, is_collective }
    }

    /// A collective by the direct path, in a stream that captures.
    pub fn direct(
        host: (Weak<H>, &Arc<GraphLaunches<H>>),
        pieces: CapturedPieces<H>,
        (capture, stream): (Capture, StreamInContext),
    ) -> Result<Capturing<H>> {
        drop_given_back();
        let entered = Entered::in_context(stream.driver, stream.context)?;
        let block = PinnedBlock::kept(stream.driver, stream.stream.events.context(), HEAD_BYTES)?;
        drop(entered);
        let call = Arc::new(CapturedCall::new(host, block, CapturedWork::Direct(pieces)));
        Ok(Capturing { call, placed: Placed::default(), capture, stream, is_collective: true })
    }

    fn start_of_block(&self) -> usize {
        self.call.start_of_block().expose_provenance()
    }

    /// The order of the collectives of its communicator.
    pub fn order(&self) -> &CaptureOrder {
        &self.call.launches.order
    }

    /// Notes a collective that is where its stream is now.
    pub fn note_order(&self) -> Result<()> {
        if self.is_collective { self.order().note(self.capture, &self.stream) } else { Ok(()) }
    }

    /// Puts the copies to the host, if the call is staged, and the launch into the stream.
    pub fn enqueue_start(&self) -> Result<()> {
        let (driver, stream) = (self.stream.driver, self.stream.stream.stream);
        let _entered = Entered::in_context(driver, self.stream.context)?;
        driver.keep_with_graph(self.capture, Arc::clone(&self.call))?;
        for copy in self.placed.reads() {
            let to = with_exposed_provenance_mut(self.start_of_block() + copy.offset);
            // SAFETY: a part of the block, which lives as long as the graph. The call uses it only between
            // this copy and the end of its launch.
            unsafe { driver.copy_to_host(to, copy.address as u64, copy.bytes, stream) }?;
        }
        let data = Arc::as_ptr(&self.call).cast_mut().cast();
        // SAFETY: the graph has a reference to the call, and its launches run one after the other.
        unsafe { driver.launch_host_function(stream, launch::<H>, data) }
    }

    /// Puts the wait, and the copies back if the call is staged, into the stream.
    pub fn enqueue_tail(&self) -> Result<()> {
        let (driver, stream) = (self.stream.driver, self.stream.stream.stream);
        let _entered = Entered::in_context(driver, self.stream.context)?;
        let final_word = driver.device_address(self.call.start_of_block())?;
        if self.call.is_direct() {
            // The host function resets the word: what stands behind a waiting kernel holds the hardware
            // queue.
            match self.stream.stream.waiting {
                Some(kernels) => {
                    let passed = final_word + PASSED_AT as u64;
                    kernels.wait(&WaitArguments { word: final_word, passed }, stream)?;
                }
                None => driver.wait_value(stream, final_word, 1)?,
            }
            self.call.note_whole();
            return Ok(());
        }
        driver.wait_value(stream, final_word, 1)?;
        driver.write_value(stream, final_word, 0)?;
        for copy in self.placed.writes() {
            let from = with_exposed_provenance(self.start_of_block() + copy.offset);
            // SAFETY: a part of the block, which lives as long as the graph. The launch has ended, and the
            // next one comes after this copy.
            unsafe { driver.copy_to_device(copy.address as u64, from, copy.bytes, stream) }?;
        }
        self.call.note_whole();
        Ok(())
    }
}
