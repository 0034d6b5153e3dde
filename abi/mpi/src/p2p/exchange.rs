//! A send and a receive at the same time: `MPI_Sendrecv` and its forms.

use anyccl_engine::comm as engine;

use super::{receive, send};
use crate::arguments::{
    CommHandle, DatatypeHandle, Mode, Output, RecvAddress, RequestHandle, SendAddress, StatusPlaces,
};
use crate::comm::Comm;
use crate::error::Result;
use crate::request::{self, Active, Steps};
use crate::status::Status;
use crate::types::host_memory::check_host;
use crate::types::memory::{Memory, copied};

/// The two operations of an exchange.
pub struct Pair {
    receive: Active,
    send: Active,
    received: Option<Result<Status>>,
}

impl Pair {
    /// The operation to wait for next.
    fn next(&self) -> &Active {
        if self.received.is_none() { &self.receive } else { &self.send }
    }
}

impl Steps for Pair {
    fn poll(&mut self) -> Option<Result<Status>> {
        if self.received.is_none() {
            self.received = Some(self.receive.poll()?);
        }
        let sent = self.send.poll()?;
        let received = self.received.clone()?;
        Some(sent.and(received))
    }

    fn current(&self) -> Option<&engine::Request> {
        self.next().current()
    }
}

/// `MPI_Sendrecv`.
pub unsafe fn sendrecv(
    sendbuf: SendAddress,
    sendcount: i64,
    sendtype: DatatypeHandle,
    dest: i32,
    sendtag: i32,
    recvbuf: RecvAddress,
    recvcount: i64,
    recvtype: DatatypeHandle,
    source: i32,
    recvtag: i32,
    comm: CommHandle,
    status: StatusPlaces,
) -> Result<()> {
    Memory::of(sendbuf.pointer().cast_mut(), sendcount, sendtype)?;
    check_send(comm, dest, sendtag)?;
    // SAFETY: passed on from our caller; both are waited for.
    let (_, mut receive) = unsafe { receive::start(recvbuf, recvcount, recvtype, source, recvtag, comm) }?;
    // SAFETY: as above.
    let (_, mut send) =
        unsafe { send::start(sendbuf, sendcount, sendtype, dest, sendtag, comm, Mode::Standard) }?;
    let received = receive.wait();
    send.wait()?;
    status.tell(received)
}

/// Checks the send first, so that an error is found before the receive is started.
fn check_send(comm: CommHandle, dest: i32, tag: i32) -> Result<()> {
    Comm::from_handle(comm)?.peer(dest)?;
    super::checked_tag(tag).map(drop)
}

/// `MPI_Sendrecv_replace`.
pub unsafe fn sendrecv_replace(
    buf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
    dest: i32,
    sendtag: i32,
    source: i32,
    recvtag: i32,
    comm: CommHandle,
    status: StatusPlaces,
) -> Result<()> {
    // SAFETY: passed on from our caller; the pair is waited for.
    let (_, pair) = unsafe { start_replace(buf, count, datatype, dest, sendtag, source, recvtag, comm) }?;
    status.set(&request::run(pair)?);
    Ok(())
}

/// `MPI_Isendrecv`.
pub unsafe fn isendrecv(
    sendbuf: SendAddress,
    sendcount: i64,
    sendtype: DatatypeHandle,
    dest: i32,
    sendtag: i32,
    recvbuf: RecvAddress,
    recvcount: i64,
    recvtype: DatatypeHandle,
    source: i32,
    recvtag: i32,
    comm: CommHandle,
    request: Output<RequestHandle>,
) -> Result<()> {
    Memory::of(sendbuf.pointer().cast_mut(), sendcount, sendtype)?;
    check_send(comm, dest, sendtag)?;
    // SAFETY: passed on from our caller.
    let (id, receive) = unsafe { receive::start(recvbuf, recvcount, recvtype, source, recvtag, comm) }?;
    // SAFETY: as above.
    let (_, send) =
        unsafe { send::start(sendbuf, sendcount, sendtype, dest, sendtag, comm, Mode::Standard) }?;
    request.set(request::create(id, Active::Steps(Box::new(Pair { receive, send, received: None }))));
    Ok(())
}

/// `MPI_Isendrecv_replace`.
pub unsafe fn isendrecv_replace(
    buf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
    dest: i32,
    sendtag: i32,
    source: i32,
    recvtag: i32,
    comm: CommHandle,
    request: Output<RequestHandle>,
) -> Result<()> {
    // SAFETY: passed on from our caller.
    let (id, pair) = unsafe { start_replace(buf, count, datatype, dest, sendtag, source, recvtag, comm) }?;
    request.set(request::create(id, pair));
    Ok(())
}

/// Starts the send from a copy, and the receive into the program's memory.
///
/// # Safety
/// The memory is readable now, and writable until the operation is complete.
unsafe fn start_replace(
    buf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
    dest: i32,
    sendtag: i32,
    source: i32,
    recvtag: i32,
    comm: CommHandle,
) -> Result<(u32, Active)> {
    let memory = Memory::of(buf.pointer(), count, datatype)?;
    check_send(comm, dest, sendtag)?;
    let copy = match memory {
        Memory::Run(data, bytes) => {
            check_host(data, bytes, "an exchange that replaces it, which copies it first")?;
            // SAFETY: the caller's memory is readable.
            copied(unsafe { std::slice::from_raw_parts(send::present(data), bytes) })?
        }
        // SAFETY: as above.
        Memory::Noncontiguous(typed) => unsafe { typed.pack() }?,
    };
    // SAFETY: passed on from our caller.
    let (id, receive) = unsafe { receive::start(buf, count, datatype, source, recvtag, comm) }?;
    let found = Comm::from_handle(comm)?;
    let send = match found.peer(dest)? {
        None => Active::Complete(Status::PROC_NULL),
        Some(to) => {
            let message = send::message(to, sendtag, copy.as_ptr(), copy.len(), Mode::Standard);
            // SAFETY: the request keeps the copy.
            Active::engine(unsafe { found.engine().start(&message) }?.keeping(copy))
        }
    };
    Ok((id, Active::Steps(Box::new(Pair { receive, send, received: None }))))
}
