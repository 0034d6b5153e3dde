//! The limits of this process (`ulimit`).

use std::io;

/// A limit; `usize::MAX` if there is none.
pub fn of(resource: libc::__rlimit_resource_t) -> usize {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: the kernel fills the structure, which outlives the call.
    unsafe { libc::getrlimit(resource, &mut limit) };
    usize::try_from(limit.rlim_cur).unwrap_or(usize::MAX)
}

/// Fails if a file must not become so long: the kernel would end the process by a signal.
pub fn check_file(bytes: usize) -> io::Result<()> {
    if bytes > of(libc::RLIMIT_FSIZE) { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(()) }
}
