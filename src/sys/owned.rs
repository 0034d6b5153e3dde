//! Files of this library: descriptors that a child of `fork` must not keep open.
//!
//! A process-wide table has an entry for each descriptor number. It says which file the library has opened
//! there, by the file's identity: a hash of device and inode. [`Owned`] enters its file when it is made and
//! removes it when it is dropped. In a child, `replace_all` puts a socket without a peer in place of each
//! file of the table. Every use of it then fails, and its number stays taken, so that no code of the library
//! meets a file of the program there.
//!
//! The table is read without locks, because the child may call only async-signal-safe functions. A number is
//! touched only if the file there is still the one that was entered. So a program that closes descriptors of
//! others and reuses their numbers keeps its own files.
//!
//! Two kinds of descriptors are left out. Eventfds and pidfds hold neither a connection nor memory, and have
//! no identity of their own. And the table misses descriptors that another thread makes at the very moment of
//! the fork.

use std::mem::{ManuallyDrop, MaybeUninit};
use std::ops::{Deref, DerefMut};
use std::os::fd::{AsRawFd, RawFd};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::fork;

/// Entries per part of the table.
const PART: usize = 1024;
/// Number of parts: enough for 2^20 descriptors, the most that Linux allows by default.
const PARTS: usize = 1024;

/// Identities by descriptor number; 0 where the library has no file. Parts are made when they are needed.
static FILES: [OnceLock<Box<[AtomicU64]>>; PARTS] = [const { OnceLock::new() }; PARTS];
/// Number of parts that were ever used.
static USED: AtomicUsize = AtomicUsize::new(0);

/// A file of the library. It is closed on drop, and replaced in a child of `fork`.
#[derive(Debug)]
pub struct Owned<F: AsRawFd> {
    file: ManuallyDrop<F>,
    identity: u64,
}

impl<F: AsRawFd> Owned<F> {
    /// Enters a file. From now on only this object closes it.
    pub fn new(file: F) -> Owned<F> {
        fork::replace_files_by(replace_all);
        let fd = file.as_raw_fd();
        let identity = identity_of(fd);
        if let (Some(entry), Some(identity)) = (entry_made(fd), identity) {
            entry.store(identity, Ordering::Release);
        }
        Owned { file: ManuallyDrop::new(file), identity: identity.unwrap_or(0) }
    }

    /// Gives the file to the caller, who owns it from now on. A child of a fork at this moment keeps it.
    pub fn into_file(self) -> F {
        let mut this = ManuallyDrop::new(self);
        remove_entry(this.as_raw_fd(), this.identity);
        // SAFETY: taken once, here; `this` is not dropped.
        unsafe { ManuallyDrop::take(&mut this.file) }
    }
}

impl<F: AsRawFd> Drop for Owned<F> {
    fn drop(&mut self) {
        let fd = self.file.as_raw_fd();
        // SAFETY: dropped once, here; no one uses `file` after this.
        unsafe { ManuallyDrop::drop(&mut self.file) };
        // The entry is removed after closing. A fork in between finds the number free, or taken by another
        // file, and leaves it alone.
        remove_entry(fd, self.identity);
    }
}

/// Removes an entry if it is still that of this file: another thread may have reused the number.
fn remove_entry(fd: RawFd, identity: u64) {
    if let Some(entry) = entry_of(fd) {
        let _ = entry.compare_exchange(identity, 0, Ordering::AcqRel, Ordering::Relaxed);
    }
}

impl<F: AsRawFd> Deref for Owned<F> {
    type Target = F;

    fn deref(&self) -> &F {
        &self.file
    }
}

impl<F: AsRawFd> DerefMut for Owned<F> {
    fn deref_mut(&mut self) -> &mut F {
        &mut self.file
    }
}

impl<F: AsRawFd> AsRawFd for Owned<F> {
    fn as_raw_fd(&self) -> RawFd {
        self.file.as_raw_fd()
    }
}

/// Replaces every file of the table by a socket without a peer. A child of `fork` calls it before anything
/// else. It makes only async-signal-safe calls.
pub(super) fn replace_all() {
    let mut placeholder = None;
    for (part, entries) in FILES.iter().enumerate().take(USED.load(Ordering::Acquire)) {
        let Some(entries) = entries.get() else { continue };
        for (at, entry) in entries.iter().enumerate() {
            let known = entry.load(Ordering::Acquire);
            if known == 0 {
                continue;
            }
            entry.store(0, Ordering::Relaxed);
            let fd = (part * PART + at) as RawFd;
            if identity_of(fd) == Some(known) {
                replace(fd, &mut placeholder);
            }
        }
    }
    if let Some(Placeholder { fd, is_in_place: false }) = placeholder {
        close(fd);
    }
}

/// A socket without a peer, which replaces the library's files.
struct Placeholder {
    fd: RawFd,
    /// Whether its number is that of a file that it replaces.
    is_in_place: bool,
}

fn replace(fd: RawFd, placeholder: &mut Option<Placeholder>) {
    if placeholder.is_none() {
        *placeholder = lonely_socket().map(|fd| Placeholder { fd, is_in_place: false });
    }
    if placeholder.is_none() {
        // No number was free. Closing frees one, and the kernel gives the lowest free number: most likely
        // this one.
        close(fd);
        *placeholder = lonely_socket().map(|made| Placeholder { fd: made, is_in_place: made == fd });
    }
    if let Some(placeholder) = placeholder
        && placeholder.fd != fd
    {
        // SAFETY: takes integers only; `fd` is a file of this library, or was closed above and has no owner.
        unsafe { libc::dup3(placeholder.fd, fd, libc::O_CLOEXEC) };
    }
}

fn lonely_socket() -> Option<RawFd> {
    let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    // SAFETY: takes and returns integers only.
    let fd = unsafe { libc::socket(libc::AF_UNIX, kind, 0) };
    (fd >= 0).then_some(fd)
}

fn close(fd: RawFd) {
    // SAFETY: takes an integer; the callers pass a file of this library, or a socket that they have made.
    unsafe { libc::close(fd) };
}

/// Identity of an open file: never 0, and different from that of any other open file. `None`: `fd` is not
/// open.
fn identity_of(fd: RawFd) -> Option<u64> {
    let mut status = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: the kernel writes one structure to `status`, which has room for it.
    if unsafe { libc::fstat(fd, status.as_mut_ptr()) } != 0 {
        return None;
    }
    // SAFETY: the call succeeded, so it has filled the structure.
    let status = unsafe { status.assume_init() };
    // Devices of sockets and of memory have small numbers, and inodes are given in ascending order.
    Some(status.st_dev.rotate_left(40) ^ status.st_ino | 1 << 63)
}

fn entry_of(fd: RawFd) -> Option<&'static AtomicU64> {
    let at = usize::try_from(fd).ok()?;
    FILES.get(at / PART)?.get()?.get(at % PART)
}

/// The entry of a number, made if necessary. `None`: the number is beyond the table.
fn entry_made(fd: RawFd) -> Option<&'static AtomicU64> {
    let at = usize::try_from(fd).ok()?;
    let part = FILES.get(at / PART)?;
    let entries = part.get_or_init(|| (0..PART).map(|_| AtomicU64::new(0)).collect());
    USED.fetch_max(at / PART + 1, Ordering::AcqRel);
    entries.get(at % PART)
}

#[cfg(test)]
mod tests {
    use super::super::fork::tests::in_child;
    use super::*;
    use std::io::Read;
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;
    use std::time::Duration;

    #[test]
    fn a_child_does_not_keep_a_connection_of_its_parent_open() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let ours = Owned::new(ours);
        let (hold, held) = UnixStream::pair().unwrap();
        // SAFETY: the child waits in `read` and ends by `_exit`.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let mut byte = 0u8;
            // SAFETY: closes the child's copy of the end that the parent closes later.
            unsafe { libc::close(hold.as_raw_fd()) };
            // SAFETY: one writable byte; returns when the parent has closed its end.
            unsafe { libc::read(held.as_raw_fd(), (&raw mut byte).cast(), 1) };
            // SAFETY: ends the child at once.
            unsafe { libc::_exit(0) };
        }
        assert!(child > 0);
        drop(ours);
        theirs.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        assert_eq!(theirs.read(&mut [0]).unwrap(), 0, "the child holds it");
        drop((hold, held));
        // SAFETY: the child of this function.
        assert_eq!(unsafe { libc::waitpid(child, std::ptr::null_mut(), 0) }, child);
    }

    #[test]
    fn in_the_child_the_number_stays_taken_until_its_owner_is_dropped() {
        let mut ours = Some(Owned::new(UnixStream::pair().unwrap().0));
        let fd = ours.as_ref().unwrap().as_raw_fd();
        let before = identity_of(fd);
        let fine = in_child(|| {
            let replaced = identity_of(fd).is_some() && identity_of(fd) != before;
            drop(ours.take());
            replaced && identity_of(fd).is_none()
        });
        assert!(fine);
        assert_eq!(identity_of(fd), before);
    }

    #[test]
    fn a_file_of_the_program_that_has_taken_the_number_is_left_alone() {
        let ours = Owned::new(OwnedFd::from(UnixStream::pair().unwrap().0));
        let fd = ours.as_raw_fd();
        let (program, _other) = UnixStream::pair().unwrap();
        // SAFETY: puts another file under the number, like a program that closes descriptors it does not
        // know.
        assert_eq!(unsafe { libc::dup3(program.as_raw_fd(), fd, libc::O_CLOEXEC) }, fd);
        let identity = identity_of(program.as_raw_fd());
        assert!(in_child(|| identity_of(fd) == identity));
    }
}
