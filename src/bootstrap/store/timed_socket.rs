//! A connection on which one side asks and waits for the answer, by a deadline.

use std::io;
use std::time::Instant;

use crate::base::{Error, Result};
use crate::sys::clock;
use crate::sys::poll::{Interest, PollSet};
use crate::sys::socket::Socket;

/// A socket that does not block, with the sentences for the two ways in which its other side can fail.
pub(super) struct TimedSocket {
    pub socket: Socket,
    /// The other side has closed.
    pub gone: &'static str,
    /// The other side says nothing.
    pub silent: &'static str,
}

impl TimedSocket {
    /// Writes all of `bytes`. `since` is when the caller began to wait.
    pub fn write_all(&self, mut bytes: &[u8], since: Instant, until: Instant) -> Result<()> {
        while !bytes.is_empty() {
            match self.socket.write(bytes).map_err(|error| self.lost(error))? {
                Some(written) => bytes = &bytes[written..],
                None => self.wait(Interest::Write, since, until)?,
            }
        }
        Ok(())
    }

    /// Reads what is there, at least one byte, and returns how many.
    pub fn read(&self, buffer: &mut [u8], since: Instant, until: Instant) -> Result<usize> {
        loop {
            match self.socket.read(buffer).map_err(|error| self.lost(error))? {
                Some(0) => return Err(self.lost(io::ErrorKind::ConnectionReset.into())),
                Some(read) => return Ok(read),
                None => self.wait(Interest::Read, since, until)?,
            }
        }
    }

    fn wait(&self, interest: Interest, since: Instant, until: Instant) -> Result<()> {
        if clock::now() >= until {
            return Err(Error::Timeout { waited: clock::since(since), detail: self.silent.into() });
        }
        let mut set = PollSet::new();
        set.add(&self.socket, interest);
        set.wait(Some(until)).map_err(|e| Error::system("poll", e))
    }

    fn lost(&self, source: io::Error) -> Error {
        Error::system(self.gone, source)
    }
}
