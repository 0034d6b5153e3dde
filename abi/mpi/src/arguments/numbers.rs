//! Numbers that differ between ABIs, and elements of arrays of plain numbers.

use std::ffi::{c_int, c_void};

use super::{Aint, Count, Element, Int, Kind, LargeCount};
use crate::abi::{Abi, Numbers};
use crate::constants::UNDEFINED;
use crate::error::Result;

/// Defines a kind of number: its name and its set.
macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident: $numbers:ident;)*) => {$(
        $(#[$doc])*
        pub struct $name;

        impl<A: Abi> Element<A> for $name {
            type C = c_int;
            type Value = i32;

            #[inline(always)]
            fn value(raw: c_int) -> i32 {
                A::number(Numbers::$numbers, raw)
            }

            #[inline(always)]
            fn raw(value: i32) -> c_int {
                A::raw_number(Numbers::$numbers, value)
            }
        }

        impl<A: Abi> Kind<A> for $name {
            type C = c_int;
            type Value = i32;

            #[inline(always)]
            unsafe fn value(raw: c_int, _: &'static str) -> Result<i32> {
                Ok(A::number(Numbers::$numbers, raw))
            }
        }
    )*};
}

numbers! {
    /// A rank or one of its sentinels.
    Rank: Rank;
    /// A tag or `MPI_ANY_TAG`.
    Tag: Tag;
    /// A key of attributes.
    Keyval: Keyval;
    /// A level of thread support.
    ThreadLevel: ThreadLevel;
    /// A way to split a communicator.
    SplitType: SplitType;
    /// Order of the dimensions of an array.
    Order: Order;
    /// Distribution of a dimension.
    Distribution: Distribution;
    /// Argument of a distribution.
    DistributionArg: DistributionArg;
    /// A class of Fortran types.
    TypeClass: TypeClass;
    /// An error class or code.
    ErrorCode: ErrorCode;
    /// The constructor of a datatype.
    Combiner: Combiner;
    /// The result of a comparison.
    Comparison: Comparison;
    /// A kind of topology.
    Topology: Topology;
    /// An access mode of files.
    AccessMode: AccessMode;
    /// The place from which a seek counts.
    Whence: Whence;
    /// A kind of lock on a window.
    LockType: LockType;
    /// An assertion about the use of a window.
    Assertion: Assertion;
    /// The users for whom a variable is meant.
    ToolVerbosity: ToolVerbosity;
    /// The kind of object to which a variable belongs.
    ToolBinding: ToolBinding;
    /// Where a variable may be set.
    ToolScope: ToolScope;
    /// The class of a performance variable.
    ToolClass: ToolClass;
}

/// Makes a C integer an element: its type, the value, and the reverse translation.
macro_rules! integers {
    ($($name:ident: $c:ty => $value:ty, |$back:ident| $raw:expr;)*) => {$(
        impl<A: Abi> Element<A> for $name {
            type C = $c;
            type Value = $value;

            #[inline(always)]
            fn value(raw: $c) -> $value {
                raw as $value
            }

            #[inline(always)]
            fn raw($back: $value) -> $c {
                $raw
            }
        }
    )*};
}

integers! {
    Int: c_int => i32, |value| value;
    // A count that an int cannot hold is undefined: MPI 5.0, section 5.1.5 and others.
    Count: c_int => i64, |value| c_int::try_from(value).unwrap_or(UNDEFINED);
    LargeCount: i64 => i64, |value| value;
    Aint: isize => i64, |value| value as isize;
}

/// An integer in the contents of a datatype: most are plain, some belong to a set.
pub struct ContentsNumber;

impl<A: Abi> Element<A> for ContentsNumber {
    type C = c_int;
    type Value = (Option<Numbers>, i32);

    fn value(raw: c_int) -> (Option<Numbers>, i32) {
        (None, raw)
    }

    fn raw((numbers, value): (Option<Numbers>, i32)) -> c_int {
        numbers.map_or(value, |numbers| A::raw_number(numbers, value))
    }
}

/// The index of a request in a list, or `MPI_UNDEFINED`. It starts from 0 in this crate.
pub struct Index;

impl<A: Abi> Element<A> for Index {
    type C = c_int;
    type Value = i32;

    #[inline(always)]
    fn value(raw: c_int) -> i32 {
        if raw == UNDEFINED { raw } else { raw - A::FIRST_INDEX }
    }

    #[inline(always)]
    fn raw(value: i32) -> c_int {
        if value == UNDEFINED { value } else { value + A::FIRST_INDEX }
    }
}

/// A truth value: an int that is 0 or not.
pub struct Flag;

impl<A: Abi> Element<A> for Flag {
    type C = c_int;
    type Value = bool;

    #[inline(always)]
    fn value(raw: c_int) -> bool {
        raw != 0
    }

    #[inline(always)]
    fn raw(value: bool) -> c_int {
        c_int::from(value)
    }
}

/// A range of ranks: first, last and stride, as in `int ranges[][3]`.
pub struct Range;

impl<A: Abi> Element<A> for Range {
    type C = [c_int; 3];
    type Value = [i32; 3];

    fn value(raw: [c_int; 3]) -> [i32; 3] {
        raw
    }

    fn raw(value: [i32; 3]) -> [c_int; 3] {
        value
    }
}

/// Weights of edges (`MPI_UNWEIGHTED`, `MPI_WEIGHTS_EMPTY` or an array).
pub struct Weights;

/// Weights from the program.
#[derive(Clone, Copy)]
pub enum EdgeWeights {
    /// The edges have no weights.
    Unweighted,
    /// There are no edges.
    Empty,
    /// A weight for each edge.
    Given(super::Inputs<i32>),
}

impl<A: Abi> Kind<A> for Weights {
    type C = *const c_int;
    type Value = EdgeWeights;

    unsafe fn value(raw: *const c_int, name: &'static str) -> Result<EdgeWeights> {
        if A::is_unweighted(raw) {
            return Ok(EdgeWeights::Unweighted);
        }
        if A::is_weights_empty(raw) {
            return Ok(EdgeWeights::Empty);
        }
        /// # Safety
        /// `place` is an array of ints with this position.
        unsafe fn weight(place: *const c_void, at: usize) -> i32 {
            let place = place.cast::<c_int>().wrapping_add(at);
            // SAFETY: promised by the caller.
            unsafe { place.read() }
        }
        // SAFETY: the program passes an array with a weight for each edge.
        Ok(EdgeWeights::Given(unsafe { super::Inputs::new(raw.cast(), name, weight) }))
    }
}

/// Weights to be written, or `MPI_UNWEIGHTED` if the program wants none.
pub struct OutWeights;

impl<A: Abi> Kind<A> for OutWeights {
    type C = *mut c_int;
    type Value = Option<super::Outputs<i32>>;

    unsafe fn value(raw: *mut c_int, name: &'static str) -> Result<Option<super::Outputs<i32>>> {
        if A::is_unweighted(raw) || A::is_weights_empty(raw) || raw.is_null() {
            return Ok(None);
        }
        // SAFETY: the program passes an array with room for each weight.
        unsafe { <super::OutArray<Int> as Kind<A>>::value(raw, name) }.map(Some)
    }
}
