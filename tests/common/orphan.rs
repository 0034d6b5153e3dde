//! Child processes that a rank leaves behind. They hold what they have inherited and do nothing.

/// A child of a rank. Dropping the value in the test kills the child and waits for its end.
pub struct Orphan {
    pid: libc::pid_t,
}

/// Seconds after which an orphan ends by itself.
const LIFE: libc::c_uint = 100;

impl Orphan {
    /// The child whose process number a rank has reported.
    pub fn of(text: &str) -> Orphan {
        Orphan { pid: text.parse().expect("the number of a child") }
    }

    /// Forks with `fork`, which runs the handlers of `pthread_atfork`.
    pub fn fork() -> libc::pid_t {
        // SAFETY: the child makes async-signal-safe calls only.
        let pid = unsafe { libc::fork() };
        if pid == 0 {
            linger();
        }
        assert!(pid > 0, "fork");
        pid
    }

    /// Forks with a bare system call, which runs no handlers.
    pub fn clone_barely() -> libc::pid_t {
        // SAFETY: like `fork`, the child runs on a copy of the same stack. It makes async-signal-safe calls
        // only.
        let pid = unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0) };
        if pid == 0 {
            linger();
        }
        assert!(pid > 0, "clone");
        pid as libc::pid_t
    }
}

/// Closes the parent's pipes, so that the test sees their end, and keeps all other descriptors.
fn linger() -> ! {
    for fd in 0..3 {
        // SAFETY: takes an integer.
        unsafe { libc::close(fd) };
    }
    // SAFETY: takes an integer; its signal ends this process.
    unsafe { libc::alarm(LIFE) };
    loop {
        // SAFETY: waits for a signal.
        unsafe { libc::pause() };
    }
}

impl Drop for Orphan {
    fn drop(&mut self) {
        // SAFETY: takes integers. The child is alive, because nobody else ends it.
        let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, self.pid, 0) };
        // SAFETY: as above.
        unsafe { libc::kill(self.pid, libc::SIGKILL) };
        if fd >= 0 {
            let mut entry = libc::pollfd { fd: fd as libc::c_int, events: libc::POLLIN, revents: 0 };
            // SAFETY: one entry, which outlives the call.
            unsafe { libc::poll(&mut entry, 1, 10_000) };
            // SAFETY: the descriptor was made above.
            unsafe { libc::close(fd as libc::c_int) };
        }
    }
}
