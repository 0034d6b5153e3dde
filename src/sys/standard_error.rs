//! Standard error as the target of log lines: a write neither waits nor raises SIGPIPE.
//!
//! The file belongs to the program and to others. They all share the property whether a write may wait
//! (`O_NONBLOCK`), so this module does not change it. A pipe is opened once more by its name in /proc, for
//! writes that do not wait. A socket has a flag for each call. Other files are polled for room first. A
//! terminal that is stopped between the poll and the write can still make the write wait.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;

use super::poll::{Interest, PollSet};
use crate::sys::clock;

/// Most bytes that a pipe takes either completely or not at all.
const PIPE_BUF: usize = libc::PIPE_BUF;

/// Writes a line. Returns whether all of it was taken.
pub fn write_line(line: &[u8]) -> bool {
    write_to(libc::STDERR_FILENO, line).is_ok_and(|taken| taken == line.len())
}

fn write_to(fd: RawFd, line: &[u8]) -> io::Result<usize> {
    match kind_of(fd)? {
        libc::S_IFSOCK => {
            let flags = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
            // SAFETY: a slice is readable for its length.
            count(unsafe { libc::send(fd, line.as_ptr().cast(), line.len(), flags) })
        }
        libc::S_IFIFO => match reopened(fd) {
            Ok(own) => write_quietly(own.as_raw_fd(), line),
            // No process reads the pipe.
            Err(error) if error.raw_os_error() == Some(libc::ENXIO) => Err(error),
            // There is no /proc, or the pipe belongs to another user. A write of another process between the
            // poll and this write may make it wait.
            Err(_) => write_if_ready(fd, &line[..line.len().min(PIPE_BUF)]),
        },
        _ => write_if_ready(fd, line),
    }
}

/// The type of a file.
fn kind_of(fd: RawFd) -> io::Result<libc::mode_t> {
    let mut status = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: the kernel writes one structure to `status`, which has room for it.
    if unsafe { libc::fstat(fd, status.as_mut_ptr()) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call succeeded, so it has filled the structure.
    Ok(unsafe { status.assume_init() }.st_mode & libc::S_IFMT)
}

/// Opens a pipe once more, for writes that do not wait.
fn reopened(fd: RawFd) -> io::Result<OwnedFd> {
    let path = format!("/proc/self/fd/{fd}\0");
    // SAFETY: a string that ends with a zero, and integers.
    let own =
        unsafe { libc::open(path.as_ptr().cast(), libc::O_WRONLY | libc::O_NONBLOCK | libc::O_CLOEXEC) };
    if own < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a new descriptor that no one else owns.
    Ok(unsafe { OwnedFd::from_raw_fd(own) })
}

fn write_if_ready(fd: RawFd, line: &[u8]) -> io::Result<usize> {
    let mut set = PollSet::new();
    let room = set.add(&fd, Interest::Write);
    set.wait(Some(clock::now()))?;
    if set.ready(room) { write_quietly(fd, line) } else { Err(io::ErrorKind::WouldBlock.into()) }
}

/// Writes without SIGPIPE: not even a handler of the program sees it.
fn write_quietly(fd: RawFd, line: &[u8]) -> io::Result<usize> {
    let pipe = set_of_sigpipe();
    let mut before = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: an initialised set, and room for the old mask of this thread.
    let error = unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &pipe, before.as_mut_ptr()) };
    if error != 0 {
        return Err(io::Error::from_raw_os_error(error));
    }
    let was_pending = is_pending();
    // SAFETY: a slice is readable for its length.
    let written = count(unsafe { libc::write(fd, line.as_ptr().cast(), line.len()) });
    if !was_pending && written.as_ref().is_err_and(|e| e.raw_os_error() == Some(libc::EPIPE)) {
        let at_once = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: an initialised set and a local; information about the signal is not requested.
        unsafe { libc::sigtimedwait(&pipe, ptr::null_mut(), &at_once) };
    }
    // SAFETY: the mask that the first call has stored.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), ptr::null_mut()) };
    written
}

fn set_of_sigpipe() -> libc::sigset_t {
    let mut set = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: initialises the set behind the pointer.
    unsafe { libc::sigemptyset(set.as_mut_ptr()) };
    // SAFETY: initialised above; the number is that of a signal.
    unsafe { libc::sigaddset(set.as_mut_ptr(), libc::SIGPIPE) };
    // SAFETY: as above.
    unsafe { set.assume_init() }
}

/// Whether SIGPIPE is pending, for this thread or for the process.
fn is_pending() -> bool {
    let mut set = set_of_sigpipe();
    // SAFETY: the kernel fills the set.
    unsafe { libc::sigpending(&mut set) };
    // SAFETY: an initialised set; the number is that of a signal.
    unsafe { libc::sigismember(&set, libc::SIGPIPE) == 1 }
}

fn count(n: isize) -> io::Result<usize> {
    if n < 0 { Err(io::Error::last_os_error()) } else { Ok(n as usize) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;

    fn pipe() -> (std::io::PipeReader, std::io::PipeWriter) {
        std::io::pipe().unwrap()
    }

    #[test]
    fn a_line_arrives_whole_through_a_pipe_and_a_socket() {
        let (mut reader, writer) = pipe();
        assert_eq!(write_to(writer.as_raw_fd(), b"line\n").unwrap(), 5);
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        assert_eq!(write_to(ours.as_raw_fd(), b"line\n").unwrap(), 5);
        drop((writer, ours));
        let (mut one, mut other) = (String::new(), String::new());
        reader.read_to_string(&mut one).unwrap();
        theirs.read_to_string(&mut other).unwrap();
        assert_eq!((one.as_str(), other.as_str()), ("line\n", "line\n"));
    }

    #[test]
    fn a_full_pipe_and_a_full_socket_take_nothing_and_stay_as_blocking_as_they_were() {
        let (_reader, mut writer) = pipe();
        // The capacity of the pipe, so that filling it does not wait.
        // SAFETY: asks about a descriptor; touches no memory.
        let room = unsafe { libc::fcntl(writer.as_raw_fd(), libc::F_GETPIPE_SZ) } as usize;
        writer.write_all(&vec![0; room]).unwrap();
        assert!(write_to(writer.as_raw_fd(), b"line\n").is_err());
        assert!(write_if_ready(writer.as_raw_fd(), b"line\n").is_err());
        // SAFETY: as above.
        assert_eq!(unsafe { libc::fcntl(writer.as_raw_fd(), libc::F_GETFL) } & libc::O_NONBLOCK, 0);
        let (ours, _theirs) = UnixStream::pair().unwrap();
        while write_to(ours.as_raw_fd(), &[0; 4096]).is_ok() {}
        assert!(write_to(ours.as_raw_fd(), b"line\n").is_err());
    }

    #[test]
    fn without_a_reader_there_is_an_error_and_no_signal() {
        // The test harness ignores SIGPIPE; a process of C does not.
        // SAFETY: sets a disposition, of this process, which nothing else in it relies on.
        unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
        let (reader, writer) = pipe();
        drop(reader);
        assert!(write_to(writer.as_raw_fd(), b"line\n").is_err());
        assert!(write_quietly(writer.as_raw_fd(), b"line\n").is_err());
        assert!(!is_pending());
        // SAFETY: as above.
        unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
        assert!(write_to(-1, b"line\n").is_err());
    }
}
