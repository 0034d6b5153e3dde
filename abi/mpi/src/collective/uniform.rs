//! Helpers for calls with one count.

use anyccl_engine::base::{Call, CallKind, Collective, Datatype as Element, Rank};
use anyccl_engine::comm::Operation;

use super::typed::not_in_place;
use crate::arguments::{RecvAddress, SendAddress};
use crate::error::Result;

/// A call that moves bytes; `count` is meant in the sense of the collective.
#[inline]
pub(super) fn movement(
    collective: Collective,
    root: Rank,
    bytes: usize,
    send: *const u8,
    recv: *mut u8,
) -> Operation {
    let kind = CallKind::Collective(collective);
    let call = Call { kind, datatype: Element::Byte, op: None, root, count: bytes as u64 };
    Operation { call, send, recv }
}

/// The address of a buffer that is written. Refuses `MPI_IN_PLACE`.
#[inline]
pub(super) fn whole(buffer: RecvAddress, name: &'static str) -> Result<*mut u8> {
    if buffer.is_in_place() { Err(not_in_place(name)) } else { Ok(buffer.pointer()) }
}

/// The address of a buffer that is read. Refuses `MPI_IN_PLACE`.
#[inline]
pub(super) fn whole_send(buffer: SendAddress, name: &'static str) -> Result<*const u8> {
    if buffer.is_in_place() { Err(not_in_place(name)) } else { Ok(buffer.pointer()) }
}
