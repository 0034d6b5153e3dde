//! Point to point: one rank sends, another receives.

use std::ffi::{c_int, c_void};
use std::ptr::NonNull;
use std::sync::Arc;

use anyccl_edge::{Found, Out, buffers, check};
use anyccl_engine::base::{Call, CallKind, Result};
use anyccl_engine::comm::{Operation, Persistent};

use crate::communicator::{Comm, anyccl_comm_t};
use crate::datatype::anyccl_datatype_t;
use crate::request::{anyccl_request_t, hand_out};
use crate::status::{anyccl_status_t, edge};

/// Sends elements to one rank.
///
///     rank 0  anyccl_send(x, 2, ..., peer 2)      x0 x1 ----+
///     rank 2  anyccl_recv(y, 2, ..., peer 0)                +--> y0 y1
///
/// \param send      [in] count elements. Read only.
/// \param count     [in] Elements, the same on both sides.
/// \param datatype  [in] One of enum anyccl_datatype, the same on both sides.
/// \param peer      [in] The rank that receives: 0 to size-1.
/// \param comm      [in] Borrowed. ANYCCL_WORLD: the whole job.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and comm
///          works on; any other status when comm has failed: see "Collectives" at the top of this header.
///
/// Blocks until send may be changed, which may be before or after the receiver has come: do not rely on either. Two
/// ranks that send to each other first may wait for ever; use anyccl_isend. Between two ranks, transfers
/// meet in the order in which they were started; there are no tags. Replaces MPI_Send and ncclSend.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_send(
    send: *const c_void,
    count: usize,
    datatype: anyccl_datatype_t,
    peer: c_int,
    comm: anyccl_comm_t,
) -> anyccl_status_t {
    // SAFETY: the caller promises a buffer of the documented length that nobody changes during the call.
    edge("anyccl_send", || unsafe { Side::Send(send).run(count, datatype, peer, comm) })
}

/// Receives elements from one rank.
///
/// \param recv      [out] count elements.
/// \param count     [in] Elements, the same on both sides.
/// \param datatype  [in] One of enum anyccl_datatype, the same on both sides.
/// \param peer      [in] The rank that sends: 0 to size-1.
/// \param comm      [in] Borrowed. ANYCCL_WORLD: the whole job.
/// \returns As anyccl_send; ANYCCL_ERR_MISMATCH when the sender gave another count or datatype.
///
/// Blocks until the elements are there. Replaces MPI_Recv and ncclRecv.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_recv(
    recv: *mut c_void,
    count: usize,
    datatype: anyccl_datatype_t,
    peer: c_int,
    comm: anyccl_comm_t,
) -> anyccl_status_t {
    // SAFETY: the caller promises a buffer of the documented length that nobody else uses during the call.
    edge("anyccl_recv", || unsafe { Side::Recv(recv).run(count, datatype, peer, comm) })
}

/// Starts a send and returns at once.
///
/// \param send, count, datatype, peer, comm  As for anyccl_send; the buffer must not be changed until the request
///        has ended.
/// \param request  [out] Ours until anyccl_wait or anyccl_test takes it. Written only on ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and comm
///          works on; the status of the failure when comm has failed.
///
/// Does not block. The request ends when the buffer may be changed. Replaces MPI_Isend.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_isend(
    send: *const c_void,
    count: usize,
    datatype: anyccl_datatype_t,
    peer: c_int,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    // SAFETY: the caller promises a buffer of the documented length that nobody changes until the request has
    // ended, and a writable request or NULL.
    edge("anyccl_isend", || unsafe { Side::Send(send).start(count, datatype, peer, comm, request) })
}

/// Starts a receive and returns at once.
///
/// \param recv, count, datatype, peer, comm  As for anyccl_recv; the buffer must not be used until the request has
///        ended.
/// \param request  [out] Ours until anyccl_wait or anyccl_test takes it. Written only on ANYCCL_SUCCESS.
/// \returns As anyccl_isend.
///
/// Does not block. The request ends when the elements are there. Replaces MPI_Irecv.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_irecv(
    recv: *mut c_void,
    count: usize,
    datatype: anyccl_datatype_t,
    peer: c_int,
    comm: anyccl_comm_t,
    request: *mut anyccl_request_t,
) -> anyccl_status_t {
    // SAFETY: the caller promises a buffer of the documented length that nobody else uses until the request has
    // ended, and a writable request or NULL.
    edge("anyccl_irecv", || unsafe { Side::Recv(recv).start(count, datatype, peer, comm, request) })
}

/// Which side of a transfer this rank is, with its buffer.
#[derive(Clone, Copy)]
pub enum Side {
    Send(*const c_void),
    Recv(*mut c_void),
}

impl Side {
    fn check(
        self,
        count: usize,
        datatype: anyccl_datatype_t,
        peer: c_int,
        comm: anyccl_comm_t,
    ) -> Result<(Found<'static, Comm>, Operation)> {
        let comm = Comm::from_handle(comm)?;
        let datatype = check::datatype(datatype)?;
        let peer = check::rank(peer, comm.engine.size(), "peer")?;
        let rank = comm.engine.rank();
        let call = |root| Call { kind: CallKind::Transfer, datatype, op: None, root, count: count as u64 };
        let operation = match self {
            Side::Send(buffer) => {
                let call = call(rank);
                buffers::check_transfer(&call, buffer.addr(), "send")?;
                // To itself, a rank is told to be the sender by a send buffer that is there, empty or not.
                let send = if buffer.is_null() { NonNull::dangling().as_ptr() } else { buffer.cast_mut() };
                Operation { call, send: send.cast(), recv: std::ptr::null_mut(), peer }
            }
            Side::Recv(buffer) => {
                let call = call(peer);
                buffers::check_transfer(&call, buffer.addr(), "recv")?;
                Operation { call, send: std::ptr::null(), recv: buffer.cast(), peer }
            }
        };
        Ok((comm, operation))
    }

    /// # Safety
    /// The buffer is as long as the documentation of the C function says, and used as it says.
    unsafe fn run(
        self,
        count: usize,
        datatype: anyccl_datatype_t,
        peer: c_int,
        comm: anyccl_comm_t,
    ) -> Result<()> {
        let (comm, operation) = self.check(count, datatype, peer, comm)?;
        // SAFETY: the caller vouches for what the buffer holds; its extent was computed from the same call.
        unsafe { comm.engine.run(&operation) }
    }

    /// # Safety
    /// As for `run`, until the request has ended; and `request` is NULL or writable.
    unsafe fn start(
        self,
        count: usize,
        datatype: anyccl_datatype_t,
        peer: c_int,
        comm: anyccl_comm_t,
        request: *mut anyccl_request_t,
    ) -> Result<()> {
        // SAFETY: handed on. Before the start: afterwards nothing may fail any more.
        let place = unsafe { Out::new(request, "request") }?;
        let (comm, operation) = self.check(count, datatype, peer, comm)?;
        // SAFETY: as in `run`; a request lives in the table until it has ended.
        let started = unsafe { comm.engine.start(&operation) }?;
        hand_out(started, comm.share(), place);
        Ok(())
    }

    /// # Safety
    /// As for `run`, during each run of the request; and `request` is NULL or writable.
    pub unsafe fn init(
        self,
        count: usize,
        datatype: anyccl_datatype_t,
        peer: c_int,
        comm: anyccl_comm_t,
        request: *mut anyccl_request_t,
    ) -> Result<()> {
        // SAFETY: handed on.
        let place = unsafe { Out::new(request, "request") }?;
        let (comm, operation) = self.check(count, datatype, peer, comm)?;
        // SAFETY: as in `run`; a request lives in the table until its last run has ended.
        let prepared = unsafe { Persistent::new(Arc::clone(&comm.engine), operation, None) }?;
        hand_out(prepared, comm.share(), place);
        Ok(())
    }
}
