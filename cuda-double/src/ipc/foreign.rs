//! Descriptors of other processes.
//!
//! The kernel is asked for them, as it is by a real driver: the other process takes no part, so it may be
//! stopped meanwhile. An open descriptor of memory holds a lock on its file, by which the process that owns
//! the memory sees that it is in use. The kernel drops the lock when the descriptor is closed, also when its
//! process is killed.

use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::time::{Duration, Instant};

use crate::counts;
use crate::settings::settings;
use crate::status::{Result, Status, require};

/// How long freed memory may still be open before that is a fault: a killed process closes late.
const GRACE: Duration = Duration::from_millis(200);

/// An object of a process, as a handle names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Object {
    /// The process.
    pub pid: u64,
    /// The object's descriptor there.
    pub descriptor: u64,
    /// The number of the file that is behind the descriptor as long as the object lives.
    pub inode: u64,
}

impl Object {
    /// Opens the object. Fails if it is gone, or its process is.
    pub fn open(self) -> Result<File> {
        let Object { pid, descriptor, inode } = self;
        let place = format!("/proc/{pid}/fd/{descriptor}");
        // Something else may be behind the descriptor now, such as a device or a pipe, which must not be
        // opened.
        let is_it = |found: std::io::Result<std::fs::Metadata>| {
            require(found.is_ok_and(|found| found.is_file() && found.ino() == inode))
        };
        is_it(std::fs::metadata(&place))?;
        let file = OpenOptions::new().read(true).write(true).custom_flags(libc::O_CLOEXEC).open(&place);
        let file = file.map_err(|_| Status::INVALID_VALUE)?;
        is_it(file.metadata())?;
        Ok(file)
    }
}

/// A lock on a whole file that belongs to the open descriptor.
fn lock(kind: libc::c_int) -> libc::flock {
    // SAFETY: zeros are a valid lock: from the start to the end.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = kind as libc::c_short;
    lock
}

/// Shows the owner of the memory that it is in use, until `opened` is closed.
pub fn hold(opened: &File) -> Result {
    // SAFETY: the lock is read during the call.
    let done = unsafe { libc::fcntl(opened.as_raw_fd(), libc::F_OFD_SETLK, &lock(libc::F_RDLCK)) };
    if done == 0 { Ok(()) } else { Err(Status::OPERATING_SYSTEM) }
}

/// Whether another process holds the memory behind a descriptor of its owner.
fn is_held(descriptor: i32) -> bool {
    let mut found = lock(libc::F_WRLCK);
    // SAFETY: the lock is read and written during the call.
    let asked = unsafe { libc::fcntl(descriptor, libc::F_OFD_GETLK, &raw mut found) };
    asked == 0 && found.l_type != libc::F_UNLCK as libc::c_short
}

/// Checks memory that is freed. It is a fault if another process has it open, unless the settings allow it.
pub fn check_free(descriptor: i32) {
    if settings().open_free {
        return;
    }
    let start = Instant::now();
    while is_held(descriptor) && start.elapsed() < GRACE {
        std::thread::sleep(Duration::from_millis(2));
    }
    if is_held(descriptor) {
        counts::fault("memory was freed that another process still has open: close it there before the free");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory_file::MemoryFile;

    fn object(memory: &MemoryFile) -> Object {
        let pid = u64::from(std::process::id());
        Object { pid, descriptor: memory.descriptor() as u64, inode: memory.inode() }
    }

    #[test]
    fn the_owner_sees_that_memory_is_open_until_it_is_closed() {
        let memory = MemoryFile::create(100, 0, 0).unwrap();
        let opened = object(&memory).open().unwrap();
        assert!(!is_held(memory.descriptor()));
        hold(&opened).unwrap();
        let again = object(&memory).open().unwrap();
        hold(&again).unwrap();
        drop(opened);
        assert!(is_held(memory.descriptor()));
        drop(again);
        assert!(!is_held(memory.descriptor()));
    }

    #[test]
    fn an_object_that_is_gone_is_not_opened() {
        let memory = MemoryFile::create(100, 0, 0).unwrap();
        let right = object(&memory);
        for wrong in [
            Object { inode: right.inode + 1, ..right },
            Object { descriptor: 0, ..right },
            Object { pid: u64::MAX, ..right },
        ] {
            assert_eq!(wrong.open().unwrap_err(), Status::INVALID_VALUE);
        }
        drop(memory);
        assert!(right.open().is_err());
    }
}
