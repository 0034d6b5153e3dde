//! Receives, blocking and not.

use std::sync::Arc;

use anyccl_engine::base;
use anyccl_engine::comm::StartedReceive;
use anyccl_engine::p2p::{RecvBuffer, Selector};

use super::selector;
use super::send::present;
use crate::arguments::{CommHandle, DatatypeHandle, Output, RecvAddress, RequestHandle, StatusPlaces};
use crate::call::check_outside_callback;
use crate::comm::Comm;
use crate::error::{Error, Result};
use crate::request::{self, Active};
use crate::status::Status;
use crate::types::memory::Memory;

/// A buffer of bytes, for messages of any type.
#[inline]
pub(super) fn buffer(data: *mut u8, bytes: usize) -> RecvBuffer {
    RecvBuffer { data: present(data), datatype: base::Datatype::Byte, count: bytes as u64, is_lenient: true }
}

/// `MPI_Recv`.
#[inline]
pub unsafe fn recv(
    buf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
    source: i32,
    tag: i32,
    comm: CommHandle,
    status: StatusPlaces,
) -> Result<()> {
    let comm = Comm::from_handle(comm)?;
    check_outside_callback()?;
    let Some(selector) = selector(&comm, source, tag)? else {
        status.set(&Status::PROC_NULL);
        return Ok(());
    };
    let memory = Memory::of(buf.pointer(), count, datatype)?;
    if let Memory::Run(data, bytes) = memory {
        // SAFETY: the program's buffer is writable for the whole call.
        let received = unsafe { comm.engine().receive(selector, buffer(data, bytes)) };
        return match received {
            Ok(received) => {
                let source = comm.rank_of_peer(received.source);
                status.set(&Status { source, ..Status::from(&received) });
                Ok(())
            }
            Err(error) => status.tell(Err(Error::from(error).among_peers_from(comm.first_peer()))),
        };
    }
    // SAFETY: as above; this waits for the end.
    status.tell(request::run(unsafe { begin(&comm, memory, selector) }?))
}

/// `MPI_Irecv`.
pub unsafe fn irecv(
    buf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
    source: i32,
    tag: i32,
    comm: CommHandle,
    request: Output<RequestHandle>,
) -> Result<()> {
    // SAFETY: passed on from our caller.
    let (id, active) = unsafe { start(buf, count, datatype, source, tag, comm) }?;
    request.set(request::create(id, active));
    Ok(())
}

/// Starts a receive. Returns the communicator's number, too.
///
/// # Safety
/// The memory is writable, and used by nobody else, until the operation is complete.
pub(super) unsafe fn start(
    buf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
    source: i32,
    tag: i32,
    comm: CommHandle,
) -> Result<(u32, Active)> {
    let comm = Comm::from_handle(comm)?;
    check_outside_callback()?;
    let Some(selector) = selector(&comm, source, tag)? else {
        return Ok((comm.id, Active::Complete(Status::PROC_NULL)));
    };
    let memory = Memory::of(buf.pointer(), count, datatype)?;
    // SAFETY: passed on from our caller.
    Ok((comm.id, unsafe { begin(&comm, memory, selector) }?))
}

/// Starts a receive into memory that was checked.
///
/// # Safety
/// See [`start`].
pub(super) unsafe fn begin(comm: &Comm, memory: Memory, selector: Selector) -> Result<Active> {
    let started = match memory {
        Memory::Run(data, bytes) => {
            // SAFETY: passed on from our caller.
            match unsafe { comm.engine().begin_receive(selector, buffer(data, bytes)) }? {
                StartedReceive::Pending(request) => request,
                StartedReceive::Received(status) => {
                    let source = comm.rank_of_peer(status.source);
                    return Ok(Active::Complete(Status { source, ..Status::from(&status) }));
                }
            }
        }
        Memory::Noncontiguous(typed) => {
            // SAFETY: as above.
            unsafe { comm.engine().start_receive_noncontiguous(selector, Arc::new(typed)) }?
        }
    };
    Ok(Active::receive(started, comm.first_peer()))
}
