//! Failure reports: why the ranks could not connect, as told to the store and to connected ranks.
//!
//! When one rank is missing, the ranks that wait for it give up one after the other, and each of them is then
//! missed by others. So a rank often observes only which rank gave up before it. A rank that fails therefore
//! reports the reason before it closes its connections, to the store and to the ranks that it has connected
//! with. A rank that misses another one asks for reports first. The store itself may be missing.

use std::time::Duration;

use super::connected_ranks::ConnectedRanks;
use crate::base::{Error, Result};
use crate::bootstrap::store::key_value::Store;
use crate::sys::clock;
use crate::sys::shortage::is_shortage;

/// How long a rank waits after its deadline for the report of a rank whose deadline comes a moment later.
const PATIENCE: Duration = Duration::from_millis(40);
const PAUSE: Duration = Duration::from_millis(2);

/// Failure reports of the ranks. They are kept in the store for as long as other ranks may still be
/// connecting.
pub struct FailureReports(pub(super) Option<Box<dyn Store>>);

impl FailureReports {
    /// No reports: there is no store.
    pub fn none() -> FailureReports {
        FailureReports(None)
    }

    /// The reason that another rank has reported. If there is none, reports `own` to the others and returns
    /// it.
    pub fn explain(&mut self, own: Error, connected_ranks: ConnectedRanks) -> Error {
        match &mut self.0 {
            Some(store) => explain(&mut **store, connected_ranks, own, Knowledge::Hearsay),
            None => own,
        }
    }
}

/// What a rank knows about the failure that it reports.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Knowledge {
    /// The rank named in the error has not connected with this rank in time.
    FirstHand,
    /// The rank named in the error was there, and may have missed another rank.
    Hearsay,
}

/// Does the work of [`FailureReports::explain`].
///
/// It takes [`PATIENCE`] before it returns. Until then others may ask the store, which this process may
/// serve, and must not see a closed connection, which they would take for a lost rank.
pub(super) fn explain(
    store: &mut dyn Store,
    mut connected_ranks: ConnectedRanks,
    own: Error,
    knowledge: Knowledge,
) -> Error {
    let until = clock::now() + PATIENCE;
    // Of ranks whose deadlines come together, those with first-hand knowledge report before the others.
    let knows = knowledge == Knowledge::FirstHand || !others_may_fail_with_it(&own);
    let mut why = None;
    let mut has_told = false;
    loop {
        if !has_told {
            why = connected_ranks.ask().or_else(|| told(store.check(clock::now() + PAUSE)));
        }
        let is_late = clock::now() >= until;
        if !has_told && (knows || why.is_some() || is_late) {
            let why = why.as_ref().unwrap_or(&own);
            connected_ranks.tell(why);
            store.fail(&why.to_string());
            has_told = true;
        }
        if is_late {
            return why.unwrap_or(own);
        }
        clock::sleep(PAUSE);
    }
}

/// Whether the others fail at the same moment, or have failed already, for the same reason.
fn others_may_fail_with_it(error: &Error) -> bool {
    if matches!(error, Error::System { source, .. } if is_shortage(source)) {
        return false;
    }
    // A rank of this host that is not where it listened counts as one of another namespace.
    matches!(
        error,
        Error::Timeout { .. } | Error::PeerLost { .. } | Error::System { .. } | Error::Unsupported(_)
    )
}

/// The failure that a store reports. A store that is gone reports nothing: it ends with rank 0, which may
/// have finished its part.
fn told(answer: Result<()>) -> Option<Error> {
    answer.err().filter(|error| !matches!(error, Error::System { .. } | Error::Timeout { .. }))
}
