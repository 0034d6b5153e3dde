//! Memory that a request owns while its call is under way.

use std::sync::Arc;

use crate::element::Element;

/// Memory that a request can own and read: `Vec<T>`, `Arc<[T]>`, `Arc<Vec<T>>` and `&'static [T]`.
///
/// Only types whose elements stay where they are when the value moves can be inputs. A boxed slice becomes
/// a vector by `into_vec`, without a copy.
///
/// The trait is sealed: other crates cannot implement it.
pub trait Input<T: Element>: sealed::Pinned<T> + Send + 'static {}

pub(crate) mod sealed {
    /// # Safety
    /// The elements stay in the same place, and do not change, while the value exists and nobody uses it as
    /// mutable, even if it moves.
    pub unsafe trait Pinned<T> {
        /// The elements.
        fn elements(&self) -> &[T];
    }
}

// SAFETY: a vector owns its elements on the heap, and moving it moves only the pointer.
unsafe impl<T: Element> sealed::Pinned<T> for Vec<T> {
    fn elements(&self) -> &[T] {
        self
    }
}

// SAFETY: the elements lie on the heap, and while two owners may exist nobody changes them.
unsafe impl<T: Element> sealed::Pinned<T> for Arc<[T]> {
    fn elements(&self) -> &[T] {
        self
    }
}

// SAFETY: as for a slice; the vector cannot be changed through the `Arc` while the request has a clone of it.
unsafe impl<T: Element> sealed::Pinned<T> for Arc<Vec<T>> {
    fn elements(&self) -> &[T] {
        self
    }
}

// SAFETY: the elements are borrowed for ever.
unsafe impl<T: Element> sealed::Pinned<T> for &'static [T] {
    fn elements(&self) -> &[T] {
        self
    }
}

impl<T: Element> Input<T> for Vec<T> {}
impl<T: Element> Input<T> for Arc<[T]> {}
impl<T: Element> Input<T> for Arc<Vec<T>> {}
impl<T: Element> Input<T> for &'static [T] {}
