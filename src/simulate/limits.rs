//! Limits of a simulation, and the reasons why there is no prediction.

use std::fmt;

/// Limits of a simulation.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Up to this number of messages, every rank is simulated, whether there is a symmetry or not.
    pub plain: usize,
    /// Upper limit of the messages that are simulated.
    pub messages: usize,
    /// Upper limit of the forecasts that are made.
    pub events: u64,
}

impl Default for Limits {
    /// Limits that allow some seconds and some hundred megabytes.
    fn default() -> Limits {
        Limits { plain: 100_000, messages: 3_000_000, events: 10_000_000 }
    }
}

/// The reason why there is no prediction.
#[derive(Clone, Debug, PartialEq)]
pub enum Skipped {
    /// The algorithm does not serve the request.
    Unable,
    /// There are too many messages, and the hosts do not all do the same.
    TooMany {
        /// Estimated number of messages.
        messages: f64,
        /// Limit of messages.
        limit: usize,
    },
    /// The plans have too many rounds, of which few have messages: making them takes too long.
    TooManyRounds {
        /// Estimated number of rounds.
        rounds: f64,
        /// Limit of rounds.
        limit: usize,
    },
    /// Too many messages share resources, each in another state.
    TooLong {
        /// Number of events after which the simulation gave up.
        events: u64,
    },
    /// The plans do not fit together: a bug of the algorithm.
    Unmatched,
    /// A rank waits for ever: a bug of the algorithm.
    Stuck,
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Skipped::Unable => f.write_str("does not serve this call"),
            Skipped::TooMany { messages, limit } => {
                write!(f, "about {messages:.1e} messages and no symmetry; the limit is {limit:.0e}")
            }
            Skipped::TooManyRounds { rounds, limit } => {
                write!(f, "about {rounds:.1e} rounds, most of them empty; the limit is {limit:.1e}")
            }
            Skipped::TooLong { events } => write!(f, "given up after {events:.0e} events"),
            Skipped::Unmatched => f.write_str("sends and receives do not match: please report this"),
            Skipped::Stuck => f.write_str("a rank waits for ever: please report this"),
        }
    }
}
