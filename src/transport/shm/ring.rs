//! A ring of a pair, from either end: a handle to its memory.

use std::ops::Deref;
use std::ptr::NonNull;

use super::control_line::ControlLine;
use super::layout::RingMemory;

/// One ring. A copy is another handle to the same memory, so that using a ring does not borrow the link that
/// has it.
#[derive(Clone, Copy)]
pub struct Ring {
    memory: NonNull<RingMemory>,
}

impl Ring {
    /// Makes a handle to a ring in the memory of a pair.
    ///
    /// # Safety
    /// The memory stays mapped for as long as the handle or a copy of it is used.
    pub unsafe fn new(memory: &RingMemory) -> Ring {
        Ring { memory: NonNull::from(memory) }
    }

    /// The control line of a slot, which [`super::protocol::Producer`] or [`super::protocol::Consumer`] has
    /// named.
    #[inline]
    pub fn line(&self, slot: usize) -> &ControlLine {
        // SAFETY: both ends name slots of their ring only, whose number is the one that `layout::slots` gave.
        unsafe { self.slot_line(slot) }
    }
}

impl Deref for Ring {
    type Target = RingMemory;

    #[inline]
    fn deref(&self) -> &RingMemory {
        // SAFETY: the memory is mapped, as `new` was promised, and aligned. It consists of atomics only,
        // which this process and the peer use as such; so the reference promises nothing about what they
        // hold.
        unsafe { self.memory.as_ref() }
    }
}
