//! Standard input of rank 0.
//!
//! Rank 0 inherits a file or a pipe. It cannot inherit a terminal: it is not in the terminal's foreground
//! group, and would be stopped when it reads. So the launcher, which is in that group, reads for it.

use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::os::fd::AsFd;
use std::process::{ChildStdin, Stdio};

use crate::sys::poll::{self, Waiting};
use crate::sys::process::in_foreground;

/// Number of bytes that a writable pipe takes without blocking.
const CHUNK: usize = libc::PIPE_BUF;

/// The relay to rank 0, if it needs one.
pub struct Input {
    relay: Option<Relay>,
}

struct Relay {
    terminal: File,
    rank: ChildStdin,
    /// Bytes read from the terminal and not yet taken by the rank; at most one chunk.
    held: Vec<u8>,
    /// Whether the launcher is in the background: reading would stop it. Checked again on SIGCONT.
    background: bool,
}

impl Input {
    /// The standard input to give to rank 0 at its start.
    pub fn of_rank_0() -> Stdio {
        if io::stdin().is_terminal() { Stdio::piped() } else { Stdio::inherit() }
    }

    /// Feeds `rank` if it was given a pipe.
    pub fn new(rank: Option<ChildStdin>) -> Input {
        let relay = rank.and_then(|rank| {
            let terminal = File::from(io::stdin().as_fd().try_clone_to_owned().ok()?);
            Some(Relay { terminal, rank, held: Vec::new(), background: false })
        });
        Input { relay }
    }

    /// The descriptor to wait for.
    pub fn waiting(&self) -> Waiting {
        match &self.relay {
            Some(relay) if !relay.held.is_empty() => poll::writable(&relay.rank),
            Some(relay) if !relay.background => poll::readable(&relay.terminal),
            _ => poll::nothing(),
        }
    }

    /// Moves one chunk one step further. Called when the descriptor is ready.
    pub fn advance(&mut self) {
        let Some(relay) = &mut self.relay else { return };
        let goes_on = if relay.held.is_empty() { relay.read() } else { relay.write() };
        if !goes_on {
            // Either the input has ended, or the rank reads no more: closing its pipe tells it.
            self.relay = None;
        }
    }

    /// Notes that the launcher may be in the foreground again.
    pub fn continued(&mut self) {
        if let Some(relay) = &mut self.relay {
            relay.background = false;
        }
    }
}

impl Relay {
    fn read(&mut self) -> bool {
        if !in_foreground(&self.terminal) {
            self.background = true;
            return true;
        }
        let mut chunk = [0; CHUNK];
        match self.terminal.read(&mut chunk) {
            Ok(0) => false,
            Ok(n) => {
                self.held.extend_from_slice(&chunk[..n]);
                true
            }
            Err(error) => error.kind() == io::ErrorKind::Interrupted,
        }
    }

    fn write(&mut self) -> bool {
        match self.rank.write(&self.held) {
            Ok(n) => {
                self.held.drain(..n);
                true
            }
            Err(error) => error.kind() == io::ErrorKind::Interrupted,
        }
    }
}
