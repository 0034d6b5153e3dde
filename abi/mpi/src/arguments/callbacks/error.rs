//! Error handlers.

use std::ffi::c_int;

use super::Address;
use crate::abi::{Abi, Numbers, Object};
use crate::arguments::kind::{Kind, null};
use crate::error::{Class, Result};

/// An error handler of the program, called with the communicator, file or window and the error class.
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

    /// Calls the handler. The result is the code that the handler leaves in its argument.
    ///
    /// # Safety
    /// The program allows the call now.
    pub unsafe fn call(&self, object: u32, class: Class) -> Class {
        // SAFETY: passed on from our caller.
        Class(unsafe { (self.call)(self.address, object, class.0) })
    }
}

/// # Safety
/// `function` is the address of an error handler of objects of the kind `OF`.
unsafe fn handle_error<A: Abi, const OF: u8>(function: Address, object: u32, class: i32) -> i32 {
    type Raw<H> = unsafe extern "C" fn(*mut H, *mut c_int, ...);
    // SAFETY: promised by the caller.
    let function = unsafe { std::mem::transmute::<Address, Raw<A::Handle>>(function) };
    let object_kind = match OF {
        WIN => Object::Win,
        SESSION => Object::Session,
        _ => Object::Comm,
    };
    let mut handle = A::handle(object_kind, object);
    let mut code = A::raw_number(Numbers::ErrorCode, class);
    // SAFETY: promised by the caller; both places outlive the call.
    unsafe { function(&raw mut handle, &raw mut code) };
    A::number(Numbers::ErrorCode, code)
}

/// Kinds of objects.
const COMM: u8 = 0;
const WIN: u8 = 1;
const SESSION: u8 = 2;

/// An error handler for communicators.
pub struct CommErrorFunction;
/// An error handler for windows.
pub struct WinErrorFunction;

impl<A: Abi> Kind<A> for CommErrorFunction {
    type C = Address;
    type Value = ErrorFunction;

    unsafe fn value(raw: Address, name: &'static str) -> Result<ErrorFunction> {
        if raw == 0 {
            return Err(null(name));
        }
        Ok(ErrorFunction { address: raw, call: handle_error::<A, COMM> })
    }
}

impl<A: Abi> Kind<A> for WinErrorFunction {
    type C = Address;
    type Value = ErrorFunction;

    unsafe fn value(raw: Address, name: &'static str) -> Result<ErrorFunction> {
        if raw == 0 {
            return Err(null(name));
        }
        Ok(ErrorFunction { address: raw, call: handle_error::<A, WIN> })
    }
}

/// # Safety
/// `function` is the address of an error handler of files.
unsafe fn handle_file_error<A: Abi>(function: Address, file: u32, class: i32) -> i32 {
    type Raw<F> = unsafe extern "C" fn(*mut F, *mut c_int, ...);
    // SAFETY: promised by the caller.
    let function = unsafe { std::mem::transmute::<Address, Raw<A::File>>(function) };
    let (mut file, mut code) = (A::file(file), A::raw_number(Numbers::ErrorCode, class));
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

/// An error handler for sessions.
pub struct SessionErrorFunction;

impl<A: Abi> Kind<A> for SessionErrorFunction {
    type C = Address;
    type Value = ErrorFunction;

    unsafe fn value(raw: Address, name: &'static str) -> Result<ErrorFunction> {
        if raw == 0 {
            return Err(null(name));
        }
        Ok(ErrorFunction { address: raw, call: handle_error::<A, SESSION> })
    }
}
