//! A match queue: items in order of age, found by selector. It serves as the posted queue and as the
//! unexpected queue.
//!
//! A posted receive is filed under its one selector, and a message looks under all selectors that accept it.
//! An unexpected message is filed under all selectors that accept it, and a receive looks under its own.
//!
//! Each selector in use has one doubly linked list, its *bucket*. An item is in the buckets of all its
//! selectors. Putting, finding or taking an item costs the same with one item and with a million.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::selector::{BuildTagHasher, CLASSES, Selector};

/// Position of an item in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct QueueSlot(u32);

/// Stands for "no slot".
const NONE: u32 = u32::MAX;

/// The oldest and the youngest item under one selector.
#[derive(Clone, Copy)]
struct Bucket {
    first: u32,
    last: u32,
}

/// Neighbours of an item in one bucket.
#[derive(Clone, Copy)]
struct BucketLink {
    selector: Selector,
    before: u32,
    behind: u32,
}

struct Item<T, const N: usize> {
    value: T,
    age: u64,
    /// One link for each selector of the item.
    links: [Option<BucketLink>; N],
}

/// A queue of items that have at most `N` selectors each. The head of this file explains it.
pub(super) struct MatchQueue<T, const N: usize> {
    items: Vec<Option<Item<T, N>>>,
    free: Vec<u32>,
    buckets: HashMap<Selector, Bucket, BuildTagHasher>,
    /// Number of links in buckets of each class of selectors. Most programs never say "any", so most are 0.
    in_class: [usize; CLASSES],
    next_age: u64,
}

impl<T, const N: usize> Default for MatchQueue<T, N> {
    fn default() -> MatchQueue<T, N> {
        MatchQueue {
            items: Vec::new(),
            free: Vec::new(),
            buckets: HashMap::default(),
            in_class: [0; CLASSES],
            next_age: 0,
        }
    }
}

impl<T, const N: usize> MatchQueue<T, N> {
    pub fn len(&self) -> usize {
        self.items.len() - self.free.len()
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.items.len() == self.free.len()
    }

    /// Adds the youngest item, under selectors that differ from each other.
    pub fn put(&mut self, selectors: &[Selector], value: T) -> QueueSlot {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.items.push(None);
            u32::try_from(self.items.len() - 1).expect("a queue has fewer items than a u32 can count")
        });
        let mut links = [None; N];
        for (link, selector) in links.iter_mut().zip(selectors) {
            let before = self.append(*selector, slot);
            *link = Some(BucketLink { selector: *selector, before, behind: NONE });
        }
        self.items[slot as usize] = Some(Item { value, age: self.next_age, links });
        self.next_age += 1;
        QueueSlot(slot)
    }

    /// Makes `slot` the last of a bucket. Returns the slot before it.
    fn append(&mut self, selector: Selector, slot: u32) -> u32 {
        self.in_class[selector.class()] += 1;
        match self.buckets.entry(selector) {
            Entry::Vacant(bucket) => {
                bucket.insert(Bucket { first: slot, last: slot });
                NONE
            }
            Entry::Occupied(mut bucket) => {
                let before = std::mem::replace(&mut bucket.get_mut().last, slot);
                self.link(before, selector).behind = slot;
                before
            }
        }
    }

    fn link(&mut self, slot: u32, selector: Selector) -> &mut BucketLink {
        let item = self.items[slot as usize].as_mut().expect("buckets hold what is there");
        let mut links = item.links.iter_mut().flatten();
        links.find(|link| link.selector == selector).expect("it is in the bucket of its selector")
    }

    /// The oldest item under one selector, and its age.
    #[inline]
    pub fn oldest(&self, selector: Selector) -> Option<(u64, QueueSlot)> {
        if self.in_class[selector.class()] == 0 {
            return None;
        }
        let first = self.buckets.get(&selector)?.first;
        self.items[first as usize].as_ref().map(|item| (item.age, QueueSlot(first)))
    }

    /// The item in a slot that `put` or `oldest` returned. The item must not have been taken yet.
    pub fn get(&self, slot: QueueSlot) -> &T {
        &self.items[slot.0 as usize].as_ref().expect("not taken yet").value
    }

    /// Removes an item from all its buckets and returns it.
    pub fn take(&mut self, slot: QueueSlot) -> T {
        let item = self.items[slot.0 as usize].take().expect("not taken yet");
        self.free.push(slot.0);
        for BucketLink { selector, before, behind } in item.links.into_iter().flatten() {
            self.in_class[selector.class()] -= 1;
            if before != NONE {
                self.link(before, selector).behind = behind;
            }
            if behind != NONE {
                self.link(behind, selector).before = before;
            }
            if before != NONE && behind != NONE {
                continue;
            }
            let Entry::Occupied(mut bucket) = self.buckets.entry(selector) else { continue };
            match (before, behind) {
                (NONE, NONE) => drop(bucket.remove()),
                (NONE, _) => bucket.get_mut().first = behind,
                _ => bucket.get_mut().last = before,
            }
        }
        item.value
    }

    /// Number of selectors for which memory is reserved.
    #[cfg(test)]
    pub fn room(&self) -> usize {
        self.buckets.capacity()
    }

    /// All items, in no order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.items.iter().flatten().map(|item| &item.value)
    }
}
