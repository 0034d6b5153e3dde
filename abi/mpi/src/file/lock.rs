//! Locks on ranges of a file, by which accesses of several processes exclude each other.
//!
//! A lock belongs to the open file, not to the process, so another file of the process does not release it.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// A lock on a range of a file, released when it is dropped.
pub struct Lock<'a> {
    file: &'a File,
    start: i64,
    len: i64,
}

impl Lock<'_> {
    /// Waits for a lock. An exclusive one needs a file that is open for writing, a shared one for reading.
    pub fn take(file: &File, start: i64, len: i64, is_exclusive: bool) -> io::Result<Lock<'_>> {
        let kind = if is_exclusive { libc::F_WRLCK } else { libc::F_RDLCK };
        loop {
            match set(file, kind, start, len) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                outcome => return outcome.map(|()| Lock { file, start, len }),
            }
        }
    }
}

impl Drop for Lock<'_> {
    fn drop(&mut self) {
        // It releases a lock that is held, which cannot fail on an open file.
        let _ = set(self.file, libc::F_UNLCK, self.start, self.len);
    }
}

fn set(file: &File, kind: i32, start: i64, len: i64) -> io::Result<()> {
    let lock = libc::flock {
        l_type: kind as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: start,
        l_len: len,
        l_pid: 0,
    };
    // SAFETY: the call reads one `flock`, which outlives it; the descriptor is open as long as `file`.
    match unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLKW, &raw const lock) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}
