//! The watchdog: no process of a job survives the launcher, even if that is killed with SIGKILL.
//!
//! A small process is forked before anything else and holds one end of a socket. Every rank reports its
//! process group on the socket before it runs foreign code. When the other end closes, for whatever reason,
//! the watchdog kills all these groups. The kernel kills the ranks themselves when the launcher dies (see
//! `sys::child`); the watchdog kills the processes that the ranks have started.
//!
//! Only processes that have left their rank's process group, as daemons do, are out of reach.

use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;

use crate::sys::process::{Pid, become_independent, fork, signal_group, wait};
use crate::sys::signal::hold_back_all;

/// Value sent instead of a process id: the launcher has ended all groups itself.
const STAND_DOWN: Pid = 0;

/// The launcher's handle of its watchdog. Dropping it kills the process groups of all ranks that were
/// started.
pub struct Watchdog {
    socket: Option<UnixStream>,
    pid: Pid,
}

impl Watchdog {
    /// Forks the watchdog. This process must not have a second thread yet.
    pub fn start() -> io::Result<Watchdog> {
        let (ours, theirs) = UnixStream::pair()?;
        let mut ends = Some((ours, theirs));
        let pid = fork(|| {
            // The child must not hold the launcher's end, or it would never see it close.
            let theirs = ends.take().map(|(_, theirs)| theirs);
            theirs.map_or(1, guard)
        })?;
        Ok(Watchdog { socket: ends.map(|(ours, _)| ours), pid })
    }

    /// The socket on which a rank reports its process id, 4 bytes in native order.
    pub fn descriptor(&self) -> RawFd {
        self.socket.as_ref().map_or(-1, AsRawFd::as_raw_fd)
    }

    /// Ends the watchdog without killing anything. The launcher has ended all groups, and their numbers may
    /// soon belong to other processes.
    pub fn stand_down(mut self) {
        if let Some(socket) = &mut self.socket {
            // A watchdog that is gone kills nothing either.
            let _ = socket.write_all(&STAND_DOWN.to_ne_bytes());
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.socket = None;
        // Waiting ensures that the kill has happened. Without a child there is nothing to wait for.
        let _ = wait(self.pid);
    }
}

fn guard(mut socket: UnixStream) -> i32 {
    become_independent(c"anyccl-watchdog");
    hold_back_all();
    let mut groups = Vec::new();
    let mut record = [0; size_of::<Pid>()];
    while socket.read_exact(&mut record).is_ok() {
        match Pid::from_ne_bytes(record) {
            STAND_DOWN => return 0,
            group => groups.push(group),
        }
    }
    for group in groups {
        signal_group(group, libc::SIGKILL);
    }
    0
}
