//! Refuses memory of a GPU where this crate itself copies: the processor cannot access it.
//!
//! The engine takes memory of a GPU as one run of bytes. What has holes is packed here, and some functions of
//! MPI copy a buffer.

use std::sync::OnceLock;

use anyccl_engine::config::MemoryKind;
use anyccl_engine::device::Kinds;

use crate::error::{Class, Error, Result};

/// Refuses bytes of a GPU. `what` says who would copy them.
#[inline]
pub fn check_host(start: *const u8, bytes: usize, what: &'static str) -> Result<()> {
    // It also finds a driver that the program loads later.
    static KINDS: OnceLock<Kinds> = OnceLock::new();
    let kinds = KINDS.get_or_init(Kinds::detect);
    let is_on_device = kinds.may_differ() && bytes > 0 && kinds.of(start.addr()) == MemoryKind::Cuda;
    if is_on_device { Err(refused(what)) } else { Ok(()) }
}

#[cold]
fn refused(what: &'static str) -> Error {
    Error::new(
        Class::BUFFER,
        format!("the buffer is memory of a GPU, and this is {what}; copy it to host memory"),
    )
}
