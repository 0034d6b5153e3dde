//! A table of objects by handle. Each object lies in the slot that its handle names, or in a map if that slot
//! is taken.
//!
//! Looking an object up in its slot takes no lock. A removal first hides the object in its slot, then counts
//! its users. A call that comes later waits for the lock in [`HandleTable::get`]: either it was counted, or
//! it learns the decision.

use std::collections::HashMap;
use std::ops::Deref;

use crate::slot::{Pinned, Slot};
use crate::sync::{Arc, RwLock};

/// All objects of one kind. Handles are never 0, and never used twice.
pub struct HandleTable<T, const SLOTS: usize> {
    slots: [Slot<T>; SLOTS],
    /// Objects whose slot was taken. The lock guards the slots, too.
    others: RwLock<HashMap<usize, Arc<T>>>,
}

/// A reference to an object that C has named. The object lives at least as long.
pub struct ObjectRef<'a, T>(Holder<'a, T>);

enum Holder<'a, T> {
    Pinned(Pinned<'a, T>),
    Shared(Arc<T>),
}

impl<T> ObjectRef<'_, T> {
    /// The object, shared, to be kept longer than this reference.
    pub fn share(&self) -> Arc<T> {
        match &self.0 {
            Holder::Pinned(pin) => Arc::clone(pin.object()),
            Holder::Shared(object) => Arc::clone(object),
        }
    }
}

impl<T> Deref for ObjectRef<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        match &self.0 {
            Holder::Pinned(pin) => pin,
            Holder::Shared(object) => object,
        }
    }
}

impl<T, const SLOTS: usize> Default for HandleTable<T, SLOTS> {
    fn default() -> HandleTable<T, SLOTS> {
        HandleTable::new()
    }
}

impl<T, const SLOTS: usize> HandleTable<T, SLOTS> {
    /// An empty table.
    pub fn new() -> HandleTable<T, SLOTS> {
        HandleTable { slots: std::array::from_fn(|_| Slot::default()), others: RwLock::new(HashMap::new()) }
    }

    /// Adds an object.
    pub fn insert(&self, handle: usize, object: Arc<T>) {
        let mut others = self.others.write();
        if let Err(object) = self.slot(handle).fill(handle, object) {
            others.insert(handle, object);
        }
    }

    /// The object of a handle.
    #[inline]
    pub fn get(&self, handle: usize) -> Option<ObjectRef<'_, T>> {
        match self.pin(handle) {
            Some(pin) => Some(ObjectRef(Holder::Pinned(pin))),
            None => self.get_slowly(handle),
        }
    }

    /// Pins an object in the fewest steps. `None`: look it up with `get`.
    #[inline(always)]
    pub fn pin(&self, handle: usize) -> Option<Pinned<'_, T>> {
        if handle == 0 { None } else { self.slot(handle).pin(handle) }
    }

    #[cold]
    fn get_slowly(&self, handle: usize) -> Option<ObjectRef<'_, T>> {
        let others = self.others.read();
        // Again: a removal that was refused meanwhile has hidden the object for a moment.
        if let Some(pin) = self.pin(handle) {
            return Some(ObjectRef(Holder::Pinned(pin)));
        }
        others.get(&handle).map(|object| ObjectRef(Holder::Shared(Arc::clone(object))))
    }

    /// Removes an object: its handle is unknown from here on. `may_go` decides, from the object and the
    /// number of its users besides this table; if it returns an error, nothing changes. `None`: there is no
    /// such object.
    pub fn remove<E>(
        &self,
        handle: usize,
        may_go: impl FnOnce(&T, usize) -> Result<(), E>,
    ) -> Option<Result<Arc<T>, E>> {
        let mut others = self.others.write();
        let users = |object: &Arc<T>| Arc::strong_count(object) - 1;
        if handle != 0
            && let Some(hidden) = self.slot(handle).hide(handle)
        {
            // Pins first: a call may take a share of the object before its pin is gone.
            let pins = hidden.pins();
            if let Err(refused) = may_go(hidden.object(), pins + users(hidden.object())) {
                return Some(Err(refused));
            }
            return Some(Ok(hidden.close()));
        }
        let object = others.get(&handle)?;
        if let Err(refused) = may_go(object, users(object)) {
            return Some(Err(refused));
        }
        others.remove(&handle).map(Ok)
    }

    /// Holds the lock under which objects are added and removed.
    #[cfg(all(test, not(loom)))]
    pub fn hold(&self) -> impl Drop {
        self.others.write()
    }

    #[inline]
    fn slot(&self, handle: usize) -> &Slot<T> {
        &self.slots[handle % SLOTS]
    }
}

#[cfg(all(test, loom))]
mod model;
