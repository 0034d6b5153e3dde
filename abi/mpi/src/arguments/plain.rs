//! Plain values: counts, integers, pointers, buffers. They are equal in every ABI, except sentinels such as
//! `MPI_IN_PLACE`.

use std::ffi::{c_int, c_void};

use super::{Kind, Returned};
use crate::abi::Abi;
use crate::constants::{BOTTOM, BUFFER_AUTOMATIC, DISPLACEMENT_CURRENT, IN_PLACE};
use crate::error::Result;

/// Defines a plain kind: its C type, and the expression that translates it.
macro_rules! plain {
    ($($(#[$doc:meta])* $name:ident: $c:ty => $value:ty, |$raw:ident| $translated:expr;)*) => {$(
        $(#[$doc])*
        pub struct $name;

        impl<A: Abi> Kind<A> for $name {
            type C = $c;
            type Value = $value;

            #[inline(always)]
            unsafe fn value($raw: $c, _: &'static str) -> Result<$value> {
                Ok($translated)
            }
        }
    )*};
}

plain! {
    /// An integer without a special meaning.
    Int: c_int => i32, |raw| raw;
    /// A count that is an int in C.
    Count: c_int => i64, |raw| i64::from(raw);
    /// A count that is an `MPI_Count` in C; also an `MPI_Offset`.
    LargeCount: i64 => i64, |raw| raw;
    /// The displacement of a view, or `MPI_DISPLACEMENT_CURRENT`: `MPI_Offset` in C.
    Displacement: i64 => i64, |raw| match raw {
        current if current == A::DISPLACEMENT_CURRENT => DISPLACEMENT_CURRENT,
        // This value has a meaning in the standard ABI only.
        DISPLACEMENT_CURRENT => DISPLACEMENT_CURRENT - 1,
        other => other,
    };
    /// A displacement or an extent: `MPI_Aint` in C.
    Aint: isize => i64, |raw| raw as i64;
    /// A pointer that is passed on.
    Pointer: *mut c_void => *mut c_void, |raw| raw;
    /// Like [`Pointer`], to memory that is not written.
    ConstPointer: *const c_void => *const c_void, |raw| raw;
    /// Memory that is read.
    SendBuffer: *const c_void => SendAddress, |raw|
        SendAddress { address: A::address(raw.addr()), pointer: raw.cast() };
    /// Memory that is written.
    RecvBuffer: *mut c_void => RecvAddress, |raw|
        RecvAddress { address: A::address(raw.addr()), pointer: raw.cast() };
}

/// Address of memory that is read, or `MPI_IN_PLACE`.
#[derive(Clone, Copy, Debug)]
pub struct SendAddress {
    /// The address, with the sentinels of the standard ABI.
    address: usize,
    pointer: *const u8,
}

impl SendAddress {
    /// Whether it is `MPI_IN_PLACE`: the receive buffer holds the input.
    #[inline]
    pub fn is_in_place(self) -> bool {
        self.address == IN_PLACE
    }

    /// The pointer from the program. NULL is `MPI_BOTTOM`.
    #[inline]
    pub fn pointer(self) -> *const u8 {
        self.pointer
    }

    /// Makes the address of a pointer that this crate supplies. It is never a sentinel.
    pub fn of(pointer: *const u8) -> SendAddress {
        SendAddress { address: pointer.addr(), pointer }
    }
}

/// Address of memory that is written, or a sentinel such as `MPI_IN_PLACE`.
#[derive(Clone, Copy, Debug)]
pub struct RecvAddress {
    /// The address, with the sentinels of the standard ABI.
    address: usize,
    pointer: *mut u8,
}

impl RecvAddress {
    /// Whether it is `MPI_IN_PLACE`: the root of a scatter leaves its own block in the send buffer.
    #[inline]
    pub fn is_in_place(self) -> bool {
        self.address == IN_PLACE
    }

    /// Whether it is `MPI_BUFFER_AUTOMATIC`: the library finds memory itself.
    pub fn is_automatic(self) -> bool {
        self.address == BUFFER_AUTOMATIC
    }

    /// Whether it is `MPI_BOTTOM`: addresses are absolute.
    pub fn is_bottom(self) -> bool {
        self.address == BOTTOM
    }

    /// The pointer from the program. NULL is `MPI_BOTTOM`.
    #[inline]
    pub fn pointer(self) -> *mut u8 {
        self.pointer
    }

    /// Makes the address of a pointer that this crate supplies. It is never a sentinel.
    pub fn of(pointer: *mut u8) -> RecvAddress {
        RecvAddress { address: pointer.addr(), pointer }
    }
}

/// A time in seconds, as `MPI_Wtime` returns it.
pub struct Seconds;

impl<A: Abi> Returned<A> for Seconds {
    type C = f64;
    type Value = f64;

    fn raw(value: f64) -> f64 {
        value
    }
}

/// An address or a difference of addresses: `MPI_Aint`.
pub struct Address;

impl<A: Abi> Returned<A> for Address {
    type C = isize;
    type Value = i64;

    fn raw(value: i64) -> isize {
        value as isize
    }
}

/// A number, an int in C.
pub struct Number;

impl<A: Abi> Returned<A> for Number {
    type C = c_int;
    type Value = i32;

    fn raw(value: i32) -> c_int {
        value
    }
}

/// The form of a function that exists twice: with int arguments, and with `MPI_Count` arguments.
pub trait Form {
    /// Whether its counts are `MPI_Count`s.
    const IS_LARGE: bool;
}

/// The form with ints.
pub struct Small;

/// The form with `MPI_Count`s, whose name ends with `_c`.
pub struct Large;

impl Form for Small {
    const IS_LARGE: bool = false;
}

impl Form for Large {
    const IS_LARGE: bool = true;
}

/// When a send is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// When the buffer may be reused. A ready send is treated alike.
    Standard,
    /// When a receive has matched the message.
    Synchronous,
    /// At once: the message is copied. The size of the buffer that the program attached limits the copies.
    Buffered,
}

/// The send mode as a type, which a row of a table names.
pub trait SendMode {
    /// The mode.
    const MODE: Mode;
}

/// The type of [`Mode::Standard`].
pub struct Standard;

/// The type of [`Mode::Synchronous`].
pub struct Synchronous;

/// The type of [`Mode::Buffered`].
pub struct Buffered;

impl SendMode for Standard {
    const MODE: Mode = Mode::Standard;
}

impl SendMode for Synchronous {
    const MODE: Mode = Mode::Synchronous;
}

impl SendMode for Buffered {
    const MODE: Mode = Mode::Buffered;
}
