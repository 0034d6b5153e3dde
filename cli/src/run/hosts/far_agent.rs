//! The launcher's end of the connection to one agent.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Write};
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use super::frame::Frame;
use super::host_list::HostRanks;
use super::order::Order;
use super::setup::Common;
use crate::failure::Failure;
use crate::mpiexec::placement::is_here;
use crate::remote::{self, SSH, own_path, quoted, words};
use crate::run::arguments::{Bind, OWN_VARIABLES};
use crate::sys::child::{Orders, prepare};
use crate::sys::process::{Pid, ended};

/// Bytes read at a time.
const READ: usize = 64 << 10;

/// The agent of one host, and the command that leads to it.
pub struct Agent {
    /// Name of the host, as the user wrote it.
    pub host: String,
    /// Its ranks.
    pub ranks: Range<u32>,
    /// Whether it has said that its ranks have been started.
    pub has_started: bool,
    /// For each rank of this host, whether it has ended.
    pub ended: Vec<bool>,
    /// Whether no more lines can arrive.
    pub quiet: bool,
    /// The command that leads to it.
    pub child: Child,
    /// Closed when the agent must end.
    pub stdin: Option<ChildStdin>,
    /// `None` once the stream has ended.
    pub stdout: Option<File>,
    /// Bytes on their way to the agent.
    pub outgoing: VecDeque<u8>,
    incoming: Vec<u8>,
    /// Path of the tool on the host.
    program: String,
    /// Whether ssh leads there.
    by_ssh: bool,
}

impl Agent {
    /// Starts the agent and sends it its order.
    pub fn start(common: &Common<'_>, place: HostRanks, world: u32) -> Result<Agent, Failure> {
        let arguments = common.arguments;
        let program = arguments.remote_anyccl.clone().map_or_else(own_path, Ok)?;
        let agent = format!("{} agent", quoted(&program));
        // This host needs no ssh.
        let is_direct = arguments.launcher == SSH && is_here(&place.host);
        let launcher = if is_direct { "sh -c {cmd}" } else { &arguments.launcher };
        let words = words(launcher, &place.host, &agent).map_err(|text| Failure { code: 2, text })?;
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let orders = Orders {
            watchdog: common.watchdog.descriptor(),
            cpus: None,
            files: common.files,
            mask: common.mask,
        };
        prepare(&mut command, orders);
        let mut child = command.spawn().map_err(|error| Failure {
            code: 1,
            text: format!("cannot start \"{}\" for host {}: {error}", words[0], place.host),
        })?;
        let (stdin, stdout) =
            (child.stdin.take(), child.stdout.take().map(|out| File::from(OwnedFd::from(out))));
        let count = place.ranks.len();
        let mut agent = Agent {
            host: place.host,
            ranks: place.ranks,
            has_started: false,
            ended: vec![false; count],
            quiet: false,
            child,
            stdin,
            stdout,
            outgoing: VecDeque::new(),
            incoming: Vec::new(),
            program,
            by_ssh: launcher == SSH,
        };
        let order = agent.order(common, world)?;
        agent.say(&Frame::Order(order));
        Ok(agent)
    }

    fn order(&self, common: &Common<'_>, world: u32) -> Result<Vec<u8>, Failure> {
        let arguments = common.arguments;
        let text = |word: &std::ffi::OsString| {
            let text = word.to_str().map(str::to_string);
            text.ok_or_else(|| {
                Failure::own(format_args!("{}: only UTF-8 reaches other hosts", word.display()))
            })
        };
        let own = |name: &str| OWN_VARIABLES.contains(&name);
        let mut environment: Vec<(String, String)> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .filter(|(name, _)| name.starts_with("ANYCCL_") && !own(name))
            .collect();
        environment.extend(arguments.env.iter().cloned());
        environment.extend(common.environment.iter().cloned());
        let order = Order {
            version: anyccl_engine::base::VERSION.to_string(),
            first: self.ranks.start,
            count: self.ranks.len() as u32,
            world,
            stores: common.stores.clone(),
            key: common.key,
            environment,
            folder: std::env::current_dir().map(|path| path.display().to_string()).unwrap_or_default(),
            facade: arguments.facade(),
            facade_is_implied: arguments.facade_is_implied,
            by: arguments.by,
            fake_gpus: arguments.fake_gpus,
            bind: matches!(arguments.bind, Bind::Core),
            command: arguments.command.iter().map(text).collect::<Result<_, _>>()?,
        };
        serde_json::to_vec(&order).map_err(Failure::own)
    }

    /// Whether a rank runs on this agent's host.
    pub fn has(&self, rank: u32) -> bool {
        self.ranks.contains(&rank)
    }

    /// Queues a frame.
    pub fn say(&mut self, frame: &Frame) {
        if self.stdin.is_some() {
            self.outgoing.extend(frame.to_bytes());
        }
    }

    /// Writes as much as is certain to fit. The end of its output shows that an agent is gone.
    pub fn write(&mut self) {
        let Some(stdin) = &mut self.stdin else { return };
        let chunk = self.outgoing.make_contiguous();
        match stdin.write(&chunk[..chunk.len().min(libc::PIPE_BUF)]) {
            Ok(n) => drop(self.outgoing.drain(..n)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => self.stdin = None,
        }
    }

    /// The frames that have arrived, and the reason if no more can arrive.
    pub fn read(&mut self) -> (Vec<Frame>, Option<String>) {
        let Some(stdout) = &mut self.stdout else { return (Vec::new(), None) };
        let mut buffer = vec![0; READ];
        let mut end = None;
        match stdout.read(&mut buffer) {
            Ok(0) => end = Some(self.why_gone()),
            Ok(n) => self.incoming.extend_from_slice(&buffer[..n]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => end = Some(format!("cannot read from its agent: {error}")),
        }
        let frames = Frame::take_all(&mut self.incoming).unwrap_or_else(|_| {
            let said = String::from_utf8_lossy(&self.incoming[..self.incoming.len().min(80)]).into_owned();
            end = Some(format!("something other than its agent answers: {said:?}"));
            Vec::new()
        });
        if end.is_some() {
            self.stdout = None;
        }
        (frames, end)
    }

    fn why_gone(&mut self) -> String {
        let pid = self.child.id() as Pid;
        // The command ends at most a moment after its output.
        let until = Instant::now() + Duration::from_millis(200);
        loop {
            match ended(pid) {
                Ok(Some(ending)) => {
                    let code = ending.code();
                    return format!(
                        "the command that leads to its agent has ended, code {code}{}",
                        remote::what_to_try(code, &self.host, &self.program, self.by_ssh)
                    );
                }
                Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(5)),
                _ => return "its agent has closed the connection".into(),
            }
        }
    }
}
