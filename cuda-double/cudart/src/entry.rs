//! What every exported function does first.

use crate::context;
use crate::driver::{self, Driver};
use crate::error::{Error, Result};

/// Runs the body of a function that needs the driver, but no context.
pub fn call(body: impl FnOnce(&'static Driver) -> Result) -> Error {
    Error::remember(driver::get().and_then(body))
}

/// Runs the body of a function with the thread's context current.
pub fn call_in_context(body: impl FnOnce(&'static Driver) -> Result) -> Error {
    call(|driver| {
        context::enter(driver)?;
        body(driver)
    })
}

/// Declares functions that do what one function of the driver does, with the thread's context current.
macro_rules! forward {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*) => $function:ident($($given:expr),*);)*) => {
        $(
            $(#[$doc])*
            #[unsafe(no_mangle)]
            pub extern "C" fn $name($($argument: $type),*) -> $crate::error::Error {
                $crate::entry::call_in_context(|driver| (driver.$function)($($given),*).check())
            }
        )*
    };
}

pub(crate) use forward;

/// Writes a result of the runtime's own; NULL is an error.
pub(crate) fn write<T>(place: *mut T, value: T) -> Result {
    if place.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    // SAFETY: not NULL, so the caller of the C function promised a place for a T.
    unsafe { place.write(value) };
    Ok(())
}
