//! The actions of a child between fork and exec.

use std::io;
use std::os::fd::RawFd;
use std::os::unix::process::CommandExt;
use std::process::Command;

use super::check;
use super::cpus::CpuSet;
use super::files::FileLimit;
use super::signal::SignalMask;

/// Orders for the child. They are plain data, because the child may neither allocate nor take a lock.
#[derive(Clone, Copy)]
pub struct Orders {
    /// Socket on which the child reports its process id to the watchdog, 4 bytes in native order.
    pub watchdog: RawFd,
    /// Cores to run on; `None` keeps the parent's.
    pub cpus: Option<CpuSet>,
    /// Limit on open files to restore.
    pub files: FileLimit,
    /// Mask of blocked signals to restore.
    pub mask: SignalMask,
}

/// Prepares `command` to start a child that leads a process group of its own and dies with the calling
/// thread. The watchdog learns of the child before it runs any foreign code. It follows `orders`.
///
/// The calling thread must be the main thread, or the child dies when that thread ends.
pub fn prepare(command: &mut Command, orders: Orders) {
    let parent = std::process::id();
    command.process_group(0);
    // SAFETY: the closure only makes system calls on data it owns: no allocation, no lock, no
    // panic, so it may run in the forked child of a process with threads.
    unsafe { command.pre_exec(move || obey(parent, &orders)) };
}

fn obey(parent: u32, orders: &Orders) -> io::Result<()> {
    // SAFETY: sets a flag of this process; touches no memory.
    check(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) })?;
    // SAFETY: asks the kernel; touches no memory.
    if unsafe { libc::getppid() } as u32 != parent {
        // The parent died before the flag was set: nobody waits for this child.
        // SAFETY: ends the process; needs nothing.
        unsafe { libc::_exit(1) };
    }
    // SAFETY: asks the kernel; touches no memory.
    let record = unsafe { libc::getpid() }.to_ne_bytes();
    // SAFETY: the kernel reads the 4 bytes of `record`, which outlives the call.
    let sent =
        unsafe { libc::send(orders.watchdog, record.as_ptr().cast(), record.len(), libc::MSG_NOSIGNAL) };
    // A dead watchdog is a lost precaution, not a reason to refuse work, so the result is ignored.
    let _ = sent;
    if let Some(cpus) = &orders.cpus {
        cpus.apply()?;
    }
    orders.files.restore()?;
    orders.mask.restore()
}
