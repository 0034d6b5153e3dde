//! Rows of a time line: what each shows, its name, and the order of all.

use crate::base::Rank;

/// What a row shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// Calls, and the rounds of their first lanes.
    Calls,
    /// Rounds of another lane.
    Lane(u32),
    /// Steps of this rank alone.
    Local,
    /// Messages to a rank.
    To(Rank),
    /// Messages from a rank.
    From(Rank),
    /// Waits.
    Waits,
}

/// A row of the time line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Row {
    /// Calls that are under way at the same time have different slots.
    pub slot: usize,
    pub subject: Subject,
}

impl Row {
    /// Its name, as readers show it.
    pub fn name(&self) -> String {
        let name = match self.subject {
            Subject::Calls => "calls".to_string(),
            Subject::Lane(lane) => format!("lane {lane}"),
            Subject::Local => "local".into(),
            Subject::To(rank) => format!("to {rank}"),
            Subject::From(rank) => format!("from {rank}"),
            Subject::Waits => "waits".into(),
        };
        if self.slot == 0 { name } else { format!("{name} ({})", self.slot + 1) }
    }

    /// Its place among the rows. Rows of a call stay together, the call first.
    pub fn order(&self) -> u64 {
        let within: u64 = match self.subject {
            Subject::Calls => 0,
            Subject::Waits => 1,
            Subject::Lane(lane) => 2 + u64::from(lane.min(999)),
            Subject::Local => 1002,
            Subject::To(rank) => 2000 + 2 * u64::from(rank),
            Subject::From(rank) => 2001 + 2 * u64::from(rank),
        };
        self.slot as u64 * 1_000_000 + within
    }
}
