//! A handle to one ring of a pair, for either end.

use std::ops::Deref;
use std::ptr::NonNull;

use super::control_line::ControlLine;
use super::layout::RingMemory;

/// One ring. A copy is another handle to the same memory, so using a ring does not borrow the link that owns
/// it.
#[derive(Clone, Copy)]
pub struct Ring {
    memory: NonNull<RingMemory>,
}

impl Ring {
    /// Makes a handle to a ring in the memory of a pair.
    ///
    /// # Safety
    /// The memory stays mapped while the handle or a copy of it is in use.
    pub unsafe fn new(memory: &RingMemory) -> Ring {
        Ring { memory: NonNull::from(memory) }
    }

    /// The control line of a slot that [`super::protocol::Producer`] or [`super::protocol::Consumer`] has
    /// named.
    #[inline]
    pub fn line(&self, slot: usize) -> &ControlLine {
        // SAFETY: both ends name only slots of their ring, and `layout::slots` gave its number of slots.
        unsafe { self.slot_line(slot) }
    }
}

impl Deref for Ring {
    type Target = RingMemory;

    #[inline]
    fn deref(&self) -> &RingMemory {
        // SAFETY: the memory is mapped, as the caller of `new` promised, and aligned. It consists of atomics
        // only, which this process and the peer use as such; so the reference promises nothing about what
        // they hold.
        unsafe { self.memory.as_ref() }
    }
}
