//! Out-parameters.

use anyccl_engine::base::Result;

use crate::check;

/// The place where a call writes a result. It is written at most once, at the end, so that a failure leaves
/// it alone.
///
/// It is not a `&mut`: its old contents may be uninitialised, and C may pass the same place twice.
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
        // SAFETY: the caller of `new` promised a writable place that nobody else uses. Its old contents
        // belong to C and need no drop.
        unsafe { self.0.write(value) };
    }
}
