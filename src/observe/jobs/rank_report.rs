//! What a rank of a communicator does, as numbers and in words.

use std::collections::BTreeMap;

use crate::observe::profile::bytes;
use crate::observe::status::FailureKind;

/// What a rank does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// Its process has ended, or has left the communicator.
    Ended,
    /// Its process is stopped.
    Stopped,
    /// In another call than most ranks, under the same number.
    Mismatch,
    /// Others wait in a call that it has not made.
    Late,
    /// The communicator has failed on it.
    Failed,
    /// Waiting for others.
    Waits,
    /// In a long call, in which bytes move.
    Moves,
    /// Not waiting, and nobody waits for it.
    Runs,
    /// Not seen: on another host, or in another PID namespace.
    Elsewhere,
}

impl State {
    /// Whether it keeps others waiting.
    pub fn is_trouble(self) -> bool {
        self <= State::Late
    }

    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            State::Ended => "ended",
            State::Stopped => "stopped",
            State::Mismatch => "mismatch",
            State::Late => "late",
            State::Failed => "failed",
            State::Waits => "waits",
            State::Moves => "moves",
            State::Runs => "runs",
            State::Elsewhere => "elsewhere",
        }
    }
}

/// A rank of a communicator.
#[derive(Debug)]
pub struct RankReport {
    /// Rank in the communicator.
    pub rank: u32,
    /// The host of its process, if that is another one.
    pub host: Option<String>,
    /// Its process, also if that has ended.
    pub pid: Option<u32>,
    /// What it does.
    pub state: State,
    /// Number of collective calls that it has made.
    pub calls: u64,
    /// Number of these calls of each kind, by its name.
    pub calls_by_kind: BTreeMap<&'static str, u64>,
    /// The last of them.
    pub last_call: Option<String>,
    /// The number of that call.
    pub call_number: Option<u64>,
    /// How long that call has been in progress.
    pub in_call_for_seconds: Option<f64>,
    /// How long ago it has ended.
    pub since_last_call_seconds: Option<f64>,
    /// Why the communicator has failed.
    pub failure: Option<String>,
    /// The kind of that failure.
    pub failure_kind: Option<FailureKind>,
    /// How long nothing has moved in what it waits for.
    pub waits_for_seconds: Option<f64>,
    /// What it waits for.
    pub waits_for: Option<String>,
    /// How long its process has waited in another communicator, if it waits only there.
    pub waits_elsewhere_seconds: Option<f64>,
    /// What it waits for there.
    pub waits_elsewhere_for: Option<String>,
    /// Bytes that it sends and receives in a long call in progress.
    pub bytes_asked: Option<u64>,
    /// Bytes of these that have moved.
    pub bytes_moved: Option<u64>,
    /// How long ago the last of them moved.
    pub last_moved_seconds: Option<f64>,
}

impl RankReport {
    /// What it does, in words.
    pub fn sentence(&self) -> String {
        let ago = match (self.in_call_for_seconds, self.since_last_call_seconds) {
            (Some(seconds), _) => format!(", begun {seconds:.1} s ago"),
            (None, Some(seconds)) => format!(", ended {seconds:.1} s ago"),
            (None, None) => String::new(),
        };
        let failure = self.failure.as_deref().unwrap_or_default();
        let made = match &self.last_call {
            Some(call) => format!("its last call was {call}{ago}"),
            None if self.calls > 0 => format!("it has made {} calls", self.calls),
            None => "it has made no call".to_string(),
        };
        let what = match self.state {
            State::Ended if self.pid.is_some() => format!("its process has ended; {made}"),
            State::Ended => "its process has ended, or it has left the communicator".to_string(),
            State::Elsewhere => {
                "not seen: on a host that was not looked at, or in another PID namespace".to_string()
            }
            State::Stopped => format!("is stopped by a signal or a debugger; {made}"),
            State::Mismatch => format!("is in another call than the others; {made}"),
            State::Late => format!("has not made the call; {made}"),
            State::Failed => format!("has failed ({failure}); {made}"),
            State::Moves => format!("moves bytes; {made}"),
            State::Runs => format!("does not wait; {made}"),
            State::Waits => String::new(),
        };
        let wait = |text: &Option<String>, seconds: Option<f64>| {
            let seconds = seconds.unwrap_or_default();
            text.as_ref().map(|text| format!("waits for {seconds:.1} s in {text}"))
        };
        let waits = wait(&self.waits_for, self.waits_for_seconds);
        let elsewhere = wait(&self.waits_elsewhere_for, self.waits_elsewhere_seconds);
        let moved = self.bytes_moved.zip(self.bytes_asked).map(|(moved, asked)| {
            let ago =
                self.last_moved_seconds.map(|ago| format!(", the last {ago:.1} s ago")).unwrap_or_default();
            format!("{} of {} have moved{ago}", bytes(moved), bytes(asked))
        });
        let parts: Vec<String> = [what]
            .into_iter()
            .filter(|text| !text.is_empty())
            .chain(waits)
            .chain(elsewhere)
            .chain(moved)
            .collect();
        parts.join("; ")
    }
}
