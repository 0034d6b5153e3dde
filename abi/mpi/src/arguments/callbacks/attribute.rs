//! The program's callbacks that copy and delete attributes of communicators, datatypes and windows.
//!
//! Each callback is stored as its address and a function of the ABI that calls it.

use std::ffi::{c_int, c_void};

use super::{Address, outcome};
use crate::abi::{Abi, Numbers, Object};
use crate::arguments::Kind;
use crate::error::Result;

/// A function that copies an attribute.
#[derive(Clone, Copy)]
pub enum CopyFunction {
    /// The attribute is not copied (`MPI_COMM_NULL_COPY_FN`).
    Null,
    /// The value is copied as it is (`MPI_COMM_DUP_FN`).
    Dup,
    /// A function of the program copies the value, or decides that the attribute is not copied.
    Program(Address, Copy),
}

/// Calls a copy function. The arguments are its address, the object, the key, the program's state, and the
/// value. `None`: the attribute is not copied.
type Copy = unsafe fn(Address, u32, i32, *mut c_void, *mut c_void) -> Result<Option<*mut c_void>>;

/// A function that is called when an attribute is deleted; `None` if there is none.
pub type DeleteFunction = Option<(Address, Delete)>;

/// Calls a delete function. The arguments are its address, the object, the key, the value, and the program's
/// state.
type Delete = unsafe fn(Address, u32, i32, *mut c_void, *mut c_void) -> Result<()>;

type RawCopy<H> = unsafe extern "C" fn(H, c_int, *mut c_void, *mut c_void, *mut c_void, *mut c_int) -> c_int;
type RawDelete<H> = unsafe extern "C" fn(H, c_int, *mut c_void, *mut c_void) -> c_int;

const COMM: u8 = 0;
const DATATYPE: u8 = 1;
const WIN: u8 = 2;

/// The type of objects that a number stands for.
fn object_of(kind: u8) -> Object {
    match kind {
        COMM => Object::Comm,
        DATATYPE => Object::Datatype,
        _ => Object::Win,
    }
}

/// Calls a copy function of objects of one kind, by the number of [`object_of`].
///
/// # Safety
/// `function` is the address of a copy function for such objects, and the program allows the call now.
unsafe fn copy<A: Abi, const KIND: u8>(
    function: Address,
    object: u32,
    keyval: i32,
    extra: *mut c_void,
    value: *mut c_void,
) -> Result<Option<*mut c_void>> {
    // SAFETY: promised by the caller.
    let function = unsafe { std::mem::transmute::<Address, RawCopy<A::Handle>>(function) };
    let (mut new, mut flag) = (std::ptr::null_mut::<c_void>(), 0);
    let handle = A::handle(object_of(KIND), object);
    let keyval = A::raw_number(Numbers::Keyval, keyval);
    // SAFETY: promised by the caller; the two results outlive the call.
    let code = unsafe { function(handle, keyval, extra, value, (&raw mut new).cast(), &raw mut flag) };
    outcome::<A>(code, "copy function of an attribute")?;
    Ok((flag != 0).then_some(new))
}

/// Calls a delete function of objects of one kind, by the number of [`object_of`].
///
/// # Safety
/// `function` is the address of a delete function for such objects, and the program allows the call now.
unsafe fn delete<A: Abi, const KIND: u8>(
    function: Address,
    object: u32,
    keyval: i32,
    value: *mut c_void,
    extra: *mut c_void,
) -> Result<()> {
    // SAFETY: promised by the caller.
    let function = unsafe { std::mem::transmute::<Address, RawDelete<A::Handle>>(function) };
    let handle = A::handle(object_of(KIND), object);
    // SAFETY: promised by the caller.
    let code = unsafe { function(handle, A::raw_number(Numbers::Keyval, keyval), value, extra) };
    outcome::<A>(code, "delete function of an attribute")
}

fn copy_function(raw: Address, call: Copy) -> CopyFunction {
    match raw {
        0 => CopyFunction::Null,
        1 => CopyFunction::Dup,
        function => CopyFunction::Program(function, call),
    }
}

/// Defines the kinds of copy and delete functions for one type of objects.
macro_rules! functions {
    ($($kind:ident: $copies:ident, $deletes:ident;)*) => {$(
        /// A copy function for such objects.
        pub struct $copies;
        /// A delete function for such objects.
        pub struct $deletes;

        impl<A: Abi> Kind<A> for $copies {
            type C = Address;
            type Value = CopyFunction;

            unsafe fn value(raw: Address, _: &'static str) -> Result<CopyFunction> {
                Ok(copy_function(raw, copy::<A, $kind>))
            }
        }

        impl<A: Abi> Kind<A> for $deletes {
            type C = Address;
            type Value = DeleteFunction;

            unsafe fn value(raw: Address, _: &'static str) -> Result<DeleteFunction> {
                Ok((raw != 0).then_some((raw, delete::<A, $kind>)))
            }
        }
    )*};
}

functions! {
    COMM: CommCopyFunction, CommDeleteFunction;
    DATATYPE: TypeCopyFunction, TypeDeleteFunction;
    WIN: WinCopyFunction, WinDeleteFunction;
}
