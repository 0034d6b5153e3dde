//! Functions of generalized requests.

use std::ffi::{c_int, c_void};

use super::{Address, outcome};
use crate::abi::Abi;
use crate::arguments::kind::{Kind, null};
use crate::error::{Class, Result};
use crate::status::Status;

/// The query function of a generalized request, which fills the status.
#[derive(Clone, Copy)]
pub struct QueryFunction {
    address: Address,
    call: unsafe fn(Address, *mut c_void, &mut Status) -> Result<()>,
}

impl QueryFunction {
    /// Calls it with the program's state.
    ///
    /// # Safety
    /// The program allows the call now.
    pub unsafe fn call(&self, extra: *mut c_void, status: &mut Status) -> Result<()> {
        // SAFETY: passed on from our caller.
        unsafe { (self.call)(self.address, extra, status) }
    }
}

/// # Safety
/// `function` is the address of an `MPI_Grequest_query_function`.
unsafe fn query<A: Abi>(function: Address, extra: *mut c_void, status: &mut Status) -> Result<()> {
    type Raw<S> = unsafe extern "C" fn(*mut c_void, *mut S) -> c_int;
    // SAFETY: promised by the caller.
    let function = unsafe { std::mem::transmute::<Address, Raw<A::Status>>(function) };
    // SAFETY: statuses are integers.
    let empty = unsafe { std::mem::zeroed::<A::Status>() };
    let mut raw = A::raw_status(&status.with_error(Class::SUCCESS), &empty);
    // SAFETY: promised by the caller; the status outlives the call.
    let code = unsafe { function(extra, &raw mut raw) };
    *status = A::status(&raw);
    status.error = None;
    outcome::<A>(code, "query function of a generalized request")
}

/// A free function of a generalized request.
#[derive(Clone, Copy)]
pub struct FreeFunction(Address, unsafe fn(Address, *mut c_void) -> Result<()>);

impl FreeFunction {
    /// Calls it with the program's state.
    ///
    /// # Safety
    /// The program allows the call now.
    pub unsafe fn call(&self, extra: *mut c_void) -> Result<()> {
        // SAFETY: passed on from our caller.
        unsafe { (self.1)(self.0, extra) }
    }
}

/// # Safety
/// `function` is the address of an `MPI_Grequest_free_function`.
unsafe fn free<A: Abi>(function: Address, extra: *mut c_void) -> Result<()> {
    type Raw = unsafe extern "C" fn(*mut c_void) -> c_int;
    // SAFETY: promised by the caller.
    let function = unsafe { std::mem::transmute::<Address, Raw>(function) };
    // SAFETY: promised by the caller.
    outcome::<A>(unsafe { function(extra) }, "free function of a generalized request")
}

/// A cancel function of a generalized request.
#[derive(Clone, Copy)]
pub struct CancelFunction(Address, unsafe fn(Address, *mut c_void, bool) -> Result<()>);

impl CancelFunction {
    /// Calls it with the program's state, and whether the request has completed.
    ///
    /// # Safety
    /// The program allows the call now.
    pub unsafe fn call(&self, extra: *mut c_void, is_complete: bool) -> Result<()> {
        // SAFETY: passed on from our caller.
        unsafe { (self.1)(self.0, extra, is_complete) }
    }
}

/// # Safety
/// `function` is the address of an `MPI_Grequest_cancel_function`.
unsafe fn cancel<A: Abi>(function: Address, extra: *mut c_void, is_complete: bool) -> Result<()> {
    type Raw = unsafe extern "C" fn(*mut c_void, c_int) -> c_int;
    // SAFETY: promised by the caller.
    let function = unsafe { std::mem::transmute::<Address, Raw>(function) };
    // SAFETY: promised by the caller.
    let code = unsafe { function(extra, c_int::from(is_complete)) };
    outcome::<A>(code, "cancel function of a generalized request")
}

/// # Safety
/// `function` is the address of a query function in Fortran.
unsafe fn query_in_fortran<A: Abi>(function: Address, extra: *mut c_void, status: &mut Status) -> Result<()> {
    type Raw<S> = unsafe extern "C" fn(*mut c_void, *mut S, *mut c_int);
    // SAFETY: promised by the caller.
    let function = unsafe { std::mem::transmute::<Address, Raw<A::Status>>(function) };
    // SAFETY: statuses are integers.
    let empty = unsafe { std::mem::zeroed::<A::Status>() };
    let (mut raw, mut code) = (A::raw_status(&status.with_error(Class::SUCCESS), &empty), 0);
    // SAFETY: promised by the caller; both places outlive the call.
    unsafe { function(extra, &raw mut raw, &raw mut code) };
    *status = A::status(&raw);
    status.error = None;
    outcome::<A>(code, "query function of a generalized request")
}

/// # Safety
/// `function` is the address of a free function in Fortran.
unsafe fn free_in_fortran<A: Abi>(function: Address, extra: *mut c_void) -> Result<()> {
    type Raw = unsafe extern "C" fn(*mut c_void, *mut c_int);
    // SAFETY: promised by the caller.
    let function = unsafe { std::mem::transmute::<Address, Raw>(function) };
    let mut code = 0;
    // SAFETY: promised by the caller; the place outlives the call.
    unsafe { function(extra, &raw mut code) };
    outcome::<A>(code, "free function of a generalized request")
}

/// # Safety
/// `function` is the address of a cancel function in Fortran.
unsafe fn cancel_in_fortran<A: Abi>(function: Address, extra: *mut c_void, is_complete: bool) -> Result<()> {
    type Raw = unsafe extern "C" fn(*mut c_void, *mut c_int, *mut c_int);
    // SAFETY: promised by the caller.
    let function = unsafe { std::mem::transmute::<Address, Raw>(function) };
    let (mut is_complete, mut code) = (c_int::from(is_complete), 0);
    // SAFETY: promised by the caller; both places outlive the call.
    unsafe { function(extra, &raw mut is_complete, &raw mut code) };
    outcome::<A>(code, "cancel function of a generalized request")
}

impl QueryFunction {
    /// A function in Fortran.
    pub fn in_fortran<A: Abi>(address: Address) -> QueryFunction {
        QueryFunction { address, call: query_in_fortran::<A> }
    }
}

impl FreeFunction {
    /// A function in Fortran.
    pub fn in_fortran<A: Abi>(address: Address) -> FreeFunction {
        FreeFunction(address, free_in_fortran::<A>)
    }
}

impl CancelFunction {
    /// A function in Fortran.
    pub fn in_fortran<A: Abi>(address: Address) -> CancelFunction {
        CancelFunction(address, cancel_in_fortran::<A>)
    }
}

/// The functions of a generalized request, as functions in Fortran.
pub fn in_fortran<A: Abi>(
    query: QueryFunction,
    free: FreeFunction,
    cancel: CancelFunction,
) -> (QueryFunction, FreeFunction, CancelFunction) {
    (
        QueryFunction::in_fortran::<A>(query.address),
        FreeFunction::in_fortran::<A>(free.0),
        CancelFunction::in_fortran::<A>(cancel.0),
    )
}

/// `MPI_Grequest_query_function`.
pub struct GrequestQueryFunction;
/// `MPI_Grequest_free_function`.
pub struct GrequestFreeFunction;
/// `MPI_Grequest_cancel_function`.
pub struct GrequestCancelFunction;

impl<A: Abi> Kind<A> for GrequestQueryFunction {
    type C = Address;
    type Value = QueryFunction;

    unsafe fn value(raw: Address, name: &'static str) -> Result<QueryFunction> {
        if raw == 0 { Err(null(name)) } else { Ok(QueryFunction { address: raw, call: query::<A> }) }
    }
}

impl<A: Abi> Kind<A> for GrequestFreeFunction {
    type C = Address;
    type Value = FreeFunction;

    unsafe fn value(raw: Address, name: &'static str) -> Result<FreeFunction> {
        if raw == 0 { Err(null(name)) } else { Ok(FreeFunction(raw, free::<A>)) }
    }
}

impl<A: Abi> Kind<A> for GrequestCancelFunction {
    type C = Address;
    type Value = CancelFunction;

    unsafe fn value(raw: Address, name: &'static str) -> Result<CancelFunction> {
        if raw == 0 { Err(null(name)) } else { Ok(CancelFunction(raw, cancel::<A>)) }
    }
}
