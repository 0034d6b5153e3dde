//! Another process of this host, by a pidfd: its end is seen even if its sockets stay open elsewhere.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::Arc;

use super::poll::{Interest, PollSet};
use super::process_memory::peer_of;
use super::shared_values::SharedValues;
use super::socket::Socket;

/// Processes that are watched, by number.
static PROCESSES: SharedValues<libc::pid_t, Process> = SharedValues::new();

/// A process, alive or ended. Its descriptor is ready to read once it has ended.
#[derive(Debug)]
pub struct Process {
    fd: OwnedFd,
}

#[cfg(test)]
pub(crate) fn hold() -> impl Drop {
    PROCESSES.hold()
}

impl Process {
    /// The process at the other end of a connected Unix socket, as the kernel names it.
    ///
    /// `None`: it is this process, or it is unknown. It is unknown in another process namespace, on an old
    /// kernel, where a sandbox forbids the call, or when the connection is over.
    pub fn at_other_end(socket: &Socket) -> Option<Arc<Process>> {
        let pid = peer_of(socket).ok().filter(|pid| *pid as u32 != std::process::id())?;
        // While a process lives, no other one has its number.
        let process = PROCESSES.get_or(pid, Process::is_alive, || Process::open(pid).ok_or(())).ok()?;
        // The number may have passed to another process before the call; the socket has hung up then.
        has_not_hung_up(socket).ok()?.then_some(process)
    }

    fn open(pid: libc::pid_t) -> Option<Process> {
        // SAFETY: takes integers only, and makes a descriptor (close-on-exec by itself).
        let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
        if fd < 0 {
            return None;
        }
        // SAFETY: a new descriptor that no one else owns.
        Some(Process { fd: unsafe { OwnedFd::from_raw_fd(fd as RawFd) } })
    }

    fn is_alive(&self) -> bool {
        let mut set = PollSet::new();
        let token = set.add(self, Interest::Read);
        set.look().is_ok() && !set.ready(token)
    }
}

fn has_not_hung_up(socket: &Socket) -> io::Result<bool> {
    let mut set = PollSet::new();
    let token = set.add(socket, Interest::Hangup);
    set.look()?;
    Ok(!set.ready(token))
}

impl AsRawFd for Process {
    fn as_raw_fd(&self) -> RawFd {
        self.fd.as_raw_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;

    #[test]
    fn a_connection_within_this_process_or_a_closed_one_has_no_process_to_watch() {
        let (a, b) = UnixStream::pair().unwrap();
        let a = Socket::from_fd(a.into(), true).unwrap();
        assert!(Process::at_other_end(&a).is_none());
        assert!(has_not_hung_up(&a).unwrap());
        drop(b);
        assert!(!has_not_hung_up(&a).unwrap());
    }
}
