//! Failures of one of several connections.

use std::io;

/// Names the connection in its error.
pub(super) fn of_connection(at: usize, connections: usize, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("lane {} of {connections}: {error}", at + 1))
}
