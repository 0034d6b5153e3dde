//! The limit on open files.

use std::io;

use super::check;

/// A limit on open files.
#[derive(Clone, Copy)]
pub struct FileLimit(libc::rlimit);

impl FileLimit {
    /// Raises this process's limit as far as allowed, and returns the previous limit.
    pub fn raise() -> io::Result<FileLimit> {
        let mut old = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the kernel writes one `rlimit` to `old`, which outlives the call.
        check(unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut old) })?;
        FileLimit(libc::rlimit { rlim_cur: old.rlim_max, ..old }).restore()?;
        Ok(FileLimit(old))
    }

    /// Restores this limit. May be called between fork and exec.
    pub fn restore(&self) -> io::Result<()> {
        // SAFETY: the kernel reads one `rlimit`, which outlives the call.
        check(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &self.0) })?;
        Ok(())
    }
}
