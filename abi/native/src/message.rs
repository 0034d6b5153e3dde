//! Probes, and messages that are taken out before they are received.

use std::ffi::{c_int, c_void};
use std::ptr::{null_mut, without_provenance_mut};
use std::sync::Arc;

use anyccl_edge::check::{self, invalid};
use anyccl_edge::{Handles, ObjectRef, Out, buffers};
use anyccl_engine::base::{Call, CallKind, Datatype, Error, Result};
use anyccl_engine::comm::estimates;
use anyccl_engine::p2p::{MatchedMessage, RecvBuffer, Selector, Status, Tag};
use parking_lot::Mutex;

use crate::batch;
use crate::comm::{Comm, anyccl_comm_t};
use crate::datatype::anyccl_datatype_t;
use crate::message_status::{StatusPlace, anyccl_message_status_t, status_place};
use crate::request::{anyccl_request_t, hand_out};
use crate::status::{anyccl_status_t, edge};

/// Source of a receive or a probe that accepts any rank.
pub const ANYCCL_ANY_SOURCE: c_int = -1;
/// Tag of a receive or a probe that accepts any tag.
pub const ANYCCL_ANY_TAG: c_int = -1;

/// Opaque type behind anyccl_message_t.
pub struct anyccl_message {
    _opaque: [u8; 0],
}

/// Handle of a message that anyccl_mprobe() or anyccl_improbe() has taken out: no other receive gets it. It
/// is received once, which sets the handle to NULL.
pub type anyccl_message_t = *mut anyccl_message;

/// The object behind a handle.
struct Claimed {
    message: MatchedMessage,
    comm: Arc<Comm>,
    /// Whether a receive has taken the message. Only one may.
    is_taken: Mutex<bool>,
}

static MESSAGES: Handles<Claimed> = Handles::new("message");

/// Checks that a number may be the tag of a message.
#[inline]
pub fn tag(number: i32) -> Result<Tag> {
    if number < 0 {
        return invalid("tag", format!("{number}; accepted: 0 and more"));
    }
    Ok(number)
}

/// The messages that a receive or a probe accepts.
#[inline]
pub fn selector(source: c_int, tag: i32, comm: &Comm) -> Result<Selector> {
    let source = match source {
        ANYCCL_ANY_SOURCE => None,
        rank => Some(check::rank(rank, comm.engine.size(), "source")?),
    };
    let tag = match tag {
        ANYCCL_ANY_TAG => None,
        tag => Some(self::tag(tag)?),
    };
    Ok(Selector::new(source, tag))
}

/// A receive buffer with the extent of its arguments.
pub fn buffer(recv: *mut c_void, count: usize, datatype: Datatype) -> Result<RecvBuffer> {
    let count = count as u64;
    let call = Call { kind: CallKind::Transfer, datatype, op: None, root: 0, count };
    buffers::check_transfer(&call, recv.addr(), "recv")?;
    Ok(RecvBuffer { data: recv.cast(), datatype, count, is_lenient: false })
}

fn target(source: c_int, tag: i32, comm: anyccl_comm_t) -> Result<(ObjectRef<'static, Comm>, Selector)> {
    let comm = Comm::from_handle(comm)?;
    let selector = selector(source, tag, &comm)?;
    Ok((comm, selector))
}

fn may_wait() -> Result<()> {
    if batch::is_open() {
        let text = "a probe waits for a message, which a batch cannot; use anyccl_iprobe or anyccl_improbe";
        return Err(Error::InvalidUsage(text.into()));
    }
    Ok(())
}

/// Waits for a message and tells about it, but does not receive it.
///
/// \param[in]  source  Rank that sends, or ANYCCL_ANY_SOURCE.
/// \param[in]  tag     Tag of the message, or ANYCCL_ANY_TAG.
/// \param[in]  comm    Communicator, or ANYCCL_WORLD.
/// \param[out] status  Sender, tag and length of the message. May be NULL.
/// \returns As anyccl_recv().
///
/// The call blocks until there is a message that anyccl_recv() with the same arguments would receive. Where
/// several threads receive, another thread may receive it first: use anyccl_mprobe(). Not allowed inside a
/// batch. Replacement for MPI_Probe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_probe(
    source: c_int,
    tag: i32,
    comm: anyccl_comm_t,
    status: *mut anyccl_message_status_t,
) -> anyccl_status_t {
    edge("anyccl_probe", || {
        // SAFETY: the caller promises a writable place or NULL.
        let place = unsafe { status_place(status) };
        may_wait()?;
        let (comm, selector) = target(source, tag, comm)?;
        let found = comm.engine.probe(selector)?;
        if let Some(place) = place {
            place.set(found.into());
        }
        Ok(())
    })
}

/// Asks whether there is a message, and tells about it.
///
/// \param[in]  source  As for anyccl_probe().
/// \param[in]  tag     As for anyccl_probe().
/// \param[in]  comm    As for anyccl_probe().
/// \param[out] found   1 when anyccl_recv() with the same arguments would receive a message at once, else 0.
/// \param[out] status  As for anyccl_probe(). Unchanged when there is no message. May be NULL.
/// \returns As anyccl_recv().
///
/// The call does not block. It lets the operations of the communicator progress. Replacement for MPI_Iprobe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_iprobe(
    source: c_int,
    tag: i32,
    comm: anyccl_comm_t,
    found: *mut c_int,
    status: *mut anyccl_message_status_t,
) -> anyccl_status_t {
    edge("anyccl_iprobe", || {
        // SAFETY: the caller promises a writable int or NULL.
        let is_found = unsafe { Out::new(found, "found") }?;
        // SAFETY: the caller promises a writable place or NULL.
        let place = unsafe { status_place(status) };
        let (comm, selector) = target(source, tag, comm)?;
        let found = comm.engine.try_probe(selector)?;
        is_found.set(c_int::from(found.is_some()));
        if let (Some(place), Some(found)) = (place, found) {
            place.set(found.into());
        }
        Ok(())
    })
}

/// Waits for a message and takes it out.
///
/// \param[in]  source   As for anyccl_probe().
/// \param[in]  tag      As for anyccl_probe().
/// \param[in]  comm     As for anyccl_probe().
/// \param[out] message  Owned by the caller until anyccl_mrecv() or anyccl_imrecv() takes it.
/// \param[out] status   As for anyccl_probe(). May be NULL.
/// \returns As anyccl_recv().
///
/// The call blocks until there is a message. Not allowed inside a batch. Replacement for MPI_Mprobe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_mprobe(
    source: c_int,
    tag: i32,
    comm: anyccl_comm_t,
    message: *mut anyccl_message_t,
    status: *mut anyccl_message_status_t,
) -> anyccl_status_t {
    edge("anyccl_mprobe", || {
        // SAFETY: the caller promises a writable handle or NULL.
        let handle = unsafe { Out::new(message, "message") }?;
        // SAFETY: the caller promises a writable place or NULL.
        let place = unsafe { status_place(status) };
        may_wait()?;
        let (comm, selector) = target(source, tag, comm)?;
        hand_out_message(comm.engine.matched_probe(selector)?, comm.share(), handle, place);
        Ok(())
    })
}

/// Takes out a message if there is one.
///
/// \param[in]  source   As for anyccl_probe().
/// \param[in]  tag      As for anyccl_probe().
/// \param[in]  comm     As for anyccl_probe().
/// \param[out] message  Owned by the caller until anyccl_mrecv() or anyccl_imrecv() takes it. NULL when there
///                      is no message.
/// \param[out] status   As for anyccl_probe(). Unchanged when there is no message. May be NULL.
/// \returns As anyccl_recv().
///
/// The call does not block. It lets the operations of the communicator progress. Replacement for MPI_Improbe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_improbe(
    source: c_int,
    tag: i32,
    comm: anyccl_comm_t,
    message: *mut anyccl_message_t,
    status: *mut anyccl_message_status_t,
) -> anyccl_status_t {
    edge("anyccl_improbe", || {
        // SAFETY: the caller promises a writable handle or NULL.
        let handle = unsafe { Out::new(message, "message") }?;
        // SAFETY: the caller promises a writable place or NULL.
        let place = unsafe { status_place(status) };
        let (comm, selector) = target(source, tag, comm)?;
        match comm.engine.try_matched_probe(selector)? {
            Some(found) => hand_out_message(found, comm.share(), handle, place),
            None => handle.set(null_mut()),
        }
        Ok(())
    })
}

fn hand_out_message(
    (message, status): (MatchedMessage, Status),
    comm: Arc<Comm>,
    handle: Out<anyccl_message_t>,
    place: StatusPlace,
) {
    let claimed = Claimed { message, comm, is_taken: Mutex::new(false) };
    handle.set(without_provenance_mut(MESSAGES.insert(Arc::new(claimed))));
    if let Some(place) = place {
        place.set(status.into());
    }
}

/// Receives a message that was taken out.
///
/// \param[out]    recv      Room for count elements.
/// \param[in]     count     Number of elements that there is room for.
/// \param[in]     datatype  Datatype of the sender.
/// \param[in,out] message   Taken: NULL afterwards, if the arguments are valid.
/// \param[out]    status    As for anyccl_recv(). May be NULL.
/// \returns As anyccl_recv(); ANYCCL_ERR_INVALID_ARGUMENT when message is NULL or not a message.
///
/// The call blocks until the elements have arrived. Replacement for MPI_Mrecv.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_mrecv(
    recv: *mut c_void,
    count: usize,
    datatype: anyccl_datatype_t,
    message: *mut anyccl_message_t,
    status: *mut anyccl_message_status_t,
) -> anyccl_status_t {
    edge("anyccl_mrecv", || {
        // SAFETY: the caller promises a writable place or NULL.
        let place = unsafe { status_place(status) };
        batch::run(place, || {
            // SAFETY: the caller promises a buffer of the documented length and a handle that nobody else
            // uses.
            unsafe { start_claimed(recv, count, datatype, message) }
        })
    })
}

/// Nonblocking form of anyccl_mrecv(): see \ref nonblocking in request.h. Replacement for MPI_Imrecv.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_imrecv(
    recv: *mut c_void,
    count: usize,
    datatype: anyccl_datatype_t,
    message: *mut anyccl_message_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    edge("anyccl_imrecv", || {
        batch::noting(|| {
            // SAFETY: the caller promises a writable request or NULL.
            let place = unsafe { Out::new(request, "request") }?;
            // SAFETY: the caller promises a buffer of the documented length and a handle that nobody else
            // uses.
            let (started, comm) = unsafe { start_claimed(recv, count, datatype, message) }?;
            hand_out(started, comm, place);
            Ok(())
        })
    })
}

/// # Safety
/// The buffer is as long as the arguments say, and nobody else uses it until the request has ended. `message`
/// is NULL or a place that nobody else uses during the call.
unsafe fn start_claimed(
    recv: *mut c_void,
    count: usize,
    datatype: anyccl_datatype_t,
    message: *mut anyccl_message_t,
) -> Result<batch::Started> {
    if estimates() {
        return Err(Error::InvalidUsage("an estimate has no messages that were taken out".into()));
    }
    // SAFETY: as promised.
    let slot = unsafe { Out::new(message, "message") }?;
    // SAFETY: as above, and `Out::new` has refused NULL.
    let handle = unsafe { message.read() };
    let claimed = MESSAGES.get(handle.addr())?;
    let buffer = buffer(recv, count, check::datatype(datatype)?)?;
    if std::mem::replace(&mut *claimed.is_taken.lock(), true) {
        return Err(Error::InvalidUsage("the message is received by another thread".into()));
    }
    slot.set(null_mut());
    // SAFETY: the caller vouches for the buffer; its extent was computed from the same arguments.
    let started = unsafe { claimed.comm.engine.start_matched_receive(claimed.message, buffer) };
    let comm = Arc::clone(&claimed.comm);
    drop(claimed);
    MESSAGES.remove(handle.addr(), |_, _| Ok(()))?;
    Ok((started?.into(), comm))
}
