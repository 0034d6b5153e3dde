//! The three memories of a running plan, and the local steps of a plan.

use std::ptr::with_exposed_provenance_mut;

use super::steps::{Bytes, LocalStep};
use crate::plan::Buffer;
use crate::reduce::{Reducer, wire_kernels};
use crate::sys::memory_copy::copy_from_shared;

/// The caller's two buffers.
#[derive(Clone, Copy, Debug)]
pub struct Buffers {
    /// The buffer that the call reads.
    pub input: *const u8,
    /// The buffer that the call writes.
    pub output: *mut u8,
}

/// The byte at `offset` from a base.
#[inline]
pub(crate) fn placed(base: *mut u8, offset: usize) -> *mut u8 {
    // The provenance is exposed because blocks in separate allocations are given as addresses relative to
    // NULL.
    with_exposed_provenance_mut(base.expose_provenance().wrapping_add(offset))
}

/// The three memories of a running plan.
#[derive(Clone, Copy)]
pub(crate) struct Memory {
    pub buffers: Buffers,
    pub scratch: *mut u8,
}

impl Memory {
    /// Address of the byte `skip` bytes into a span.
    #[inline]
    pub(super) fn address(&self, span: &Bytes, skip: usize) -> *mut u8 {
        let base = match span.buffer {
            Buffer::Input => self.buffers.input.cast_mut(),
            Buffer::Output => self.buffers.output,
            Buffer::Scratch => self.scratch,
        };
        placed(base, span.offset + skip)
    }

    /// Runs a step that involves no other rank.
    ///
    /// # Safety
    /// The spans are valid, and no one else uses them. `reduce` fits the elements, and is given if the step
    /// reduces.
    #[inline]
    pub(super) unsafe fn run_local(&self, local: &LocalStep, reduce: Option<&Reducer>, element_bytes: usize) {
        match local {
            LocalStep::Copy { src, dst, streamed } => {
                let (from, to) = (self.address(src, 0), self.address(dst, 0));
                if *streamed {
                    // SAFETY: spans of equal length, valid by the caller's promise and, by the verifier,
                    // disjoint.
                    return unsafe { copy_from_shared(to, from, dst.len, true) };
                }
                // SAFETY: spans of equal length, valid by the caller's promise. The verifier proves them
                // disjoint; `copy` would be right even if they were not.
                unsafe { std::ptr::copy(from, to, dst.len) };
            }
            LocalStep::Reduce { a, b, dst } => {
                let reduce = reduce.expect("a plan that reduces is begun with an operator");
                let elements = dst.len / element_bytes;
                // SAFETY: three spans of that many elements, valid by the caller's promise; by the verifier,
                // `dst` is identical to `a` or `b`, or disjoint from it.
                unsafe {
                    reduce.apply(self.address(dst, 0), self.address(a, 0), self.address(b, 0), elements)
                };
            }
            // SAFETY: passed on from our caller.
            LocalStep::Narrow { .. } | LocalStep::Widen { .. } => unsafe { self.convert(local) },
        }
    }

    /// Runs a step to or from a narrow form. Apart, because most calls have none.
    ///
    /// # Safety
    /// The spans are valid, and no one else uses them.
    #[inline(never)]
    unsafe fn convert(&self, local: &LocalStep) {
        match local {
            LocalStep::Narrow { format, src, dst } => {
                let (from, to) = (self.address(src, 0), self.address(dst, 0));
                // SAFETY: spans of that many numbers and of their narrow form, by the verifier disjoint.
                unsafe { (wire_kernels(*format).narrow)(to, from, src.len / size_of::<f32>()) };
            }
            LocalStep::Widen { format, src, operand, dst } => {
                let (kernels, elements) = (wire_kernels(*format), dst.len / size_of::<f32>());
                let (from, to) = (self.address(src, 0), self.address(dst, 0));
                match operand {
                    // SAFETY: as above, the other way round.
                    None => unsafe { (kernels.widen)(to, from, elements) },
                    // SAFETY: as above; by the verifier, `operand` is `dst`, or disjoint from it.
                    Some(a) => unsafe { (kernels.add)(to, self.address(a, 0), from, elements) },
                }
            }
            LocalStep::Copy { .. } | LocalStep::Reduce { .. } => unreachable!("it has no narrow form"),
        }
    }
}
