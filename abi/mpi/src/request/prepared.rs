//! The operation of a persistent request, which can be started many times.

use std::sync::Arc;

use super::active::Active;
use crate::error::{Class, Error, Result};

/// An operation that can be started many times. A partitioned message has functions for its partitions.
pub trait Prepared: Send + Sync {
    /// Starts it.
    fn start(self: Arc<Self>) -> Result<Active>;

    /// Marks partitions of a send as ready.
    fn ready(&self, _partitions: &mut dyn Iterator<Item = i32>) -> Result<()> {
        Err(Error::new(Class::REQUEST, "the request is no partitioned send"))
    }

    /// Whether a partition of a receive is complete.
    fn has_arrived(&self, _partition: i32) -> Result<bool> {
        Err(Error::new(Class::REQUEST, "the request is no partitioned receive"))
    }

    /// Refuses to be freed while it is under way, if it could not end then.
    fn check_free(&self) -> Result<()> {
        Ok(())
    }
}

impl<F: Fn() -> Result<Active> + Send + Sync> Prepared for F {
    fn start(self: Arc<Self>) -> Result<Active> {
        self()
    }
}
