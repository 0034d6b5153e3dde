//! The operating system: the only place of this program where unsafe is at home.
//!
//! Every function here is safe to call; what the kernel wants is checked or built inside.

pub mod child;
pub mod cpus;
pub mod files;
pub mod library;
pub mod poll;
pub mod privilege;
pub mod probe;
pub mod process;
pub mod signal;

use std::io;

/// The kernel's convention for calls that answer -1 and leave the reason in `errno`.
fn check(answer: libc::c_int) -> io::Result<libc::c_int> {
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(answer) }
}
