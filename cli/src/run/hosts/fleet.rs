//! The launcher's side of ranks on other hosts: a crew with one agent per host.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use super::far_agent::Agent;
use super::frame::Frame;
use super::host_list::HostRanks;
use super::setup::Common;
use crate::facade::method::Method;
use crate::facade::usage::UsageReport;
use crate::failure::Failure;
use crate::run::crew::{Crew, End};
use crate::run::rank_output::RankOutput;
use crate::run::report::{Loss, RankRecord};
use crate::run::sink::Sink;
use crate::sys::poll::{self, Waiting};
use crate::sys::process::{Ending, Pid, in_foreground, signal_group};

/// Upper limit of the input that is on its way to rank 0.
const INPUT_AHEAD: usize = 256 << 10;
/// Time after the job in which agents must end their ranks and themselves.
const LEAVE: Duration = Duration::from_secs(2);
const STDERR: usize = 1;

/// Starts an agent for each place and sends it its order.
pub fn start(common: &Common<'_>, places: Vec<HostRanks>) -> Result<Fleet, Failure> {
    let world = places.last().map_or(0, |place| place.ranks.end);
    let agents =
        places.into_iter().map(|place| Agent::start(common, place, world)).collect::<Result<Vec<_>, _>>()?;
    Fleet::new(agents, world as usize, !common.arguments.no_prefix)
        .map_err(|error| Failure::own(format_args!("cannot look after the ranks: {error}")))
}

/// All agents.
pub struct Fleet {
    agents: Vec<Agent>,
    sinks: [Sink; 2],
    /// Prefixes by rank and kind of stream.
    prefixes: Option<Vec<[Vec<u8>; 2]>>,
    rank_output: RankOutput,
    ends: Vec<End>,
    reports: Vec<(UsageReport, Method)>,
    losses: VecDeque<Loss>,
    /// The remark of the first agent that had one, until it is told.
    remark: Option<String>,
    has_remark: bool,
    /// This command's standard input, until its end.
    input: Option<File>,
    input_ahead: usize,
    /// Whether this command is in the background: reading from the terminal would stop it.
    background: bool,
    /// Whether nobody reads our output any more; the ranks have been told.
    unread: bool,
}

impl Fleet {
    fn new(agents: Vec<Agent>, world: usize, prefixed: bool) -> io::Result<Fleet> {
        let sinks = [Sink::stdout()?, Sink::stderr()?];
        let width = world.saturating_sub(1).to_string().len();
        let of_rank = |rank| [sinks[0].prefix(rank, width), sinks[1].prefix(rank, width)];
        let prefixes = prefixed.then(|| (0..world).map(of_rank).collect());
        let input = Some(File::from(io::stdin().as_fd().try_clone_to_owned()?));
        Ok(Fleet {
            agents,
            sinks,
            prefixes,
            rank_output: RankOutput::of(world),
            ends: Vec::new(),
            reports: Vec::new(),
            losses: VecDeque::new(),
            remark: None,
            has_remark: false,
            input,
            input_ahead: 0,
            background: false,
            unread: false,
        })
    }

    fn accept_frame(&mut self, at: usize, frame: Frame) {
        let agent = &mut self.agents[at];
        match frame {
            Frame::Line { rank, kind, bytes } if agent.has(rank) => {
                let rank = rank as usize;
                let prefixed = self.prefixes.is_some();
                let Some(bytes) = self.rank_output.take(rank, kind == STDERR, &bytes, prefixed) else {
                    return;
                };
                match self.prefixes.as_ref().map(|prefixes| &prefixes[rank][kind][..]) {
                    None => self.sinks[kind].put(&[&bytes]),
                    Some(prefix) if bytes.ends_with(b"\n") => self.sinks[kind].put(&[prefix, &bytes]),
                    Some(prefix) => self.sinks[kind].put(&[prefix, &bytes, b"\n"]),
                }
            }
            Frame::Ended { rank, pid, ending } if agent.has(rank) => {
                agent.ended[(rank - agent.ranks.start) as usize] = true;
                self.ends.push(End { rank: rank as usize, pid, ending, was_started: true });
            }
            Frame::Started => agent.has_started = true,
            Frame::Taken { bytes, .. } => self.input_ahead = self.input_ahead.saturating_sub(bytes as usize),
            Frame::Usage(json) => match serde_json::from_slice::<(UsageReport, Method)>(&json) {
                Ok((mut report, method)) => {
                    report.who += &format!(" on {}", agent.host);
                    self.reports.push((report, method));
                }
                Err(_) => self.lose(at, 1, "its agent says what makes no sense".into()),
            },
            Frame::Remark(text) => {
                // The program is the same everywhere, so one remark says enough.
                if !std::mem::replace(&mut self.has_remark, true) {
                    self.remark = Some(format!("host {}: {text}", agent.host));
                }
            }
            Frame::Quiet => agent.quiet = true,
            Frame::Failed { code, text } => self.lose(at, code, text),
            _ => self.lose(at, 1, "its agent says what makes no sense".into()),
        }
    }

    /// Gives a host up. Its ranks count as killed; the agent's end or its watchdog kills them.
    fn lose(&mut self, at: usize, code: u8, why: String) {
        let agent = &mut self.agents[at];
        if agent.quiet {
            return;
        }
        agent.quiet = true;
        agent.stdin = None;
        self.losses.push_back(Loss { code, text: format!("host {}: {why}", agent.host) });
        let ending = Ending::Signal { number: libc::SIGKILL, core: false };
        for (rank, ended) in agent.ranks.clone().zip(&mut agent.ended).filter(|(_, ended)| !**ended) {
            *ended = true;
            self.ends.push(End { rank: rank as usize, pid: 0, ending, was_started: agent.has_started });
        }
    }

    fn read_input(&mut self) {
        let Some(input) = &mut self.input else { return };
        if input.is_terminal() && !in_foreground(input) {
            self.background = true;
            return;
        }
        let mut bytes = vec![0; libc::PIPE_BUF];
        match input.read(&mut bytes) {
            Ok(n) => {
                bytes.truncate(n);
                self.input_ahead += n;
                self.agents[0].say(&Frame::Input { rank: 0, bytes });
                if n == 0 {
                    self.input = None;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => self.input = None,
        }
    }
}

impl Crew for Fleet {
    fn records(&self) -> Vec<RankRecord> {
        let of = |agent: &Agent| {
            agent.ranks.clone().map(|_| RankRecord::new(0, Some(agent.host.clone()))).collect()
        };
        self.agents.iter().flat_map::<Vec<RankRecord>, _>(of).collect()
    }

    fn add_waiting(&self, waiting: &mut Vec<Waiting>) {
        waiting.push(match &self.input {
            Some(input) if self.input_ahead < INPUT_AHEAD && !self.background => poll::readable(input),
            _ => poll::nothing(),
        });
        waiting.extend(self.sinks.iter().map(Sink::waiting));
        let full = self.sinks.iter().any(Sink::is_full);
        for agent in &self.agents {
            waiting.push(match &agent.stdout {
                Some(stdout) if !full => poll::readable(stdout),
                _ => poll::nothing(),
            });
            waiting.push(match &agent.stdin {
                Some(stdin) if !agent.outgoing.is_empty() => poll::writable(stdin),
                _ => poll::nothing(),
            });
        }
    }

    fn advance(&mut self, waiting: &[Waiting]) -> io::Result<()> {
        if poll::is_ready(&waiting[0]) {
            self.read_input();
        }
        for at in 0..self.agents.len() {
            if poll::is_ready(&waiting[3 + 2 * at + 1]) {
                self.agents[at].write();
            }
            if poll::is_ready(&waiting[3 + 2 * at]) {
                let (frames, end) = self.agents[at].read();
                frames.into_iter().for_each(|frame| self.accept_frame(at, frame));
                if let Some(why) = end {
                    self.lose(at, 1, why);
                }
            }
        }
        self.sinks.iter_mut().for_each(Sink::write_what_fits);
        if !self.unread && self.sinks.iter().any(Sink::is_unread) {
            // On this host, ranks get this signal by a pipe whose reader has gone.
            self.unread = true;
            self.signal_all(libc::SIGPIPE);
        }
        Ok(())
    }

    fn look(&mut self) -> io::Result<()> {
        // An agent's end shows as the end of its output.
        Ok(())
    }

    fn take_ends(&mut self) -> Vec<End> {
        std::mem::take(&mut self.ends)
    }

    fn signal_all(&mut self, signal: i32) {
        self.agents.iter_mut().for_each(|agent| agent.say(&Frame::Signal(signal)));
    }

    fn continued(&mut self) {
        self.background = false;
    }

    fn output_has_ended(&self) -> bool {
        self.agents.iter().all(|agent| agent.quiet)
    }

    fn output_is_written(&self) -> bool {
        self.sinks.iter().all(Sink::is_empty)
    }

    fn output_refusal(&self) -> Option<String> {
        self.sinks.iter().find_map(Sink::refusal)
    }

    fn end_output(&mut self) {
        self.agents.iter_mut().for_each(|agent| agent.quiet = true);
    }

    fn take_loss(&mut self) -> Option<Loss> {
        self.losses.pop_front()
    }

    fn take_usage_reports(&mut self) -> io::Result<Vec<(UsageReport, Method)>> {
        Ok(std::mem::take(&mut self.reports))
    }

    fn take_remark(&mut self) -> Option<String> {
        self.remark.take()
    }

    fn finish(mut self: Box<Self>) -> io::Result<RankOutput> {
        // The end of its input tells an agent to end the remaining ranks, and itself.
        self.agents.iter_mut().for_each(|agent| agent.stdin = None);
        let until = Instant::now() + LEAVE;
        for agent in &mut self.agents {
            if let Some(stdout) = agent.stdout.take() {
                await_end(stdout, until)?;
            }
            signal_group(agent.child.id() as Pid, libc::SIGKILL);
            agent.child.wait()?;
        }
        Ok(self.rank_output)
    }
}

/// Reads to the end of the stream, or until the deadline.
fn await_end(mut stdout: File, until: Instant) -> io::Result<()> {
    let mut buffer = [0; 4096];
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let mut waiting = [poll::readable(&stdout)];
        poll::poll(&mut waiting, Some(left))?;
        if !poll::is_ready(&waiting[0]) || !matches!(stdout.read(&mut buffer), Ok(1..)) {
            return Ok(());
        }
    }
}
