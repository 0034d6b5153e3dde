//! Probes: functions that look for messages, or take them out of the queue.

use std::sync::Arc;

use anyccl_engine::p2p::{MatchedMessage, Selector};

use super::{receive, selector};
use crate::arguments::{
    CommHandle, DatatypeHandle, InputOutput, MessageHandle, Output, RecvAddress, RequestHandle, StatusPlaces,
};
use crate::call::check_outside_callback;
use crate::comm::Comm;
use crate::constants::MESSAGE_NO_PROC;
use crate::error::{Class, Error, Result};
use crate::request::{self, Active};
use crate::status::Status;
use crate::table::Table;
use crate::types::memory::Memory;

/// A message that was taken out of the queue.
struct Message {
    message: MatchedMessage,
    comm: CommHandle,
}

/// All messages that were taken out of the queue and not received.
static MESSAGES: Table<Message> = Table::new("message", Class::REQUEST);

/// A status with ranks of a communicator.
fn status_on(comm: &Comm, status: &anyccl_engine::p2p::Status) -> Status {
    let mut status = Status::from(status);
    status.source = comm.rank_of_peer(status.source.cast_unsigned());
    status
}

/// `MPI_Probe`.
pub unsafe fn probe(source: i32, tag: i32, comm: CommHandle, status: StatusPlaces) -> Result<()> {
    let comm = Comm::from_handle(comm)?;
    check_outside_callback()?;
    let Some(selector) = selector(&comm, source, tag)? else {
        status.set(&Status::PROC_NULL);
        return Ok(());
    };
    let engine = comm.engine();
    let found = engine.probe(selector)?;
    status.set(&status_on(&comm, &found));
    Ok(())
}

/// `MPI_Iprobe`.
pub unsafe fn iprobe(
    source: i32,
    tag: i32,
    comm: CommHandle,
    flag: Output<bool>,
    status: StatusPlaces,
) -> Result<()> {
    let comm = Comm::from_handle(comm)?;
    check_outside_callback()?;
    let Some(selector) = selector(&comm, source, tag)? else {
        flag.set(true);
        status.set(&Status::PROC_NULL);
        return Ok(());
    };
    let found = comm.engine().try_probe(selector)?;
    request::progress_staged();
    flag.set(found.is_some());
    if let Some(found) = found {
        status.set(&status_on(&comm, &found));
    }
    Ok(())
}

/// `MPI_Mprobe`.
pub unsafe fn mprobe(
    source: i32,
    tag: i32,
    comm: CommHandle,
    message: Output<MessageHandle>,
    status: StatusPlaces,
) -> Result<()> {
    let handle = comm;
    let comm = Comm::from_handle(comm)?;
    check_outside_callback()?;
    let Some(selector) = selector(&comm, source, tag)? else {
        message.set(MessageHandle(MESSAGE_NO_PROC));
        status.set(&Status::PROC_NULL);
        return Ok(());
    };
    let engine = comm.engine();
    let taken = engine.matched_probe(selector)?;
    message.set(keep(taken.0, handle));
    status.set(&status_on(&comm, &taken.1));
    Ok(())
}

/// `MPI_Improbe`.
pub unsafe fn improbe(
    source: i32,
    tag: i32,
    comm: CommHandle,
    flag: Output<bool>,
    message: Output<MessageHandle>,
    status: StatusPlaces,
) -> Result<()> {
    let handle = comm;
    let comm = Comm::from_handle(comm)?;
    check_outside_callback()?;
    let Some(selector): Option<Selector> = selector(&comm, source, tag)? else {
        flag.set(true);
        message.set(MessageHandle(MESSAGE_NO_PROC));
        status.set(&Status::PROC_NULL);
        return Ok(());
    };
    let taken = comm.engine().try_matched_probe(selector)?;
    request::progress_staged();
    flag.set(taken.is_some());
    if let Some((taken, found)) = taken {
        message.set(keep(taken, handle));
        status.set(&status_on(&comm, &found));
    }
    Ok(())
}

fn keep(message: MatchedMessage, comm: CommHandle) -> MessageHandle {
    MessageHandle(MESSAGES.insert_with(|_| Message { message, comm }))
}

/// `MPI_Mrecv`.
pub unsafe fn mrecv(
    buf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
    message: InputOutput<MessageHandle>,
    status: StatusPlaces,
) -> Result<()> {
    // SAFETY: passed on from our caller, who waits.
    let (comm, active) = unsafe { start(buf, count, datatype, &message) }?;
    status.tell(request::run(active).map_err(|error| error.on(comm)))
}

/// `MPI_Imrecv`.
pub unsafe fn imrecv(
    buf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
    message: InputOutput<MessageHandle>,
    request: Output<RequestHandle>,
) -> Result<()> {
    // SAFETY: passed on from our caller.
    let (comm, active) = unsafe { start(buf, count, datatype, &message) }?;
    request.set(request::create(comm, active));
    Ok(())
}

/// # Safety
/// See [`receive::start`].
unsafe fn start(
    buf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
    message: &InputOutput<MessageHandle>,
) -> Result<(u32, Active)> {
    let handle = message.get();
    if handle.is_null() {
        return Err(Error::new(Class::REQUEST, "the message is MPI_MESSAGE_NULL"));
    }
    let memory = Memory::of(buf.pointer(), count, datatype)?;
    if handle.0 == MESSAGE_NO_PROC {
        message.set(MessageHandle::NULL);
        return Ok((crate::constants::COMM_NULL, Active::Complete(Status::PROC_NULL)));
    }
    let comm = MESSAGES.get(handle.0)?.comm;
    let comm = Comm::from_handle(comm)?;
    let taken = MESSAGES.remove(handle.0)?.message;
    message.set(MessageHandle::NULL);
    let engine = comm.engine();
    let started = match memory {
        Memory::Run(data, bytes) => {
            let buffer = receive::buffer(data, bytes);
            // SAFETY: passed on from our caller; the message was taken out of this communicator, once.
            unsafe { engine.start_matched_receive(taken, buffer) }
        }
        Memory::Noncontiguous(typed) => {
            // SAFETY: as above.
            unsafe { engine.start_matched_receive_noncontiguous(taken, Arc::new(typed)) }
        }
    };
    let request = started.map_err(|error| Error::from(error).on(comm.id))?;
    Ok((comm.id, Active::receive(request, comm.first_peer())))
}
