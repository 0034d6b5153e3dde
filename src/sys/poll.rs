//! Waiting until one of several descriptors is ready.

use crate::sys::clock;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr;
use std::time::{Duration, Instant};

/// The event to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interest {
    /// Data to read, or the end of the stream.
    Read,
    /// Room to write, or a connection attempt that has succeeded or failed.
    Write,
    /// Either of the two.
    ReadWrite,
    /// The other side has closed. Readable data does not count.
    Hangup,
}

/// A descriptor within one [`PollSet`], until the set is cleared.
#[derive(Clone, Copy, Debug)]
pub struct Token(usize);

/// Descriptors to wait for together. The set is filled anew before each wait.
#[derive(Default)]
pub struct PollSet {
    entries: Vec<libc::pollfd>,
}

impl PollSet {
    /// Makes an empty set.
    pub fn new() -> PollSet {
        PollSet::default()
    }

    /// Removes all descriptors. Tokens given before are invalid then.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// Adds a descriptor. A descriptor that is closed before the wait counts as ready.
    pub fn add(&mut self, fd: &impl AsRawFd, interest: Interest) -> Token {
        let events = match interest {
            Interest::Read => libc::POLLIN,
            Interest::Write => libc::POLLOUT,
            Interest::ReadWrite => libc::POLLIN | libc::POLLOUT,
            Interest::Hangup => libc::POLLRDHUP,
        };
        self.entries.push(libc::pollfd { fd: fd.as_raw_fd(), events, revents: 0 });
        Token(self.entries.len() - 1)
    }

    /// Waits until a descriptor is ready or `until` has passed. `None` waits without limit. A signal may end
    /// the wait early with nothing ready.
    pub fn wait(&mut self, until: Option<Instant>) -> io::Result<()> {
        #[cfg(test)]
        if let Some(scheduler) = super::scheduler::mine() {
            return self.wait_by(&*scheduler, until);
        }
        let rc = loop {
            let left = until.map(clock::left);
            let time = left.map(clock::at_once);
            let rc = self.poll(time);
            if rc != 0 || time == left {
                break rc;
            }
        };
        if rc >= 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        for entry in &mut self.entries {
            entry.revents = 0;
        }
        if error.kind() == io::ErrorKind::Interrupted { Ok(()) } else { Err(error) }
    }

    /// One call of `ppoll`, and its result.
    fn poll(&mut self, time: Option<Duration>) -> libc::c_int {
        let count = self.entries.len() as libc::nfds_t;
        let at_most = time.map(timespec);
        let at_most = at_most.as_ref().map_or(ptr::null(), ptr::from_ref);
        // SAFETY: `entries` is an exclusively borrowed array of `count` elements; `at_most` is null or points
        // to a local that outlives the call; a null mask leaves the signals alone.
        unsafe { libc::ppoll(self.entries.as_mut_ptr(), count, at_most, ptr::null()) }
    }

    /// Waits as [`PollSet::wait`] does, and lets a scheduler decide who runs meanwhile.
    #[cfg(test)]
    fn wait_by(
        &mut self,
        scheduler: &dyn super::scheduler::Scheduler,
        until: Option<Instant>,
    ) -> io::Result<()> {
        // Time passes also for a caller that comes again at once, because a descriptor is always ready.
        scheduler.yield_now();
        while self.poll(Some(Duration::ZERO)) == 0 && until.is_none_or(|until| clock::now() < until) {
            scheduler.wait(until);
        }
        Ok(())
    }

    /// Finds which descriptors are ready now, without waiting.
    pub fn look(&mut self) -> io::Result<()> {
        self.wait(Some(clock::now()))
    }

    /// Whether the last wait found any descriptor ready.
    #[cfg(test)]
    pub fn is_any_ready(&self) -> bool {
        self.entries.iter().any(|entry| entry.revents != 0)
    }

    /// Whether the last wait found the descriptor ready. An error or the end counts as ready.
    pub fn ready(&self, token: Token) -> bool {
        self.entries.get(token.0).is_some_and(|entry| entry.revents != 0)
    }
}

fn timespec(time: Duration) -> libc::timespec {
    libc::timespec {
        tv_sec: libc::time_t::try_from(time.as_secs()).unwrap_or(libc::time_t::MAX),
        tv_nsec: time.subsec_nanos().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::net::UnixStream;

    #[test]
    fn only_the_descriptor_that_was_written_to_is_ready() {
        let (mut a, b) = UnixStream::pair().unwrap();
        let (_c, d) = UnixStream::pair().unwrap();
        a.write_all(b"x").unwrap();
        let mut set = PollSet::new();
        let (written, silent) = (set.add(&b, Interest::Read), set.add(&d, Interest::Read));
        set.wait(None).unwrap();
        assert!(set.ready(written) && !set.ready(silent));
    }

    #[test]
    fn a_hangup_is_told_from_data() {
        let (mut a, b) = UnixStream::pair().unwrap();
        a.write_all(b"x").unwrap();
        let mut set = PollSet::new();
        let token = set.add(&b, Interest::Hangup);
        set.wait(Some(clock::now())).unwrap();
        assert!(!set.ready(token));
        drop(a);
        set.wait(None).unwrap();
        assert!(set.ready(token));
    }
}
