//! Out-parameters.

use anyccl_engine::base::Result;

use crate::check;

/// Where a call puts a result. Written at most once, at the end, so that a failure leaves it alone.
///
/// Not a `&mut`: what is there before may be uninitialised, and C may pass the same place twice.
pub struct Out<T>(*mut T);

impl<T> Out<T> {
    /// The place `ptr`, which C calls `what`. NULL is an error.
    ///
    /// # Safety
    /// A `ptr` that is not NULL is aligned and writable for one `T`, and no other thread uses it,
    /// until the result is set.
    pub unsafe fn new(ptr: *mut T, what: &'static str) -> Result<Out<T>> {
        check::not_null(ptr, what)?;
        Ok(Out(ptr))
    }

    /// Writes the result.
    pub fn set(self, value: T) {
        // SAFETY: `new`'s caller promised a writable place that nobody else uses. What was there is C's, with
        // nothing to drop.
        unsafe { self.0.write(value) };
    }
}
