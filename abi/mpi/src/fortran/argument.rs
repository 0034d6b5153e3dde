//! Arguments of Fortran: each is an address.

use std::ffi::{c_int, c_void};
use std::marker::PhantomData;

use super::door::{Fortran, InFortran, Sentinels};
use crate::abi::Abi;
use crate::arguments::*;
use crate::constants::{BOTTOM, BUFFER_AUTOMATIC, IN_PLACE};
use crate::error::{Class, Error, Result};

/// A kind of argument in Fortran. The value is that of the kind in C.
pub trait Argument<A: Abi> {
    /// What a compiler for Fortran passes: an address.
    type Address: Copy;
    /// The value that functions of this crate get.
    type Value;

    /// Translates an argument; `name` is its name in MPI.
    ///
    /// # Safety
    /// The argument fits its kind, as [`Kind::value`] demands.
    unsafe fn value(address: Self::Address, name: &'static str) -> Result<Self::Value>;
}

fn null(name: &'static str) -> Error {
    Error::new(Class::ARG, format!("the address of {name} is NULL"))
}

/// Reads an argument that is a number.
///
/// # Safety
/// `address` is NULL or that of a number.
unsafe fn read<T: Copy>(address: *const T, name: &'static str) -> Result<T> {
    if address.is_null() {
        return Err(null(name));
    }
    // SAFETY: promised by the caller. A common block may hold it at any address.
    Ok(unsafe { address.read_unaligned() })
}

/// Kinds that are numbers in C: their address is passed.
macro_rules! behind_an_address {
    ($($kind:ident)*) => {$(
        impl<D: InFortran> Argument<Fortran<D>> for $kind {
            type Address = *const <$kind as Kind<Fortran<D>>>::C;
            type Value = <$kind as Kind<Fortran<D>>>::Value;

            #[inline(always)]
            unsafe fn value(address: Self::Address, name: &'static str) -> Result<Self::Value> {
                // SAFETY: the program passes the address of a number.
                let raw = unsafe { read(address, name) }?;
                // SAFETY: passed on from our caller.
                unsafe { <$kind as Kind<Fortran<D>>>::value(raw, name) }
            }
        }
    )*};
}

behind_an_address! {
    Int Count LargeCount Displacement Aint Rank Tag Keyval ThreadLevel SplitType Order Distribution TypeClass ErrorCode
    AccessMode Whence LockType Assertion CommHandle DatatypeHandle ErrhandlerHandle FileHandle GroupHandle InfoHandle
    MessageHandle OpHandle RequestHandle SessionHandle WinHandle
}

/// Kinds that are addresses in C: functions, too.
macro_rules! an_address {
    ($($kind:ident $(<$element:ident>)?)*) => {$(
        impl<D: InFortran $(, $element)?> Argument<Fortran<D>> for $kind $(<$element>)?
        where
            $kind $(<$element>)?: Kind<Fortran<D>>,
        {
            type Address = <$kind $(<$element>)? as Kind<Fortran<D>>>::C;
            type Value = <$kind $(<$element>)? as Kind<Fortran<D>>>::Value;

            #[inline(always)]
            unsafe fn value(address: Self::Address, name: &'static str) -> Result<Self::Value> {
                // SAFETY: passed on from our caller.
                unsafe { <Self as Kind<Fortran<D>>>::value(address, name) }
            }
        }
    )*};
}

an_address! {
    Out<E> InOut<E> Array<E> OutArray<E> InOutArray<E> Made<E> OutStatus OutStatusArray InStatus InOutStatus Weights OutWeights
    OpFunction LargeOpFunction CommErrorFunction FileErrorFunction WinErrorFunction SessionErrorFunction
}

/// An address from Fortran as one of C: the common blocks that stand for `MPI_BOTTOM` and others become its
/// sentinels.
#[inline]
fn in_c<D: InFortran>(address: *mut c_void) -> *mut c_void {
    let Sentinels { bottom, in_place, buffer_automatic, .. } = D::sentinels();
    match address.addr() {
        addr if addr == bottom => std::ptr::without_provenance_mut(BOTTOM),
        addr if addr == in_place => std::ptr::without_provenance_mut(IN_PLACE),
        // 0: the ABI has none.
        addr if buffer_automatic != 0 && addr == buffer_automatic => {
            std::ptr::without_provenance_mut(BUFFER_AUTOMATIC)
        }
        _ => address,
    }
}

/// Buffers, and other memory of the program.
macro_rules! memory {
    ($($kind:ident)*) => {$(
        impl<D: InFortran> Argument<Fortran<D>> for $kind {
            type Address = *mut c_void;
            type Value = <$kind as Kind<Fortran<D>>>::Value;

            #[inline(always)]
            unsafe fn value(address: *mut c_void, name: &'static str) -> Result<Self::Value> {
                // SAFETY: passed on from our caller.
                unsafe { <$kind as Kind<Fortran<D>>>::value(in_c::<D>(address).cast(), name) }
            }
        }
    )*};
}

memory! { SendBuffer RecvBuffer Pointer ConstPointer }

/// The functions of generalized requests.
macro_rules! functions_of_requests {
    ($($kind:ident: $function:ident;)*) => {$(
        impl<D: InFortran> Argument<Fortran<D>> for $kind {
            type Address = usize;
            type Value = $function;

            unsafe fn value(address: usize, name: &'static str) -> Result<$function> {
                if address == 0 { Err(null(name)) } else { Ok($function::in_fortran::<Fortran<D>>(address)) }
            }
        }
    )*};
}

functions_of_requests! {
    GrequestQueryFunction: QueryFunction;
    GrequestFreeFunction: FreeFunction;
    GrequestCancelFunction: CancelFunction;
}

/// The address of a function that Fortran passes; its caller knows how to call it.
pub struct Function;

impl<D: InFortran> Argument<Fortran<D>> for Function {
    type Address = usize;
    type Value = usize;

    unsafe fn value(address: usize, name: &'static str) -> Result<usize> {
        if address == 0 { Err(null(name)) } else { Ok(address) }
    }
}

/// An address that MPI 1 declares as an INTEGER: as much of it as fits.
pub struct ShortAddress;

impl<A: Abi> Element<A> for ShortAddress {
    type C = c_int;
    type Value = i64;

    fn value(raw: c_int) -> i64 {
        raw.into()
    }

    fn raw(value: i64) -> c_int {
        value as c_int
    }
}

/// An address of no meaning, which is passed on and never followed.
pub struct Unused(PhantomData<()>);

impl<D: InFortran> Argument<Fortran<D>> for Unused {
    type Address = *const c_void;
    type Value = ();

    unsafe fn value(_: *const c_void, _: &'static str) -> Result<()> {
        Ok(())
    }
}
