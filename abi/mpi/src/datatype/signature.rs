//! The signature of a datatype: the predefined datatypes of which one element consists, in order and without
//! offsets.
//!
//! A [`Signature`] is a repeated unit. The unit is a predefined datatype, or a sequence of signatures with
//! the bytes and basic elements before each. Vectors and indexed types only multiply the count, so only
//! structs make a signature grow.

use std::sync::Arc;

use super::basic::{Basic, Form};
use crate::error::{Class, Error, Result};

/// Upper limit of the depth of sequences, which bounds the recursion.
const DEEPEST: u32 = 250;
/// Longest sequence that is copied into the enclosing sequence.
const SPLICED: usize = 16;

/// A unit, and the number of its repetitions.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    /// Number of units. Zero if the type has no data.
    pub count: u64,
    /// The unit that is repeated.
    pub unit: Unit,
}

/// The unit of a signature.
#[derive(Clone, Debug)]
pub(super) enum Unit {
    /// A predefined datatype.
    Basic(&'static Basic),
    /// Several signatures, one after the other.
    Sequence(Arc<Sequence>),
}

/// Several signatures.
#[derive(Debug)]
pub(super) struct Sequence {
    /// The signatures, in order.
    pub items: Box<[Item]>,
    /// Bytes of all signatures.
    bytes: u64,
    /// Basic elements of all signatures.
    elements: u64,
    depth: u32,
}

/// One signature of a sequence.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// Bytes of the previous signatures.
    pub start: u64,
    /// Basic elements of the previous signatures.
    elements: u64,
    /// The signature.
    pub signature: Signature,
}

impl Unit {
    /// Bytes of data.
    pub fn bytes(&self) -> u64 {
        match self {
            Unit::Basic(basic) => u64::from(basic.size),
            Unit::Sequence(sequence) => sequence.bytes,
        }
    }

    fn elements(&self) -> u64 {
        match self {
            Unit::Basic(basic) => basic.elements(),
            Unit::Sequence(sequence) => sequence.elements,
        }
    }

    fn depth(&self) -> u32 {
        match self {
            Unit::Basic(_) => 0,
            Unit::Sequence(sequence) => sequence.depth,
        }
    }

    fn is_same(&self, other: &Unit) -> bool {
        match (self, other) {
            (Unit::Basic(a), Unit::Basic(b)) => a.code == b.code,
            (Unit::Sequence(a), Unit::Sequence(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// Number of basic elements in the first `bytes` bytes, if it is whole.
    fn elements_in(&self, bytes: u64) -> Option<u64> {
        if bytes == 0 {
            return Some(0);
        }
        match self {
            Unit::Basic(basic) => match basic.form {
                Form::Pair { value, .. } => {
                    (bytes == u64::from(Basic::of(value).map_or(0, |value| value.size))).then_some(1)
                }
                _ => None,
            },
            Unit::Sequence(sequence) => {
                let at = sequence.items.partition_point(|item| item.start <= bytes) - 1;
                let item = &sequence.items[at];
                Some(item.elements + item.signature.elements_in(bytes - item.start)?)
            }
        }
    }
}

impl Signature {
    /// One predefined datatype.
    pub fn basic(basic: &'static Basic) -> Signature {
        Signature { count: 1, unit: Unit::Basic(basic) }
    }

    /// This signature `count` times. The caller has checked that the bytes fit an i64.
    pub fn repeated(&self, count: u64) -> Signature {
        Signature { count: self.count * count, unit: self.unit.clone() }
    }

    /// Whether both have the same units, without looking into sequences.
    pub fn is_same(&self, other: &Signature) -> bool {
        self.count == other.count && self.unit.is_same(&other.unit)
    }

    /// Number of basic elements, as MPI_Get_elements counts them.
    pub fn elements(&self) -> u64 {
        self.count * self.unit.elements()
    }

    /// Number of basic elements in the first `bytes` bytes, if it is whole. `bytes` may be more than one
    /// element has: then elements follow each other.
    pub fn elements_in(&self, bytes: u64) -> Option<u64> {
        let size = self.unit.bytes();
        let whole = (bytes / size).checked_mul(self.unit.elements())?;
        whole.checked_add(self.unit.elements_in(bytes % size)?)
    }
}

/// Collects the signatures of a sequence and joins equal neighbours.
#[derive(Default)]
pub(super) struct SequenceBuilder {
    items: Vec<Signature>,
}

impl SequenceBuilder {
    /// Adds a signature at the end.
    pub fn push(&mut self, signature: &Signature) {
        match &signature.unit {
            _ if signature.count == 0 => {}
            Unit::Sequence(sequence) if signature.count == 1 && sequence.items.len() <= SPLICED => {
                sequence.items.iter().for_each(|item| self.item(&item.signature));
            }
            _ => self.item(signature),
        }
    }

    fn item(&mut self, signature: &Signature) {
        match self.items.last_mut() {
            Some(last) if last.unit.is_same(&signature.unit) => last.count += signature.count,
            _ => self.items.push(signature.clone()),
        }
    }

    /// The sequence as one signature, or None if it is empty.
    pub fn finish(mut self) -> Result<Option<Signature>> {
        if self.items.len() <= 1 {
            return Ok(self.items.pop());
        }
        let depth = 1 + self.items.iter().map(|item| item.unit.depth()).max().unwrap_or(0);
        if depth > DEEPEST {
            return Err(Error::new(
                Class::TYPE,
                "the datatype is nested too deeply: build it from fewer levels of structs",
            ));
        }
        let (mut bytes, mut elements) = (0, 0);
        let items = self.items.into_iter().map(|signature| {
            let item = Item { start: bytes, elements, signature };
            bytes += item.signature.count * item.signature.unit.bytes();
            elements += item.signature.elements();
            item
        });
        let items: Box<[Item]> = items.collect();
        let unit = Unit::Sequence(Arc::new(Sequence { items, bytes, elements, depth }));
        Ok(Some(Signature { count: 1, unit }))
    }
}
