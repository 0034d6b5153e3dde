//! Sends of all modes, blocking and not.

use std::sync::Arc;

use anyccl_engine::base;
use anyccl_engine::p2p::OutgoingMessage;
use anyccl_engine::reduce::is_inside_callback;

use super::{buffered, checked_tag};
use crate::arguments::{CommHandle, DatatypeHandle, Mode, Output, RequestHandle, SendAddress, SendMode};
use crate::call::check_outside_callback;
use crate::comm::Comm;
use crate::error::Result;
use crate::request::{self, Active};
use crate::status::Status;
use crate::types::host_memory::check_host;
use crate::types::memory::{Memory, copied, dense_bytes};

/// A message of bytes.
#[inline]
pub(super) fn message(
    to: base::Rank,
    tag: i32,
    data: *const u8,
    bytes: usize,
    mode: Mode,
) -> OutgoingMessage {
    OutgoingMessage {
        to,
        tag,
        datatype: base::Datatype::Byte,
        count: bytes as u64,
        data,
        is_synchronous: mode == Mode::Synchronous,
    }
}

/// `MPI_Send` and `MPI_Rsend`.
#[inline]
pub unsafe fn send(
    buf: SendAddress,
    count: i64,
    datatype: DatatypeHandle,
    dest: i32,
    tag: i32,
    comm: CommHandle,
) -> Result<()> {
    let comm = Comm::from_handle(comm)?;
    check_outside_callback()?;
    let tag = checked_tag(tag)?;
    let Some(to) = comm.peer(dest)? else { return Ok(()) };
    let memory = Memory::of(buf.pointer().cast_mut(), count, datatype)?;
    if let Memory::Run(data, bytes) = memory {
        let message = message(to, tag, present(data), bytes, Mode::Standard);
        // SAFETY: the program's buffer is readable for the whole call.
        if unsafe { comm.engine().send_fast_path(&message) } {
            return Ok(());
        }
        // SAFETY: as above.
        return Ok(unsafe { comm.engine().send(&message) }?);
    }
    // SAFETY: the program's buffer is readable for the whole call, which waits for the end.
    request::run(unsafe { begin(&comm, memory, to, tag, Mode::Standard) }?).map(drop)
}

/// `MPI_Ssend`.
pub unsafe fn synchronous(
    buf: SendAddress,
    count: i64,
    datatype: DatatypeHandle,
    dest: i32,
    tag: i32,
    comm: CommHandle,
) -> Result<()> {
    // SAFETY: passed on from our caller, who waits.
    request::run(unsafe { start(buf, count, datatype, dest, tag, comm, Mode::Synchronous) }?.1).map(drop)
}

/// `MPI_Bsend`.
pub unsafe fn buffered(
    buf: SendAddress,
    count: i64,
    datatype: DatatypeHandle,
    dest: i32,
    tag: i32,
    comm: CommHandle,
) -> Result<()> {
    // SAFETY: passed on from our caller; the message is copied before this returns.
    unsafe { start(buf, count, datatype, dest, tag, comm, Mode::Buffered) }.map(drop)
}

/// `MPI_Isend`, `MPI_Irsend`, `MPI_Issend`, `MPI_Ibsend`.
pub unsafe fn isend<M: SendMode>(
    buf: SendAddress,
    count: i64,
    datatype: DatatypeHandle,
    dest: i32,
    tag: i32,
    comm: CommHandle,
    request: Output<RequestHandle>,
) -> Result<()> {
    if M::MODE == Mode::Standard
        // SAFETY: passed on from our caller.
        && unsafe { send_fast_path(buf, count, datatype, dest, tag, comm) }
    {
        request.set(request::FINISHED);
        return Ok(());
    }
    // SAFETY: passed on from our caller.
    let (id, active) = unsafe { start(buf, count, datatype, dest, tag, comm, M::MODE) }?;
    request.set(request::create(id, active));
    Ok(())
}

/// Sends a small message if it can leave at once, and returns whether it did. If it did not, nothing was
/// done, and the arguments may be invalid.
///
/// # Safety
/// The memory is readable during this call.
#[inline(always)]
unsafe fn send_fast_path(
    buf: SendAddress,
    count: i64,
    datatype: DatatypeHandle,
    dest: i32,
    tag: i32,
    comm: CommHandle,
) -> bool {
    let Some(bytes) = dense_bytes(count, datatype) else { return false };
    let Ok(comm) = Comm::from_handle(comm) else { return false };
    let (data, Ok(Some(to))) = (buf.pointer(), comm.peer(dest)) else { return false };
    if data.is_null() || tag < 0 || is_inside_callback() {
        return false;
    }
    let message = message(to, tag, data, bytes as usize, Mode::Standard);
    // SAFETY: passed on from our caller.
    unsafe { comm.engine().send_fast_path(&message) }
}

/// Starts a send. Returns the communicator's number, too.
///
/// # Safety
/// The memory is readable until the operation is complete.
pub(super) unsafe fn start(
    buf: SendAddress,
    count: i64,
    datatype: DatatypeHandle,
    dest: i32,
    tag: i32,
    comm: CommHandle,
    mode: Mode,
) -> Result<(u32, Active)> {
    let comm = Comm::from_handle(comm)?;
    check_outside_callback()?;
    let tag = checked_tag(tag)?;
    let Some(to) = comm.peer(dest)? else { return Ok((comm.id, Active::Complete(Status::PROC_NULL))) };
    let memory = Memory::of(buf.pointer().cast_mut(), count, datatype)?;
    // SAFETY: passed on from our caller.
    Ok((comm.id, unsafe { begin(&comm, memory, to, tag, mode) }?))
}

/// Starts a send of memory that was checked.
///
/// # Safety
/// See [`start`].
pub(super) unsafe fn begin(
    comm: &Comm,
    memory: Memory,
    to: base::Rank,
    tag: i32,
    mode: Mode,
) -> Result<Active> {
    match memory {
        Memory::Run(data, bytes) if mode == Mode::Buffered => {
            check_host(data, bytes, "a buffered send, which copies it")?;
            // SAFETY: the caller's memory is readable.
            let copy = copied(unsafe { std::slice::from_raw_parts(present(data), bytes) })?;
            buffered::start(comm, copy, to, tag)
        }
        Memory::Noncontiguous(typed) if mode == Mode::Buffered => {
            // SAFETY: as above.
            let packed = unsafe { typed.pack() }?;
            buffered::start(comm, packed, to, tag)
        }
        Memory::Run(data, bytes) => {
            let message = message(to, tag, present(data), bytes, mode);
            // SAFETY: the caller's memory is readable.
            if unsafe { comm.engine().send_fast_path(&message) } {
                return Ok(Active::Complete(Status::SENT));
            }
            // SAFETY: as above, until the operation is complete.
            Ok(Active::engine(unsafe { comm.engine().start(&message) }?))
        }
        Memory::Noncontiguous(typed) => {
            let is_synchronous = mode == Mode::Synchronous;
            // SAFETY: the caller's memory is readable until the operation is complete.
            let started =
                unsafe { comm.engine().start_send_noncontiguous(to, tag, is_synchronous, Arc::new(typed)) };
            Ok(Active::engine(started?))
        }
    }
}

/// The address, or a dangling one in place of NULL, which occurs only without bytes.
#[inline]
pub(super) fn present(data: *mut u8) -> *mut u8 {
    if data.is_null() { std::ptr::NonNull::dangling().as_ptr() } else { data }
}
