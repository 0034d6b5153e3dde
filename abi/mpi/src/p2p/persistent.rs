//! Persistent messages: prepared once, started often.

use std::sync::Arc;

use super::{receive, send};
use crate::arguments::{
    CommHandle, DatatypeHandle, Output, RecvAddress, RequestHandle, SendAddress, SendMode,
};
use crate::comm::Comm;
use crate::error::Result;
use crate::request::{self, Active};
use crate::status::Status;
use crate::types;
use crate::types::memory::Memory;

/// The address of a buffer that a request uses from each start to the end of that run.
#[derive(Clone, Copy)]
struct Address(*mut u8);

// SAFETY: the program has promised the buffer to each run, on whatever thread it runs.
unsafe impl Send for Address {}
// SAFETY: as above.
unsafe impl Sync for Address {}

impl Address {
    fn get(self) -> *mut u8 {
        self.0
    }
}

/// `MPI_Send_init`, `MPI_Rsend_init`, `MPI_Ssend_init`, `MPI_Bsend_init`.
pub unsafe fn send<M: SendMode>(
    buf: SendAddress,
    count: i64,
    datatype: DatatypeHandle,
    dest: i32,
    tag: i32,
    comm: CommHandle,
    request: Output<RequestHandle>,
) -> Result<()> {
    let found = Comm::from_handle(comm)?.share();
    let datatype = Arc::clone(&*types::committed(datatype)?);
    Memory::with(buf.pointer().cast_mut(), count, &datatype)?;
    let (tag, to, id) = (super::checked_tag(tag)?, found.peer(dest)?, found.id);
    let address = Address(buf.pointer().cast_mut());
    let restart = move || {
        let Some(to) = to else { return Ok(Active::Complete(Status::PROC_NULL)) };
        let memory = Memory::with(address.get(), count, &datatype)?;
        // SAFETY: the program's buffer is readable from each start to the end of that run.
        unsafe { send::begin(&found, memory, to, tag, M::MODE) }
    };
    request.set(request::create_persistent(id, Arc::new(restart)));
    Ok(())
}

/// `MPI_Recv_init`.
pub unsafe fn recv(
    buf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
    source: i32,
    tag: i32,
    comm: CommHandle,
    request: Output<RequestHandle>,
) -> Result<()> {
    let found = Comm::from_handle(comm)?.share();
    let datatype = Arc::clone(&*types::committed(datatype)?);
    Memory::with(buf.pointer(), count, &datatype)?;
    let (selector, id) = (super::selector(&found, source, tag)?, found.id);
    let address = Address(buf.pointer());
    let restart = move || {
        let Some(selector) = selector else { return Ok(Active::Complete(Status::PROC_NULL)) };
        let memory = Memory::with(address.get(), count, &datatype)?;
        // SAFETY: the program's buffer is writable from each start to the end of that run.
        unsafe { receive::begin(&found, memory, selector) }
    };
    request.set(request::create_persistent(id, Arc::new(restart)));
    Ok(())
}
