//! Passes the ranks' output on, as whole lines with the rank in front.
//!
//! Every rank has two streams, standard output and standard error. Each kind of stream leads to one sink,
//! this process's own. Lines are assembled per stream, so lines of several ranks never mix.
//!
//! A sink that is not read fast enough stops the reading of its streams, and thereby the ranks, as if they
//! wrote to it themselves. Nothing here ever blocks, so signals and ends are always noticed. When nobody
//! reads a sink any more, its streams are closed, too, and ranks that go on writing get SIGPIPE. When a sink
//! cannot be written for another reason, such as a full disk, its streams are read and discarded while the
//! job is ended.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::process::Child;
use std::time::Duration;

use super::lines::Lines;
use super::rank_output::RankOutput;
use super::sink::Sink;
use crate::sys::poll::{self, Waiting};

/// Index of standard error: streams and sinks are in the order standard output, standard error.
const STDERR: usize = 1;
const KINDS: usize = 2;

/// Bytes read at a time: the capacity of a pipe, unless a process has enlarged it.
const READ: usize = 64 << 10;
/// Number of reads that empty a pipe: the kernel's usual limit on pipes is 1 MiB.
const READS_OF_A_PIPE: usize = 16;

/// All streams and both sinks.
pub struct Output {
    sinks: [Sink; KINDS],
    /// Standard output and error of rank 0, of rank 1, ...
    streams: Vec<Stream>,
    rank_output: RankOutput,
    buffer: Vec<u8>,
    /// Ranks whose first output has come since they were taken.
    new_speakers: Vec<usize>,
}

struct Stream {
    /// `None` once it has ended.
    pipe: Option<File>,
    prefix: Option<Vec<u8>>,
    lines: Lines,
    /// Whether something was read.
    has_spoken: bool,
}

impl Output {
    /// Takes over the output of the ranks, in order.
    pub fn of(children: &mut [Child], prefixed: bool) -> io::Result<Output> {
        let sinks = [Sink::stdout()?, Sink::stderr()?];
        let width = (children.len() - 1).to_string().len();
        let mut streams = Vec::with_capacity(KINDS * children.len());
        for (rank, child) in children.iter_mut().enumerate() {
            let out = child.stdout.take().map(OwnedFd::from);
            let err = child.stderr.take().map(OwnedFd::from);
            for (sink, pipe) in sinks.iter().zip([out, err]) {
                let prefix = prefixed.then(|| sink.prefix(rank, width));
                streams.push(Stream {
                    pipe: pipe.map(File::from),
                    prefix,
                    lines: Lines::default(),
                    has_spoken: false,
                });
            }
        }
        let rank_output = RankOutput::of(children.len());
        Ok(Output { sinks, streams, rank_output, buffer: vec![0; READ], new_speakers: Vec::new() })
    }

    /// Appends the descriptors to wait for.
    pub fn add_waiting(&self, waiting: &mut Vec<Waiting>) {
        waiting.extend(self.sinks.iter().map(Sink::waiting));
        waiting.extend(self.streams.iter().enumerate().map(|(at, stream)| match &stream.pipe {
            Some(pipe) if !self.sinks[at % KINDS].is_full() => poll::readable(pipe),
            _ => poll::nothing(),
        }));
    }

    /// Handles what is ready; `waiting` has the results of a poll on what [`Output::add_waiting`] appended.
    pub fn advance(&mut self, waiting: &[Waiting]) {
        for (at, waiting) in waiting[KINDS..].iter().enumerate() {
            if poll::is_ready(waiting) {
                self.read(at);
            }
        }
        for (kind, sink) in self.sinks.iter_mut().enumerate() {
            sink.write_what_fits();
            if sink.is_unread() {
                self.streams.iter_mut().skip(kind).step_by(KINDS).for_each(|stream| stream.pipe = None);
            }
        }
    }

    fn read(&mut self, at: usize) {
        let stream = &mut self.streams[at];
        let Some(pipe) = &mut stream.pipe else { return };
        match pipe.read(&mut self.buffer) {
            Ok(0) => self.end(at),
            Ok(n) => {
                if !std::mem::replace(&mut stream.has_spoken, true) {
                    self.new_speakers.push(at / KINDS);
                }
                let (sink, rank_output) = (&mut self.sinks[at % KINDS], &mut self.rank_output);
                let prefix = stream.prefix.as_deref();
                stream.lines.take(&self.buffer[..n], |line| pass_on(line, prefix, at, sink, rank_output));
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => self.end(at),
        }
    }

    fn end(&mut self, at: usize) {
        let stream = &mut self.streams[at];
        stream.pipe = None;
        let (sink, rank_output) = (&mut self.sinks[at % KINDS], &mut self.rank_output);
        let prefix = stream.prefix.as_deref();
        stream.lines.finish(|line| pass_on(line, prefix, at, sink, rank_output));
    }

    /// The ranks whose first output on a stream has come since the last call.
    pub fn take_new_speakers(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.new_speakers)
    }

    /// Whether every stream has ended.
    pub fn has_ended(&self) -> bool {
        self.streams.iter().all(|stream| stream.pipe.is_none())
    }

    /// Whether all received output has been written.
    pub fn is_written(&self) -> bool {
        self.sinks.iter().all(Sink::is_empty)
    }

    /// The sentence about output that cannot be written.
    pub fn refusal(&self) -> Option<String> {
        self.sinks.iter().find_map(Sink::refusal)
    }

    /// Stops waiting for output: takes what is in the pipes, and closes them.
    pub fn end_all(&mut self) {
        for at in 0..self.streams.len() {
            // A process that still writes could go on for ever; a pipe holds no more than a few reads.
            for _ in 0..READS_OF_A_PIPE {
                let Some(pipe) = &self.streams[at].pipe else { break };
                let mut waiting = [poll::readable(pipe)];
                if poll::poll(&mut waiting, Some(Duration::ZERO)).is_err() || !poll::is_ready(&waiting[0]) {
                    break;
                }
                self.read(at);
            }
            self.end(at);
        }
    }

    /// Returns what the ranks have written.
    pub fn into_rank_output(self) -> RankOutput {
        self.rank_output
    }
}

fn pass_on(line: &[u8], prefix: Option<&[u8]>, at: usize, sink: &mut Sink, rank_output: &mut RankOutput) {
    let Some(line) = rank_output.take(at / KINDS, at % KINDS == STDERR, line, prefix.is_some()) else {
        return;
    };
    match prefix {
        None => sink.put(&[&line]),
        Some(prefix) if line.ends_with(b"\n") => sink.put(&[prefix, &line]),
        Some(prefix) => sink.put(&[prefix, &line, b"\n"]),
    }
}
