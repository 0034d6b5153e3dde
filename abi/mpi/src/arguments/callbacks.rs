//! Functions of the program: each with the way in which its ABI calls it.

use std::ffi::{c_int, c_void};

use super::{Element, ErrorCode, Kind, null};
use crate::abi::{Abi, Numbers, Object};
use crate::error::{Class, Error, Result};
use crate::status::Status;

/// Address of a function of the program, 0 for none.
type Address = usize;

/// Result of a callback: an error code of the program's own becomes an error.
pub(crate) fn outcome<A: Abi>(code: c_int, what: &str) -> Result<()> {
    match <ErrorCode as Element<A>>::value(code) {
        0 => Ok(()),
        code => Err(Error::new(Class(code), format!("the program's {what} has returned error code {code}"))),
    }
}

/// A function that copies an attribute.
#[derive(Clone, Copy)]
pub enum CopyFunction {
    /// The attribute is not copied (`MPI_COMM_NULL_COPY_FN`).
    Null,
    /// The value is copied as it is (`MPI_COMM_DUP_FN`).
    Dup,
    /// The program decides.
    Program(Address, Copy),
}

/// Calls a copy function: its address, the object, the key, the program's state, the value. `None`: the
/// attribute is not copied.
type Copy = unsafe fn(Address, u32, i32, *mut c_void, *mut c_void) -> Result<Option<*mut c_void>>;

/// A function that is told of an attribute that goes away; `None`: nobody is.
pub type DeleteFunction = Option<(Address, Delete)>;

/// Calls a delete function: its address, the object, the key, the value, the program's state.
type Delete = unsafe fn(Address, u32, i32, *mut c_void, *mut c_void) -> Result<()>;

type RawCopy<H> = unsafe extern "C" fn(H, c_int, *mut c_void, *mut c_void, *mut c_void, *mut c_int) -> c_int;
type RawDelete<H> = unsafe extern "C" fn(H, c_int, *mut c_void, *mut c_void) -> c_int;

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

/// An error handler of the program: its address, and the call with the communicator and the error class.
#[derive(Clone, Copy)]
pub struct ErrorFunction {
    address: Address,
    call: unsafe fn(Address, u32, i32) -> i32,
}

impl ErrorFunction {
    /// A function that is never called.
    #[cfg(test)]
    pub fn none() -> ErrorFunction {
        unsafe fn none(_: Address, _: u32, class: i32) -> i32 {
            class
        }
        ErrorFunction { address: 0, call: none }
    }

    /// Calls it. What it writes to the code is the result.
    ///
    /// # Safety
    /// The program allows the call now.
    pub unsafe fn call(&self, comm: u32, class: Class) -> Class {
        // SAFETY: passed on from our caller.
        Class(unsafe { (self.call)(self.address, comm, class.0) })
    }
}

/// # Safety
/// `function` is the address of an error handler of communicators.
unsafe fn handle_error<A: Abi>(function: Address, comm: u32, class: i32) -> i32 {
    type Raw<H> = unsafe extern "C" fn(*mut H, *mut c_int, ...);
    // SAFETY: promised by the caller.
    let function = unsafe { std::mem::transmute::<Address, Raw<A::Handle>>(function) };
    let mut comm = A::handle(Object::Comm, comm);
    let mut code = A::raw_number(Numbers::ErrorCode, class);
    // SAFETY: promised by the caller; both places outlive the call.
    unsafe { function(&raw mut comm, &raw mut code) };
    A::number(Numbers::ErrorCode, code)
}

/// An error handler for communicators.
pub struct CommErrorFunction;

impl<A: Abi> Kind<A> for CommErrorFunction {
    type C = Address;
    type Value = ErrorFunction;

    unsafe fn value(raw: Address, name: &'static str) -> Result<ErrorFunction> {
        if raw == 0 {
            return Err(null(name));
        }
        Ok(ErrorFunction { address: raw, call: handle_error::<A> })
    }
}

/// # Safety
/// `function` is the address of an error handler of files.
unsafe fn handle_file_error<A: Abi>(function: Address, _: u32, class: i32) -> i32 {
    type Raw<F> = unsafe extern "C" fn(*mut F, *mut c_int, ...);
    // SAFETY: promised by the caller.
    let function = unsafe { std::mem::transmute::<Address, Raw<A::File>>(function) };
    let (mut file, mut code) = (A::NO_FILE, A::raw_number(Numbers::ErrorCode, class));
    // SAFETY: promised by the caller; both places outlive the call.
    unsafe { function(&raw mut file, &raw mut code) };
    A::number(Numbers::ErrorCode, code)
}

/// An error handler for files.
pub struct FileErrorFunction;

impl<A: Abi> Kind<A> for FileErrorFunction {
    type C = Address;
    type Value = ErrorFunction;

    unsafe fn value(raw: Address, name: &'static str) -> Result<ErrorFunction> {
        if raw == 0 {
            return Err(null(name));
        }
        Ok(ErrorFunction { address: raw, call: handle_file_error::<A> })
    }
}

/// A function for an object that cannot be made.
pub struct OtherFunction;

impl<A: Abi> Kind<A> for OtherFunction {
    type C = Address;
    type Value = Address;

    unsafe fn value(raw: Address, _: &'static str) -> Result<Address> {
        Ok(raw)
    }
}

/// A reduction function of the program.
#[derive(Clone, Copy)]
pub struct ReduceFunction {
    address: Address,
    call: unsafe fn(Address, *mut c_void, *mut c_void, i64, u32),
}

impl ReduceFunction {
    /// `inout[i] = input[i] op inout[i]` for `len` elements of a datatype.
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
    // Callers cut longer arrays: elements of one call fit an int.
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

/// The functions of a generalized request, as functions in Fortran.
pub fn in_fortran<A: Abi>(
    query: QueryFunction,
    free: FreeFunction,
    cancel: CancelFunction,
) -> (QueryFunction, FreeFunction, CancelFunction) {
    (
        QueryFunction { address: query.address, call: query_in_fortran::<A> },
        FreeFunction(free.0, free_in_fortran::<A>),
        CancelFunction(cancel.0, cancel_in_fortran::<A>),
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
