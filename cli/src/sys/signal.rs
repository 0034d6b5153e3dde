//! Signals as messages to read instead of interruptions.

use std::fs::File;
use std::io::{self, Read};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;

use super::check;

/// Signals with the names that a report uses.
const NAMES: &[(i32, &str)] = &[
    (libc::SIGHUP, "SIGHUP"),
    (libc::SIGINT, "SIGINT"),
    (libc::SIGQUIT, "SIGQUIT"),
    (libc::SIGILL, "SIGILL"),
    (libc::SIGTRAP, "SIGTRAP"),
    (libc::SIGABRT, "SIGABRT"),
    (libc::SIGBUS, "SIGBUS"),
    (libc::SIGFPE, "SIGFPE"),
    (libc::SIGKILL, "SIGKILL"),
    (libc::SIGUSR1, "SIGUSR1"),
    (libc::SIGSEGV, "SIGSEGV"),
    (libc::SIGUSR2, "SIGUSR2"),
    (libc::SIGPIPE, "SIGPIPE"),
    (libc::SIGALRM, "SIGALRM"),
    (libc::SIGTERM, "SIGTERM"),
    (libc::SIGXCPU, "SIGXCPU"),
    (libc::SIGXFSZ, "SIGXFSZ"),
    (libc::SIGSYS, "SIGSYS"),
];

/// The signal's name, or its number if it has none.
pub fn name(number: i32) -> String {
    let known = NAMES.iter().find(|(n, _)| *n == number);
    known.map_or_else(|| format!("signal {number}"), |(_, name)| (*name).to_string())
}

/// Whether this process was started with the signal ignored (nohup, a shell's background job).
pub fn is_ignored(number: i32) -> bool {
    let mut old = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: no new action is given; the kernel writes the current one to `old`.
    if unsafe { libc::sigaction(number, ptr::null(), old.as_mut_ptr()) } < 0 {
        return false;
    }
    // SAFETY: the call succeeded, so `old` is written; zero bytes were valid before, too.
    unsafe { old.assume_init() }.sa_sigaction == libc::SIG_IGN
}

/// Makes this process ignore the signal.
pub fn ignore(number: i32) {
    // SAFETY: no handler is installed, so nothing runs in a signal's context.
    unsafe { libc::signal(number, libc::SIG_IGN) };
}

/// The mask of signals that a thread blocks. A program that is started inherits it.
#[derive(Clone, Copy)]
pub struct SignalMask(libc::sigset_t);

impl SignalMask {
    /// Sets the calling thread's mask. May be called between fork and exec.
    pub fn restore(&self) -> io::Result<()> {
        // SAFETY: the set is initialised and outlives the call; no old mask is asked for.
        match unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.0, ptr::null_mut()) } {
            0 => Ok(()),
            error => Err(io::Error::from_raw_os_error(error)),
        }
    }
}

/// Signals that are blocked in this process, to be read one after the other.
pub struct SignalQueue {
    queue: File,
    before: SignalMask,
}

impl SignalQueue {
    /// Blocks `signals` in this thread and in every thread that it starts from now on.
    pub fn of(signals: &[i32]) -> io::Result<SignalQueue> {
        let set = set_of(signals);
        let mut before = set_of(&[]);
        // SAFETY: `set` is initialised, the old mask is written to `before`; both outlive the call.
        let answer = unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &set, &mut before) };
        if answer != 0 {
            return Err(io::Error::from_raw_os_error(answer));
        }
        // SAFETY: `set` is initialised and outlives the call.
        let fd = check(unsafe { libc::signalfd(-1, &set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) })?;
        // SAFETY: the call made this descriptor; nobody else knows it.
        let fd = unsafe { OwnedFd::from_raw_fd(fd) };
        Ok(SignalQueue { queue: File::from(fd), before: SignalMask(before) })
    }

    /// The mask before this queue was made, for programs that are started meanwhile.
    pub fn mask_before(&self) -> SignalMask {
        self.before
    }

    /// The next signal that has arrived, if there is one.
    pub fn next(&mut self) -> io::Result<Option<i32>> {
        // A record is 128 bytes and begins with the number; the kernel gives whole records only.
        let mut record = [0; size_of::<libc::signalfd_siginfo>()];
        match self.queue.read(&mut record) {
            Ok(_) => {
                let number = u32::from_ne_bytes([record[0], record[1], record[2], record[3]]);
                Ok(Some(number as i32))
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl AsRawFd for SignalQueue {
    fn as_raw_fd(&self) -> RawFd {
        self.queue.as_raw_fd()
    }
}

/// Blocks every signal that can be blocked, for a process that only the kernel may end.
pub fn hold_back_all() {
    let mut set = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: the call initialises the whole set.
    unsafe { libc::sigfillset(set.as_mut_ptr()) };
    // SAFETY: `set` is initialised and outlives the call; no old mask is asked for.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, set.as_ptr(), ptr::null_mut()) };
}

fn set_of(signals: &[i32]) -> libc::sigset_t {
    let mut set = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: the call initialises the whole set.
    unsafe { libc::sigemptyset(set.as_mut_ptr()) };
    for &signal in signals {
        // SAFETY: the set is initialised; a number that is no signal is refused without harm.
        unsafe { libc::sigaddset(set.as_mut_ptr(), signal) };
    }
    // SAFETY: initialised above.
    unsafe { set.assume_init() }
}
