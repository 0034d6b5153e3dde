//! The values of elements during verification: histories of numbers instead of numbers.
//!
//! [`Hashed`] is fast, and right with a probability of about 1 - 2^-64. Each contribution has a
//! random-looking weight. Their sum tells *which* contributions are in a value, and how often. A hash of the
//! reduction tree, blind to left and right, tells in *which order* they were combined. [`Exact`] is the tree
//! itself. It is slow, and only used to describe a failure in words.

use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use crate::base::{Rank, mix};

/// Values that plans can be executed on.
pub(super) trait Algebra: Clone {
    /// Element `element` of `rank`'s Input.
    fn contribution(rank: Rank, element: usize) -> Self;
    /// The reduction of two values. Commutative, not associative.
    fn reduce(&self, other: &Self) -> Self;
    /// The value after its way through a narrow form.
    fn rounded(&self) -> Self;
    /// Element of the narrow form with this number. It is no value of a result.
    fn narrow(place: NarrowPlace) -> Self;
    /// Reads what [`Algebra::narrow`] made. `None`: it is something else.
    fn narrow_place(&self) -> Option<NarrowPlace>;
}

/// A place in a narrow form.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct NarrowPlace {
    /// Number of the form, from 0.
    pub(super) form: usize,
    /// Element of the form.
    pub(super) element: u32,
}

/// The contributions and the order of their reduction, as two hashes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Hashed {
    /// Sum of the weights of all contributions.
    pub(super) set: u64,
    /// Hash of the tree.
    pub(super) tree: u64,
}

impl Algebra for Hashed {
    fn contribution(rank: Rank, element: usize) -> Hashed {
        let weight = mix(mix(u64::from(rank)) ^ element as u64);
        Hashed { set: weight, tree: mix(!weight) }
    }

    fn reduce(&self, other: &Hashed) -> Hashed {
        let (low, high) = (self.tree.min(other.tree), self.tree.max(other.tree));
        Hashed { set: self.set.wrapping_add(other.set), tree: mix(mix(low) ^ high) }
    }

    fn rounded(&self) -> Hashed {
        Hashed { tree: mix(self.tree ^ ROUNDED), ..*self }
    }

    fn narrow(place: NarrowPlace) -> Hashed {
        Hashed { set: place.form as u64, tree: NARROW | u64::from(place.element) }
    }

    fn narrow_place(&self) -> Option<NarrowPlace> {
        let (form, element) = (self.set as usize, self.tree as u32);
        (self.tree & !u64::from(u32::MAX) == NARROW).then_some(NarrowPlace { form, element })
    }
}

/// Makes another tree of a rounded value.
const ROUNDED: u64 = 0x5bd1_e995_9e37_79b9;
/// Upper half of the "tree" of an element of a narrow form.
const NARROW: u64 = 0x7f4a_7c15 << 32;

/// The reduction tree itself.
#[derive(Clone)]
pub(super) enum Exact {
    /// An element of one rank's Input.
    Contribution(Rank, usize),
    /// Two values combined.
    Reduced(Rc<(Exact, Exact)>),
    /// A value that has been in a narrow form.
    Rounded(Rc<Exact>),
    /// An element of a narrow form.
    Narrow(NarrowPlace),
}

impl Algebra for Exact {
    fn contribution(rank: Rank, element: usize) -> Exact {
        Exact::Contribution(rank, element)
    }

    fn reduce(&self, other: &Exact) -> Exact {
        Exact::Reduced(Rc::new((self.clone(), other.clone())))
    }

    fn rounded(&self) -> Exact {
        Exact::Rounded(Rc::new(self.clone()))
    }

    fn narrow(place: NarrowPlace) -> Exact {
        Exact::Narrow(place)
    }

    fn narrow_place(&self) -> Option<NarrowPlace> {
        if let Exact::Narrow(place) = self { Some(*place) } else { None }
    }
}

impl Exact {
    /// The contributions, and how often each occurs, in words.
    pub(super) fn terms(&self) -> String {
        let mut times = BTreeMap::new();
        let mut rest = vec![self];
        while let Some(value) = rest.pop() {
            match value {
                Exact::Contribution(rank, element) => *times.entry((*rank, *element)).or_insert(0u64) += 1,
                Exact::Reduced(pair) => rest.extend([&pair.0, &pair.1]),
                Exact::Rounded(value) => rest.push(value),
                Exact::Narrow(_) => return "part of a narrow form".to_owned(),
            }
        }
        let words = times.iter().map(|((rank, element), times)| match times {
            1 => format!("{rank}[{element}]"),
            _ => format!("{times} x {rank}[{element}]"),
        });
        words.collect::<Vec<_>>().join(" + ")
    }
}

/// Prints the tree with its brackets: `((0[5] + 1[5]) + rounded 2[5])`.
impl fmt::Display for Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exact::Contribution(rank, element) => write!(f, "{rank}[{element}]"),
            Exact::Reduced(pair) => write!(f, "({} + {})", pair.0, pair.1),
            Exact::Rounded(value) => write!(f, "rounded {value}"),
            Exact::Narrow(_) => f.write_str("part of a narrow form"),
        }
    }
}
