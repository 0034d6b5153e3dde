//! Calls on small floats that run on float32 copies of their buffers, so that results are rounded only once.
//!
//! The copies are made when the call starts, and the output is written when it has ended. The two copies do
//! not overlap. So the program is always one for two buffers, even if the call is in place.

use std::{io, ptr};

use super::buffers::{Buffers, placed};
use crate::base::{Error, Result};
use crate::reduce::Conversions;

/// A run of elements, in a buffer of the caller and in its copy.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    /// Bytes of the buffer before the run.
    pub offset: usize,
    /// Elements of the copy before the run.
    pub at: usize,
    /// Number of elements.
    pub elements: usize,
}

/// The elements that are copied, and the conversions.
pub struct Widened {
    /// Conversions of the datatype of the call.
    pub conversions: Conversions,
    /// Runs of the input.
    pub input: Vec<Stretch>,
    /// Runs of the output.
    pub output: Vec<Stretch>,
}

/// The copies of one call.
pub(crate) struct Copies {
    /// The copy of the input, then the copy of the output.
    elements: Vec<f32>,
    input: usize,
}

impl Copies {
    /// The two copies, on which the call runs. They are valid while `self` lives and is not borrowed
    /// elsewhere.
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
    pub(crate) unsafe fn copy_in(&self, buffers: Buffers) -> Result<Copies> {
        let length = |stretches: &[Stretch]| stretches.iter().map(|s| s.at + s.elements).max().unwrap_or(0);
        let input = length(&self.input);
        let all = input + length(&self.output);
        let mut elements = Vec::new();
        elements
            .try_reserve_exact(all)
            .map_err(|_| Error::no_memory(4 * all, "copies in float32", io::ErrorKind::OutOfMemory.into()))?;
        elements.resize(all, 0.0);
        let mut copies = Copies { elements, input };
        for Stretch { offset, at, elements } in self.input.iter().copied() {
            let to = copies.elements[at..at + elements].as_mut_ptr().cast();
            let from = placed(buffers.input.cast_mut(), offset).cast_const();
            // SAFETY: the caller vouches for the source; as many elements of the copy were just sliced.
            unsafe { (self.conversions.widen)(to, from, elements) };
        }
        Ok(copies)
    }

    /// Writes the output.
    ///
    /// # Safety
    /// The stretches of the output are writable. `copies` belong to a call with these buffers that has ended.
    pub(crate) unsafe fn copy_out(&self, copies: &Copies, buffers: Buffers) {
        let output = &copies.elements[copies.input..];
        for Stretch { offset, at, elements } in self.output.iter().copied() {
            let from = ptr::from_ref(&output[at..at + elements]).cast::<u8>();
            // SAFETY: the caller vouches for the target; as many elements of the copy were just sliced.
            unsafe { (self.conversions.narrow)(placed(buffers.output, offset), from, elements) };
        }
    }
}
