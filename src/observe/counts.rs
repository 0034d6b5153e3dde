//! What a rank has done so far, as numbers: for metrics and profiles.
//!
//! An engine counts only if it is asked to. The thread that has locked the engine writes, and other threads
//! read the numbers whenever they like. Each process has a list of its ranks' counts ([`all`]). A child of
//! fork begins without any.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::base::{CallKind, Collective, Formation, Rank};
use crate::sys::clock;
use crate::sys::per_process::PerProcess;

/// What a call does, as far as calls are counted apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallClass(usize);

const FORMATIONS: usize = Collective::ALL.len();
const GOODBYE: usize = FORMATIONS + Formation::ALL.len();

impl CallClass {
    /// Number of classes.
    pub const NUMBER: usize = GOODBYE + 4;
    /// A message to a rank.
    pub const SEND: CallClass = CallClass(GOODBYE + 1);
    /// A message from a rank.
    pub const RECEIVE: CallClass = CallClass(GOODBYE + 2);
    /// A wait for a message that is not received yet.
    pub const PROBE: CallClass = CallClass(GOODBYE + 3);

    /// The class of a collective call.
    pub fn of(kind: CallKind) -> CallClass {
        match kind {
            CallKind::Collective(one)
            | CallKind::List(one)
            | CallKind::OnDevice(one)
            | CallKind::ListOnDevice(one) => CallClass(one as usize),
            CallKind::Formation(one) => CallClass(FORMATIONS + one as usize),
            CallKind::Goodbye => CallClass(GOODBYE),
            CallKind::Transfer => CallClass::SEND,
        }
    }

    /// All classes.
    pub fn all() -> impl Iterator<Item = CallClass> {
        (0..CallClass::NUMBER).map(CallClass)
    }

    /// Name, as in the C API.
    pub fn name(self) -> &'static str {
        match self {
            CallClass::SEND => "send",
            CallClass::RECEIVE => "receive",
            CallClass::PROBE => "probe",
            CallClass(GOODBYE) => "finalize",
            CallClass(at) => match Collective::ALL.get(at) {
                Some(collective) => collective.name(),
                None => Formation::ALL[at - FORMATIONS].name(),
            },
        }
    }
}

/// The transports that bytes are counted by.
pub const TRANSPORTS: [&str; 4] = ["self", "shm", "tcp", "ofi"];

/// Numbers of the calls of one class. Times are nanoseconds.
#[derive(Debug, Default)]
pub struct ClassCounts {
    /// Calls that have begun.
    pub begun: AtomicU64,
    /// Calls that have ended, well or not.
    pub ended: AtomicU64,
    /// Calls that have failed.
    pub failed: AtomicU64,
    /// Bytes of their buffers.
    pub bytes: AtomicU64,
    /// Time of threads in calls that block.
    pub blocked: AtomicU64,
}

/// Identity of the rank that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedRank {
    /// Random number of the job, the same on all of its ranks.
    pub job: u64,
    /// Rank in the job.
    pub rank: Rank,
    /// Number of ranks of the job.
    pub size: u32,
}

/// Numbers of one rank.
#[derive(Debug)]
pub struct RankCounts {
    /// Whose numbers they are.
    pub of: CountedRank,
    /// When the rank began to count, on the monotonic clock.
    pub since: u64,
    classes: [ClassCounts; CallClass::NUMBER],
    /// Whether its profile is wanted and not written yet.
    pub(super) lacks_profile: AtomicBool,
    /// Waits for calls that were started before.
    pub waits: AtomicU64,
    /// Their time.
    pub waited: AtomicU64,
    /// Time of threads in calls and waits while nothing moved.
    pub silent: AtomicU64,
    /// Communicators that have failed.
    pub failures: AtomicU64,
    /// Bytes sent by each of [`TRANSPORTS`].
    sent: [AtomicU64; TRANSPORTS.len()],
    /// Bytes received by each.
    received: [AtomicU64; TRANSPORTS.len()],
}

/// Adds to a number.
pub fn add(number: &AtomicU64, by: u64) {
    number.fetch_add(by, Ordering::Relaxed);
}

/// The value of a number.
pub fn value(number: &AtomicU64) -> u64 {
    number.load(Ordering::Relaxed)
}

impl RankCounts {
    /// The numbers of a rank that has done nothing yet.
    pub fn new(of: CountedRank) -> RankCounts {
        RankCounts {
            of,
            since: clock::monotonic_nanoseconds(),
            classes: Default::default(),
            lacks_profile: AtomicBool::new(false),
            waits: AtomicU64::default(),
            waited: AtomicU64::default(),
            silent: AtomicU64::default(),
            failures: AtomicU64::default(),
            sent: Default::default(),
            received: Default::default(),
        }
    }

    /// Enters the numbers of a new rank into the list of this process.
    pub fn enter(of: CountedRank) -> Arc<RankCounts> {
        let counts = Arc::new(RankCounts::new(of));
        let mut all = ranks().lock();
        // A program that makes communicators for ever: those that have ended go, the oldest first.
        if all.len() >= MOST_RANKS
            && let Some(ended) = all.iter().position(|counts| Arc::strong_count(counts) == 1)
        {
            all.remove(ended);
        }
        all.push(Arc::clone(&counts));
        counts
    }

    /// The numbers of a class.
    pub fn class(&self, class: CallClass) -> &ClassCounts {
        &self.classes[class.0]
    }

    /// Counts the bytes that have moved to and from a peer.
    pub fn note_traffic(&self, transport: &str, sent: u64, received: u64) {
        if let Some(at) = TRANSPORTS.iter().position(|name| *name == transport) {
            add(&self.sent[at], sent);
            add(&self.received[at], received);
        }
    }

    /// The transports, each with the bytes sent and received.
    pub fn traffic(&self) -> impl Iterator<Item = (&'static str, u64, u64)> {
        let both = self.sent.iter().zip(&self.received);
        TRANSPORTS.into_iter().zip(both).map(|(name, (sent, received))| (name, value(sent), value(received)))
    }

    /// Time of threads in calls that block and in waits.
    pub fn communicated(&self) -> u64 {
        self.classes.iter().map(|class| value(&class.blocked)).sum::<u64>() + value(&self.waited)
    }
}

/// Most ranks of a process whose numbers are kept, unless more of them live.
const MOST_RANKS: usize = 64;

static RANKS: PerProcess<Mutex<Vec<Arc<RankCounts>>>> = PerProcess::new();

fn ranks() -> &'static Mutex<Vec<Arc<RankCounts>>> {
    &RANKS.get_or(Mutex::default).value
}

/// The counts of all ranks of this process, also of some that have ended.
pub fn all() -> Vec<Arc<RankCounts>> {
    ranks().lock().clone()
}

/// Holds the lock of the list.
#[cfg(test)]
pub(crate) fn hold() -> impl Drop {
    ranks().lock()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_has_a_name_of_its_own_and_each_kind_of_call_a_class() {
        let mut names: Vec<&str> = CallClass::all().map(CallClass::name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CallClass::NUMBER);
        let kinds = [
            (CallKind::Collective(Collective::AllToAllV), "all_to_all_v"),
            (CallKind::List(Collective::AllReduce), "all_reduce"),
            (CallKind::Formation(Formation::FromRanks), "create_from_ranks"),
            (CallKind::Goodbye, "finalize"),
            (CallKind::Transfer, "send"),
        ];
        for (kind, name) in kinds {
            assert_eq!(CallClass::of(kind).name(), name);
        }
    }
}
