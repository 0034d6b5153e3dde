//! Reading and writing the memory of another process of this user, in one copy (`process_vm_readv`,
//! `process_vm_writev`).
//!
//! Many containers forbid it, so a caller tries it once with a known value before relying on it.
//!
//! A process number is reused once its process has ended. So each read also reads a random number of the
//! target process ([`ProcessStamp`]) in the same system call, and its bytes count only if the number is
//! right. The stamp also exposes a program that has replaced another by `exec`, and a child of `fork` with
//! the same addresses.

use std::io;
use std::mem;
use std::os::fd::AsRawFd;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::socket::Socket;

/// Runs that one system call takes: the kernel takes 1024, and one is for the stamp.
const RUNS_AT_ONCE: usize = 512;

const STAMP_BYTES: usize = mem::size_of::<u64>();

/// The process at the other end of a Unix socket, as the kernel names it in this process's namespace.
pub fn peer_of(socket: &Socket) -> io::Result<libc::pid_t> {
    let mut credentials = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut len = mem::size_of::<libc::ucred>() as libc::socklen_t;
    // SAFETY: the kernel writes at most `len` bytes into the structure, which has that size.
    let rc = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            (&raw mut credentials).cast(),
            &mut len,
        )
    };
    match (rc, credentials.pid) {
        (0, pid) if pid > 0 => Ok(pid),
        (0, _) => Err(io::Error::other("the peer is in another process namespace")),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Identity of a process for others: a random number at an address. A reader that finds the number there has
/// read that process, and not a later one with the same process number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessStamp {
    /// Address of the number.
    pub address: u64,
    /// The number.
    pub value: u64,
}

impl ProcessStamp {
    /// The stamp of this process. A child of `fork` does not inherit it, because its copy of the page is
    /// empty.
    pub fn of_this_process() -> io::Result<ProcessStamp> {
        static PAGE: OnceLock<usize> = OnceLock::new();
        let address = match PAGE.get() {
            Some(address) => *address,
            // If two threads map a page, the second one stays unused.
            None => ProcessStamp::map().map(|new| *PAGE.get_or_init(|| new))?,
        };
        // SAFETY: a page of `map`, which is aligned, never unmapped, and only used as this atomic.
        let number = unsafe { AtomicU64::from_ptr(ptr::with_exposed_provenance_mut(address)) };
        let mut bytes = [0; STAMP_BYTES];
        getrandom::fill(&mut bytes).map_err(|e| io::Error::other(e.to_string()))?;
        // The number is 0 if this process has just mapped the page, or is a child of the process that did.
        let new = u64::from_ne_bytes(bytes) | 1;
        let value = match number.compare_exchange(0, new, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => new,
            Err(there) => there,
        };
        Ok(ProcessStamp { address: address as u64, value })
    }

    /// Maps an empty page, which is also empty in each child.
    fn map() -> io::Result<usize> {
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a fresh mapping at an address of the kernel's choice overlaps no other memory.
        let page = unsafe { libc::mmap(ptr::null_mut(), STAMP_BYTES, rights, flags, -1, 0) };
        if page == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        // Linux before 4.14 refuses this; a child then looks like its parent.
        // SAFETY: the page was just mapped and holds nothing yet.
        unsafe { libc::madvise(page, STAMP_BYTES, libc::MADV_WIPEONFORK) };
        Ok(page.expose_provenance())
    }
}

/// Another process of this host, whose memory is read. A process number alone would name whatever process has
/// it now.
#[derive(Clone, Copy, Debug)]
pub struct RemoteProcess {
    pid: libc::pid_t,
    stamp: ProcessStamp,
}

impl RemoteProcess {
    /// Names the process `pid`, while it is the one with this stamp. Both come from the peer: a wrong value
    /// makes `read` fail, and causes no fault.
    pub fn new(pid: libc::pid_t, stamp: ProcessStamp) -> RemoteProcess {
        RemoteProcess { pid, stamp }
    }

    /// Copies up to `len` bytes at `address` of that process to `dst`, and returns how many. The address
    /// comes from the peer: a wrong one is an error, and causes no fault. `UnexpectedEof`: the process has
    /// ended, and `dst` may have been overwritten with bytes of the process that has its number now.
    ///
    /// # Safety
    /// `dst` is writable for `len` bytes.
    pub unsafe fn read(&self, address: u64, dst: *mut u8, len: usize) -> io::Result<usize> {
        // All bytes of one call come from one process, because the kernel looks the process up once.
        let mut found = 0u64;
        let local = [
            libc::iovec { iov_base: (&raw mut found).cast(), iov_len: STAMP_BYTES },
            libc::iovec { iov_base: dst.cast(), iov_len: len },
        ];
        let remote = [
            libc::iovec { iov_base: self.stamp.address as *mut libc::c_void, iov_len: STAMP_BYTES },
            libc::iovec { iov_base: address as *mut libc::c_void, iov_len: len },
        ];
        // SAFETY: the kernel writes at most 8 bytes to `found` and `len` to `dst`, for which the caller
        // vouches, and checks the remote addresses itself.
        let n = unsafe { libc::process_vm_readv(self.pid, local.as_ptr(), 2, remote.as_ptr(), 2, 0) };
        let has_ended = || io::Error::new(io::ErrorKind::UnexpectedEof, "the process has ended");
        if n < 0 {
            let error = io::Error::last_os_error();
            // Not even the stamp is readable: the process is gone, or another one has its number.
            let is_gone = matches!(error.raw_os_error(), Some(libc::ESRCH | libc::EFAULT));
            return Err(if is_gone { has_ended() } else { error });
        }
        if n < STAMP_BYTES as isize || found != self.stamp.value {
            return Err(has_ended());
        }
        match n as usize - STAMP_BYTES {
            0 if len > 0 => Err(io::Error::from_raw_os_error(libc::EFAULT)),
            n => Ok(n),
        }
    }
}

impl RemoteProcess {
    /// Copies runs of that process, by address and length, to `dst`, one after the other. It is an error if
    /// some byte is not there; then `dst` may have been overwritten.
    ///
    /// # Safety
    /// `dst` is writable for the bytes of all runs.
    pub unsafe fn read_runs(&self, runs: &[(u64, usize)], dst: *mut u8) -> io::Result<()> {
        let mut at = dst;
        for part in runs.chunks(RUNS_AT_ONCE) {
            let mut found = 0u64;
            let bytes = part.iter().map(|(_, len)| len).sum::<usize>();
            let local = [
                libc::iovec { iov_base: (&raw mut found).cast(), iov_len: STAMP_BYTES },
                libc::iovec { iov_base: at.cast(), iov_len: bytes },
            ];
            let mut remote = vec![remote_run((self.stamp.address, STAMP_BYTES))];
            remote.extend(part.iter().copied().map(remote_run));
            let (count, list) = (remote.len() as libc::c_ulong, remote.as_ptr());
            // SAFETY: the kernel writes 8 bytes to `found` and at most `bytes` to `at`, for which the caller
            // vouches, and checks the remote addresses itself.
            let n = unsafe { libc::process_vm_readv(self.pid, local.as_ptr(), 2, list, count, 0) };
            if n >= STAMP_BYTES as isize && found != self.stamp.value {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the process has ended"));
            }
            check_whole(n, STAMP_BYTES + bytes)?;
            at = at.wrapping_add(bytes);
        }
        Ok(())
    }

    /// Copies bytes at `src` to runs of that process, by address and length, one after the other. The stamp
    /// is checked just before. It is an error if some byte is not there; earlier ones may have been written.
    ///
    /// # Safety
    /// `src` is readable for the bytes of all runs. The other process allows the writes: the kernel checks
    /// only that its pages are writable.
    pub unsafe fn write_runs(&self, runs: &[(u64, usize)], src: *const u8) -> io::Result<()> {
        let mut at = src.cast_mut();
        for part in runs.chunks(RUNS_AT_ONCE) {
            self.check_stamp()?;
            let bytes = part.iter().map(|(_, len)| len).sum::<usize>();
            let local = [libc::iovec { iov_base: at.cast(), iov_len: bytes }];
            let remote: Vec<_> = part.iter().copied().map(remote_run).collect();
            let (count, list) = (remote.len() as libc::c_ulong, remote.as_ptr());
            // SAFETY: the kernel reads at most `bytes` from `at`, for which the caller vouches, and checks
            // the remote addresses itself.
            let n = unsafe { libc::process_vm_writev(self.pid, local.as_ptr(), 1, list, count, 0) };
            check_whole(n, bytes)?;
            at = at.wrapping_add(bytes);
        }
        Ok(())
    }

    /// Looks for the stamp. `UnexpectedEof`: the process has ended.
    pub fn check_stamp(&self) -> io::Result<()> {
        let mut byte = 0u8;
        // SAFETY: one writable byte.
        unsafe { self.read(self.stamp.address, &mut byte, 1) }.map(drop)
    }
}

fn remote_run((address, len): (u64, usize)) -> libc::iovec {
    libc::iovec { iov_base: address as *mut libc::c_void, iov_len: len }
}

/// Checks that a system call has copied `wanted` bytes.
fn check_whole(copied: isize, wanted: usize) -> io::Result<()> {
    match usize::try_from(copied) {
        Ok(n) if n == wanted => Ok(()),
        Ok(_) => Err(io::Error::from_raw_os_error(libc::EFAULT)),
        Err(_) => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;

    #[test]
    fn this_process_is_at_both_ends_of_its_own_pair_and_a_wild_address_is_an_error() {
        let (a, _b) = UnixStream::pair().unwrap();
        let pid = peer_of(&Socket::from_fd(a.into(), true).unwrap()).unwrap();
        assert_eq!(pid as u32, std::process::id());
        let own = RemoteProcess::new(pid, ProcessStamp::of_this_process().unwrap());
        let (word, mut byte) = (7u8, 0u8);
        // SAFETY: one writable byte.
        assert_eq!(unsafe { own.read((&raw const word) as u64, &mut byte, 1) }.unwrap(), 1);
        assert_eq!(byte, 7);
        // SAFETY: one writable byte.
        assert!(unsafe { own.read(8, &mut byte, 1) }.is_err());
    }

    #[test]
    fn runs_are_read_and_written_in_order_and_a_missing_byte_is_an_error() {
        const COUNT: usize = 2 * RUNS_AT_ONCE + 3;
        let (a, _b) = UnixStream::pair().unwrap();
        let pid = peer_of(&Socket::from_fd(a.into(), true).unwrap()).unwrap();
        let own = RemoteProcess::new(pid, ProcessStamp::of_this_process().unwrap());
        let mut there = vec![0u8; 2 * COUNT];
        let runs: Vec<_> = (0..COUNT).map(|at| ((&raw mut there[2 * at]) as u64, 1)).collect();
        let values: Vec<u8> = (0..COUNT).map(|at| at as u8).collect();
        // SAFETY: the runs are bytes of `there`; `values` has one for each.
        unsafe { own.write_runs(&runs, values.as_ptr()) }.unwrap();
        let mut back = vec![0u8; COUNT];
        // SAFETY: `back` has a byte for each run.
        unsafe { own.read_runs(&runs, back.as_mut_ptr()) }.unwrap();
        assert_eq!(back, values);
        assert!((0..COUNT).all(|at| there[2 * at] == at as u8 && there[2 * at + 1] == 0));
        // SAFETY: one writable byte.
        assert!(unsafe { own.read_runs(&[(8, 1)], back.as_mut_ptr()) }.is_err());
        // SAFETY: one readable byte; no process has a byte at that address.
        assert!(unsafe { own.write_runs(&[(8, 1)], values.as_ptr()) }.is_err());
    }

    #[test]
    fn bytes_of_another_process_with_the_same_number_and_the_same_addresses_do_not_count() {
        let stamp = ProcessStamp::of_this_process().unwrap();
        let mut pipe = [0; 2];
        // SAFETY: the kernel fills the array.
        assert_eq!(unsafe { libc::pipe2(pipe.as_mut_ptr(), libc::O_CLOEXEC) }, 0);
        let (word, mut byte) = (7u8, 0u8);
        // SAFETY: the child only makes system calls.
        let child = unsafe { libc::fork() };
        if child == 0 {
            // SAFETY: plain call on the child's own descriptor.
            unsafe { libc::close(pipe[1]) };
            // SAFETY: one writable byte. It ends with the parent, or when the parent closes its end.
            unsafe { libc::read(pipe[0], (&raw mut byte).cast(), 1) };
            // SAFETY: ends the child without running any code of the parent.
            unsafe { libc::_exit(0) };
        }
        // This looks as if the child had got the number of a process that has ended.
        let remote = RemoteProcess::new(child, stamp);
        // SAFETY: one writable byte.
        let read = unsafe { remote.read((&raw const word) as u64, &mut byte, 1) };
        // SAFETY: plain call on a descriptor of this function.
        unsafe { libc::close(pipe[1]) };
        // SAFETY: the child of this function, waited for once.
        assert_eq!(unsafe { libc::waitpid(child, ptr::null_mut(), 0) }, child);
        assert_eq!(read.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        // SAFETY: one writable byte.
        let read = unsafe { remote.read((&raw const word) as u64, &mut byte, 1) };
        assert_eq!(read.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        // SAFETY: plain call on a descriptor of this function.
        unsafe { libc::close(pipe[0]) };
    }
}
