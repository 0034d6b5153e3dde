//! Memory that stays in place while the engine and the program use it in turns.

use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::slice;

use crate::element::Element;

/// The elements of a vector, which neither moves nor grows.
///
/// Engine and program both reach the elements through `start`. So a slice that the program gets for a time
/// does not invalidate the pointer that the engine uses later.
pub(crate) struct Fixed<T: Element> {
    start: NonNull<T>,
    len: usize,
    capacity: usize,
}

// SAFETY: it owns its elements as a vector does, and elements may be used by any thread.
unsafe impl<T: Element> Send for Fixed<T> {}
// SAFETY: as above; a shared value only lends its elements for reading.
unsafe impl<T: Element> Sync for Fixed<T> {}

impl<T: Element> Fixed<T> {
    pub fn new(elements: Vec<T>) -> Fixed<T> {
        let mut elements = ManuallyDrop::new(elements);
        let (len, capacity) = (elements.len(), elements.capacity());
        Fixed { start: NonNull::new(elements.as_mut_ptr()).unwrap_or(NonNull::dangling()), len, capacity }
    }

    /// The start of the elements, for the engine.
    pub fn start(&self) -> *mut T {
        self.start.as_ptr()
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The elements, for the program.
    ///
    /// # Safety
    /// The engine does not use them while they are borrowed.
    pub unsafe fn elements(&self) -> &[T] {
        // SAFETY: the elements of a vector; the caller says that nobody writes them.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    /// The elements, for the program.
    ///
    /// # Safety
    /// The engine does not use them while they are borrowed.
    pub unsafe fn elements_mut(&mut self) -> &mut [T] {
        // SAFETY: the elements of a vector; the caller says that nobody else uses them.
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl<T: Element> Drop for Fixed<T> {
    fn drop(&mut self) {
        // SAFETY: the parts of the vector that `new` has taken apart. Nobody uses the elements any more.
        drop(unsafe { Vec::from_raw_parts(self.start.as_ptr(), self.len, self.capacity) });
    }
}
