//! A started operation.

use crate::base::Result;

/// A started operation. Completes once; dropping an incomplete one waits for it.
pub struct Request {}

impl Request {
    /// Waits for the end.
    pub fn wait(&mut self) -> Result<()> {
        todo!()
    }

    /// Whether it has ended; makes progress.
    pub fn test(&mut self) -> Result<bool> {
        todo!()
    }
}

/// Waits for all; the first error is returned after all have ended.
pub fn wait_all(_requests: &mut [&mut Request]) -> Result<()> {
    todo!()
}
