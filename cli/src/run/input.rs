//! Standard input of rank 0.
//!
//! A file or a pipe is simply inherited. A terminal cannot be: rank 0 is not in the terminal's
//! foreground group, and would be stopped when it reads. So the launcher, which is, reads for it.

use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::os::fd::AsFd;
use std::process::{ChildStdin, Stdio};

use crate::sys::poll::{self, Waiting};
use crate::sys::process::in_foreground;

/// Bytes that a pipe which can be written takes without blocking.
const CHUNK: usize = libc::PIPE_BUF;

/// Feeds rank 0, if it needs feeding.
pub struct Input {
    relay: Option<Relay>,
}

struct Relay {
    terminal: File,
    rank: ChildStdin,
    /// Read from the terminal, not yet taken by the rank; at most one chunk.
    held: Vec<u8>,
    /// The launcher is in the background: reading would stop it. Looked at again on SIGCONT.
    background: bool,
}

impl Input {
    /// What to give to rank 0 at its start.
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

    /// What to wait for.
    pub fn waiting(&self) -> Waiting {
        match &self.relay {
            Some(relay) if !relay.held.is_empty() => poll::writable(&relay.rank),
            Some(relay) if !relay.background => poll::readable(&relay.terminal),
            _ => poll::nothing(),
        }
    }

    /// Moves one chunk one step on. Called when what was waited for is ready.
    pub fn advance(&mut self) {
        let Some(relay) = &mut self.relay else { return };
        let goes_on = if relay.held.is_empty() { relay.read() } else { relay.write() };
        if !goes_on {
            // The end of the input, or of the rank's interest: closing its pipe says so.
            self.relay = None;
        }
    }

    /// The launcher may be in the foreground again.
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
