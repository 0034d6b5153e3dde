//! Why the tool gives up, and how it says so.

use std::io::Write;

use crate::color;

/// Why the tool gives up: a sentence for the user, and the exit code.
#[derive(Debug)]
pub struct Failure {
    /// Exit code of the tool.
    pub code: u8,
    /// The sentence for the user.
    pub text: String,
}

impl Failure {
    /// A failure of the tool itself.
    pub fn own(what: impl std::fmt::Display) -> Failure {
        Failure { code: 1, text: what.to_string() }
    }
}

/// Writes an error to standard error.
pub fn complain(text: &str) {
    // Not eprintln: a closed standard error is no reason to panic.
    let _ = writeln!(anstream::stderr(), "{} {text}", color::error_prefix());
}
