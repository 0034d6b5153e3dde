//! Runs the body of one C call.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use anyccl_engine::base::{BoxedResult, Error, Result};
use anyccl_engine::reduce::is_inside_callback;

use crate::last_error;

/// Runs `body` for the C function `name`. A failure is stored as this thread's last error, with the name in
/// front, and returned. A panic becomes [`Error::Internal`]. Inside the function of an operator every call
/// fails.
///
/// The door turns the error into its own number. Profiles keep `panic = "unwind"`: with abort there would be
/// nothing to catch.
pub fn guard<T>(name: &str, body: impl FnOnce() -> Result<T>) -> Result<T> {
    guard_boxed(name, || body().map_err(Box::new)).map_err(|error| *error)
}

/// Like [`guard`], for small calls: the error is boxed, which keeps the result small.
#[inline(always)]
pub fn guard_boxed<T>(name: &str, body: impl FnOnce() -> BoxedResult<T>) -> BoxedResult<T> {
    let body = || if is_inside_callback() { Err(inside_callback()) } else { body() };
    // Unwind safety: state that a panic may leave half done belongs to the engine, behind its own locks. A
    // communicator in whose calls it happened is not repaired here. Nothing of `body` itself is used
    // afterwards.
    let outcome = catch_unwind(AssertUnwindSafe(body))
        .unwrap_or_else(|payload| Err(Box::new(Error::Internal(panic_text(payload.as_ref())))));
    if let Err(error) = &outcome {
        keep(name, error);
    }
    outcome
}

#[cold]
fn keep(name: &str, error: &Error) {
    last_error::set(&format!("{name}: {error}"));
}

/// The call that runs the function has locked the engine: a call from inside it would wait for itself.
#[cold]
fn inside_callback() -> Box<Error> {
    let text = "called by the function of a reduction operator, which must only combine";
    Box::new(Error::InvalidUsage(text.into()))
}

/// The text that was passed to `panic!`: a literal or a formatted string.
fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    format!("panic: {}", text.unwrap_or("without a message"))
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    fn last() -> String {
        // SAFETY: never NULL, terminated, and no other call of this thread comes between.
        unsafe { CStr::from_ptr(last_error::get()) }.to_str().unwrap().to_owned()
    }

    #[test]
    fn a_panic_becomes_an_internal_error_with_its_text() {
        let rank = 3;
        let outcome = guard("call", || -> Result<()> { panic!("broken at rank {rank}") });
        assert!(matches!(outcome, Err(Error::Internal(text)) if text == "panic: broken at rank 3"));
        assert!(last().starts_with("call: internal error"), "{}", last());
    }

    #[test]
    fn a_success_leaves_the_last_error_alone() {
        let _ = guard("first", || Err::<(), _>(Error::InvalidUsage("too early".into())));
        assert_eq!(guard("second", || Ok(7)).unwrap(), 7);
        assert_eq!(last(), "first: too early");
    }
}
