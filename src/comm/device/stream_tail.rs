//! The tail of a call in its stream: the waits for its result, the copies back, and an event.
//!
//! It may be enqueued apart from the start of the call. The call may have run by then, but it keeps its
//! copies and its event until it knows whether its tail is in the stream.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use super::staged::ranges::Copy;
use crate::base::Result;
use crate::device::direct::Kernels;
use crate::device::kernels::WaitArguments;
use crate::device::{CudaContext, CudaDriver, CudaStream, Entered, StreamEvent};

const PENDING: u8 = 0;
const IN_STREAM: u8 = 1;
const INCOMPLETE: u8 = 2;

/// Where the tail of a call is: pending, in the stream, or was enqueued only in part.
#[derive(Debug, Default)]
pub(super) struct TailState(AtomicU8);

impl TailState {
    /// Whether nobody has tried to enqueue the tail yet.
    pub fn is_pending(&self) -> bool {
        self.0.load(Ordering::Acquire) == PENDING
    }

    /// Notes that all of the tail is in the stream.
    pub fn note_in_stream(&self) {
        self.0.store(IN_STREAM, Ordering::Release);
    }

    /// Notes that nobody will enqueue more of the tail. It is incomplete if it is not in the stream.
    pub fn note_end(&self) {
        let _ = self.0.compare_exchange(PENDING, INCOMPLETE, Ordering::Release, Ordering::Relaxed);
    }

    /// Whether the tail, or a part of it, will never be in the stream.
    pub fn is_incomplete(&self) -> bool {
        self.0.load(Ordering::Acquire) == INCOMPLETE
    }
}

/// What follows the start of a call in its stream. A tail that is dropped without being enqueued counts as
/// incomplete.
pub struct StagedTail {
    pub(super) driver: &'static CudaDriver,
    pub(super) stream: CudaStream,
    pub(super) context: CudaContext,
    /// Address of the word for which the stream waits, as the device knows it. `None`: it does not wait.
    pub(super) final_word: Option<u64>,
    /// Set if it waits by a kernel, which sets the word at this address at its end.
    pub(super) waiting: Option<(&'static Kernels, u64)>,
    /// Start of the block of the copies.
    pub(super) block: usize,
    pub(super) writes: Vec<Copy>,
    /// Whether the word counts copies, so that there is a wait before each. Otherwise there is one wait.
    pub(super) waits_for_each: bool,
    pub(super) event: Option<Arc<StreamEvent>>,
    pub(super) tail_state: Arc<TailState>,
}

impl StagedTail {
    /// Enqueues the tail.
    pub fn enqueue(self) -> Result<()> {
        let _entered = Entered::in_context(self.driver, self.context)?;
        self.enqueue_in_context()
    }

    /// Enqueues the tail in the context of the call, which is current in this thread.
    pub(super) fn enqueue_in_context(self) -> Result<()> {
        let wait = |value| match (self.final_word, self.waiting) {
            (Some(word), Some((kernels, passed))) => {
                kernels.wait(&WaitArguments { word, passed }, self.stream)
            }
            (Some(word), None) => self.driver.wait_value(self.stream, word, value),
            (None, _) => Ok(()),
        };
        if !self.waits_for_each {
            wait(1)?;
        }
        for (copy, number) in self.writes.iter().zip(1..) {
            if self.waits_for_each {
                wait(number)?;
            }
            let from = std::ptr::with_exposed_provenance::<u8>(self.block + copy.offset);
            // SAFETY: a part of the block, which the call keeps until the stream has passed its tail.
            unsafe { self.driver.copy_to_device(copy.address as u64, from, copy.bytes, self.stream) }?;
        }
        self.event.as_ref().map_or(Ok(()), |event| event.record(self.stream))?;
        self.tail_state.note_in_stream();
        Ok(())
    }
}

impl Drop for StagedTail {
    fn drop(&mut self) {
        self.tail_state.note_end();
    }
}
