//! The signals that the launcher passes on to its ranks.

use std::io;

use crate::sys::signal::{SignalQueue, is_ignored};

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

/// Takes over the signals to pass on, and SIGCHLD. A signal that the launcher was started to ignore (nohup)
/// stays ignored, here and in the ranks, which inherit that.
pub fn take() -> io::Result<SignalQueue> {
    let mut signals = vec![libc::SIGCHLD];
    signals.extend(PASSED_ON.into_iter().filter(|&signal| !is_ignored(signal)));
    SignalQueue::of(&signals)
}

/// Whether this signal ends a program that does not handle it.
pub fn asks_to_end(signal: i32) -> bool {
    matches!(signal, libc::SIGHUP | libc::SIGINT | libc::SIGQUIT | libc::SIGTERM)
}
