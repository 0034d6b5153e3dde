//! The loop of an agent: passes on the ranks' output, their ends, and the launcher's messages to them.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, ChildStdin};
use std::time::Instant;

use super::frame::Frame;
use crate::run::lines::Lines;
use crate::run::other_mpi::OtherMpi;
use crate::run::sink::Sink;
use crate::run::takeover::Takeover;
use crate::sys::poll::{self, Waiting};
use crate::sys::process::{Pid, ended, signal_group};
use crate::sys::signal::SignalQueue;

/// Bytes read at a time.
const READ: usize = 64 << 10;
/// Index of the first pipe of the ranks in the list of descriptors. Before it come the launcher, signals, the
/// stream to the launcher, rank 0's input, and the reports about NCCL or MPI.
const FIRST_PIPE: usize = 5;

/// The ranks of this host.
pub struct RanksHere {
    first: u32,
    children: Vec<Child>,
    ended: Vec<bool>,
    /// Standard output and error of each rank; `None` once a stream has ended.
    pipes: Vec<(Option<File>, Lines)>,
    /// For each of them, whether something was read.
    has_spoken: Vec<bool>,
    input: Option<ChildStdin>,
    input_pending: Vec<u8>,
    input_ends: bool,
    signals: SignalQueue,
    takeover: Option<Takeover>,
    other_mpi: OtherMpi,
    launcher: Sink,
    quiet: bool,
}

impl RanksHere {
    /// Takes over the ranks that were started; `first` is the first of them.
    pub fn new(
        first: u32,
        mut children: Vec<Child>,
        signals: SignalQueue,
        takeover: Option<Takeover>,
        other_mpi: OtherMpi,
    ) -> io::Result<RanksHere> {
        let mut pipes = Vec::new();
        for child in &mut children {
            let out = child.stdout.take().map(OwnedFd::from);
            let err = child.stderr.take().map(OwnedFd::from);
            pipes.extend([out, err].map(|pipe| (pipe.map(File::from), Lines::default())));
        }
        let input = children.first_mut().and_then(|child| child.stdin.take());
        Ok(RanksHere {
            first,
            ended: vec![false; children.len()],
            children,
            has_spoken: vec![false; pipes.len()],
            pipes,
            input,
            input_pending: Vec::new(),
            input_ends: false,
            signals,
            takeover,
            other_mpi,
            launcher: Sink::stdout()?,
            quiet: false,
        })
    }

    /// Runs until the launcher has gone or wants no more. When this returns, no process is left in the ranks'
    /// groups.
    pub fn run_until_told_to_end(mut self) -> io::Result<()> {
        let mut stdin = File::from(io::stdin().as_fd().try_clone_to_owned()?);
        let mut buffer = vec![0; READ];
        let mut waiting: Vec<Waiting> = Vec::new();
        self.launcher.put(&[&Frame::Started.to_bytes()]);
        self.look_for_ends()?;
        let (mut received, mut connected) = (Vec::new(), true);
        while connected && !self.launcher.has_failed() {
            waiting.clear();
            self.add_waiting(&stdin, &mut waiting);
            let now = Instant::now();
            let until = self.other_mpi.next_look().map(|at| at.saturating_duration_since(now));
            poll::poll(&mut waiting, until)?;
            self.children.first().iter().for_each(|child| self.other_mpi.look_if_due(child.id() as Pid));
            self.pass_on_remark();
            if poll::is_ready(&waiting[1]) {
                while self.signals.next()?.is_some() {}
                self.look_for_ends()?;
            }
            if poll::is_ready(&waiting[3]) {
                self.feed();
            }
            if poll::is_ready(&waiting[4]) {
                self.pass_on_usage_reports()?;
            }
            for at in 0..self.pipes.len() {
                if poll::is_ready(&waiting[FIRST_PIPE + at]) {
                    self.read(at, &mut buffer);
                }
            }
            if poll::is_ready(&waiting[0]) {
                let n = stdin.read(&mut buffer)?;
                received.extend_from_slice(&buffer[..n]);
                connected = n > 0 && self.obey(&mut received);
            }
            if !self.quiet
                && self.ended.iter().all(|ended| *ended)
                && self.pipes.iter().all(|(p, _)| p.is_none())
            {
                self.quiet = true;
                self.launcher.put(&[&Frame::Quiet.to_bytes()]);
            }
            self.launcher.write_what_fits();
        }
        for child in &mut self.children {
            signal_group(child.id() as Pid, libc::SIGKILL);
            child.wait()?;
        }
        Ok(())
    }

    fn add_waiting(&self, stdin: &File, waiting: &mut Vec<Waiting>) {
        waiting.extend([poll::readable(stdin), poll::readable(&self.signals), self.launcher.waiting()]);
        waiting.push(match &self.input {
            Some(input) if !self.input_pending.is_empty() => poll::writable(input),
            _ => poll::nothing(),
        });
        waiting
            .push(self.takeover.as_ref().map_or_else(poll::nothing, |takeover| takeover.reports.waiting()));
        waiting.extend(self.pipes.iter().map(|(pipe, _)| match pipe {
            Some(pipe) if !self.launcher.is_full() => poll::readable(pipe),
            _ => poll::nothing(),
        }));
    }

    /// Carries out the launcher's messages. `false`: they are not valid, so there is no launcher any more.
    fn obey(&mut self, received: &mut Vec<u8>) -> bool {
        let Ok(frames) = Frame::take_all(received) else { return false };
        for frame in frames {
            match frame {
                Frame::Signal(signal) => {
                    self.children.iter().for_each(|child| signal_group(child.id() as Pid, signal));
                }
                Frame::Input { bytes, .. } => {
                    self.input_ends |= bytes.is_empty();
                    self.input_pending.extend(bytes);
                    self.end_input_if_due();
                }
                _ => return false,
            }
        }
        true
    }

    fn feed(&mut self) {
        let Some(input) = &mut self.input else { return };
        let chunk = self.input_pending.len().min(libc::PIPE_BUF);
        let taken = match input.write(&self.input_pending[..chunk]) {
            Ok(n) => n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
            Err(_) => {
                // The rank reads no more: the rest and all later input is discarded.
                self.input = None;
                self.input_pending.len()
            }
        };
        self.input_pending.drain(..taken);
        let taken = Frame::Taken { rank: self.first, bytes: taken as u32 };
        self.launcher.put(&[&taken.to_bytes()]);
        self.end_input_if_due();
    }

    fn end_input_if_due(&mut self) {
        if self.input_ends && self.input_pending.is_empty() {
            self.input = None;
        }
    }

    fn read(&mut self, at: usize, buffer: &mut [u8]) {
        let (pipe, lines) = &mut self.pipes[at];
        let Some(file) = pipe else { return };
        let launcher = &mut self.launcher;
        let (rank, kind) = (self.first + (at / 2) as u32, at % 2);
        let pass_on =
            |line: &[u8]| launcher.put(&[&Frame::Line { rank, kind, bytes: line.to_vec() }.to_bytes()]);
        match file.read(buffer) {
            Ok(n) if n > 0 => {
                lines.take(&buffer[..n], pass_on);
                if !std::mem::replace(&mut self.has_spoken[at], true) {
                    self.other_mpi.look_at(self.children[at / 2].id() as Pid);
                    self.pass_on_remark();
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            _ => {
                lines.finish(pass_on);
                *pipe = None;
            }
        }
    }

    fn pass_on_remark(&mut self) {
        if let Some(text) = self.other_mpi.take_remark() {
            self.launcher.put(&[&Frame::Remark(text).to_bytes()]);
        }
    }

    fn pass_on_usage_reports(&mut self) -> io::Result<()> {
        let Some(Takeover { reports, method, .. }) = &self.takeover else { return Ok(()) };
        for report in reports.read_new()? {
            let json = serde_json::to_vec(&(report, method)).map_err(io::Error::other)?;
            self.launcher.put(&[&Frame::Usage(json).to_bytes()]);
        }
        Ok(())
    }

    fn look_for_ends(&mut self) -> io::Result<()> {
        let mut found = Vec::new();
        for (at, child) in self.children.iter().enumerate() {
            let pid = child.id() as Pid;
            if self.ended[at] {
                continue;
            }
            if let Some(ending) = ended(pid)? {
                self.ended[at] = true;
                let end = Frame::Ended { rank: self.first + at as u32, pid, ending };
                found.extend(end.to_bytes());
            }
        }
        if !found.is_empty() {
            // Reports about a rank must come before its end.
            self.pass_on_usage_reports()?;
            self.other_mpi.note_end();
            self.pass_on_remark();
            self.launcher.put(&[&found]);
        }
        Ok(())
    }
}
