//! Things in order of age, found by selector: the oldest under a selector is at hand, whatever lies there.
//!
//! Receives lie under the one selector that they were started with; a message that comes looks under all that
//! accept it. Unexpected messages lie under all selectors that accept them; a receive looks under its own. So both
//! queues are this structure, seen from two sides.
//!
//! Each thing is in as many doubly linked lists as it has selectors, one list per selector that is in use. Putting,
//! looking and taking cost the same with one thing and with a million.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::selector::{CLASSES, Mixing, Selector};

/// Where something lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place(u32);

/// No place.
const NONE: u32 = u32::MAX;

/// The oldest and the youngest under one selector.
#[derive(Clone, Copy)]
struct Row {
    first: u32,
    last: u32,
}

/// A thing's position in one row.
#[derive(Clone, Copy)]
struct Position {
    selector: Selector,
    before: u32,
    behind: u32,
}

struct Thing<T, const N: usize> {
    value: T,
    age: u64,
    /// As many as it has selectors.
    positions: [Option<Position>; N],
}

/// See the head of this file. `N`: selectors of a thing, at most.
pub(super) struct Shelf<T, const N: usize> {
    things: Vec<Option<Thing<T, N>>>,
    free: Vec<u32>,
    rows: HashMap<Selector, Row, Mixing>,
    /// Positions in rows of each class of selectors: most programs never say "any".
    in_class: [usize; CLASSES],
    next_age: u64,
}

impl<T, const N: usize> Default for Shelf<T, N> {
    fn default() -> Shelf<T, N> {
        Shelf {
            things: Vec::new(),
            free: Vec::new(),
            rows: HashMap::default(),
            in_class: [0; CLASSES],
            next_age: 0,
        }
    }
}

impl<T, const N: usize> Shelf<T, N> {
    pub fn len(&self) -> usize {
        self.things.len() - self.free.len()
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.things.len() == self.free.len()
    }

    /// Puts the youngest thing under its selectors, which differ.
    pub fn put(&mut self, selectors: &[Selector], value: T) -> Place {
        let place = self.free.pop().unwrap_or_else(|| {
            self.things.push(None);
            u32::try_from(self.things.len() - 1).expect("memory ends before")
        });
        let mut positions = [None; N];
        for (position, selector) in positions.iter_mut().zip(selectors) {
            let before = self.append(*selector, place);
            *position = Some(Position { selector: *selector, before, behind: NONE });
        }
        self.things[place as usize] = Some(Thing { value, age: self.next_age, positions });
        self.next_age += 1;
        Place(place)
    }

    /// Makes `place` the last of a row; gives the one before it.
    fn append(&mut self, selector: Selector, place: u32) -> u32 {
        self.in_class[selector.class()] += 1;
        match self.rows.entry(selector) {
            Entry::Vacant(row) => {
                row.insert(Row { first: place, last: place });
                NONE
            }
            Entry::Occupied(mut row) => {
                let before = std::mem::replace(&mut row.get_mut().last, place);
                self.position(before, selector).behind = place;
                before
            }
        }
    }

    fn position(&mut self, place: u32, selector: Selector) -> &mut Position {
        let thing = self.things[place as usize].as_mut().expect("rows hold what is there");
        let mut positions = thing.positions.iter_mut().flatten();
        positions.find(|position| position.selector == selector).expect("it is in the row of its selector")
    }

    /// The oldest under one selector, and its age.
    #[inline]
    pub fn oldest(&self, selector: Selector) -> Option<(u64, Place)> {
        if self.in_class[selector.class()] == 0 {
            return None;
        }
        let first = self.rows.get(&selector)?.first;
        self.things[first as usize].as_ref().map(|thing| (thing.age, Place(first)))
    }

    /// What lies at a place that `put` or `oldest` gave, until it is taken.
    pub fn get(&self, place: Place) -> &T {
        &self.things[place.0 as usize].as_ref().expect("not taken yet").value
    }

    /// Takes something out of all its rows.
    pub fn take(&mut self, place: Place) -> T {
        let thing = self.things[place.0 as usize].take().expect("not taken yet");
        self.free.push(place.0);
        for Position { selector, before, behind } in thing.positions.into_iter().flatten() {
            self.in_class[selector.class()] -= 1;
            if before != NONE {
                self.position(before, selector).behind = behind;
            }
            if behind != NONE {
                self.position(behind, selector).before = before;
            }
            if before != NONE && behind != NONE {
                continue;
            }
            let Entry::Occupied(mut row) = self.rows.entry(selector) else { continue };
            match (before, behind) {
                (NONE, NONE) => drop(row.remove()),
                (NONE, _) => row.get_mut().first = behind,
                _ => row.get_mut().last = before,
            }
        }
        thing.value
    }

    /// Selectors for which there is room without asking for more.
    #[cfg(test)]
    pub fn room(&self) -> usize {
        self.rows.capacity()
    }

    /// Everything, in no order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.things.iter().flatten().map(|thing| &thing.value)
    }
}
