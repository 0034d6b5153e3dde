//! Why the ranks could not come together, as the store knows it.
//!
//! When one rank is missing, those that wait for it give up one after the other, and each that goes is missed by others.
//! What a rank sees itself is then who gave up before it. Whoever fails tells the store why before it closes its
//! connections; so whoever misses somebody asks there first.

use std::time::{Duration, Instant};

use crate::base::{Error, Result};
use crate::bootstrap::Store;

/// How long a rank whose deadline has come waits for the word of one whose deadline comes a moment later.
const PATIENCE: Duration = Duration::from_millis(40);
const PAUSE: Duration = Duration::from_millis(2);

/// The store, after all ranks have connected with this one: for as long as they may still miss each other.
pub struct Witness(pub(super) Option<Box<dyn Store>>);

impl Witness {
    /// One that knows nothing.
    pub fn none() -> Witness {
        Witness(None)
    }

    /// The reason that another rank has told, or else `own`, which the others are told then.
    pub fn explain(&mut self, own: Error) -> Error {
        match &mut self.0 {
            Some(store) => explain(&mut **store, own),
            None => own,
        }
    }
}

/// See [`Witness::explain`].
pub(super) fn explain(store: &mut dyn Store, own: Error) -> Error {
    let until = Instant::now() + if misses_somebody(&own) { PATIENCE } else { Duration::ZERO };
    loop {
        // Its answer is there at once, or the store is gone, too.
        match store.check(Instant::now()) {
            Ok(()) if Instant::now() < until => std::thread::sleep(PAUSE),
            answer => {
                let found = told(answer);
                store.fail(&own.to_string());
                return found.unwrap_or(own);
            }
        }
    }
}

/// Whether somebody else may know better.
fn misses_somebody(error: &Error) -> bool {
    // A rank of this host that is not where it listened is taken for one of another namespace.
    matches!(
        error,
        Error::Timeout { .. } | Error::PeerLost { .. } | Error::System { .. } | Error::Unsupported(_)
    )
}

/// The failure that a store tells of. That the store itself is gone tells nothing: it goes with rank 0, which may have
/// all that it needs.
fn told(answer: Result<()>) -> Option<Error> {
    answer.err().filter(|error| !matches!(error, Error::System { .. } | Error::Timeout { .. }))
}
