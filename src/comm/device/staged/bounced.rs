//! Copies of a call that has found no block in the pool of pinned memory.
//!
//! They lie in ordinary memory. Between it and the device, they go through one small block of pinned memory,
//! piece by piece, on a stream of the library. The thread of the communicator makes a step whenever it looks
//! at the call: it enqueues the copy of a piece, or sees its end. So a call of any size needs little pinned
//! memory, and holds it only as long as a copy takes.
//!
//! The memory costs nothing before the stream of the program has come to the call, as nobody writes to it.

use crate::base::{Error, Result};
use crate::comm::device::call_streams::CallStream;
use crate::comm::device::staged::ranges::Copy;
use crate::device::{ContextKey, CudaDriver, CudaStream, PinnedBlock, StreamEvent};
use crate::sys::shared_memory::AnonymousMapping;

/// Most bytes of a piece.
const PIECE_BYTES: usize = 1 << 20;

/// The copies of a call, and how far they have come.
pub struct BouncedCopies {
    driver: &'static CudaDriver,
    context: ContextKey,
    /// A stream of the library.
    stream: CudaStream,
    event: StreamEvent,
    memory: AnonymousMapping,
    /// The piece that a copy in the stream reads or writes.
    in_flight: Option<(PinnedBlock, Copy)>,
    /// The next copy, and the bytes of it that are done.
    next: (usize, usize),
    phase: Phase,
}

/// What is done now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    ToHost,
    /// All that the call reads is there.
    Arrived,
    /// The engine works on the call.
    Running,
    ToDevice,
    /// All that the call has written is on the device.
    Left,
}

/// What a call needs next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The start in the engine.
    Start,
    /// The end of copies.
    Copies,
    Nothing,
}

impl BouncedCopies {
    /// Reserves addresses for copies of `bytes` bytes. `own` is a stream of the library in the context, which
    /// is current.
    pub fn new(
        driver: &'static CudaDriver,
        context: ContextKey,
        own: &CallStream,
        bytes: usize,
    ) -> Result<BouncedCopies> {
        let memory =
            AnonymousMapping::new(bytes).map_err(|error| Error::system("cannot allocate memory", error))?;
        let event = own.events.borrow()?;
        let (in_flight, next, phase) = (None, (0, 0), Phase::ToHost);
        Ok(BouncedCopies { driver, context, stream: own.stream, event, memory, in_flight, next, phase })
    }

    /// First byte of the copies.
    pub fn start(&self) -> *mut u8 {
        self.memory.start()
    }

    /// Whether the call has not been started in the engine.
    pub fn is_starting(&self) -> bool {
        matches!(self.phase, Phase::ToHost | Phase::Arrived)
    }

    /// Whether the results are on the device.
    pub fn has_left(&self) -> bool {
        self.phase == Phase::Left
    }

    /// What the call needs next, after the engine has ended what it works on.
    pub fn next(&mut self) -> Step {
        let (phase, step) = match self.phase {
            Phase::ToHost => (Phase::ToHost, Step::Copies),
            Phase::Arrived => (Phase::Running, Step::Start),
            Phase::Running | Phase::ToDevice => (Phase::ToDevice, Step::Copies),
            Phase::Left => (Phase::Left, Step::Nothing),
        };
        self.phase = phase;
        step
    }

    /// Whether the device is known to use memory of the call. A device that has failed may still use it.
    pub fn is_in_flight(&self) -> bool {
        self.in_flight.is_some() && matches!(self.event.has_passed(), Ok(false))
    }

    /// Goes on with the copies, now that the stream of the program has come to the call. Returns whether
    /// anything has changed. The context of the call is current.
    pub fn look(&mut self, reads: &[Copy], writes: &[Copy]) -> Result<bool> {
        match self.phase {
            Phase::ToHost => self.step(reads),
            Phase::ToDevice => self.step(writes),
            _ => Ok(false),
        }
    }

    fn step(&mut self, copies: &[Copy]) -> Result<bool> {
        let is_to_host = self.phase == Phase::ToHost;
        if self.in_flight.is_some() {
            if !self.event.has_passed()? {
                return Ok(false);
            }
            let (block, piece) = self.in_flight.take().expect("there is one");
            if is_to_host {
                let to = self.start().wrapping_add(piece.offset);
                // SAFETY: a part of the memory, which only the call uses, and later. The block has as many
                // bytes, which the stream has written.
                unsafe { to.copy_from_nonoverlapping(block.start(), piece.bytes) };
            }
        }
        let Some(piece) = self.next_piece(copies) else {
            self.phase = if is_to_host { Phase::Arrived } else { Phase::Left };
            return Ok(true);
        };
        let Some(block) = PinnedBlock::if_in_reserve(self.context, PIECE_BYTES) else { return Ok(false) };
        let (driver, stream) = (self.driver, self.stream);
        if is_to_host {
            // SAFETY: the block is kept until the stream has passed the copy.
            unsafe { driver.copy_to_host(block.start(), piece.address as u64, piece.bytes, stream) }?;
        } else {
            let from = self.start().wrapping_add(piece.offset);
            // SAFETY: a part of the memory, which the call has written. The block is ours, and longer.
            unsafe { block.start().copy_from_nonoverlapping(from, piece.bytes) };
            // SAFETY: as above.
            unsafe { driver.copy_to_device(piece.address as u64, block.start(), piece.bytes, stream) }?;
        }
        if let Err(error) = self.event.record(stream) {
            // Nothing tells when the copy has ended.
            block.leak();
            return Err(error);
        }
        self.in_flight = Some((block, piece));
        self.next.1 += piece.bytes;
        Ok(true)
    }

    /// The part of the copies that follows what is done.
    fn next_piece(&mut self, copies: &[Copy]) -> Option<Copy> {
        let (number, done) = self.next;
        match copies.get(number) {
            None => {
                self.next = (0, 0);
                None
            }
            Some(copy) if done == copy.bytes => {
                self.next = (number + 1, 0);
                self.next_piece(copies)
            }
            Some(copy) => Some(Copy {
                address: copy.address + done,
                offset: copy.offset + done,
                bytes: PIECE_BYTES.min(copy.bytes - done),
            }),
        }
    }
}

impl Drop for BouncedCopies {
    fn drop(&mut self) {
        if let Some((block, _)) = self.in_flight.take()
            && !matches!(self.event.has_passed(), Ok(true))
            && !self.context.has_gone()
        {
            block.leak();
        }
    }
}
