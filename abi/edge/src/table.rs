//! Objects by their handles: each in the place that its handle names, or in a map where that place is taken.
//!
//! A look-up of an object in its place takes no lock. Whoever removes an object first makes it unknown there, then counts
//! its users: a call that comes later waits for the lock in [`Table::get`], so it is either counted or finds out what
//! was decided.

use std::collections::HashMap;
use std::ops::Deref;

use crate::place::{Pinned, Place};
use crate::sync::{Arc, RwLock};

/// All objects of one kind. Handles are never 0, and never used twice.
pub(crate) struct Table<T, const PLACES: usize> {
    places: [Place<T>; PLACES],
    /// Objects whose place was taken. Its lock is the one of the places, too.
    others: RwLock<HashMap<usize, Arc<T>>>,
}

/// An object that C has named: it lives as long as this does.
pub struct Found<'a, T>(Holder<'a, T>);

enum Holder<'a, T> {
    Pinned(Pinned<'a, T>),
    Shared(Arc<T>),
}

impl<T> Found<'_, T> {
    /// For keeping it longer.
    pub fn share(&self) -> Arc<T> {
        match &self.0 {
            Holder::Pinned(pin) => Arc::clone(pin.object()),
            Holder::Shared(object) => Arc::clone(object),
        }
    }
}

impl<T> Deref for Found<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        match &self.0 {
            Holder::Pinned(pin) => pin,
            Holder::Shared(object) => object,
        }
    }
}

impl<T, const PLACES: usize> Table<T, PLACES> {
    /// No objects yet.
    pub fn new() -> Table<T, PLACES> {
        Table { places: std::array::from_fn(|_| Place::default()), others: RwLock::new(HashMap::new()) }
    }

    /// Takes an object in.
    pub fn insert(&self, handle: usize, object: Arc<T>) {
        let mut others = self.others.write();
        if let Err(object) = self.place(handle).fill(handle, object) {
            others.insert(handle, object);
        }
    }

    /// The object of a handle.
    #[inline]
    pub fn get(&self, handle: usize) -> Option<Found<'_, T>> {
        match self.pin(handle) {
            Some(pin) => Some(Found(Holder::Pinned(pin))),
            None => self.get_slowly(handle),
        }
    }

    /// Pins an object in the fewest steps. `None`: look with `get`.
    #[inline(always)]
    pub fn pin(&self, handle: usize) -> Option<Pinned<'_, T>> {
        if handle == 0 { None } else { self.place(handle).pin(handle) }
    }

    #[cold]
    fn get_slowly(&self, handle: usize) -> Option<Found<'_, T>> {
        let others = self.others.read();
        // Again: a removal that was refused meanwhile has hidden the object for a moment.
        if let Some(pin) = self.pin(handle) {
            return Some(Found(Holder::Pinned(pin)));
        }
        others.get(&handle).map(|object| Found(Holder::Shared(Arc::clone(object))))
    }

    /// Takes an object out: its handle is unknown from here on. `may_go` decides, from the object and the number of its
    /// users besides this table; its error leaves everything as it was. `None`: there is no such object.
    pub fn remove<E>(
        &self,
        handle: usize,
        may_go: impl FnOnce(&T, usize) -> Result<(), E>,
    ) -> Option<Result<Arc<T>, E>> {
        let mut others = self.others.write();
        let users = |object: &Arc<T>| Arc::strong_count(object) - 1;
        if handle != 0
            && let Some(hidden) = self.place(handle).hide(handle)
        {
            // Pins first: a call may leave a user behind before its pin is gone.
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

    /// The lock under which objects come and go, held.
    #[cfg(all(test, not(loom)))]
    pub fn hold(&self) -> impl Drop {
        self.others.write()
    }

    #[inline]
    fn place(&self, handle: usize) -> &Place<T> {
        &self.places[handle % PLACES]
    }
}

#[cfg(all(test, loom))]
#[path = "table/model.rs"]
mod model;
