//! Locks and atomics of the parts that a model checks: those of parking_lot and std, or loom's when the model
//! is compiled (crate `anyccl-models`).

#[cfg(not(loom))]
pub use machine::*;
#[cfg(loom)]
pub use model::*;

#[cfg(not(loom))]
mod machine {
    pub use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};

    pub use parking_lot::{Condvar, Mutex, RwLock};
}

#[cfg(loom)]
mod model {
    use std::ops::{Deref, DerefMut};
    use std::time::Duration;

    pub use loom::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
    use loom::sync::{RwLockReadGuard, RwLockWriteGuard};

    /// loom's lock with the interface of `parking_lot`.
    #[derive(Default)]
    pub struct Mutex<T>(loom::sync::Mutex<T>);

    /// A locked lock.
    pub struct MutexGuard<'a, T> {
        lock: &'a Mutex<T>,
        /// Unset while its thread waits for a notification.
        guard: Option<loom::sync::MutexGuard<'a, T>>,
    }

    impl<T> Mutex<T> {
        pub fn new(value: T) -> Mutex<T> {
            Mutex(loom::sync::Mutex::new(value))
        }

        pub fn lock(&self) -> MutexGuard<'_, T> {
            MutexGuard { lock: self, guard: Some(self.0.lock().unwrap()) }
        }
    }

    impl<T> Deref for MutexGuard<'_, T> {
        type Target = T;

        fn deref(&self) -> &T {
            self.guard.as_ref().unwrap()
        }
    }

    impl<T> DerefMut for MutexGuard<'_, T> {
        fn deref_mut(&mut self) -> &mut T {
            self.guard.as_mut().unwrap()
        }
    }

    /// loom's condition variable with the interface of `parking_lot`.
    #[derive(Default)]
    pub struct Condvar(loom::sync::Condvar);

    impl Condvar {
        pub fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
            let held = guard.guard.take().unwrap();
            guard.guard = Some(self.0.wait(held).unwrap());
        }

        /// A wait whose time is over at once: other threads run meanwhile.
        pub fn wait_for<T>(&self, guard: &mut MutexGuard<'_, T>, _time: Duration) {
            drop(guard.guard.take());
            loom::thread::yield_now();
            guard.guard = Some(guard.lock.0.lock().unwrap());
        }

        pub fn notify_all(&self) {
            self.0.notify_all();
        }
    }

    /// loom's lock with the interface of `parking_lot`.
    #[derive(Default)]
    pub struct RwLock<T>(loom::sync::RwLock<T>);

    impl<T> RwLock<T> {
        pub fn read(&self) -> RwLockReadGuard<'_, T> {
            self.0.read().unwrap()
        }

        pub fn write(&self) -> RwLockWriteGuard<'_, T> {
            self.0.write().unwrap()
        }
    }
}
