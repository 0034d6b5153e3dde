//! The report to the user about how the job ended.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::time::Duration;

use super::rank_output::RankOutput;
use super::repeats::AS_ABOVE;
use crate::sys::process::{Ending, Pid};
use crate::sys::signal;

/// The history of one rank.
pub struct RankRecord {
    /// Its process.
    pub pid: Pid,
    /// The host on which it runs, if that is another one.
    pub host: Option<String>,
    /// How the rank ended; `None` while it runs.
    pub ending: Option<Ending>,
    /// A signal that asks to end, which the launcher received and passed on.
    pub passed_on: Option<i32>,
    /// Whether the rank ended because the job was being ended, and is not to blame.
    pub with_the_job: bool,
    /// Whether its host was lost before the rank was started.
    pub never_started: bool,
}

impl RankRecord {
    /// A rank that has been started.
    pub fn new(pid: Pid, host: Option<String>) -> RankRecord {
        RankRecord { pid, host, ending: None, passed_on: None, with_the_job: false, never_started: false }
    }

    /// Whether the launcher sent the signal that ended this rank.
    pub fn was_told_to(&self, ending: Ending) -> bool {
        match ending {
            Ending::Exit(status) => status == 0,
            Ending::Signal { number, .. } => {
                [libc::SIGTERM, libc::SIGKILL].contains(&number) || self.passed_on == Some(number)
            }
        }
    }
}

/// Ranks of a host that could not be started, or cannot be reached any more.
#[derive(Clone, PartialEq, Eq)]
pub struct Loss {
    /// The exit code of the job.
    pub code: u8,
    /// The message to the user.
    pub text: String,
}

/// The reason why the job ended.
#[derive(Clone, PartialEq, Eq)]
pub enum Cause {
    /// Every rank exited by itself, with status 0.
    AllExited,
    /// This rank was the first to fail.
    RankFailed(usize),
    /// The limit of `--timeout` has passed.
    TimedOut(Duration),
    /// The ranks of a host were lost.
    HostLost(Loss),
    /// The output of the ranks cannot be written.
    OutputLost(String),
    /// A rank has another library than `--as` promises.
    WrongLibrary(String),
    /// This signal came when the launcher could only stop at once: a second SIGINT.
    Interrupted(i32),
}

impl Cause {
    /// Sets the cause, unless there was one before.
    pub fn becomes(&mut self, cause: Cause) {
        if *self == Cause::AllExited {
            *self = cause;
        }
    }
}

/// A remark at the end of a job that succeeded.
#[derive(Debug, PartialEq, Eq)]
pub struct LastWord {
    /// The sentence.
    pub text: String,
    /// Exit code of the job.
    pub code: u8,
}

/// A job that has ended.
pub struct JobOutcome {
    /// Program of each rank, as the user named it.
    pub programs: Vec<String>,
    /// One record per rank.
    pub ranks: Vec<RankRecord>,
    /// Why it ended.
    pub cause: Cause,
    /// The output of the ranks.
    pub rank_output: RankOutput,
    /// A remark to print if all went well.
    pub last_word: Option<LastWord>,
}

impl JobOutcome {
    /// Reports to the user on standard error, unless all is well. Returns the exit code.
    pub fn tell(&self) -> u8 {
        let mut text = String::new();
        let code = match &self.cause {
            Cause::AllExited => {
                self.last_word.iter().for_each(|word| line(&mut text, &word.text));
                self.last_word.as_ref().map_or(0, |word| word.code)
            }
            Cause::WrongLibrary(why) | Cause::OutputLost(why) => {
                line(&mut text, why);
                1
            }
            Cause::RankFailed(rank) => self.describe_failure(*rank, &mut text),
            Cause::HostLost(Loss { code, text: why }) => {
                line(&mut text, why);
                *code
            }
            Cause::TimedOut(limit) => {
                line(&mut text, &format!("the job was ended after {} s (--timeout)", limit.as_secs_f64()));
                124
            }
            Cause::Interrupted(signal) => {
                line(&mut text, &format!("the job was killed on {}", signal::name(*signal)));
                128 + *signal as u8
            }
        };
        self.describe_others(&mut text);
        // A closed standard error is no reason to fail differently.
        let _ = io::stderr().write_all(text.as_bytes());
        code
    }

    fn describe_failure(&self, rank: usize, text: &mut String) -> u8 {
        let record = &self.ranks[rank];
        let Some(ending) = record.ending else { return 1 };
        let (pid, program) = (record.pid, &self.programs[rank]);
        let left = self.ranks_that_left_the_others();
        if !left.is_empty() {
            let what = "exited with status 0 while others were still in the job";
            line(text, &format!("{} {what}", ranges(&left)));
        }
        let why = match ending {
            Ending::Signal { number, .. } if record.passed_on == Some(number) => {
                ", which was sent to the job"
            }
            // Memory that ranks share is a file, so it counts.
            Ending::Signal { number: libc::SIGXFSZ, .. } => {
                ": a file or the library's memory file grew beyond the limit on file sizes; raise it by ulimit -f"
            }
            _ => "",
        };
        let host = record.host.as_ref().map(|host| format!(" on {host}")).unwrap_or_default();
        line(text, &format!("rank {rank}{host} (pid {pid}, program \"{program}\") {}{why}", phrase(ending)));
        if let Some(odd) = self.rank_output.odd_ranks() {
            line(text, &odd);
        }
        let error = self.rank_output.library_error(rank);
        if let Some(error) = &error {
            line(text, &format!("last library error of rank {rank}: {error}"));
        }
        let last_lines = self.rank_output.last_lines(rank);
        if !last_lines.is_empty() {
            line(text, &format!("last lines of rank {rank} on standard error:"));
            for last in &last_lines {
                line(text, &format!("  {}", without_repeat(last, error.as_deref())));
            }
        }
        ending.code()
    }

    /// The ranks that exited with 0 by themselves, and that others then missed.
    fn ranks_that_left_the_others(&self) -> Vec<usize> {
        // A process that is none of ours was started by a rank: then its number must do.
        let world_rank = |(number, pid)| self.ranks.iter().position(|rank| rank.pid == pid).unwrap_or(number);
        let lost: BTreeSet<usize> = self.rank_output.lost_ranks().into_iter().map(world_rank).collect();
        let has_left = |rank: &usize| {
            let record = self.ranks.get(*rank);
            record.is_some_and(|it| it.ending == Some(Ending::Exit(0)) && !it.with_the_job)
        };
        lost.into_iter().filter(has_left).collect()
    }

    fn describe_others(&self, text: &mut String) {
        let (mut failed, mut ended, mut alive) = (Vec::new(), Vec::new(), Vec::new());
        for (rank, record) in self.ranks.iter().enumerate() {
            match record.ending {
                _ if self.cause == Cause::RankFailed(rank) || record.never_started => {}
                None => alive.push(rank),
                Some(Ending::Exit(0)) => {}
                Some(_) if record.with_the_job => ended.push(rank),
                Some(ending) => failed.push(format!("rank {rank} {}", phrase(ending))),
            }
        }
        if !failed.is_empty() {
            let when = if self.cause == Cause::AllExited { "lost on the way" } else { "soon after" };
            line(text, &format!("{when}: {}", shortened(&failed)));
        }
        if !ended.is_empty() {
            line(text, &format!("ended with the job: {}", ranges(&ended)));
        }
        if !alive.is_empty() {
            line(text, &format!("could not be killed: {}", ranges(&alive)));
        }
    }
}

/// Tells the user something while the job runs.
pub fn say(what: &str) {
    let mut text = String::new();
    line(&mut text, what);
    // A closed standard error is no reason to end the job.
    let _ = io::stderr().write_all(text.as_bytes());
}

fn line(text: &mut String, what: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "anyccl run: {what}");
}

fn phrase(ending: Ending) -> String {
    match ending {
        Ending::Exit(status) => format!("exited with status {status}"),
        Ending::Signal { number, core } => {
            let core = if core { " (core dumped)" } else { "" };
            format!("was ended by {}{core}", signal::name(number))
        }
    }
}

/// A last line of a rank, without the sentence of the library's error that was printed above it.
fn without_repeat(last: &str, error: Option<&str>) -> String {
    // Before the sentence stand the rank and its communicator.
    match error.and_then(|error| error.split_once(": ")) {
        Some((_, sentence)) if !sentence.is_empty() => last.replace(sentence, AS_ABOVE),
        _ => last.to_string(),
    }
}

/// At most eight items, then the number of the others.
fn shortened(items: &[String]) -> String {
    let shown = items.len().min(8);
    let more = items.len() - shown;
    let list = items[..shown].join(", ");
    if more == 0 { list } else { format!("{list} and {more} more") }
}

/// Ascending ranks in the form `ranks 0-2, 5`.
fn ranges(ranks: &[usize]) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &rank in ranks {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == rank => *last = rank,
            _ => runs.push((rank, rank)),
        }
    }
    let runs: Vec<String> = runs
        .iter()
        .map(|(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") })
        .collect();
    let noun = if ranks.len() == 1 { "rank" } else { "ranks" };
    format!("{noun} {}", shortened(&runs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_last_line_does_not_repeat_the_error_above_it() {
        let error = Some("rank 0 of \"world\": rank 2 was killed");
        assert_eq!(
            without_repeat("PeerLostError: rank 0: rank 2 was killed", error),
            "PeerLostError: rank 0: (as above)"
        );
        for error in [None, error, Some("no sentence"), Some("rank 0: ")] {
            assert_eq!(without_repeat("another line: of the program", error), "another line: of the program");
        }
    }

    #[test]
    fn neighbouring_ranks_are_named_as_a_range() {
        assert_eq!(ranges(&[0, 1, 2, 5, 7, 8]), "ranks 0-2, 5, 7-8");
        assert_eq!(ranges(&[3]), "rank 3");
    }
}
