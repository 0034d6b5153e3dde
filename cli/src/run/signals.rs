//! The signals that the launcher passes on to its ranks.

use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::thread;

use crate::sys::poll;
use crate::sys::signal::{SignalMask, SignalQueue, is_ignored};

/// Signals that are passed on to every rank's process group. The ranks lead groups of their own, so the
/// terminal's keys and a scheduler's signals reach only the launcher.
const PASSED_ON: [i32; 8] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGTSTP,
    libc::SIGCONT,
];

/// The signals that have come, one after the other.
///
/// The kernel keeps a blocked signal once, however often it is sent. So a thread takes each one at once: two
/// SIGINTs are two, even if ranks are started meanwhile and nobody reads.
pub struct Signals {
    taken: UnixStream,
    before: SignalMask,
}

impl Signals {
    /// Takes over the signals to pass on, and SIGCHLD. A signal that the launcher was started to ignore
    /// (nohup) stays ignored, here and in the ranks, which inherit that.
    pub fn take() -> io::Result<Signals> {
        let mut signals = vec![libc::SIGCHLD];
        signals.extend(PASSED_ON.into_iter().filter(|&signal| !is_ignored(signal)));
        let queue = SignalQueue::of(&signals)?;
        let before = queue.mask_before();
        let (taken, writer) = UnixStream::pair()?;
        taken.set_nonblocking(true)?;
        // The thread ends with the process, or when nobody reads any more.
        thread::Builder::new().name("signals".into()).spawn(move || pass_to(writer, queue))?;
        Ok(Signals { taken, before })
    }

    /// The mask of signals for programs that are started meanwhile.
    pub fn mask_before(&self) -> SignalMask {
        self.before
    }

    /// The next signal that has come, if there is one.
    pub fn next(&mut self) -> io::Result<Option<i32>> {
        let mut number = [0];
        match self.taken.read(&mut number) {
            Ok(1) => Ok(Some(i32::from(number[0]))),
            Ok(_) => Err(io::Error::other("the thread that takes signals has ended")),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl AsRawFd for Signals {
    fn as_raw_fd(&self) -> RawFd {
        self.taken.as_raw_fd()
    }
}

/// Writes the number of each signal as it comes.
fn pass_to(mut writer: UnixStream, mut queue: SignalQueue) -> io::Result<()> {
    loop {
        poll::poll(&mut [poll::readable(&queue)], None)?;
        while let Some(signal) = queue.next()? {
            writer.write_all(&[signal as u8])?;
        }
    }
}

/// Whether this signal ends a program that does not handle it.
pub fn asks_to_end(signal: i32) -> bool {
    matches!(signal, libc::SIGHUP | libc::SIGINT | libc::SIGQUIT | libc::SIGTERM)
}
