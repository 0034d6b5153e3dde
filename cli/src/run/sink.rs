//! Standard output or standard error of this process, written without ever blocking.
//!
//! The descriptor is shared with the process that started this one, so it cannot be made non-blocking. A pipe
//! or terminal that poll reports as writable takes at least PIPE_BUF bytes.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::time::Duration;

use crate::color;
use crate::output::{cannot_write, closed};
use crate::sys::poll::{self, Waiting};

/// Number of unwritten bytes above which nothing more is read for this sink.
const FULL: usize = 256 << 10;

/// Colours of ranks on a terminal. They are readable on dark and on light background; red is reserved for
/// errors.
const COLOURS: [u8; 6] = [36, 32, 33, 35, 34, 96];

/// The destination of the lines of all ranks.
pub struct Sink {
    file: File,
    pending: Vec<u8>,
    written: usize,
    /// Bytes of one write that does not block.
    chunk: usize,
    colour: bool,
    failure: Option<SinkFailure>,
    name: &'static str,
    /// The sentence, if this process was started without the stream. The descriptor then leads nowhere.
    closed: Option<String>,
}

/// Why nothing more is written.
enum SinkFailure {
    /// Nobody reads any more.
    Unread,
    /// The system refuses, for instance because a disk is full. This is the sentence.
    Refused(String),
}

impl Sink {
    /// This process's standard output.
    pub fn stdout() -> io::Result<Sink> {
        Sink::of("standard output", io::stdout().as_fd(), color::is_wanted(&io::stdout()))
    }

    /// This process's standard error.
    pub fn stderr() -> io::Result<Sink> {
        Sink::of("standard error", io::stderr().as_fd(), color::is_wanted(&io::stderr()))
    }

    fn of(name: &'static str, fd: BorrowedFd<'_>, colour: bool) -> io::Result<Sink> {
        let file = File::from(fd.try_clone_to_owned()?);
        // A write to a disk ends in any case; only another process that reads can keep us waiting for ever.
        let chunk = if file.metadata()?.is_file() { usize::MAX } else { libc::PIPE_BUF };
        let closed = closed(name, fd.as_raw_fd());
        Ok(Sink { file, pending: Vec::new(), written: 0, chunk, colour, failure: None, name, closed })
    }

    /// The prefix of the lines of `rank`, with the number `width` digits wide.
    pub fn prefix(&self, rank: usize, width: usize) -> Vec<u8> {
        if self.colour {
            let colour = COLOURS[rank % COLOURS.len()];
            format!("\x1b[{colour}m[{rank:width$}]\x1b[0m ").into_bytes()
        } else {
            format!("[{rank:width$}] ").into_bytes()
        }
    }

    /// Adds one line, given in parts. After a failure it is lost.
    pub fn put(&mut self, parts: &[&[u8]]) {
        if let Some(closed) = self.closed.take() {
            self.failure = Some(SinkFailure::Refused(closed));
        }
        if self.failure.is_none() {
            parts.iter().for_each(|part| self.pending.extend_from_slice(part));
        }
    }

    /// The descriptor to wait for.
    pub fn waiting(&self) -> Waiting {
        if self.is_empty() { poll::nothing() } else { poll::writable(&self.file) }
    }

    /// Writes as much as possible without blocking.
    pub fn write_what_fits(&mut self) {
        while !self.is_empty() && self.is_writable() {
            let rest = &self.pending[self.written..];
            match self.file.write(&rest[..rest.len().min(self.chunk)]) {
                Ok(n) => self.written += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Another process made it non-blocking: try again when poll says so.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => {
                    self.failure = Some(match error.kind() {
                        io::ErrorKind::BrokenPipe => SinkFailure::Unread,
                        _ => SinkFailure::Refused(cannot_write(self.name, &error)),
                    });
                    self.written = self.pending.len();
                }
            }
        }
        // Moving the rest to the front costs its length, so it is done only when as much has been written.
        if self.is_empty() || self.written > FULL {
            self.pending.drain(..self.written);
            self.written = 0;
        }
    }

    fn is_writable(&self) -> bool {
        let mut waiting = [poll::writable(&self.file)];
        // If poll cannot tell, the write will.
        poll::poll(&mut waiting, Some(Duration::ZERO)).is_err() || poll::is_ready(&waiting[0])
    }

    /// Whether nothing is left to write.
    pub fn is_empty(&self) -> bool {
        self.written == self.pending.len()
    }

    /// Whether so much is left to write that no more should be added.
    pub fn is_full(&self) -> bool {
        self.pending.len() - self.written > FULL
    }

    /// Whether writing has failed because nobody reads any more.
    pub fn is_unread(&self) -> bool {
        matches!(self.failure, Some(SinkFailure::Unread))
    }

    /// Whether writing has failed, for whatever reason.
    pub fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// The sentence about a write that the system has refused.
    pub fn refusal(&self) -> Option<String> {
        match &self.failure {
            Some(SinkFailure::Refused(sentence)) => Some(sentence.clone()),
            _ => None,
        }
    }
}
