//! Atomics, a lock and a cell for [`crate::slot`] and [`crate::handle_table`]. They are std's and
//! parking_lot's, or loom's when the model is compiled (crate `anyccl-models`).

#[cfg(not(loom))]
pub use machine::*;
#[cfg(loom)]
pub use model::*;

#[cfg(not(loom))]
mod machine {
    pub use std::sync::Arc;
    pub use std::sync::atomic::{AtomicUsize, Ordering};

    pub use parking_lot::RwLock;

    /// `std::cell::UnsafeCell` with loom's interface.
    pub struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        pub fn new(value: T) -> UnsafeCell<T> {
            UnsafeCell(std::cell::UnsafeCell::new(value))
        }

        /// Pointer for reading.
        #[inline(always)]
        pub fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
            read(self.0.get())
        }

        /// Pointer for writing.
        #[inline(always)]
        pub fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
            write(self.0.get())
        }
    }
}

#[cfg(loom)]
mod model {
    pub use loom::cell::UnsafeCell;
    pub use loom::sync::Arc;
    pub use loom::sync::atomic::{AtomicUsize, Ordering};
    use loom::sync::{RwLockReadGuard, RwLockWriteGuard};

    /// loom's lock with the interface of `parking_lot`.
    pub struct RwLock<T>(loom::sync::RwLock<T>);

    impl<T> RwLock<T> {
        pub fn new(value: T) -> RwLock<T> {
            RwLock(loom::sync::RwLock::new(value))
        }

        pub fn read(&self) -> RwLockReadGuard<'_, T> {
            self.0.read().unwrap()
        }

        pub fn write(&self) -> RwLockWriteGuard<'_, T> {
            self.0.write().unwrap()
        }
    }
}
