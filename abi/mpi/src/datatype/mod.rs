//! Datatypes: the layout of one element of a message in memory.
//!
//! A [`Datatype`] is immutable, shared as `Arc<Datatype>`, and flattened when it is made. Size, bounds,
//! layout and signature are fields, so every query is a read. The predefined ones are in a static table. The
//! constructors make new ones from others, and keep their arguments for envelope and contents.
//!
//! [`Datatype::gather`] and [`Datatype::scatter`] move data between typed memory and any part of the packed
//! bytes. [`Datatype::copy`] moves it between two types. [`Datatype::runs`] lists contiguous runs for a
//! transport that takes them in place. [`Datatype::run_for`] tells whether the elements are a single run.
//!
//! Handles, the program's names and attributes belong to the caller. It also checks for `MPI_DATATYPE_NULL`
//! and for types that are not committed.

mod array;
mod basic;
mod bounds;
mod construct;
mod contents;
mod copy;
mod deinterleave;
mod external;
mod kernels;
mod layout;
mod predefined;
mod quad;
mod recipe;
mod runs;
mod signature;
mod sized;
mod typemap;
mod walk;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub use self::array::Distribution;
pub use self::contents::{Contents, Envelope};
pub use self::copy::Typed;
pub use self::runs::{Run, Runs};

use self::basic::Basic;
use self::layout::Body;
use self::recipe::Recipe;
use self::signature::Unit;
use self::typemap::Typemap;

/// One MPI datatype.
#[derive(Debug)]
pub struct Datatype {
    typemap: Typemap,
    /// The row of a predefined datatype that has a name.
    basic: Option<&'static Basic>,
    recipe: Recipe,
    /// Datatypes from which it was made, as MPI_Type_get_contents lists them.
    bases: Vec<Arc<Datatype>>,
    /// Whether a constructor with MPI_Count arguments made it.
    large: bool,
    committed: AtomicBool,
}

impl Datatype {
    /// Bytes of data in one element.
    #[inline]
    pub fn size(&self) -> i64 {
        self.typemap.size
    }

    /// Lower bound.
    #[inline]
    pub fn lb(&self) -> i64 {
        self.typemap.bounds.lb
    }

    /// Upper bound.
    #[inline]
    pub fn ub(&self) -> i64 {
        self.typemap.bounds.ub
    }

    /// Bytes from one element to the next.
    #[inline]
    pub fn extent(&self) -> i64 {
        self.typemap.extent()
    }

    /// Offset of the lowest byte of data.
    #[inline]
    pub fn true_lb(&self) -> i64 {
        self.typemap.bounds.true_lb
    }

    /// Bytes from the lowest byte of data to behind the highest.
    #[inline]
    pub fn true_extent(&self) -> i64 {
        self.typemap.bounds.true_ub - self.typemap.bounds.true_lb
    }

    /// Alignment of the strictest basic element.
    #[inline]
    pub fn alignment(&self) -> usize {
        self.typemap.align as usize
    }

    /// Whether the datatype was committed, or needed no commit.
    #[inline]
    pub fn is_committed(&self) -> bool {
        self.committed.load(Ordering::Relaxed)
    }

    /// Makes the datatype usable in communication.
    pub fn commit(&self) {
        self.committed.store(true, Ordering::Relaxed);
    }

    /// Whether it is predefined, with a name or as a sized Fortran type, and must not be freed.
    pub fn is_predefined(&self) -> bool {
        self.basic.is_some() || self.recipe.is_sized_fortran()
    }

    /// Number of the predefined handle, if it has one.
    #[inline]
    pub fn code(&self) -> Option<u32> {
        self.basic.map(|basic| basic.code)
    }

    /// Name of a predefined datatype, as the header spells it. The program names the others.
    pub fn name(&self) -> Option<&'static str> {
        self.basic.map(|basic| basic.name)
    }

    /// Whether any number of elements is one run of bytes, from `true_lb` on.
    #[inline]
    pub fn is_contiguous(&self) -> bool {
        match self.typemap.placed.body {
            Body::Run(len) => len == 0 || len as i64 == self.typemap.extent(),
            Body::Nested(_) => false,
        }
    }

    /// Offset and length of the run that `count` elements are, if they are one run.
    #[inline]
    pub fn run_for(&self, count: i64) -> Option<(i64, u64)> {
        match self.typemap.placed.body {
            _ if count <= 0 => Some((0, 0)),
            Body::Run(len) if count == 1 || len == 0 || len as i64 == self.typemap.extent() => {
                Some((self.typemap.placed.offset, len * count as u64))
            }
            _ => None,
        }
    }

    /// Code and number per element of the predefined datatype of which it consists, if it is a single one.
    #[inline]
    pub fn basic(&self) -> Option<(u32, i64)> {
        match &self.typemap.signature.unit {
            Unit::Basic(basic) => Some((basic.code, self.typemap.signature.count as i64)),
            Unit::Sequence(_) => None,
        }
    }

    /// Number of basic elements of one element.
    pub fn elements(&self) -> i64 {
        self.typemap.signature.elements() as i64
    }

    /// Number of basic elements in the first `bytes` bytes of a message, for MPI_Get_elements. `None` if the
    /// last one is incomplete: the call then returns MPI_UNDEFINED.
    pub fn elements_in(&self, bytes: i64) -> Option<i64> {
        if self.size() == 0 || bytes <= 0 {
            return (bytes == 0).then_some(0);
        }
        self.typemap.signature.elements_in(bytes as u64).map(|elements| elements as i64)
    }

    /// Number of elements in the first `bytes` bytes of a message, for MPI_Get_count. `None` if the last one
    /// is incomplete: the call then returns MPI_UNDEFINED.
    #[inline]
    pub fn count_in(&self, bytes: i64) -> Option<i64> {
        match self.size() {
            _ if bytes <= 0 => (bytes == 0).then_some(0),
            1 => Some(bytes),
            0 => None,
            size => (bytes % size == 0).then(|| bytes / size),
        }
    }
}

impl Drop for Datatype {
    /// Frees a long chain of datatypes without recursion.
    fn drop(&mut self) {
        let mut bases = std::mem::take(&mut self.bases);
        while let Some(base) = bases.pop() {
            if let Some(mut last) = Arc::into_inner(base) {
                bases.append(&mut last.bases);
            }
        }
    }
}
