//! Translates results of the library's functions to ours.

use std::ffi::{CStr, c_char, c_int};
use std::io;

use super::Dialect;
use crate::base::{Error, Result};

/// The result of a call that succeeded.
pub const SUCCESS: c_int = 0;

/// Translates the result of a function; `told` asks the library for its own text.
pub fn check(dialect: &Dialect, function: &str, result: c_int, told: impl FnOnce() -> String) -> Result<()> {
    if result == SUCCESS {
        return Ok(());
    }
    let meaning = usize::try_from(result).ok().and_then(|at| dialect.results.get(at));
    let meaning = meaning.copied().unwrap_or("a result that is not documented");
    let told = told();
    let colon = if told.is_empty() { "" } else { ": " };
    let what = format!("{} failed in {}{function}", dialect.title, dialect.prefix);
    Err(Error::system(what, io::Error::other(format!("{meaning} ({result}){colon}{told}"))))
}

/// A text of the library, without surrounding space.
///
/// # Safety
/// The pointer is NULL, or a terminated text that lives during the call.
pub unsafe fn text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: not NULL, and terminated by our caller's promise.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_string_lossy().trim().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::nccl::NCCL;
    use crate::backend::oneccl::ONECCL;

    fn said(dialect: &Dialect, result: c_int, told: &str) -> String {
        check(dialect, "AllReduce", result, || told.to_string()).unwrap_err().to_string()
    }

    #[test]
    fn a_result_is_read_in_the_words_of_its_library() {
        assert!(check(&NCCL, "AllReduce", 0, || unreachable!()).is_ok());
        assert_eq!(said(&NCCL, 6, ""), "NCCL failed in pncclAllReduce: remote error (6)");
        assert_eq!(said(&ONECCL, 6, ""), "oneCCL failed in onecclAllReduce: in progress (6)");
        assert_eq!(
            said(&ONECCL, 11, "no such device"),
            "oneCCL failed in onecclAllReduce: exception in its plugin (11): no such device"
        );
        assert!(said(&NCCL, 99, "").contains("not documented (99)"));
        assert!(said(&NCCL, -1, "").contains("not documented (-1)"));
    }
}
