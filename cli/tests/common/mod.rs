//! Helpers to run the tool, and to wait for events instead of time.

pub mod fake_gpus;
mod folder;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::os::fd::FromRawFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

pub use folder::Folder;

/// `anyccl` with these arguments.
pub fn anyccl(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_anyccl"));
    command.args(arguments).stdin(Stdio::null());
    let default_interrupt = || {
        // A test run in the background may ignore this signal.
        // SAFETY: touches no memory, and may be called between fork and exec.
        unsafe { libc::signal(libc::SIGINT, libc::SIG_DFL) };
        Ok(())
    };
    // SAFETY: the closure makes one system call: no allocation, no lock.
    unsafe { command.pre_exec(default_interrupt) };
    command
}

/// A terminal of 80 columns: what is shown on it, and the end for a program.
pub fn terminal() -> (File, File) {
    let (mut screen, mut program) = (-1, -1);
    let size = libc::winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
    let null = std::ptr::null_mut();
    // SAFETY: the first two pointers are to numbers that openpty writes; the name and the settings may be
    // NULL; the size is only read.
    let opened = unsafe { libc::openpty(&mut screen, &mut program, null, null.cast(), &size) };
    assert_eq!(opened, 0, "no terminal");
    // SAFETY: openpty has opened both descriptors, and nobody else has them.
    [screen, program].map(|fd| unsafe { File::from_raw_fd(fd) }).into()
}

/// The output of a tool that has ended.
pub struct Finished {
    pub status: ExitStatus,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Finished {
    /// The exit code. The test fails if a signal has ended the tool.
    pub fn code(&self) -> i32 {
        let signal = self.status.signal();
        self.status.code().unwrap_or_else(|| panic!("ended by signal {signal:?}; stderr:\n{}", self.stderr))
    }

    /// Lines of standard output, sorted, because the order of different ranks is undefined.
    pub fn sorted_lines(&self) -> Vec<String> {
        let text = String::from_utf8_lossy(&self.stdout);
        let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
        lines.sort();
        lines
    }
}

/// Runs a command to its end.
pub fn finish(mut command: Command) -> Finished {
    let output = command.output().expect("the tool can be started");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    Finished { status: output.status, stdout: output.stdout, stderr }
}

/// Runs `script` with sh on `ranks` ranks. A hanging job becomes a wrong exit code.
pub fn run_script(ranks: usize, options: &[&str], script: &str) -> Finished {
    finish(script_command(ranks, options, script))
}

/// Like [`run_script`], but the command is not started yet.
pub fn script_command(ranks: usize, options: &[&str], script: &str) -> Command {
    let ranks = ranks.to_string();
    let mut arguments = vec!["run", "-n", &ranks, "--timeout", "60"];
    arguments.extend(options);
    arguments.extend(["--", "sh", "-c", script]);
    anyccl(&arguments)
}

/// A job that runs while the test acts on it.
pub struct Running {
    pub child: Child,
    stdout: BufReader<ChildStdout>,
}

impl Running {
    /// Starts `script` on `ranks` ranks.
    pub fn script(ranks: usize, options: &[&str], script: &str) -> Running {
        let mut command = script_command(ranks, options, script);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Running::of(command.spawn().expect("the tool can be started"))
    }

    /// A started tool with piped output.
    pub fn of(mut child: Child) -> Running {
        let stdout = BufReader::new(child.stdout.take().expect("piped above"));
        Running { child, stdout }
    }

    /// The next `count` lines, sorted.
    pub fn lines(&mut self, count: usize) -> Vec<String> {
        let mut lines: Vec<String> = self.stdout.by_ref().lines().take(count).map(Result::unwrap).collect();
        lines.sort();
        assert_eq!(lines.len(), count, "the job ended early: {lines:?}");
        lines
    }

    /// Sends a signal to the launcher alone.
    pub fn signal(&self, signal: i32) {
        send_signal(self.child.id(), signal);
    }

    /// Reads the remaining output and waits for the end.
    pub fn finish(mut self) -> Finished {
        let mut stdout = Vec::new();
        self.stdout.read_to_end(&mut stdout).unwrap();
        let output = self.child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        Finished { status: output.status, stdout, stderr }
    }
}

/// Sends a signal to a process that is not reaped yet, so that the id is its own.
pub fn send_signal(pid: u32, signal: i32) {
    // SAFETY: kill takes two numbers and touches no memory of ours.
    assert_eq!(unsafe { libc::kill(pid as i32, signal) }, 0);
}

/// The numbers in lines such as `[0] 123 124`, without the rank.
pub fn numbers(lines: &[String]) -> Vec<u32> {
    let words = lines.iter().flat_map(|line| line.split_whitespace().skip(1));
    words.map(|word| word.parse().unwrap_or_else(|_| panic!("not a number: {word}"))).collect()
}

/// Fails unless all these processes end, or wait only to be reaped, before a deadline.
pub fn assert_all_gone(pids: &[u32]) {
    let deadline = Instant::now() + Duration::from_secs(60);
    for pid in pids {
        while is_alive(*pid) {
            assert!(Instant::now() < deadline, "process {pid} is still there");
            thread::yield_now();
        }
    }
}

/// Whether this process exists and runs.
pub fn is_alive(pid: u32) -> bool {
    // The line is "PID (NAME) STATE ...", and the name may contain anything.
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}
