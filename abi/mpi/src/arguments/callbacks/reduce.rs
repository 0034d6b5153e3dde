//! Reduction functions of the program.

use std::ffi::{c_int, c_void};

use super::Address;
use crate::abi::{Abi, Object};
use crate::arguments::kind::{Kind, null};
use crate::error::Result;

/// A reduction function of the program.
#[derive(Clone, Copy)]
pub struct ReduceFunction {
    address: Address,
    call: unsafe fn(Address, *mut c_void, *mut c_void, i64, u32),
}

impl ReduceFunction {
    /// Computes `inout[i] = input[i] op inout[i]` for `len` elements of a datatype.
    ///
    /// # Safety
    /// Both arrays are as the datatype says, and the program allows the call now.
    pub unsafe fn call(&self, input: *mut c_void, inout: *mut c_void, len: i64, datatype: u32) {
        // SAFETY: passed on from our caller.
        unsafe { (self.call)(self.address, input, inout, len, datatype) }
    }
}

/// # Safety
/// `function` is the address of an `MPI_User_function`.
unsafe fn reduce<A: Abi>(function: Address, input: *mut c_void, inout: *mut c_void, len: i64, datatype: u32) {
    type Raw<H> = unsafe extern "C-unwind" fn(*mut c_void, *mut c_void, *mut c_int, *mut H);
    // SAFETY: promised by the caller.
    let function = unsafe { std::mem::transmute::<Address, Raw<A::Handle>>(function) };
    let mut datatype = A::handle(Object::Datatype, datatype);
    // Callers split longer arrays: the elements of one call fit an int.
    let mut len = len as c_int;
    // SAFETY: promised by the caller; both places outlive the call.
    unsafe { function(input, inout, &raw mut len, &raw mut datatype) }
}

/// # Safety
/// `function` is the address of an `MPI_User_function_c`.
unsafe fn reduce_large<A: Abi>(
    function: Address,
    input: *mut c_void,
    inout: *mut c_void,
    mut len: i64,
    datatype: u32,
) {
    type Raw<H> = unsafe extern "C-unwind" fn(*mut c_void, *mut c_void, *mut i64, *mut H);
    // SAFETY: promised by the caller.
    let function = unsafe { std::mem::transmute::<Address, Raw<A::Handle>>(function) };
    let mut datatype = A::handle(Object::Datatype, datatype);
    // SAFETY: promised by the caller; both places outlive the call.
    unsafe { function(input, inout, &raw mut len, &raw mut datatype) }
}

/// `MPI_User_function`.
pub struct OpFunction;
/// `MPI_User_function_c`.
pub struct LargeOpFunction;

impl<A: Abi> Kind<A> for OpFunction {
    type C = Address;
    type Value = ReduceFunction;

    unsafe fn value(raw: Address, name: &'static str) -> Result<ReduceFunction> {
        if raw == 0 { Err(null(name)) } else { Ok(ReduceFunction { address: raw, call: reduce::<A> }) }
    }
}

impl<A: Abi> Kind<A> for LargeOpFunction {
    type C = Address;
    type Value = ReduceFunction;

    unsafe fn value(raw: Address, name: &'static str) -> Result<ReduceFunction> {
        if raw == 0 { Err(null(name)) } else { Ok(ReduceFunction { address: raw, call: reduce_large::<A> }) }
    }
}
