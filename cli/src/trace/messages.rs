//! The messages of each communicator: how many the files have, and those that have not ended well.

use serde::Serialize;

use super::files::{Comm, Operation, RankFile, State};

/// What the files say of the messages of a communicator.
#[derive(Debug, Default, Serialize, PartialEq)]
pub struct Messages {
    /// Number of sends that have ended.
    pub sent: usize,
    /// Number of receives that have ended.
    pub received: usize,
    /// Messages that have not ended well, first those that have been under way longest.
    pub unfinished: Vec<UnfinishedMessage>,
}

/// A message that has not ended well.
#[derive(Debug, Serialize, PartialEq)]
pub struct UnfinishedMessage {
    /// The rank that sends or receives it, as rank of the job.
    pub rank: u32,
    pub message: String,
    pub state: State,
    /// How long before the file was written it had begun.
    pub begun_seconds_ago: Option<f64>,
}

impl Messages {
    /// The messages of the files in which a communicator has these parts.
    pub fn of<'a>(parts: impl Iterator<Item = (&'a RankFile, &'a Comm)>) -> Messages {
        let mut found = Messages::default();
        for (file, comm) in parts {
            let here = file.messages.iter().filter(|message| message.context == comm.context);
            here.for_each(|message| found.add(file, message));
        }
        let age = |one: &UnfinishedMessage| one.begun_seconds_ago.unwrap_or(0.0);
        found.unfinished.sort_by(|one, other| age(other).total_cmp(&age(one)));
        found
    }

    fn add(&mut self, file: &RankFile, message: &Operation) {
        if message.state == State::Ended {
            let count = if message.kind == "send" { &mut self.sent } else { &mut self.received };
            *count += 1;
            return;
        }
        self.unfinished.push(UnfinishedMessage {
            rank: file.rank,
            message: message.call.clone(),
            state: message.state,
            begun_seconds_ago: message.began.map(|began| file.time.saturating_sub(began) as f64 / 1e9),
        });
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        *self == Messages::default()
    }
}
