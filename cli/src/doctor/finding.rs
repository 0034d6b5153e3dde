//! What a check has found.

use serde::Serialize;

/// How well something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Nothing needs a change.
    Good,
    /// Jobs run, but slower than they could, or only some of them.
    Warning,
    /// Jobs fail.
    Bad,
}

/// One line of the report.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The thing that was checked, in a few words.
    pub subject: &'static str,
    /// How well it is.
    pub state: State,
    /// What was found, and what it means for jobs.
    pub found: String,
    /// How to change it: a command where there is one. `None` if nothing needs a change.
    pub change: Option<String>,
}

impl Finding {
    /// Everything is as it should be.
    pub fn good(subject: &'static str, found: impl Into<String>) -> Finding {
        Finding { subject, state: State::Good, found: found.into(), change: None }
    }

    /// Jobs run, but not as well as they could.
    pub fn warning(subject: &'static str, found: impl Into<String>, change: impl Into<String>) -> Finding {
        Finding { subject, state: State::Warning, found: found.into(), change: Some(change.into()) }
    }

    /// Jobs fail.
    pub fn bad(subject: &'static str, found: impl Into<String>, change: impl Into<String>) -> Finding {
        Finding { subject, state: State::Bad, found: found.into(), change: Some(change.into()) }
    }
}
