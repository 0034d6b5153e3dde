//! Buffered sends (MPI 5.0, section 3.6): messages that wait in memory of the library.
//!
//! The program attaches a buffer, which limits how much may wait at a time. The messages themselves lie in
//! memory of the library, because their requests do; the attached buffer is only a limit. With
//! `MPI_BUFFER_AUTOMATIC` there is no limit.

use std::collections::HashMap;
use std::ffi::c_void;

use anyccl_engine::base;
use anyccl_engine::comm as engine;
use parking_lot::Mutex;

use super::send;
use crate::arguments::Mode;
use crate::arguments::{CommHandle, Output, RecvAddress, RequestHandle, SessionHandle};
use crate::comm::Comm;
use crate::constants::COMM_NULL;
use crate::error::{Class, Error, Result};
use crate::request::{self, Active, Staged};
use crate::session::Session;
use crate::status::Status;

/// A buffer that the program has attached, and the messages that are being sent.
struct Attached {
    address: usize,
    is_automatic: bool,
    bytes: usize,
    messages: Vec<Waiting>,
}

/// A message that is being sent.
struct Waiting {
    bytes: usize,
    request: engine::Request,
}

/// Bytes of the attached buffer that a message takes in addition. No ABI has a smaller `MPI_BSEND_OVERHEAD`.
const OVERHEAD: usize = 96;

/// Key of the buffer of the whole process; no communicator has this number.
const PROCESS: u32 = 0;

/// Bit of the key of the buffer of a session. The rest is the session's number, which has fewer bits.
const OF_SESSION: u32 = 1 << 31;

/// Buffers by communicator or session.
static BUFFERS: Mutex<Option<HashMap<u32, Attached>>> = Mutex::new(None);

impl Attached {
    fn forget_sent(&mut self) {
        self.messages.retain_mut(|waiting| matches!(waiting.request.test(), Ok(false)));
    }

    fn has_room(&mut self, bytes: usize) -> bool {
        if self.is_automatic {
            return true;
        }
        let used: usize = self.messages.iter().map(|waiting| waiting.bytes + OVERHEAD).sum();
        used + bytes + OVERHEAD <= self.bytes
    }
}

/// The key of the buffer of a session.
fn session_key(session: u32) -> u32 {
    session | OF_SESSION
}

/// Whether buffered messages are being sent.
pub fn is_under_way() -> bool {
    let mut buffers = BUFFERS.lock();
    buffers.get_or_insert_default().values_mut().any(|attached| {
        attached.forget_sent();
        !attached.messages.is_empty()
    })
}

/// Bytes of buffered messages that are being sent.
pub fn bytes() -> usize {
    let mut buffers = BUFFERS.lock();
    let of_one = |attached: &mut Attached| {
        attached.forget_sent();
        attached.messages.iter().map(|waiting| waiting.bytes).sum::<usize>()
    };
    buffers.get_or_insert_default().values_mut().map(of_one).sum()
}

/// Sends a copied message. It is complete for its sender at once.
pub(super) fn start(comm: &Comm, data: Vec<u8>, to: base::Rank, tag: i32) -> Result<Active> {
    let mut buffers = BUFFERS.lock();
    let all = buffers.get_or_insert_default();
    let of_session = comm.group().session().map(session_key);
    let keys = [Some(comm.id), of_session].into_iter().flatten();
    let key = keys.into_iter().find(|key| all.contains_key(key)).unwrap_or(PROCESS);
    let Some(attached) = all.get_mut(&key) else {
        return Err(Error::new(Class::BUFFER, "no buffer is attached: call MPI_Buffer_attach first"));
    };
    if !attached.has_room(data.len()) {
        attached.forget_sent();
    }
    if !attached.has_room(data.len()) {
        let text = format!("{} bytes do not fit into what is free of the attached buffer", data.len());
        return Err(Error::new(Class::BUFFER, text));
    }
    let bytes = data.len();
    let message = send::message(to, tag, data.as_ptr(), bytes, Mode::Standard);
    // SAFETY: the request keeps the sent bytes.
    let request = unsafe { comm.engine().start(&message) }?.keeping(data);
    attached.messages.push(Waiting { bytes, request });
    Ok(Active::Complete(Status::SENT))
}

fn attach(key: u32, buffer: RecvAddress, size: i64) -> Result<()> {
    let bytes =
        usize::try_from(size).map_err(|_| Error::new(Class::ARG, format!("a buffer of {size} bytes")))?;
    let mut buffers = BUFFERS.lock();
    let all = buffers.get_or_insert_default();
    if all.contains_key(&key) {
        return Err(Error::new(Class::BUFFER, "a buffer is attached already"));
    }
    let address = buffer.pointer().addr();
    all.insert(key, Attached { address, is_automatic: buffer.is_automatic(), bytes, messages: Vec::new() });
    Ok(())
}

fn detach(key: u32, place: *mut c_void, size: Output<i64>) -> Result<()> {
    let attached = BUFFERS.lock().get_or_insert_default().remove(&key);
    // MPI 4.1: without a buffer, the address is NULL and the size 0.
    let (address, bytes) = attached.as_ref().map_or((0, 0), |attached| (attached.address, attached.bytes));
    for mut waiting in attached.into_iter().flat_map(|attached| attached.messages) {
        waiting.request.wait()?;
    }
    if !place.is_null() {
        // SAFETY: the program passes the place of a pointer.
        unsafe { place.cast::<usize>().write(address) };
    }
    size.set(bytes as i64);
    Ok(())
}

fn flush(key: u32) -> Result<()> {
    let messages = match BUFFERS.lock().get_or_insert_default().get_mut(&key) {
        Some(attached) => std::mem::take(&mut attached.messages),
        None => return Ok(()),
    };
    for mut waiting in messages {
        waiting.request.wait()?;
    }
    Ok(())
}

/// Makes a request that is complete when all messages that wait now have been sent.
fn start_flush(comm: u32, key: u32, request: &Output<RequestHandle>) -> Result<()> {
    let messages = match BUFFERS.lock().get_or_insert_default().get_mut(&key) {
        Some(attached) => std::mem::take(&mut attached.messages),
        None => Vec::new(),
    };
    let stages = messages
        .into_iter()
        .map(|waiting| -> request::Stage { Box::new(move |_| Ok(Some(waiting.request))) });
    request.set(request::create(comm, Staged::start(stages)?));
    Ok(())
}

/// Waits for all buffered messages of the process: MPI_Finalize detaches every buffer.
pub fn finish() {
    let all = std::mem::take(&mut *BUFFERS.lock()).unwrap_or_default();
    for mut waiting in all.into_values().flat_map(|attached| attached.messages) {
        // Nobody is left who could handle an error.
        let _ = waiting.request.wait();
    }
}

/// `MPI_Buffer_attach`.
pub unsafe fn buffer_attach(buffer: RecvAddress, size: i64) -> Result<()> {
    attach(PROCESS, buffer, size)
}

/// `MPI_Buffer_detach`.
pub unsafe fn buffer_detach(place: *mut c_void, size: Output<i64>) -> Result<()> {
    detach(PROCESS, place, size)
}

/// `MPI_Buffer_flush`.
pub unsafe fn buffer_flush() -> Result<()> {
    flush(PROCESS)
}

/// `MPI_Buffer_iflush`.
pub unsafe fn buffer_iflush(request: Output<RequestHandle>) -> Result<()> {
    start_flush(COMM_NULL, PROCESS, &request)
}

/// `MPI_Comm_attach_buffer`.
pub unsafe fn comm_attach_buffer(comm: CommHandle, buffer: RecvAddress, size: i64) -> Result<()> {
    attach(Comm::from_handle(comm)?.id, buffer, size)
}

/// `MPI_Comm_detach_buffer`.
pub unsafe fn comm_detach_buffer(comm: CommHandle, place: *mut c_void, size: Output<i64>) -> Result<()> {
    detach(Comm::from_handle(comm)?.id, place, size)
}

/// `MPI_Comm_flush_buffer`.
pub unsafe fn comm_flush_buffer(comm: CommHandle) -> Result<()> {
    flush(Comm::from_handle(comm)?.id)
}

/// `MPI_Comm_iflush_buffer`.
pub unsafe fn comm_iflush_buffer(comm: CommHandle, request: Output<RequestHandle>) -> Result<()> {
    let id = Comm::from_handle(comm)?.id;
    start_flush(id, id, &request)
}

/// Waits for the buffered messages of a session, and detaches its buffer.
pub fn finish_session(session: u32) -> Result<()> {
    let attached = BUFFERS.lock().get_or_insert_default().remove(&session_key(session));
    for mut waiting in attached.into_iter().flat_map(|attached| attached.messages) {
        waiting.request.wait()?;
    }
    Ok(())
}

/// `MPI_Session_attach_buffer`.
pub unsafe fn session_attach_buffer(session: SessionHandle, buffer: RecvAddress, size: i64) -> Result<()> {
    attach(session_key(Session::from_handle(session)?.id), buffer, size)
}

/// `MPI_Session_detach_buffer`.
pub unsafe fn session_detach_buffer(
    session: SessionHandle,
    place: *mut c_void,
    size: Output<i64>,
) -> Result<()> {
    detach(session_key(Session::from_handle(session)?.id), place, size)
}

/// `MPI_Session_flush_buffer`.
pub unsafe fn session_flush_buffer(session: SessionHandle) -> Result<()> {
    flush(session_key(Session::from_handle(session)?.id))
}

/// `MPI_Session_iflush_buffer`.
pub unsafe fn session_iflush_buffer(session: SessionHandle, request: Output<RequestHandle>) -> Result<()> {
    let id = Session::from_handle(session)?.id;
    start_flush(COMM_NULL, session_key(id), &request)
}
