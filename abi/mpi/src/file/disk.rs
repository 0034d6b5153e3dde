//! The file in the file system: reads and writes of whole ranges, and errors that name the path.
//!
//! A write that is short or interrupted goes on behind the bytes that were written, so it ends with all bytes
//! or with an error. A read ends early only at the end of the file.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::fd::{AsRawFd, IntoRawFd};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::lock::Lock;
use crate::error::{Class, Error, Result};

/// An open file.
pub struct Disk {
    path: PathBuf,
    file: File,
}

impl Disk {
    /// A file that was opened by this path.
    pub fn new(path: PathBuf, file: File) -> Disk {
        Disk { path, file }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Number of bytes.
    pub fn size(&self) -> Result<i64> {
        let found = self.file.metadata().map_err(|error| self.failed("size", error))?;
        Ok(i64::try_from(found.len()).unwrap_or(i64::MAX))
    }

    /// Cuts or lengthens the file.
    pub fn set_size(&self, size: u64) -> Result<()> {
        self.file.set_len(size).map_err(|error| self.failed(&format!("new size of {size} bytes"), error))
    }

    /// Reserves memory for the first `size` bytes. A longer file stays as it is.
    pub fn reserve(&self, size: i64) -> Result<()> {
        if size == 0 {
            return Ok(());
        }
        loop {
            // SAFETY: the call takes no pointers, and the descriptor is open as long as `self`.
            match unsafe { libc::posix_fallocate(self.file.as_raw_fd(), 0, size) } {
                0 => return Ok(()),
                libc::EINTR => {}
                code => {
                    let error = io::Error::from_raw_os_error(code);
                    return Err(self.failed(&format!("reservation of {size} bytes"), error));
                }
            }
        }
    }

    /// Waits until all written bytes are on the device.
    pub fn sync(&self) -> Result<()> {
        match self.file.sync_all() {
            // Pipes and some devices have nothing to be synchronized.
            Err(error) if error.kind() == ErrorKind::InvalidInput => Ok(()),
            outcome => outcome.map_err(|error| self.failed("synchronization", error)),
        }
    }

    /// Asks for errors that the file system keeps until a descriptor of the file is closed. The file stays
    /// open.
    pub fn check_close(&self) -> Result<()> {
        loop {
            // Where no descriptor is left, there is no way to ask.
            let Ok(copy) = self.file.try_clone() else { return Ok(()) };
            // SAFETY: the descriptor is open, and nobody else has it.
            if unsafe { libc::close(copy.into_raw_fd()) } == 0 {
                return Ok(());
            }
            match io::Error::last_os_error() {
                error if error.kind() == ErrorKind::Interrupted => {}
                error => return Err(self.failed("closing", error)),
            }
        }
    }

    /// Writes all bytes from `offset` on.
    pub fn write(&self, bytes: &[u8], offset: u64) -> Result<()> {
        self.file
            .write_all_at(bytes, offset)
            .map_err(|error| self.failed(&format!("write of {} bytes at byte {offset}", bytes.len()), error))
    }

    /// Reads bytes from `offset` on. Returns their number, which is less than asked for at the end of the
    /// file.
    pub fn read(&self, bytes: &mut [u8], offset: u64) -> Result<usize> {
        read_whole(|rest, at| self.file.read_at(rest, at), bytes, offset)
            .map_err(|error| self.failed(&format!("read of {} bytes at byte {offset}", bytes.len()), error))
    }

    /// Waits for a lock on a range of the file.
    pub fn lock(&self, start: i64, len: i64, is_exclusive: bool) -> Result<Lock<'_>> {
        Lock::take(&self.file, start, len, is_exclusive).map_err(|error| self.failed("lock", error))
    }

    fn failed(&self, what: &str, error: io::Error) -> Error {
        failed(&self.path, what, &error)
    }
}

/// Reads until `bytes` is full or the file ends.
fn read_whole(
    mut read: impl FnMut(&mut [u8], u64) -> io::Result<usize>,
    bytes: &mut [u8],
    offset: u64,
) -> io::Result<usize> {
    let mut done = 0;
    while done < bytes.len() {
        match read(&mut bytes[done..], offset + done as u64) {
            Ok(0) => break,
            Ok(some) => done += some,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

/// The error of a system call on a file.
#[cold]
pub fn failed(path: &Path, what: &str, error: &io::Error) -> Error {
    Error::new(class_of(error), format!("{what} of {}: {error}", path.display()))
}

/// The class of an error of the file system.
fn class_of(error: &io::Error) -> Class {
    match error.raw_os_error() {
        Some(libc::ENOENT) => Class::NO_SUCH_FILE,
        Some(libc::EEXIST) => Class::FILE_EXISTS,
        Some(libc::EACCES | libc::EPERM) => Class::ACCESS,
        Some(libc::EROFS) => Class::READ_ONLY,
        Some(libc::ENOTDIR | libc::EISDIR | libc::ELOOP | libc::ENAMETOOLONG) => Class::BAD_FILE,
        Some(libc::ENOSPC) => Class::NO_SPACE,
        Some(libc::EDQUOT) => Class::QUOTA,
        Some(libc::ETXTBSY | libc::EBUSY) => Class::FILE_IN_USE,
        Some(libc::ENOMEM) => Class::NO_MEM,
        _ => Class::IO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_goes_on_after_short_and_interrupted_reads() {
        let file: Vec<u8> = (0..100).collect();
        let mut calls = 0;
        let mut bytes = [0; 90];
        let read = |rest: &mut [u8], at: u64| {
            calls += 1;
            if calls % 2 == 0 {
                return Err(io::Error::from(ErrorKind::Interrupted));
            }
            let len = rest.len().min(7).min(file.len() - at as usize);
            rest[..len].copy_from_slice(&file[at as usize..at as usize + len]);
            Ok(len)
        };
        assert_eq!(read_whole(read, &mut bytes, 20).unwrap(), 80);
        assert_eq!(bytes[..80], file[20..]);
    }

    #[test]
    fn errors_name_the_path_and_have_classes_of_files() {
        let error = failed(Path::new("/a/b"), "opening", &io::Error::from_raw_os_error(libc::ENOSPC));
        assert_eq!(error.class, Class::NO_SPACE);
        assert!(error.text.starts_with("opening of /a/b: No space left"), "{}", error.text);
        assert_eq!(class_of(&io::Error::from_raw_os_error(libc::EFBIG)), Class::IO);
    }
}
