//! The state of a call in a stream: its block of pinned memory, its event, and what is known of its progress.
//!
//! The block begins with words of 32 bits, each on a cache line of its own. The stream writes or waits for
//! them, and the CPU does the opposite.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use super::call_streams::CallStream;
use super::stream_order::StreamInContext;
use super::stream_tail::{StagedTail, TailState};
use crate::base::Result;
use crate::device::direct::Kernels;
use crate::device::{
    ContextKey, CudaContext, CudaDriver, CudaStream, Entered, Events, PinnedBlock, Queued, StreamEvent,
};

/// Bytes from one word to the next.
pub const WORD_STEP: usize = 64;

/// The stream sets it when it has come to the call.
pub const READY_AT: usize = 0;
/// The stream waits for it before it goes on.
pub const FINAL_AT: usize = WORD_STEP;

/// If the stream waits by a kernel, that sets it when the stream goes on.
pub const PASSED_AT: usize = 2 * WORD_STEP;
/// Words of a call that has no others.
pub const GATE_WORDS: usize = 3;

/// The pinned memory of a call.
pub enum CallBlock {
    /// A block that belongs to the call alone.
    Own(PinnedBlock),
    /// A block of several calls, which run one after the other.
    Kept(Arc<PinnedBlock>),
}

impl From<PinnedBlock> for CallBlock {
    fn from(block: PinnedBlock) -> CallBlock {
        CallBlock::Own(block)
    }
}

impl CallBlock {
    fn start(&self) -> *mut u8 {
        match self {
            CallBlock::Own(block) => block.start(),
            CallBlock::Kept(block) => block.start(),
        }
    }

    /// Keeps the block from its next user for ever: a device may still use it.
    fn leak(self) {
        match self {
            CallBlock::Own(block) => block.leak(),
            CallBlock::Kept(block) => std::mem::forget(block),
        }
    }
}

/// What the library knows of a call in a stream, with its memory and its event.
pub struct StreamCallState {
    pub driver: &'static CudaDriver,
    pub context: CudaContext,
    key: ContextKey,
    pub stream: CudaStream,
    /// Whether the stream belongs to the program, and so waits for the end of the call.
    pub stream_waits: bool,
    /// Set if the stream waits by a kernel.
    pub waiting: Option<&'static Kernels>,
    /// Unset after the block was given up.
    block: Option<CallBlock>,
    events: Arc<Events>,
    /// Set from the first step into the stream on. The tail of the call may share it.
    event: Option<Arc<StreamEvent>>,
    /// Set from before the wait is enqueued until the stream has passed it.
    queued: Option<Queued>,
    /// Whether anything was enqueued that the stream has not been seen to pass.
    is_in_stream: bool,
    /// Whether the stream may go on. What is at the word is not written again: it may go with its context.
    is_let_go: AtomicBool,
    /// Whether only a part of the call was enqueued, perhaps without the event.
    pub is_incomplete: bool,
    /// Set if the tail is enqueued apart from the start: where it is.
    tail_state: Option<Arc<TailState>>,
}

impl StreamCallState {
    /// A state with this block, of which the first `words` words become zero.
    pub fn new(
        driver: &'static CudaDriver,
        context: CudaContext,
        stream: CallStream,
        block: CallBlock,
        words: usize,
    ) -> StreamCallState {
        let key = stream.events.context();
        let state = StreamCallState {
            driver,
            context,
            key,
            stream: stream.stream,
            stream_waits: stream.is_programs,
            waiting: stream.waiting,
            block: Some(block),
            events: stream.events,
            event: None,
            queued: None,
            is_in_stream: false,
            is_let_go: AtomicBool::new(false),
            is_incomplete: false,
            tail_state: None,
        };
        (0..words).for_each(|number| state.word(number * WORD_STEP).store(0, Ordering::Relaxed));
        state
    }

    /// First byte of the block.
    pub fn start(&self) -> *mut u8 {
        self.block.as_ref().expect("kept until the end").start()
    }

    /// The word at that many bytes of the block.
    pub fn word(&self, at: usize) -> &AtomicU32 {
        // SAFETY: a word of the block, which lives as long as `self`. The block is aligned to a cache line,
        // and CPU and device access the word only as a whole.
        unsafe { &*self.start().wrapping_add(at).cast::<AtomicU32>() }
    }

    /// Notes that the call is about to be enqueued in its context, which is current.
    pub fn begin(&mut self) -> Result<()> {
        self.need_event()?;
        let holds_queue = self.waiting.is_none();
        self.queued = self.stream_waits.then(|| Queued::new(self.context, self.stream, holds_queue));
        self.is_in_stream = true;
        Ok(())
    }

    /// Declares that the tail of the call is enqueued apart from its start. Returns where the tail notes
    /// its state. The context is current.
    pub fn split(&mut self) -> Result<Arc<TailState>> {
        self.need_event()?;
        let tail_state = Arc::new(TailState::default());
        self.tail_state = Some(Arc::clone(&tail_state));
        Ok(tail_state)
    }

    /// Whether the tail is enqueued apart from the start.
    pub fn is_split(&self) -> bool {
        self.tail_state.is_some()
    }

    /// Gives the call an event that is borrowed already.
    pub fn set_event(&mut self, event: Arc<StreamEvent>) {
        self.event = Some(event);
    }

    fn need_event(&mut self) -> Result<()> {
        // An event behind the kernel would hold the hardware queue.
        if self.event.is_none() && self.waiting.is_none() {
            self.event = Some(Arc::new(self.events.borrow()?));
        }
        Ok(())
    }

    /// The stream of the call.
    pub fn stream_in_context(&self) -> StreamInContext {
        let stream = CallStream {
            stream: self.stream,
            is_programs: self.stream_waits,
            events: Arc::clone(&self.events),
            waiting: self.waiting,
        };
        StreamInContext { driver: self.driver, context: self.context, stream }
    }

    /// The event that follows the call. `None`: the stream waits by a kernel.
    pub fn event(&self) -> Option<Arc<StreamEvent>> {
        self.event.clone()
    }

    /// The tail of a call whose copies are on another stream: the wait. The context is current.
    pub fn gate_tail(&self, tail_state: Arc<TailState>) -> Result<StagedTail> {
        let StreamCallState { driver, context, stream, stream_waits, waiting, .. } = *self;
        let start = driver.device_address(self.start())?;
        Ok(StagedTail {
            driver,
            stream,
            context,
            final_word: stream_waits.then_some(start + FINAL_AT as u64),
            waiting: waiting.map(|kernels| (kernels, start + PASSED_AT as u64)),
            block: 0,
            writes: Vec::new(),
            waits_for_each: false,
            event: self.event(),
            tail_state,
        })
    }

    /// Puts the gate into the stream: it sets *ready* and waits for *final*. Without its tail, if that is
    /// apart. After an error, the stream does not wait.
    pub fn enqueue_gate(&mut self) -> Result<()> {
        let _entered = Entered::in_context(self.driver, self.context)?;
        self.begin()?;
        let outcome = self.enqueue_start_of_gate();
        self.note(&outcome);
        outcome
    }

    fn enqueue_start_of_gate(&self) -> Result<()> {
        let start = self.driver.device_address(self.start())?;
        self.driver.write_value(self.stream, start + READY_AT as u64, 1)?;
        if self.is_split() {
            return Ok(());
        }
        self.gate_tail(Arc::default())?.enqueue_in_context()
    }

    /// Takes the tail out of the gate.
    pub fn split_gate(&mut self) -> Result<StagedTail> {
        let _entered = Entered::in_context(self.driver, self.context)?;
        let tail_state = self.split()?;
        self.gate_tail(tail_state)
    }

    /// Whether the kernel has ended by which the stream waits.
    fn kernel_has_ended(&self) -> bool {
        self.word(PASSED_AT).load(Ordering::Acquire) != 0
    }

    /// Notes the outcome of enqueuing. After a failure the stream does not wait.
    pub fn note(&mut self, outcome: &Result<()>) {
        if outcome.is_err() {
            self.is_incomplete = true;
            self.let_go();
        }
    }

    /// Whether the stream has come to the call.
    pub fn is_ready(&self) -> bool {
        self.word(READY_AT).load(Ordering::Acquire) != 0
    }

    /// Lets the stream go on, once.
    pub fn let_go(&self) {
        self.let_go_with(1);
    }

    /// Lets a stream go on that waits for this value, once.
    pub fn let_go_with(&self, value: u32) {
        if !self.is_let_go.swap(true, Ordering::Relaxed) {
            self.word(FINAL_AT).store(value, Ordering::Release);
        }
    }

    /// Asks whether the device still works on the stream. The context stays current in this thread.
    pub fn check(&self) -> Result<()> {
        if self.tail_state.as_ref().is_some_and(|end| end.is_pending()) {
            return Ok(());
        }
        self.adopt_context()?;
        if self.waiting.is_some() {
            return self.ask_device();
        }
        match self.event.as_ref().filter(|_| self.stream_waits && !self.is_incomplete) {
            // The program may capture a graph on its stream, which a query of the stream would end.
            Some(event) => event.has_passed().map(drop),
            None => self.driver.stream_has_ended(self.stream).map(drop),
        }
    }

    /// Whether the stream has passed the call, or has gone with its context. An error is one of the device.
    /// The context stays current in this thread.
    pub fn has_passed(&mut self) -> Result<bool> {
        let passed = match self.stream_has_passed() {
            Err(_) if self.key.has_gone() => true,
            passed => passed?,
        };
        if passed {
            self.is_in_stream = false;
            self.queued = None;
        }
        Ok(passed)
    }

    fn stream_has_passed(&mut self) -> Result<bool> {
        if let Some(end) = self.tail_state.take_if(|end| !end.is_pending()) {
            self.is_incomplete |= end.is_incomplete();
        }
        if self.is_in_stream {
            self.adopt_context()?;
        }
        Ok(match &self.event {
            _ if self.tail_state.is_some() => false,
            _ if !self.is_in_stream => true,
            _ if self.is_incomplete => self.driver.stream_has_ended(self.stream)?,
            Some(event) => event.has_passed()?,
            None if self.waiting.is_none() || self.kernel_has_ended() => true,
            None => {
                self.ask_device()?;
                false
            }
        })
    }

    /// Asks the device whether it has failed, by any event. The context is current.
    fn ask_device(&self) -> Result<()> {
        self.events.borrow()?.has_passed().map(drop)
    }

    /// Whether the stream may still use what belongs to the call, which is there.
    pub fn is_in_stream(&self) -> bool {
        self.is_in_stream && !self.key.has_gone()
    }

    /// Makes the context of the call current in this thread, which calls nothing else of the driver.
    pub fn adopt_context(&self) -> Result<()> {
        self.driver.ignore_captures().keep();
        self.driver.set_current(self.context)
    }
}

impl Drop for StreamCallState {
    fn drop(&mut self) {
        if self.is_in_stream() {
            // The stream was not seen to pass the call, so a copy may still be in flight.
            self.let_go();
            if let Some(block) = self.block.take() {
                block.leak();
            }
        }
    }
}
