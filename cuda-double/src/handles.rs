//! Tables from the handles that a program holds to the objects behind them.
//!
//! A handle is never used twice, so that a stale one is an error and never another object.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;

use crate::status::{Result, Status};

/// A new handle. It looks like a pointer that no program can dereference.
pub fn fresh() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0x5cd0_0000_0000_0000);
    NEXT.fetch_add(0x40, Ordering::Relaxed)
}

/// Objects of one kind.
pub struct Table<T>(LazyLock<Mutex<HashMap<usize, Arc<T>>>>);

impl<T> Table<T> {
    /// A table without objects.
    pub const fn empty() -> Table<T> {
        Table(LazyLock::new(|| Mutex::new(HashMap::new())))
    }

    /// Adds an object under its handle.
    pub fn insert(&self, handle: usize, object: Arc<T>) {
        self.0.lock().insert(handle, object);
    }

    /// The object of a handle; an error for NULL and for handles that are stale or invented.
    pub fn get(&self, handle: usize) -> Result<Arc<T>> {
        self.0.lock().get(&handle).cloned().ok_or(Status::INVALID_HANDLE)
    }

    /// Takes the object out.
    pub fn remove(&self, handle: usize) -> Result<Arc<T>> {
        self.0.lock().remove(&handle).ok_or(Status::INVALID_HANDLE)
    }

    /// The objects for which `fits` holds.
    pub fn select(&self, fits: impl Fn(&T) -> bool) -> Vec<Arc<T>> {
        self.0.lock().values().filter(|object| fits(object)).cloned().collect()
    }

    /// Takes the objects out for which `fits` holds; their number.
    pub fn remove_all(&self, fits: impl Fn(&T) -> bool) -> usize {
        let mut objects = self.0.lock();
        let before = objects.len();
        objects.retain(|_, object| !fits(object));
        before - objects.len()
    }
}
