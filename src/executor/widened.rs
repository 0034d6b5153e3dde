//! A call on an 8-bit float that runs on float32 copies of its buffers: its results are rounded once, at its end.
//!
//! The copies are made when the call starts, and the output is written when it has ended. They are apart, so the program is one
//! for two buffers, whatever the caller's are.

use std::ptr;

use super::buffers::{Buffers, placed};
use crate::reduce::Conversions;

/// Elements that lie one after the other, in a buffer of the caller and in its copy.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    /// Bytes of the buffer before them.
    pub offset: usize,
    /// Elements of the copy before them.
    pub at: usize,
    /// How many.
    pub elements: usize,
}

/// Which elements are copied, and how.
pub struct Widened {
    /// Of the datatype of the call.
    pub conversions: Conversions,
    /// What is read.
    pub input: Vec<Stretch>,
    /// What is written.
    pub output: Vec<Stretch>,
}

/// The copies of one call.
pub(crate) struct Copies {
    /// First that of the input.
    elements: Vec<f32>,
    input: usize,
}

impl Copies {
    /// Where the call runs. As long as this lives, and is not borrowed meanwhile.
    pub fn buffers(&mut self) -> Buffers {
        let start = self.elements.as_mut_ptr();
        Buffers { input: start.cast_const().cast(), output: start.wrapping_add(self.input).cast() }
    }
}

impl Widened {
    /// Copies the input.
    ///
    /// # Safety
    /// The stretches of the input are readable.
    pub(crate) unsafe fn copy_in(&self, buffers: Buffers) -> Copies {
        let length = |stretches: &[Stretch]| stretches.iter().map(|s| s.at + s.elements).max().unwrap_or(0);
        let input = length(&self.input);
        let mut copies = Copies { elements: vec![0.0; input + length(&self.output)], input };
        for Stretch { offset, at, elements } in self.input.iter().copied() {
            let to = copies.elements[at..at + elements].as_mut_ptr().cast();
            let from = placed(buffers.input.cast_mut(), offset).cast_const();
            // SAFETY: the caller vouches for the source; as many elements of the copy were just sliced.
            unsafe { (self.conversions.widen)(to, from, elements) };
        }
        copies
    }

    /// Writes the output.
    ///
    /// # Safety
    /// The stretches of the output are writable; `copies` are of a call with these buffers that has ended.
    pub(crate) unsafe fn copy_out(&self, copies: &Copies, buffers: Buffers) {
        let output = &copies.elements[copies.input..];
        for Stretch { offset, at, elements } in self.output.iter().copied() {
            let from = ptr::from_ref(&output[at..at + elements]).cast::<u8>();
            // SAFETY: the caller vouches for the target; as many elements of the copy were just sliced.
            unsafe { (self.conversions.narrow)(placed(buffers.output, offset), from, elements) };
        }
    }
}
