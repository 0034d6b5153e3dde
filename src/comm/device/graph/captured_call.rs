//! A call that is part of a graph: what lives as long as the graph.

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use super::launches::Launches;
use crate::base::{Error, Result};
use crate::comm::device::direct::CapturedPieces;
use crate::comm::device::host::{Host, Started};
use crate::comm::device::stream_call_state::WORD_STEP;
use crate::device::{PinnedBlock, note_launch, note_launch_ended};
use crate::log_line;
use crate::sys::thread;

/// Bytes of a block before the copies: the word *final*, for which the stream waits, and one that a kernel
/// sets which waits in its place.
pub const HEAD_BYTES: usize = 2 * WORD_STEP;
/// Where the word is that a waiting kernel sets.
pub const PASSED_AT: usize = WORD_STEP;
/// What a call that has failed leaves in each byte of its outputs. It is not a number in any type of floats.
const SPOILT: u8 = 0xFF;

/// The launches of the captured calls of a communicator.
pub type GraphLaunches<H> = Launches<CapturedCall<H>>;

/// A call that is part of a graph. Its launches run one after the other.
pub struct CapturedCall<H: Host> {
    pub(super) communicator: Weak<H>,
    pub(super) launches: Arc<GraphLaunches<H>>,
    block: PinnedBlock,
    pub(super) work: CapturedWork<H>,
    /// Whether all parts of the call are in the graph.
    is_whole: AtomicBool,
    /// Whether a launch that nobody can serve was logged.
    is_logged: AtomicBool,
}

/// What a launch does.
pub enum CapturedWork<H: Host> {
    /// A call on copies in the block.
    Staged {
        /// Offsets in the block of what the call writes.
        outputs: Vec<Range<usize>>,
        ready: Mutex<H::Ready>,
        /// Number of elements that a receive must get.
        expected: Option<u64>,
    },
    /// A call by the direct path.
    Direct(CapturedPieces<H>),
}

/// The form of error messages.
impl<H: Host> fmt::Display for CapturedCall<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.work {
            CapturedWork::Staged { ready, .. } => ready.lock().fmt(f),
            CapturedWork::Direct(pieces) => pieces.fmt(f),
        }
    }
}

impl<H: Host> CapturedCall<H> {
    /// A call whose `block` has [`HEAD_BYTES`], and more if it is staged.
    pub fn new(
        (communicator, launches): (Weak<H>, &Arc<GraphLaunches<H>>),
        block: PinnedBlock,
        work: CapturedWork<H>,
    ) -> CapturedCall<H> {
        let (is_whole, is_logged) = (AtomicBool::new(false), AtomicBool::new(false));
        let launches = Arc::clone(launches);
        let call = CapturedCall { communicator, launches, block, work, is_whole, is_logged };
        call.final_word().store(0, Ordering::Relaxed);
        call.launches.note_call();
        call
    }

    /// First byte of the block, which is the word *final*.
    pub fn start_of_block(&self) -> *mut u8 {
        self.block.start()
    }

    /// Whether the call goes by the direct path.
    pub fn is_direct(&self) -> bool {
        matches!(self.work, CapturedWork::Direct(_))
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

    /// Notes that a stream has come to a launch, and is about to wait. The launch before has ended.
    pub fn begin_launch(&self) {
        note_launch();
        if self.is_direct() {
            self.final_word().store(0, Ordering::Release);
        }
    }

    /// Refuses a message that is shorter than it must be.
    pub fn check_message(&self, work: &H::Started) -> Result<()> {
        let CapturedWork::Staged { expected: Some(expected), .. } = &self.work else { return Ok(()) };
        match work.status() {
            Some(status) if status.count < *expected => Err(Error::Mismatch(format!(
                "a captured receive of {expected} elements met a send of {} by rank {}",
                status.count, status.source
            ))),
            _ => Ok(()),
        }
    }

    /// Lets the stream go on.
    pub fn let_go(&self) {
        self.final_word().store(1, Ordering::Release);
        note_launch_ended();
    }

    /// Lets the stream go on, with results that nobody takes for right ones. Nobody uses the buffers. It may
    /// call the driver.
    pub fn fail(&self) {
        match &self.work {
            CapturedWork::Staged { outputs, .. } => {
                for output in outputs {
                    let start = self.block.start().wrapping_add(output.start);
                    // SAFETY: a part of the block. The stream waits, and no work uses it.
                    unsafe { start.write_bytes(SPOILT, output.len()) };
                }
            }
            // After an error, the device has failed, and the stream gives no result.
            CapturedWork::Direct(pieces) => drop(pieces.fill(SPOILT)),
        }
        self.let_go();
    }

    /// Fails a launch that no communicator can report. It calls no function of the driver in this thread.
    pub fn fail_unheard(self: &Arc<Self>, why: &str) {
        if !self.is_logged.swap(true, Ordering::Relaxed) {
            log_line!(
                Error,
                "a graph was launched, and a call in it cannot run: {why}. All bytes of its results are {SPOILT:#x}"
            );
        }
        if !self.is_direct() {
            return self.fail();
        }
        let call = Arc::clone(self);
        // Without the thread, the results stay as they were, and the stream goes on.
        if thread::spawn_quiet("anyccl-graphs", move || call.fail()).is_err() {
            self.let_go();
        }
    }
}
