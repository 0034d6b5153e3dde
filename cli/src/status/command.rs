//! Commands that have some time to say what they know.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::sys::process::{Pid, ended, signal_group};

/// How long a command may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// Most characters of its last word that are passed on.
const LONGEST_LINE: usize = 300;
/// Most bytes that are read of it.
const MOST_BYTES: u64 = 1 << 30;

/// Runs a command, and returns what it writes; else why there is nothing, and its code.
pub fn run(words: &[String]) -> Result<Vec<u8>, (String, u8)> {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // With a group of its own, whatever it has started is ended with it.
    command.process_group(0);
    let mut child =
        command.spawn().map_err(|error| (format!("cannot start \"{}\": {error}", words[0]), 0))?;
    let until = Instant::now() + PATIENCE;
    let left = || until.saturating_duration_since(Instant::now());
    let output = read_all(child.stdout.take());
    let errors = read_all(child.stderr.take());
    let outcome = match output.recv_timeout(left()) {
        Ok(said) if !said.is_empty() => Ok(said),
        Ok(_) => errors.recv_timeout(left()).map_err(|_| None).and_then(|said| Err(Some(said))),
        Err(_) => Err(None),
    };
    let outcome = outcome.map_err(|complaint| match complaint {
        Some(complaint) => (last_line(&complaint), code_of(child.id() as Pid, until)),
        None => (format!("no answer within {} s", PATIENCE.as_secs()), 0),
    });
    // Nothing that it still does is needed.
    signal_group(child.id() as Pid, libc::SIGKILL);
    let _ = child.wait();
    outcome
}

/// The code of a process whose output has ended, so that it ends as well.
fn code_of(pid: Pid, until: Instant) -> u8 {
    loop {
        match ended(pid) {
            Ok(None) if Instant::now() < until => thread::sleep(Duration::from_millis(5)),
            Ok(Some(ending)) => return ending.code(),
            _ => return 0,
        }
    }
}

fn last_line(said: &[u8]) -> String {
    let text = String::from_utf8_lossy(said);
    let last = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no answer");
    last.chars().take(LONGEST_LINE).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Reads a stream to its end in a thread.
fn read_all(stream: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (send, receive) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stream.map(|stream| stream.take(MOST_BYTES).read_to_end(&mut bytes));
        // Who asked may have given up.
        let _ = read.is_some_and(|read| read.is_ok()).then(|| send.send(bytes));
    });
    receive
}
