//! What the service says of a communicator, in the terms of NCCL's RAS.

use crate::base::mix;
use crate::observe::jobs::{Communicator, RankReport, State};
use crate::observe::status::FailureKind;

/// The version of NCCL in answers, in NCCL's number: 2.30.7.
pub const NCCL_VERSION: u32 = 23007;

/// Its form with points.
pub(super) fn nccl_version() -> String {
    format!("{}.{}.{}", NCCL_VERSION / 10_000, NCCL_VERSION / 100 % 100, NCCL_VERSION % 100)
}

/// Trouble in a communicator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Errors {
    /// A rank is not seen, has ended or is stopped.
    pub incomplete: bool,
    /// The communicator has failed on a rank.
    pub error: bool,
    /// Ranks have made different calls, or not the call in which others wait.
    pub mismatch: bool,
}

impl Errors {
    /// The trouble of a communicator.
    pub fn of(comm: &Communicator) -> Errors {
        let has = |is: fn(&RankReport) -> bool| comm.ranks.iter().any(is);
        Errors {
            incomplete: has(is_missing),
            error: has(|rank| rank.state == State::Failed),
            mismatch: has(is_out_of_step),
        }
    }

    /// The words for it.
    pub fn words(self) -> String {
        let all = [(self.incomplete, "INCOMPLETE"), (self.error, "ERROR"), (self.mismatch, "MISMATCH")];
        let words: Vec<&str> = all.into_iter().filter(|(is, _)| *is).map(|(_, word)| word).collect();
        if words.is_empty() { "OK".into() } else { words.join(",") }
    }
}

/// Whether NCCL would have no answer of the rank.
pub(super) fn is_missing(rank: &RankReport) -> bool {
    matches!(rank.state, State::Ended | State::Stopped | State::Elsewhere)
}

/// Whether it has made another call than others, or has not made the one in which they wait.
pub(super) fn is_out_of_step(rank: &RankReport) -> bool {
    matches!(rank.state, State::Mismatch | State::Late)
}

/// Whether a rank has given the communicator up.
pub(super) fn is_aborted(rank: &RankReport) -> bool {
    rank.failure_kind == Some(FailureKind::Aborted)
}

/// The status of a communicator, in NCCL's words.
pub(super) fn status(comm: &Communicator) -> &'static str {
    if comm.ranks.iter().any(is_aborted) { "ABORT" } else { "RUNNING" }
}

/// The number that tells a communicator from others.
pub(super) fn hash(comm: &Communicator) -> u64 {
    mix(comm.number.0 ^ comm.number.1)
}

/// A failure as one of NCCL's results.
pub(super) fn result(rank: &RankReport) -> u32 {
    match rank.failure_kind {
        // An abort has a flag of its own.
        None | Some(FailureKind::Aborted) => 0,
        // ncclInternalError.
        Some(FailureKind::Other) => 3,
        // ncclInvalidUsage.
        Some(FailureKind::Mismatch) => 5,
        // ncclRemoteError.
        Some(FailureKind::PeerLost) => 6,
        // ncclTimeout.
        Some(FailureKind::Timeout) => 8,
    }
}
