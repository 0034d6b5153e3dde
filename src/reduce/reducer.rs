//! The reducer of a plan: a kernel, or a function of the program.

use super::callback::Callback;
use super::kernel::ReduceKernel;

/// How two runs of elements are combined.
pub enum Reducer {
    /// A builtin operator on its datatype.
    Kernel(ReduceKernel),
    /// A function of the program.
    Callback(Callback),
}

impl Reducer {
    /// Computes `dst[i] = a[i] op b[i]` for `count` elements.
    ///
    /// # Safety
    /// The contract of [`ReduceKernel::plain`] holds.
    #[inline(always)]
    pub unsafe fn apply(&self, dst: *mut u8, a: *const u8, b: *const u8, count: usize) {
        match self {
            // SAFETY: passed on from our caller.
            Reducer::Kernel(kernel) => unsafe { (kernel.plain)(dst, a, b, count) },
            // SAFETY: passed on from our caller.
            Reducer::Callback(callback) => unsafe { callback.apply(dst, a, b, count) },
        }
    }

    /// Like [`Reducer::apply`], but results are stored past the caches, because nobody reads them soon.
    ///
    /// # Safety
    /// The contract of [`ReduceKernel::streamed`] holds.
    pub unsafe fn apply_streamed(&self, dst: *mut u8, a: *const u8, b: *const u8, count: usize) {
        match self {
            // SAFETY: passed on from our caller.
            Reducer::Kernel(kernel) => unsafe { (kernel.streamed)(dst, a, b, count) },
            // A callback chooses its own stores.
            // SAFETY: passed on from our caller.
            Reducer::Callback(callback) => unsafe { callback.apply(dst, a, b, count) },
        }
    }
}
