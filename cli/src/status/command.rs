//! Commands that have some time to say what they know.

use std::io::{ErrorKind, Read};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::sys::poll::{Waiting, is_ready, nothing, poll, readable};
use crate::sys::process::{Pid, ended, signal_group};

/// How long a command may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// Time between two looks at whether it has ended.
const PAUSE: Duration = Duration::from_millis(5);
/// Most characters of its last word that are passed on.
const LONGEST_LINE: usize = 300;
/// Most bytes that are read of it.
const MOST_BYTES: usize = 1 << 30;

/// Runs a command, and returns what it writes; else why there is nothing, and its code. A process that it
/// leaves behind may keep its output open: nothing more is expected once the command has ended, and has
/// failed or what it wrote `is_complete`.
pub fn run(words: &[String], is_complete: impl Fn(&[u8]) -> bool) -> Result<Vec<u8>, (String, u8)> {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // With a group of its own, whatever it has started is ended with it.
    command.process_group(0);
    let mut child =
        command.spawn().map_err(|error| (format!("cannot start \"{}\": {error}", words[0]), 0))?;
    let until = Instant::now() + PATIENCE;
    let pid = child.id() as Pid;
    let mut output = Stream::new(child.stdout.take());
    let mut errors = Stream::new(child.stderr.take());
    let mut looked_at = usize::MAX;
    let is_over = loop {
        // What a process has written before its end can be read after it.
        let ending = ended(pid).ok().flatten();
        output.read_what_is_there();
        errors.read_what_is_there();
        let has_said_all = output.has_ended() && (errors.has_ended() || !output.bytes.is_empty());
        // A process that it has left behind may hold the output open.
        let has_ended = ending.is_some_and(|ending| {
            let is_new = std::mem::replace(&mut looked_at, output.bytes.len()) != output.bytes.len();
            ending.code() != 0 || !has_said_all && is_new && is_complete(&output.bytes)
        });
        if has_ended || has_said_all || Instant::now() >= until {
            break has_ended || has_said_all;
        }
        // An error (out of memory) only makes this look again.
        let _ = poll(&mut [output.waiting(), errors.waiting()], Some(PAUSE));
    };
    let outcome = match (is_over, output.bytes.is_empty()) {
        (true, false) => Ok(output.bytes),
        (true, true) => Err((last_line(&errors.bytes), code_of(pid, until))),
        (false, _) => Err((format!("no answer within {} s", PATIENCE.as_secs()), 0)),
    };
    // Nothing that it still does is needed.
    signal_group(pid, libc::SIGKILL);
    let _ = child.wait();
    outcome
}

/// What a command writes to one of its outputs.
struct Stream<R> {
    /// `None`: nothing more comes.
    pipe: Option<R>,
    bytes: Vec<u8>,
}

impl<R: Read + AsRawFd> Stream<R> {
    fn new(pipe: Option<R>) -> Stream<R> {
        Stream { pipe, bytes: Vec::new() }
    }

    fn has_ended(&self) -> bool {
        self.pipe.is_none()
    }

    fn waiting(&self) -> Waiting {
        self.pipe.as_ref().map_or_else(nothing, readable)
    }

    /// Reads as much as can be read without waiting.
    fn read_what_is_there(&mut self) {
        while let Some(pipe) = &mut self.pipe {
            let mut waiting = [readable(pipe)];
            let mut piece = [0; 1 << 16];
            if poll(&mut waiting, Some(Duration::ZERO)).is_err() || !is_ready(&waiting[0]) {
                return;
            }
            match pipe.read(&mut piece) {
                Ok(read) if read > 0 && self.bytes.len() < MOST_BYTES => {
                    self.bytes.extend_from_slice(&piece[..read]);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                _ => self.pipe = None,
            }
        }
    }
}

/// The code of a process whose output has ended, so that it ends as well.
fn code_of(pid: Pid, until: Instant) -> u8 {
    loop {
        match ended(pid) {
            Ok(None) if Instant::now() < until => thread::sleep(PAUSE),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn said(script: &str, is_complete: fn(&[u8]) -> bool) -> Result<String, (String, u8)> {
        let words = ["sh", "-c", script].map(str::to_string);
        run(&words, is_complete).map(|said| String::from_utf8(said).unwrap())
    }

    #[test]
    fn a_process_that_a_command_leaves_behind_holds_nobody_up_unless_the_rest_comes_from_it() {
        assert_eq!(said("echo all; sleep 1000 &", |_| true), Ok("all\n".into()));
        let ends = |said: &[u8]| said.ends_with(b"rest\n");
        assert_eq!(said("echo half; { echo rest; sleep 1000; } &", ends), Ok("half\nrest\n".into()));
        assert_eq!(said("echo half; echo rest &", |_| false), Ok("half\nrest\n".into()));
    }

    #[test]
    fn a_command_without_an_answer_says_why_and_how_it_has_ended() {
        let failed = "echo first >&2; echo why >&2; sleep 1000 & exit 3";
        assert_eq!(said(failed, |_| true), Err(("why".into(), 3)));
        assert_eq!(said("exit 4", |_| false), Err(("no answer".into(), 4)));
        assert_eq!(run(&["/nowhere".to_string()], |_| true).unwrap_err().1, 0);
    }
}
