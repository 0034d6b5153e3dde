//! Processes: fork, signals to groups, and how a process ended.

use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::check;

/// Process id, and the id of the process group that the process leads.
pub type Pid = libc::pid_t;

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The process exited with this status.
    Exit(i32),
    /// This signal ended it.
    Signal {
        /// Its number.
        number: i32,
        /// Whether the kernel wrote a core file.
        core: bool,
    },
}

impl Ending {
    /// The exit code by which a shell would report this ending.
    pub fn code(self) -> u8 {
        match self {
            Ending::Exit(status) => status as u8,
            Ending::Signal { number, .. } => 128 + number as u8,
        }
    }
}

/// Forks a child that runs `body` and exits with its result. No destructor and no exit handler of this
/// process runs there. Returns the child's id.
///
/// Refused if this process has a second thread: the child would inherit its locks in the locked state.
pub fn fork(body: impl FnOnce() -> i32) -> io::Result<Pid> {
    let tasks = fs::read_dir("/proc/self/task")
        .map_err(|error| io::Error::new(error.kind(), format!("/proc is not mounted: {error}")))?;
    if tasks.count() != 1 {
        return Err(io::Error::other("cannot fork: this process has several threads"));
    }
    // SAFETY: this is the only thread (checked above, and only this thread could start another),
    // so the child's copy of memory is consistent and it may run any code.
    let pid = check(unsafe { libc::fork() })?;
    if pid > 0 {
        return Ok(pid);
    }
    let code = catch_unwind(AssertUnwindSafe(body)).unwrap_or(101);
    // SAFETY: ends the process; needs nothing.
    unsafe { libc::_exit(code) }
}

/// Waits for the end of a child made by [`fork`].
pub fn wait(pid: Pid) -> io::Result<Ending> {
    let mut status = 0;
    loop {
        // SAFETY: the kernel writes one int to `status`, which outlives the call.
        match check(unsafe { libc::waitpid(pid, &mut status, 0) }) {
            Ok(_) => return Ok(ending_of(status)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn ending_of(status: i32) -> Ending {
    if libc::WIFSIGNALED(status) {
        Ending::Signal { number: libc::WTERMSIG(status), core: libc::WCOREDUMP(status) }
    } else {
        Ending::Exit(libc::WEXITSTATUS(status))
    }
}

/// How child `pid` ended, if it has, without reaping it. Until it is reaped, its id, and so the id of its
/// process group, cannot be given to another process.
pub fn ended(pid: Pid) -> io::Result<Option<Ending>> {
    // SAFETY: a `siginfo_t` is plain data for which zero bytes are valid.
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: the kernel writes one `siginfo_t` to `info`, which outlives the call.
    check(unsafe { libc::waitid(libc::P_PID, pid as libc::id_t, &mut info, options) })?;
    // SAFETY: after waitid, `info` holds the fields of SIGCHLD, or zeros when nothing has ended.
    if unsafe { info.si_pid() } == 0 {
        return Ok(None);
    }
    // SAFETY: as above; the status is set because a process was found.
    let status = unsafe { info.si_status() };
    Ok(Some(match info.si_code {
        libc::CLD_EXITED => Ending::Exit(status),
        code => Ending::Signal { number: status, core: code == libc::CLD_DUMPED },
    }))
}

/// Sends `signal` to every process of the group that `leader` leads. It is no error if the group is gone.
pub fn signal_group(leader: Pid, signal: i32) {
    debug_assert!(leader > 1, "0, 1 and -1 mean quite other processes");
    // SAFETY: touches no memory of this process.
    unsafe { libc::kill(-leader, signal) };
}

/// Sends `signal` to a child that is not reaped yet.
pub fn signal_one(child: Pid, signal: i32) {
    // SAFETY: touches no memory of this process.
    unsafe { libc::kill(child, signal) };
}

/// Stops this process as the terminal's stop key would, until another process continues it.
pub fn stop_self() {
    // SAFETY: touches no memory; SIGSTOP runs no handler.
    unsafe { libc::raise(libc::SIGSTOP) };
}

/// Leaves the session and process group of the parent, and shows up as `name` in lists of processes.
pub fn become_independent(name: &std::ffi::CStr) {
    // SAFETY: touches no memory. Fails only for a group leader, which a forked child is not.
    unsafe { libc::setsid() };
    // SAFETY: the kernel copies at most 16 bytes up to the terminating zero.
    unsafe { libc::prctl(libc::PR_SET_NAME, name.as_ptr()) };
}

/// Whether this process belongs to the group for which `terminal` takes input.
pub fn in_foreground(terminal: &impl std::os::fd::AsRawFd) -> bool {
    // SAFETY: asks about a descriptor; touches no memory.
    let foreground = unsafe { libc::tcgetpgrp(terminal.as_raw_fd()) };
    // SAFETY: asks the kernel; touches no memory.
    foreground == unsafe { libc::getpgrp() }
}
