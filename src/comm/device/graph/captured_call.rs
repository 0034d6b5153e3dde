//! A call that is part of a graph: what lives as long as the graph.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use super::launches::Launches;
use crate::base::{Error, Result};
use crate::comm::device::host::{Host, Started};
use crate::comm::device::stream_call_state::WORD_STEP;
use crate::device::PinnedBlock;
use crate::log_line;

/// Bytes of a block before the copies: the word *final*, for which the stream waits.
pub const HEAD_BYTES: usize = WORD_STEP;
/// What a call that has failed leaves in each byte of its outputs. It is not a number in any type of floats.
const SPOILT: u8 = 0xFF;

/// The launches of the captured calls of a communicator.
pub type GraphLaunches<H> = Launches<CapturedCall<H>>;

/// A call that is part of a graph. Its launches run one after the other.
pub struct CapturedCall<H: Host> {
    pub(super) communicator: Weak<H>,
    pub(super) launches: Arc<GraphLaunches<H>>,
    block: PinnedBlock,
    /// Offsets in the block of what the call writes.
    outputs: Vec<Range<usize>>,
    ready: Mutex<H::Ready>,
    /// Number of elements that a receive must get.
    expected: Option<u64>,
    /// Whether all parts of the call are in the graph.
    is_whole: AtomicBool,
    /// Whether a launch that nobody can serve was logged.
    is_logged: AtomicBool,
}

impl<H: Host> CapturedCall<H> {
    /// A call on copies in `block`, of which it writes `outputs`.
    pub fn new(
        (communicator, launches): (Weak<H>, &Arc<GraphLaunches<H>>),
        block: PinnedBlock,
        outputs: Vec<Range<usize>>,
        ready: H::Ready,
        expected: Option<u64>,
    ) -> CapturedCall<H> {
        let call = CapturedCall {
            communicator,
            launches: Arc::clone(launches),
            block,
            outputs,
            ready: Mutex::new(ready),
            expected,
            is_whole: AtomicBool::new(false),
            is_logged: AtomicBool::new(false),
        };
        call.final_word().store(0, Ordering::Relaxed);
        call.launches.note_call();
        call
    }

    /// First byte of the block, which is the word *final*.
    pub fn start_of_block(&self) -> *mut u8 {
        self.block.start()
    }

    fn final_word(&self) -> &AtomicU32 {
        // SAFETY: the first word of the block, which lives as long as `self` and is aligned to a cache line.
        // CPU and device access the word only as a whole.
        unsafe { &*self.block.start().cast::<AtomicU32>() }
    }

    /// Notes that all parts of the call are in the graph.
    pub fn note_whole(&self) {
        self.is_whole.store(true, Ordering::Relaxed);
    }

    /// Whether all parts of the call are in the graph.
    pub fn is_whole(&self) -> bool {
        self.is_whole.load(Ordering::Relaxed)
    }

    /// Starts a launch.
    ///
    /// # Safety
    /// No other launch runs. The caller keeps the call until the work has ended.
    pub unsafe fn start(&self, comm: &H) -> Result<H::Started> {
        // SAFETY: passed on from our caller. The copies are in the block, and the caller of the captured call
        // vouches for other buffers at each launch.
        unsafe { comm.start_ready(&mut self.ready.lock()) }
    }

    /// Refuses a message that is shorter than it must be.
    pub fn check_message(&self, work: &H::Started) -> Result<()> {
        match (self.expected, work.status()) {
            (Some(expected), Some(status)) if status.count < expected => Err(Error::Mismatch(format!(
                "a captured receive of {expected} elements met a send of {} by rank {}",
                status.count, status.source
            ))),
            _ => Ok(()),
        }
    }

    /// Lets the stream go on, with the results.
    pub fn succeed(&self) {
        self.final_word().store(1, Ordering::Release);
    }

    /// Lets the stream go on, with results that nobody takes for right ones.
    pub fn fail(&self) {
        for output in &self.outputs {
            // SAFETY: a part of the block. The stream waits, and no work uses it.
            unsafe { self.block.start().wrapping_add(output.start).write_bytes(SPOILT, output.len()) };
        }
        self.final_word().store(1, Ordering::Release);
    }

    /// Fails a launch that no communicator can report.
    pub fn fail_unheard(&self, why: &str) {
        if !self.is_logged.swap(true, Ordering::Relaxed) {
            log_line!(
                Error,
                "a graph was launched, and a call in it cannot run: {why}. All bytes of its results are {SPOILT:#x}"
            );
        }
        self.fail();
    }
}
