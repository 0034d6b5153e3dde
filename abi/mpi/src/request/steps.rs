//! Operations that take several steps, of other rooms: collectives in stages, a send and a receive at once.

use anyccl_engine::comm as engine;

use crate::error::Result;
use crate::status::Status;

/// An operation that needs turns from waiting threads to reach its end.
pub trait Steps: Send {
    /// Goes on as far as possible. Returns the outcome once the operation has ended.
    fn poll(&mut self) -> Option<Result<Status>>;

    /// The request in the engine to wait for next.
    fn current(&self) -> Option<&engine::Request>;
}
