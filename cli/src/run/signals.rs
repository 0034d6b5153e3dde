//! Which signals the launcher passes on to its ranks.

use std::io;

use crate::sys::signal::{SignalQueue, is_ignored};

/// Passed on to every rank's process group: the ranks lead groups of their own, so the terminal's
/// keys and a scheduler's signals reach only the launcher.
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

/// Takes over the signals to pass on, and SIGCHLD. A signal that the launcher was told to ignore
/// (nohup) stays ignored, here and in the ranks, which inherit that.
pub fn take() -> io::Result<SignalQueue> {
    let mut signals = vec![libc::SIGCHLD];
    signals.extend(PASSED_ON.into_iter().filter(|&signal| !is_ignored(signal)));
    SignalQueue::of(&signals)
}

/// Whether a program that does nothing about this signal is ended by it.
pub fn asks_to_end(signal: i32) -> bool {
    matches!(signal, libc::SIGHUP | libc::SIGINT | libc::SIGQUIT | libc::SIGTERM)
}
