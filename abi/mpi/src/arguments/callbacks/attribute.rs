//! The program's callbacks that copy and delete attributes of communicators and datatypes.
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

/// Calls a copy function of datatypes (`OF_TYPES`) or of communicators.
///
/// # Safety
/// `function` is the address of a copy function for such objects, and the program allows the call now.
unsafe fn copy<A: Abi, const OF_TYPES: bool>(
    function: Address,
    object: u32,
    keyval: i32,
    extra: *mut c_void,
    value: *mut c_void,
) -> Result<Option<*mut c_void>> {
    // SAFETY: promised by the caller.
    let function = unsafe { std::mem::transmute::<Address, RawCopy<A::Handle>>(function) };
    let (mut new, mut flag) = (std::ptr::null_mut::<c_void>(), 0);
    let handle = A::handle(if OF_TYPES { Object::Datatype } else { Object::Comm }, object);
    let keyval = A::raw_number(Numbers::Keyval, keyval);
    // SAFETY: promised by the caller; the two results outlive the call.
    let code = unsafe { function(handle, keyval, extra, value, (&raw mut new).cast(), &raw mut flag) };
    outcome::<A>(code, "copy function of an attribute")?;
    Ok((flag != 0).then_some(new))
}

/// Calls a delete function of datatypes (`OF_TYPES`) or of communicators.
///
/// # Safety
/// `function` is the address of a delete function for such objects, and the program allows the call now.
unsafe fn delete<A: Abi, const OF_TYPES: bool>(
    function: Address,
    object: u32,
    keyval: i32,
    value: *mut c_void,
    extra: *mut c_void,
) -> Result<()> {
    // SAFETY: promised by the caller.
    let function = unsafe { std::mem::transmute::<Address, RawDelete<A::Handle>>(function) };
    let handle = A::handle(if OF_TYPES { Object::Datatype } else { Object::Comm }, object);
    // SAFETY: promised by the caller.
    let code = unsafe { function(handle, A::raw_number(Numbers::Keyval, keyval), value, extra) };
    outcome::<A>(code, "delete function of an attribute")
}

/// A copy function for communicators.
pub struct CommCopyFunction;
/// A delete function for communicators.
pub struct CommDeleteFunction;
/// A copy function for datatypes.
pub struct TypeCopyFunction;
/// A delete function for datatypes.
pub struct TypeDeleteFunction;

fn copy_function(raw: Address, call: Copy) -> CopyFunction {
    match raw {
        0 => CopyFunction::Null,
        1 => CopyFunction::Dup,
        function => CopyFunction::Program(function, call),
    }
}

impl<A: Abi> Kind<A> for CommCopyFunction {
    type C = Address;
    type Value = CopyFunction;

    unsafe fn value(raw: Address, _: &'static str) -> Result<CopyFunction> {
        Ok(copy_function(raw, copy::<A, false>))
    }
}

impl<A: Abi> Kind<A> for TypeCopyFunction {
    type C = Address;
    type Value = CopyFunction;

    unsafe fn value(raw: Address, _: &'static str) -> Result<CopyFunction> {
        Ok(copy_function(raw, copy::<A, true>))
    }
}

impl<A: Abi> Kind<A> for CommDeleteFunction {
    type C = Address;
    type Value = DeleteFunction;

    unsafe fn value(raw: Address, _: &'static str) -> Result<DeleteFunction> {
        Ok((raw != 0).then_some((raw, delete::<A, false>)))
    }
}

impl<A: Abi> Kind<A> for TypeDeleteFunction {
    type C = Address;
    type Value = DeleteFunction;

    unsafe fn value(raw: Address, _: &'static str) -> Result<DeleteFunction> {
        Ok((raw != 0).then_some((raw, delete::<A, true>)))
    }
}
