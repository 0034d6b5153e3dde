//! A table of objects by handle. Each object lies in the slot that its handle names, or in a map if that slot
//! is taken.
//!
//! Looking an object up in its slot takes no lock. A removal takes the lock, hides the object in its slot,
//! counts its users and decides whether the object may go. A call that has looked the object up before is
//! counted. A call that comes later does not find the object in its slot, so it waits for the lock in
//! [`HandleTable::get`] and then learns the decision.

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

/// A reference to an object that C has named by its handle. The object lives at least as long as the
/// reference.
pub struct ObjectRef<'a, T>(Holder<'a, T>);

enum Holder<'a, T> {
    Pinned(Pinned<'a, T>),
    Shared(Arc<T>),
}

impl<T> ObjectRef<'_, T> {
    /// The object, of which a share may outlive this reference.
    #[inline]
    pub fn shared(&self) -> &Arc<T> {
        match &self.0 {
            Holder::Pinned(pin) => pin.object(),
            Holder::Shared(object) => object,
        }
    }

    /// A share of the object that may outlive this reference.
    pub fn share(&self) -> Arc<T> {
        Arc::clone(self.shared())
    }
}

impl<T> Deref for ObjectRef<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.shared()
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

    /// Pins an object that lies in its slot, without a lock. `None`: it is not there, but `get` may find it.
    #[inline(always)]
    pub fn pin(&self, handle: usize) -> Option<Pinned<'_, T>> {
        if handle == 0 { None } else { self.slot(handle).pin(handle) }
    }

    #[cold]
    fn get_slowly(&self, handle: usize) -> Option<ObjectRef<'_, T>> {
        let others = self.others.read();
        // A second look at the slot: a removal may have hidden the object for a moment and then been refused.
        if let Some(pin) = self.pin(handle) {
            return Some(ObjectRef(Holder::Pinned(pin)));
        }
        others.get(&handle).map(|object| ObjectRef(Holder::Shared(Arc::clone(object))))
    }

    /// Removes an object, whose handle is unknown from here on. `may_go` gets the object and the number of
    /// its users besides this table. If it returns an error, nothing changes. `None`: there is no such
    /// object.
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
            // Pins are counted before shares. In the other order, a call that turns its pin into a share
            // between the two counts would be missed.
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
