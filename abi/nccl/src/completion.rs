//! The end of one started operation.

use anyccl_engine::base::{Error, Result};
use anyccl_engine::comm::Work;
use anyccl_engine::p2p::Status;

/// Waits for the end of `work`. A message shorter than `expected` is an error of the program: NCCL requires
/// the same count on both sides.
pub fn wait_for(work: &mut Work, expected: Option<u64>) -> Result<()> {
    work.wait()?;
    check_count(work.status(), expected)
}

/// Refuses a message that is shorter than `expected`.
pub fn check_count(status: Option<Status>, expected: Option<u64>) -> Result<()> {
    match (expected, status) {
        (Some(expected), Some(status)) if status.count < expected => Err(Error::Mismatch(format!(
            "ncclRecv of {expected} elements met an ncclSend of {} by rank {}",
            status.count, status.source
        ))),
        _ => Ok(()),
    }
}
