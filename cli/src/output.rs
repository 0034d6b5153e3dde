//! Output of results: to standard output, or to a file that the user names.

use std::io::{self, Write};
use std::path::Path;

use serde_json::Value;

use crate::Failure;

/// Writes to standard output, with colour where that is wanted, and returns the exit code. A reader such as
/// head may have closed it.
pub fn say(text: &str) -> Result<u8, Failure> {
    match anstream::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(0),
        Err(error) => Err(Failure::own(format_args!("cannot write to standard output: {error}"))),
        Ok(()) => Ok(0),
    }
}

/// Prints an object as JSON.
pub fn say_json(value: &Value) -> Result<u8, Failure> {
    say(&(serde_json::to_string_pretty(value).map_err(Failure::own)? + "\n"))
}

/// Writes to a file.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    std::fs::write(path, bytes)
        .map_err(|error| Failure::own(format_args!("cannot write {}: {error}", path.display())))
}
