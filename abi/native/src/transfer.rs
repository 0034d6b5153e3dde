//! Point to point: send, receive and sendrecv.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::Arc;

use anyccl_edge::{ObjectRef, Out, buffers, check};
use anyccl_engine::base::{BoxedResult, Call, CallKind, Error, Rank, Result};
use anyccl_engine::comm::{CallSpec, Communicator, Late, Persistent, Work};
use anyccl_engine::p2p::{OutgoingMessage, RecvBuffer, Selector, Status};

use crate::batch;
use crate::blocking_limit;
use crate::comm::{Comm, anyccl_comm_t};
use crate::datatype::anyccl_datatype_t;
use crate::forms::forms;
use crate::invocation::{self, Invocation};
use crate::message;
use crate::message_status::{anyccl_message_status_t, status_place};
use crate::status::{anyccl_status_t, edge, edge_boxed};

forms! {
    /// Sends elements to one rank.
    ///
    ///     rank 0  anyccl_send(x, 2, ..., peer 2, tag 7)      x0 x1 ----+
    ///     rank 2  anyccl_recv(y, 2, ..., source 0, tag 7)              +--> y0 y1
    ///
    /// \param[in] send      Elements to send, count of them.
    /// \param[in] count     Number of elements; not more than the receive has room for.
    /// \param[in] datatype  Datatype of the elements.
    /// \param[in] peer      Rank that receives.
    /// \param[in] tag       Tag of the message, 0 or more.
    /// \param[in] comm      Communicator, or ANYCCL_WORLD.
    /// \returns ANYCCL_SUCCESS or one of \ref failures.
    ///
    /// The call blocks until the send buffer may be changed. This may be before or after the receive is
    /// posted: do not rely on either. Two ranks that both send first may therefore wait for each other until
    /// the timeout: use anyccl_sendrecv(), anyccl_isend() or a batch. Threads of a rank may send and receive
    /// at the same time. Replacement for MPI_Send and ncclSend.
    fn anyccl_send(
        send: *const c_void,
        count: usize,
        datatype: anyccl_datatype_t,
        peer: c_int,
        tag: i32,
        comm: anyccl_comm_t,
    ) {
        Sent { send, count, datatype, peer, tag, comm, is_synchronous: false }
    }
    /// The request ends when the send buffer may be changed. Replacement for MPI_Isend.
    nonblocking anyccl_isend;
    /// Each run sends one message, which any form of receive may receive. Replacement for MPI_Send_init.
    persistent anyccl_send_init;
}

forms! {
    /// Sends elements to one rank, and waits until a receive has matched the message.
    ///
    /// \param[in] send      As for anyccl_send().
    /// \param[in] count     As for anyccl_send().
    /// \param[in] datatype  As for anyccl_send().
    /// \param[in] peer      As for anyccl_send().
    /// \param[in] tag       As for anyccl_send().
    /// \param[in] comm      As for anyccl_send().
    /// \returns As anyccl_send().
    ///
    /// The call blocks until a receive has matched the message and the send buffer may be changed.
    /// Replacement for MPI_Ssend.
    fn anyccl_ssend(
        send: *const c_void,
        count: usize,
        datatype: anyccl_datatype_t,
        peer: c_int,
        tag: i32,
        comm: anyccl_comm_t,
    ) {
        Sent { send, count, datatype, peer, tag, comm, is_synchronous: true }
    }
    /// The request ends when a receive has matched the message and the send buffer may be changed.
    /// Replacement for MPI_Issend.
    nonblocking anyccl_issend;
}

/// Receives elements from one rank, or from any.
///
/// \param[out] recv      Room for count elements. Elements that a shorter message does not fill do not
///                       change.
/// \param[in]  count     Number of elements that there is room for.
/// \param[in]  datatype  Datatype of the sender.
/// \param[in]  source    Rank that sends, or ANYCCL_ANY_SOURCE.
/// \param[in]  tag       Tag of the message, or ANYCCL_ANY_TAG.
/// \param[in]  comm      Communicator, or ANYCCL_WORLD.
/// \param[out] status    Sender, tag and length of the message. Inside a batch it is written at the end of
///                       the batch. May be NULL.
/// \returns ANYCCL_SUCCESS or one of \ref failures. When the message is longer than count or of another
///          datatype, both sides get ANYCCL_ERR_MISMATCH.
///
/// The call blocks until the elements have arrived. Replacement for MPI_Recv and ncclRecv.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_recv(
    recv: *mut c_void,
    count: usize,
    datatype: anyccl_datatype_t,
    source: c_int,
    tag: i32,
    comm: anyccl_comm_t,
    status: *mut anyccl_message_status_t,
) -> anyccl_status_t {
    let message = Received { recv, count, datatype, source, tag, comm };
    // SAFETY: the caller promises a buffer of the documented length that nobody else uses during the call,
    // and a writable place or NULL.
    unsafe { message.run("anyccl_recv", status) }
}

forms! {
    of anyccl_recv(
        recv: *mut c_void,
        count: usize,
        datatype: anyccl_datatype_t,
        source: c_int,
        tag: i32,
        comm: anyccl_comm_t,
    ) {
        Received { recv, count, datatype, source, tag, comm }
    }
    ///
    /// The request ends when the elements have arrived; anyccl_wait_message() tells about the message. The
    /// call itself returns ANYCCL_ERR_MISMATCH when a message that has already arrived is longer than count
    /// or of another datatype; the communicator has then failed. Replacement for MPI_Irecv.
    nonblocking anyccl_irecv;
    /// Each run receives one message, from any form of send; anyccl_wait_message() tells about it.
    /// Replacement for MPI_Recv_init.
    persistent anyccl_recv_init;
}

/// Receives elements from one rank, if they come within a moment.
///
/// \param[out] recv      As for anyccl_recv(). Unchanged when nothing was received.
/// \param[in]  count     Number of elements of the message: a shorter or longer one is not received.
/// \param[in]  datatype  Datatype of the sender.
/// \param[in]  source    Rank that sends.
/// \param[in]  tag       Tag of the message.
/// \param[in]  comm      Communicator, or ANYCCL_WORLD.
/// \param[out] received  1 when the message was received, else 0: nothing was done then.
/// \returns ANYCCL_SUCCESS or one of \ref failures; ANYCCL_ERR_INVALID_USAGE inside a batch.
///
/// The call does not block: it polls for some microseconds, about as long as a rank that is at work takes to
/// answer. It gets small messages of ranks of the same host, and only while no other operation of the
/// communicator's connections is under way. So a program that calls it in a loop must use anyccl_recv() or
/// anyccl_improbe() in the end. It is for messages whose length is usually, but not always, the same.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_try_recv(
    recv: *mut c_void,
    count: usize,
    datatype: anyccl_datatype_t,
    source: c_int,
    tag: i32,
    comm: anyccl_comm_t,
    received: *mut c_int,
) -> anyccl_status_t {
    let message = Received { recv, count, datatype, source, tag, comm };
    edge_boxed("anyccl_try_recv", || {
        // SAFETY: the caller promises a writable int or NULL.
        let place = unsafe { Out::new(received, "received") }?;
        // SAFETY: the caller promises a buffer of the documented length that nobody else uses during the
        // call.
        match unsafe { message.run_fast_path(null_mut()) } {
            Some(outcome) => outcome.map(|()| place.set(1)),
            None => {
                // SAFETY: checks look at no memory.
                unsafe { message.check_try() }?;
                place.set(0);
                Ok(())
            }
        }
    })
}

/// Sends elements to one rank and receives elements from one, at the same time.
///
/// \param[in]  send           As for anyccl_send().
/// \param[in]  send_count     As for anyccl_send().
/// \param[in]  send_datatype  As for anyccl_send().
/// \param[in]  peer           As for anyccl_send().
/// \param[in]  send_tag       As for anyccl_send().
/// \param[out] recv           As for anyccl_recv(). It must not overlap send.
/// \param[in]  recv_count     As for anyccl_recv().
/// \param[in]  recv_datatype  As for anyccl_recv().
/// \param[in]  source         As for anyccl_recv().
/// \param[in]  recv_tag       As for anyccl_recv().
/// \param[in]  comm           Communicator, or ANYCCL_WORLD.
/// \param[out] status         As for anyccl_recv().
/// \returns As anyccl_recv(). After an argument is refused, nothing was sent.
///
/// The call blocks until both messages are complete. Ranks may make it in a ring, or any two ranks to each
/// other, without waiting for ever. Any other send or receive may be its counterpart. Replacement for
/// MPI_Sendrecv.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_sendrecv(
    send: *const c_void,
    send_count: usize,
    send_datatype: anyccl_datatype_t,
    peer: c_int,
    send_tag: i32,
    recv: *mut c_void,
    recv_count: usize,
    recv_datatype: anyccl_datatype_t,
    source: c_int,
    recv_tag: i32,
    comm: anyccl_comm_t,
    status: *mut anyccl_message_status_t,
) -> anyccl_status_t {
    let sent = Sent {
        send,
        count: send_count,
        datatype: send_datatype,
        peer,
        tag: send_tag,
        comm,
        is_synchronous: false,
    };
    let received = Received { recv, count: recv_count, datatype: recv_datatype, source, tag: recv_tag, comm };
    edge("anyccl_sendrecv", || {
        // SAFETY: the caller promises a writable place or NULL.
        let place = unsafe { status_place(status) };
        // SAFETY: checks look at no memory.
        batch::noting(|| unsafe { sent.check() }.map(drop))?;
        // SAFETY: as above.
        batch::noting(|| unsafe { received.check() }.map(drop))?;
        // SAFETY: the caller promises buffers of the documented lengths, used as documented during the call.
        // Both requests are waited for before this returns, or belong to the batch.
        let (sending, comm) = batch::noting(|| unsafe { invocation::begin(sent) })?;
        // SAFETY: as above.
        let outcome = blocking_limit::without(|| unsafe { invocation::run(received, place) });
        outcome.and(batch::run(None, || Ok((sending, comm))))
    })
}

/// The arguments of a send as they came from C.
#[derive(Clone, Copy)]
struct Sent {
    send: *const c_void,
    count: usize,
    datatype: anyccl_datatype_t,
    peer: c_int,
    tag: i32,
    comm: anyccl_comm_t,
    is_synchronous: bool,
}

impl Sent {
    /// Sends for the C function `name`. anyccl_send and anyccl_ssend share the code of the closure.
    ///
    /// # Safety
    /// See [`Invocation`].
    #[inline(always)]
    unsafe fn run(self, name: &str) -> anyccl_status_t {
        edge_boxed(name, || {
            // SAFETY: passed on from our caller.
            if unsafe { self.run_fast_path() } {
                return Ok(());
            }
            // SAFETY: passed on from our caller.
            unsafe { invocation::run_boxed(self, None) }
        })
    }

    /// Sends a small message on the fast path, if it is free. Tells whether the message was sent.
    ///
    /// # Safety
    /// See [`Invocation`].
    #[inline(always)]
    unsafe fn run_fast_path(&self) -> bool {
        let (Some(comm), Some(datatype)) = (Comm::if_known(self.comm), check::known_datatype(self.datatype))
        else {
            return false;
        };
        let (to, data, count) = (self.peer as Rank, self.send.cast(), self.count as u64);
        let what =
            OutgoingMessage { to, tag: self.tag, datatype, count, data, is_synchronous: self.is_synchronous };
        // SAFETY: the caller vouches for what the buffer holds. A negative rank is one beyond the last.
        self.tag >= 0 && !batch::is_open() && unsafe { comm.engine.send_fast_path(&what) }
    }
}

impl Invocation for Sent {
    type Checked = OutgoingMessage;

    #[inline(always)]
    unsafe fn run_blocking(name: &str, message: impl FnOnce() -> Sent) -> anyccl_status_t {
        // SAFETY: passed on from our caller.
        unsafe { message().run(name) }
    }

    #[inline]
    unsafe fn check(self) -> Result<(ObjectRef<'static, Comm>, OutgoingMessage)> {
        let comm = Comm::from_handle(self.comm)?;
        let datatype = check::datatype(self.datatype)?;
        let to = check::rank(self.peer, comm.engine.size(), "peer")?;
        let tag = message::tag(self.tag)?;
        let count = self.count as u64;
        let call = Call { kind: CallKind::Transfer, datatype, op: None, root: 0, count };
        buffers::check_transfer(&call, self.send.addr(), "send")?;
        let (data, is_synchronous) = (self.send.cast(), self.is_synchronous);
        Ok((comm, OutgoingMessage { to, tag, datatype, count, data, is_synchronous }))
    }

    unsafe fn run(engine: &Communicator, what: &OutgoingMessage) -> Result<Option<Status>> {
        // SAFETY: the caller vouches for what the buffer holds; its extent was computed from the same
        // arguments.
        unsafe { engine.send(what) }.map(|()| None)
    }

    unsafe fn start(engine: &Communicator, what: &OutgoingMessage) -> Result<Work> {
        // SAFETY: as in `run`.
        unsafe { engine.start(what) }.map(Work::from)
    }

    unsafe fn prepare(engine: Arc<Communicator>, what: OutgoingMessage) -> Result<Persistent> {
        // SAFETY: as in `run`.
        unsafe { Persistent::new(engine, &what) }
    }
}

/// The arguments of a receive as they came from C.
#[derive(Clone, Copy)]
struct Received {
    recv: *mut c_void,
    count: usize,
    datatype: anyccl_datatype_t,
    source: c_int,
    tag: i32,
    comm: anyccl_comm_t,
}

impl Received {
    /// Receives for the C function `name`.
    ///
    /// # Safety
    /// The buffer is as long as the documentation of the C function says, and used as it says; `status` is
    /// NULL or writable.
    #[inline(always)]
    unsafe fn run(self, name: &str, status: *mut anyccl_message_status_t) -> anyccl_status_t {
        edge_boxed(name, || {
            // SAFETY: passed on from our caller.
            match unsafe { self.run_fast_path(status) } {
                Some(outcome) => outcome,
                // SAFETY: passed on from our caller.
                None => unsafe { self.run_checked(status) },
            }
        })
    }

    /// Receives a small message on the fast path, if it arrives within a moment. `None`: nothing was done.
    ///
    /// # Safety
    /// See `run`.
    #[inline(always)]
    unsafe fn run_fast_path(&self, status: *mut anyccl_message_status_t) -> Option<BoxedResult<()>> {
        let (comm, datatype) = (Comm::if_known(self.comm)?, check::known_datatype(self.datatype)?);
        if self.tag < 0 || batch::is_open() {
            return None;
        }
        let (data, count) = (self.recv.cast(), self.count as u64);
        let buffer = RecvBuffer { data, datatype, count, is_lenient: false };
        let late = |late: Late| {
            // SAFETY: the caller promises a writable place or NULL.
            let place = unsafe { status_place(status) };
            blocking_limit::end_late(late, comm.object(), place).map(|()| None)
        };
        // SAFETY: the caller vouches for the buffer. A negative rank is one beyond the last.
        let outcome = unsafe { comm.engine.receive_fast_path(self.source as Rank, self.tag, buffer, late) }?;
        Some(outcome.map(|received| {
            // SAFETY: the caller promises a writable place or NULL.
            if let (Some(place), Some(received)) = (unsafe { status_place(status) }, received) {
                place.set(received.into());
            }
        }))
    }

    /// Says what is wrong with a call of anyccl_try_recv that has received nothing.
    ///
    /// # Safety
    /// See `run`.
    #[inline(never)]
    unsafe fn check_try(self) -> BoxedResult<()> {
        if batch::is_open() {
            let text = "anyccl_try_recv cannot be part of a batch; use anyccl_recv";
            return Err(Box::new(Error::InvalidUsage(text.into())));
        }
        // SAFETY: passed on from our caller.
        let (comm, _) = unsafe { self.check() }?;
        check::rank(self.source, comm.engine.size(), "source")?;
        message::tag(self.tag)?;
        Ok(comm.engine.failure().map_or(Ok(()), Err)?)
    }

    /// # Safety
    /// See `run`.
    #[inline(never)]
    unsafe fn run_checked(self, status: *mut anyccl_message_status_t) -> BoxedResult<()> {
        // SAFETY: passed on from our caller.
        let place = unsafe { status_place(status) };
        // SAFETY: passed on from our caller.
        unsafe { invocation::run_boxed(self, place) }
    }
}

impl Invocation for Received {
    type Checked = (Selector, RecvBuffer);

    #[inline]
    unsafe fn check(self) -> Result<(ObjectRef<'static, Comm>, Self::Checked)> {
        let comm = Comm::from_handle(self.comm)?;
        let selector = message::selector(self.source, self.tag, &comm)?;
        let buffer = message::buffer(self.recv, self.count, check::datatype(self.datatype)?)?;
        Ok((comm, (selector, buffer)))
    }

    unsafe fn run(engine: &Communicator, (selector, buffer): &Self::Checked) -> Result<Option<Status>> {
        // SAFETY: the caller vouches for the buffer; its extent was computed from the same arguments.
        unsafe { engine.receive(*selector, *buffer) }.map(Some)
    }

    unsafe fn start(engine: &Communicator, (selector, buffer): &Self::Checked) -> Result<Work> {
        // SAFETY: as in `run`.
        unsafe { engine.start(CallSpec::Receive(*selector, *buffer)) }.map(Work::from)
    }

    unsafe fn prepare(engine: Arc<Communicator>, (selector, buffer): Self::Checked) -> Result<Persistent> {
        // SAFETY: as in `run`.
        unsafe { Persistent::new(engine, CallSpec::Receive(selector, buffer)) }
    }
}
