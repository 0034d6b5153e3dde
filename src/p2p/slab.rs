//! A slab: values in numbered slots that are reused.

use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// Slot number of a `T`, valid from `put` to `take`.
pub(super) struct Key<T>(u32, PhantomData<fn() -> T>);

impl<T> Clone for Key<T> {
    fn clone(&self) -> Key<T> {
        *self
    }
}

impl<T> Copy for Key<T> {}

impl<T> PartialEq for Key<T> {
    fn eq(&self, other: &Key<T>) -> bool {
        self.0 == other.0
    }
}

impl<T> Eq for Key<T> {}

impl<T> Hash for Key<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl<T> std::fmt::Debug for Key<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// Values in numbered slots.
pub(super) struct Slab<T> {
    slots: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Slab<T> {
        Slab { slots: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slab<T> {
    pub fn put(&mut self, value: T) -> Key<T> {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            u32::try_from(self.slots.len() - 1).expect("a slab has fewer values than a u32 can count")
        });
        self.slots[slot as usize] = Some(value);
        Key(slot, PhantomData)
    }

    pub fn take(&mut self, key: Key<T>) -> T {
        let value = self.slots[key.0 as usize].take().expect("taken once");
        self.free.push(key.0);
        value
    }

    pub fn is_empty(&self) -> bool {
        self.slots.len() == self.free.len()
    }

    /// Removes everything. All keys are invalid afterwards.
    pub fn clear(&mut self) {
        self.slots.clear();
        self.free.clear();
    }

    /// Keys of all values.
    pub fn keys(&self) -> impl Iterator<Item = Key<T>> {
        let there = self.slots.iter().zip(0..).filter(|(slot, _)| slot.is_some());
        there.map(|(_, number)| Key(number, PhantomData))
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.slots.iter().flatten()
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.slots.iter_mut().flatten()
    }
}

impl<T> Index<Key<T>> for Slab<T> {
    type Output = T;

    #[inline]
    fn index(&self, key: Key<T>) -> &T {
        self.slots[key.0 as usize].as_ref().expect("not taken yet")
    }
}

impl<T> IndexMut<Key<T>> for Slab<T> {
    #[inline]
    fn index_mut(&mut self, key: Key<T>) -> &mut T {
        self.slots[key.0 as usize].as_mut().expect("not taken yet")
    }
}
