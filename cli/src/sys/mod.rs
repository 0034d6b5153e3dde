//! System calls: the only place of this program with unsafe code.
//!
//! Every function here is safe to call; the kernel's conditions are checked or ensured inside.

pub mod child;
pub mod closed;
pub mod cpus;
pub mod files;
pub mod library;
pub mod poll;
pub mod privilege;
pub mod probe;
pub mod process;
pub mod signal;

use std::io;

/// Converts the result of a call that returns -1 on failure and leaves the reason in `errno`.
fn check(answer: libc::c_int) -> io::Result<libc::c_int> {
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(answer) }
}
