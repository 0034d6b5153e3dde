//! A call on copies of device buffers: what its stream and the CPU do for it.
//!
//! Everything that a call needs of a stream of the program is enqueued at once:
//!
//! 1. The parts of the buffers that the call reads are copied to the host, and a word is set: *ready*.
//! 2. The stream waits for another word: *final*.
//! 3. The parts that the call has written are copied back, and an event follows.
//!
//! A long call is copied in pieces ([`StagedCall::copy_in_pieces`]). Then `ready` counts the pieces that have
//! arrived on the host, and the call begins with the first. `final` counts the pieces that the call will not
//! change any more, and the stream waits for each. So the copies overlap with the call. All copies to the
//! host come before the first wait, so no rank waits for a piece that another rank has not copied yet.
//!
//! The last two steps are the tail of the call (`stream_tail`). In a group, they follow the first steps of
//! all its calls.
//!
//! On a stream of the library, which orders nothing, the waits are left out. A copy back is enqueued when its
//! piece is final, and the last ones when the call has ended. So a receive does not hold up the send that
//! another rank waits for.
//!
//! If no block of pinned memory is free, the stream only sets `ready` and waits for `final`. The copies go
//! through a small block then, on a stream of the library, before the call and after it (`bounced`).
//!
//! The CPU runs the call when `ready` is set, and sets `final` to its last value when the call has
//! ended, well or not. So the stream waits only for the CPU, never for another stream, and no order
//! between streams is needed. Both words lie at the start of the block that holds the copies. The block is
//! used again when the stream has passed the event.

use std::ops::Range;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::bounced::{BouncedCopies, Step};
use super::ranges::{Copy, Placed, Touched};
use crate::base::Result;
use crate::comm::device::call_streams::CallStream;
use crate::comm::device::stream_call_state::{FINAL_AT, GATE_WORDS, READY_AT, StreamCallState, WORD_STEP};
use crate::comm::device::stream_order::StreamInContext;
use crate::comm::device::stream_tail::{StagedTail, TailState};
use crate::device::{CudaContext, CudaDriver, CudaStream, Entered, PinnedBlock, StreamEvent};

/// The words at the start of a block: *ready* and *final*.
const HEAD_BYTES: usize = GATE_WORDS * WORD_STEP;

/// A call on copies of device buffers, from its start in a stream to its end there.
pub struct StagedCall {
    // Dropped before the block of the state, as all that uses memory of the call.
    /// Set if the copies are not in the block.
    bounced: Option<Box<BouncedCopies>>,
    state: StreamCallState,
    placed: Placed,
    /// Whether streams may use host memory of the call, too.
    has_host: bool,
    /// Whether launches of graphs may stand before the call in its stream.
    follows_launches: bool,
    /// Whether it is a collective, which runs behind the one before on the communicator.
    is_ordered: bool,
    /// Whether `ready` and `final` count copies. Otherwise they are set once.
    counts_reads: bool,
    counts_writes: bool,
    /// Values of both words at the last look.
    seen: (u32, u32),
    /// Copies back that were enqueued before the end.
    written: usize,
}

impl StagedCall {
    /// Reserves memory for copies of `touched`, which is device memory. Nothing is enqueued yet.
    /// `stream` gives the stream of a context, and `own` that of the library. A call without device memory is
    /// in the context of `given`.
    pub fn new(
        touched: &Touched,
        given: Option<CudaStream>,
        stream: impl FnOnce(&'static CudaDriver, CudaContext) -> Result<CallStream>,
        own: impl FnOnce(&'static CudaDriver, CudaContext) -> Result<CallStream>,
    ) -> Result<StagedCall> {
        let driver = CudaDriver::get()?;
        let entered = touched.enter(driver, given)?;
        let stream = stream(driver, entered.context())?;
        let placed = Placed::of(touched, HEAD_BYTES);
        let context = stream.events.context();
        let found = match stream.waiting {
            Some(_) => None,
            None => PinnedBlock::take(driver, context, placed.bytes())?,
        };
        let (block, bounced) = match found {
            Some(block) => (block, None),
            None => {
                let own = own(driver, entered.context())?;
                let bounced = BouncedCopies::new(driver, context, &own, placed.bytes())?;
                (PinnedBlock::of_reserve(driver, context, HEAD_BYTES)?, Some(Box::new(bounced)))
            }
        };
        let state = StreamCallState::new(driver, entered.context(), stream, block.into(), GATE_WORDS);
        Ok(StagedCall {
            bounced,
            state,
            placed,
            has_host: touched.has_host(),
            follows_launches: false,
            is_ordered: false,
            counts_reads: false,
            counts_writes: false,
            seen: (0, 0),
            written: 0,
        })
    }

    /// Declares that launches of graphs may stand before the call in its stream, which it must not overtake.
    pub fn set_follows_launches(&mut self) {
        self.follows_launches = true;
    }

    /// Whether the copies can only be made as a whole.
    pub fn is_bounced(&self) -> bool {
        self.bounced.is_some()
    }

    /// The copy of an address in one of the buffers; the address itself if it is in none.
    pub fn host(&self, address: usize) -> usize {
        self.placed.offset(address).map_or(address, |offset| self.start().expose_provenance() + offset)
    }

    /// Bytes that are copied before the call, or after it if these are more.
    pub fn longest_copy(&self) -> usize {
        let bytes = |copies: &[Copy]| copies.iter().map(|copy| copy.bytes).sum();
        usize::max(bytes(self.placed.reads()), bytes(self.placed.writes()))
    }

    /// The memory of the copies before the call and after it, in pieces of about `bytes` bytes, by address.
    pub fn pieces(&self, bytes: usize) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
        let start = self.start().expose_provenance();
        let split = |copies: &[Copy]| {
            let at = |copy: &Copy| start + copy.offset..start + copy.offset + copy.bytes;
            copies.iter().flat_map(|copy| split(at(copy), bytes)).collect()
        };
        (split(self.placed.reads()), split(self.placed.writes()))
    }

    /// Makes the copies in pieces, in this order. Each word of [`StagedCall::words`] then counts pieces, if
    /// there are several of its kind.
    pub fn copy_in_pieces(&mut self, reads: &[Range<usize>], writes: &[Range<usize>]) {
        let start = self.start().expose_provenance();
        let offsets = |pieces: &[Range<usize>]| -> Vec<Range<usize>> {
            pieces.iter().map(|piece| piece.start - start..piece.end - start).collect()
        };
        self.placed.split(&offsets(reads), &offsets(writes));
        (self.counts_reads, self.counts_writes) = (reads.len() > 1, writes.len() > 1);
    }

    /// The number of pieces that have arrived on the host, and the number of pieces that are final. The call
    /// may raise the second one, but not to its last value. They are valid as long as the copies.
    pub fn words(&self) -> (NonNull<AtomicU32>, NonNull<AtomicU32>) {
        (NonNull::from(self.ready()), NonNull::from(self.finality()))
    }

    /// See [`StreamCallState::stream_in_context`].
    pub fn stream_in_context(&self) -> StreamInContext {
        self.state.stream_in_context()
    }

    /// See [`StreamCallState::event`].
    pub fn event(&self) -> Option<Arc<StreamEvent>> {
        self.state.event()
    }

    /// Puts the copies, and the wait if there is one, into the stream. After an error, the stream does not
    /// wait.
    pub fn enqueue(&mut self) -> Result<()> {
        let _entered = Entered::in_context(self.state.driver, self.state.context)?;
        self.state.begin()?;
        let outcome = self.enqueue_start();
        if outcome.is_err() {
            self.state.is_incomplete = true;
            self.let_go();
        }
        outcome
    }

    /// Takes the tail out of the call, on a stream of the program: [`StagedCall::enqueue`] enqueues the start
    /// alone then, and the caller enqueues the tail. The stream passes the call only after that.
    pub fn split_tail(&mut self) -> Result<StagedTail> {
        let _entered = Entered::in_context(self.state.driver, self.state.context)?;
        let tail_state = self.state.split()?;
        self.stream_tail(tail_state)
    }

    /// The tail of the call, in its context, which is current.
    fn stream_tail(&self, tail_state: Arc<TailState>) -> Result<StagedTail> {
        if self.is_bounced() {
            return self.state.gate_tail(tail_state);
        }
        let address = self.state.driver.device_address(self.state.start())?;
        Ok(StagedTail {
            driver: self.state.driver,
            stream: self.state.stream,
            context: self.state.context,
            final_word: self.state.stream_waits.then_some(address + FINAL_AT as u64),
            block: self.state.start().expose_provenance(),
            waiting: None,
            writes: self.placed.writes()[self.written..].to_vec(),
            waits_for_each: self.counts_writes,
            event: self.state.event(),
            tail_state,
        })
    }

    fn enqueue_start(&self) -> Result<()> {
        let address = self.state.driver.device_address(self.state.start())?;
        let ready = address + READY_AT as u64;
        let reads = if self.is_bounced() { &[] } else { self.placed.reads() };
        for (copy, number) in reads.iter().zip(1..) {
            let to = self.start().wrapping_add(copy.offset);
            // SAFETY: a part of the block, which nobody reads before `ready` is set.
            unsafe {
                self.state.driver.copy_to_host(to, copy.address as u64, copy.bytes, self.state.stream)
            }?;
            if self.counts_reads {
                self.state.driver.write_value(self.state.stream, ready, number)?;
            }
        }
        if !self.counts_reads {
            self.state.driver.write_value(self.state.stream, ready, 1)?;
        }
        if !self.state.stream_waits || self.state.is_split() {
            return Ok(());
        }
        self.stream_tail(Arc::default())?.enqueue_in_context()
    }

    /// Whether the call uses nothing that its stream does before, so that it may run before the stream has
    /// come to it.
    pub fn reads_nothing(&self) -> bool {
        self.placed.reads().is_empty() && !self.has_host && !self.follows_launches
    }

    /// Whether the copies that the call reads are there, or the first piece of them.
    pub fn is_ready(&self) -> bool {
        self.ready().load(Ordering::Acquire) != 0
    }

    /// Whether all copies that the call reads are there.
    pub fn has_arrived(&self) -> bool {
        let last = if self.counts_reads { self.placed.reads().len() } else { 1 };
        self.reads_nothing() || self.ready().load(Ordering::Acquire) as usize >= last
    }

    /// What the call needs next, after the engine has ended what it works on. `None`: its copies are in the
    /// block, and it needs nothing but its start.
    pub fn next_of_bounced(&mut self) -> Option<Step> {
        self.bounced.as_mut().map(|bounced| bounced.next())
    }

    /// Declares that the call is no message.
    pub fn set_ordered(&mut self) {
        self.is_ordered = true;
    }

    /// Whether the call is a message.
    pub fn is_message(&self) -> bool {
        !self.is_ordered
    }

    /// Whether the call has found no block, and has not been started in the engine. If the stream waits by a
    /// kernel, no event orders the next collective behind this one, so the whole call counts.
    pub fn is_starting(&self) -> bool {
        let is_ordered = self.is_ordered && self.state.waiting.is_some();
        let is_starting =
            |bounced: &BouncedCopies| bounced.is_starting() || is_ordered && !bounced.has_left();
        self.bounced.as_ref().is_some_and(|bounced| is_starting(bounced))
    }

    fn look_at_bounced(&mut self) -> Result<bool> {
        let may_copy = self.is_ready() || self.is_starting() && self.reads_nothing();
        let Some(bounced) = self.bounced.as_mut().filter(|_| may_copy) else { return Ok(false) };
        self.state.adopt_context()?;
        bounced.look(self.placed.reads(), self.placed.writes())
    }

    /// Whether a copy is known to be in flight on a stream that does not belong to the call.
    pub fn is_in_flight(&self) -> bool {
        self.bounced.as_ref().is_some_and(|bounced| bounced.is_in_flight())
    }

    /// Looks at a call that runs. On a stream of the library, it enqueues the copies of pieces that are
    /// final. Returns whether anything has changed since the last look. The context stays current in this
    /// thread.
    pub fn look(&mut self) -> Result<bool> {
        if self.is_bounced() {
            return self.look_at_bounced();
        }
        let now = (self.ready().load(Ordering::Acquire), self.finality().load(Ordering::Acquire));
        if now == self.seen {
            return Ok(false);
        }
        self.seen = now;
        let last = now.1 as usize;
        if self.state.stream_waits || !self.counts_writes || last <= self.written {
            return Ok(true);
        }
        self.state.adopt_context()?;
        for copy in &self.placed.writes()[self.written..last] {
            let from = self.start().wrapping_add(copy.offset);
            // SAFETY: a part of the block, which nobody writes because the piece is final.
            unsafe {
                self.state.driver.copy_to_device(copy.address as u64, from, copy.bytes, self.state.stream)
            }?;
        }
        self.written = last;
        Ok(true)
    }

    /// Ends the call on the stream: lets the stream go on, or enqueues the copies back if the call has
    /// succeeded. The context stays current in this thread.
    pub fn end(&mut self, has_succeeded: bool) -> Result<()> {
        self.let_go();
        if self.state.stream_waits || self.state.is_incomplete {
            return Ok(());
        }
        if !has_succeeded {
            self.state.is_incomplete = true;
            return Ok(());
        }
        let enqueued = self.state.adopt_context().and_then(|()| self.stream_tail(Arc::default()));
        enqueued.and_then(StagedTail::enqueue_in_context).inspect_err(|_| self.state.is_incomplete = true)
    }

    fn let_go(&self) {
        let last = if self.counts_writes { self.placed.writes().len() } else { 1 };
        self.state.let_go_with(last as u32);
    }

    /// See [`StreamCallState::check`].
    pub fn check(&self) -> Result<()> {
        self.state.check()
    }

    /// See [`StreamCallState::has_passed`].
    pub fn has_passed(&mut self) -> Result<bool> {
        self.state.has_passed()
    }

    /// First byte of the copies.
    fn start(&self) -> *mut u8 {
        self.bounced.as_ref().map_or_else(|| self.state.start(), |bounced| bounced.start())
    }

    fn ready(&self) -> &AtomicU32 {
        self.state.word(READY_AT)
    }

    fn finality(&self) -> &AtomicU32 {
        self.state.word(FINAL_AT)
    }
}

impl Drop for StagedCall {
    fn drop(&mut self) {
        if self.state.is_in_stream() {
            // The stream may still come to the wait.
            self.let_go();
        }
    }
}

/// Cuts a range of addresses into parts of about `bytes` bytes, between cache lines.
fn split(range: Range<usize>, bytes: usize) -> impl Iterator<Item = Range<usize>> {
    const LINE: usize = 64;
    let end_of = move |start: usize| {
        let end = start.saturating_add(bytes.max(LINE));
        if end < range.end { end - end % LINE } else { range.end }
    };
    let (mut start, end) = (range.start, range.end);
    std::iter::from_fn(move || {
        let part = start..end_of(start);
        start = part.end;
        (part.start < end).then_some(part)
    })
}
