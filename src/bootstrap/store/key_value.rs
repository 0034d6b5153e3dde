//! The store: a key/value place that all ranks of a job can reach.

use std::time::{Duration, Instant};

use crate::base::Result;

/// A key/value place that all ranks of a job can reach.
pub trait Store: Send {
    /// Sets `key`, once.
    fn set(&mut self, key: &str, value: &[u8], deadline: Instant) -> Result<()>;
    /// Waits until `key` is set, and gives its value.
    fn get(&mut self, key: &str, deadline: Instant) -> Result<Vec<u8>>;

    /// Tells the others that this rank cannot go on. Best effort: not every store can.
    fn fail(&mut self, _why: &str) {}

    /// An error when another rank is known to have failed or died. Called now and then while the ranks
    /// connect; does not wait beyond `deadline`. A store that does not know reports success.
    fn check(&mut self, _deadline: Instant) -> Result<()> {
        Ok(())
    }
}

/// How much longer a store waits than its ranks: it knows who is missing, and must be there to say so.
pub(crate) const SLACK: Duration = Duration::from_secs(1);
