//! The collectives: each checks its arguments, then submits the call.
//!
//! On host memory `stream` may have any value and is ignored: a call on a blocking communicator has ended
//! when it, or its outermost group, returns. On memory of a GPU the call becomes part of the stream. See
//! docs/nccl.md, "Streams".

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use anyccl_edge::check;
use anyccl_edge::{ObjectRef, Resolved, blocks, buffers};
use anyccl_engine::base::{Call, CallKind, Collective, Result};
use anyccl_engine::comm::{Operation, Operator};

use crate::action::Action;
use crate::call::Progress;
use crate::communicator::Comm;
use crate::datatype::datatype_of;
use crate::group;
use crate::types::{cudaStream_t, ncclComm_t, ncclDataType_t, ncclRedOp_t};

/// The arguments of a collective, as they came from C.
struct Arguments {
    collective: Collective,
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: ncclDataType_t,
    op: Option<ncclRedOp_t>,
    root: Option<c_int>,
    comm: ncclComm_t,
    stream: cudaStream_t,
}

impl Arguments {
    /// Checks the arguments and returns the operation, or says what is wrong. A call that fails here has sent
    /// nothing.
    #[inline]
    fn check(&self) -> Result<(ObjectRef<'static, Comm>, Operation, Option<Arc<Operator>>)> {
        let comm = Comm::from_handle(self.comm)?;
        let engine = comm.engine()?;
        let (rank, size) = (engine.rank(), engine.size());
        let datatype = datatype_of(self.datatype)?;
        let (op, operator) = match self.op {
            None => (None, None),
            Some(op) => {
                let Resolved { op, operator } = crate::operators::resolve(op, datatype)?;
                (Some(op), operator)
            }
        };
        let call = Call {
            kind: CallKind::Collective(self.collective),
            datatype,
            op,
            root: self.root.map_or(Ok(0), |root| check::rank(root, size, "root"))?,
            count: self.count as u64,
        };
        buffers::check(&call, rank, size, self.send.addr(), self.recv.addr())?;
        let operation = Operation { call, send: self.send.cast(), recv: self.recv.cast() };
        Ok((comm, operation, operator))
    }

    /// # Safety
    /// The buffers are as NCCL documents them: see [`group::submit`].
    #[inline]
    unsafe fn submit(&self) -> Result<Progress> {
        let (comm, operation, operator) = self.check()?;
        // SAFETY: the caller vouches for the buffers; their extent was computed from the same call.
        unsafe { group::submit(comm, Action::Collective { operation, operator }, self.stream) }
    }
}

/// ncclAllReduce.
#[inline]
pub unsafe fn all_reduce(
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: ncclDataType_t,
    op: ncclRedOp_t,
    comm: ncclComm_t,
    stream: cudaStream_t,
) -> Result<Progress> {
    let collective = Collective::AllReduce;
    let call = Arguments { collective, send, recv, count, datatype, op: Some(op), root: None, comm, stream };
    // SAFETY: passed on from our caller.
    unsafe { call.submit() }
}

/// ncclBroadcast.
pub unsafe fn broadcast(
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: ncclDataType_t,
    root: c_int,
    comm: ncclComm_t,
    stream: cudaStream_t,
) -> Result<Progress> {
    let collective = Collective::Broadcast;
    let call =
        Arguments { collective, send, recv, count, datatype, op: None, root: Some(root), comm, stream };
    // SAFETY: passed on from our caller.
    unsafe { call.submit() }
}

/// ncclBcast: a broadcast with one buffer.
pub unsafe fn bcast(
    buff: *mut c_void,
    count: usize,
    datatype: ncclDataType_t,
    root: c_int,
    comm: ncclComm_t,
    stream: cudaStream_t,
) -> Result<Progress> {
    // SAFETY: passed on from our caller.
    unsafe { broadcast(buff, buff, count, datatype, root, comm, stream) }
}

/// ncclReduce.
pub unsafe fn reduce(
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: ncclDataType_t,
    op: ncclRedOp_t,
    root: c_int,
    comm: ncclComm_t,
    stream: cudaStream_t,
) -> Result<Progress> {
    let collective = Collective::Reduce;
    let call =
        Arguments { collective, send, recv, count, datatype, op: Some(op), root: Some(root), comm, stream };
    // SAFETY: passed on from our caller.
    unsafe { call.submit() }
}

/// ncclAllGather.
pub unsafe fn all_gather(
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: ncclDataType_t,
    comm: ncclComm_t,
    stream: cudaStream_t,
) -> Result<Progress> {
    let collective = Collective::AllGather;
    let call = Arguments { collective, send, recv, count, datatype, op: None, root: None, comm, stream };
    // SAFETY: passed on from our caller.
    unsafe { call.submit() }
}

/// ncclReduceScatter.
pub unsafe fn reduce_scatter(
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: ncclDataType_t,
    op: ncclRedOp_t,
    comm: ncclComm_t,
    stream: cudaStream_t,
) -> Result<Progress> {
    let collective = Collective::ReduceScatter;
    let call = Arguments { collective, send, recv, count, datatype, op: Some(op), root: None, comm, stream };
    // SAFETY: passed on from our caller.
    unsafe { call.submit() }
}

/// ncclAlltoAll. Unlike NCCL's, it may be in place.
pub unsafe fn all_to_all(
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: ncclDataType_t,
    comm: ncclComm_t,
    stream: cudaStream_t,
) -> Result<Progress> {
    let collective = Collective::AllToAll;
    let call = Arguments { collective, send, recv, count, datatype, op: None, root: None, comm, stream };
    // SAFETY: passed on from our caller.
    unsafe { call.submit() }
}

/// ncclGather.
pub unsafe fn gather(
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: ncclDataType_t,
    root: c_int,
    comm: ncclComm_t,
    stream: cudaStream_t,
) -> Result<Progress> {
    let collective = Collective::Gather;
    let call =
        Arguments { collective, send, recv, count, datatype, op: None, root: Some(root), comm, stream };
    // SAFETY: passed on from our caller.
    unsafe { call.submit() }
}

/// ncclScatter.
pub unsafe fn scatter(
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: ncclDataType_t,
    root: c_int,
    comm: ncclComm_t,
    stream: cudaStream_t,
) -> Result<Progress> {
    let collective = Collective::Scatter;
    let call =
        Arguments { collective, send, recv, count, datatype, op: None, root: Some(root), comm, stream };
    // SAFETY: passed on from our caller.
    unsafe { call.submit() }
}

/// RCCL's ncclAllToAllv: counts and displacements in elements, by rank.
pub unsafe fn all_to_all_v(
    send: *const c_void,
    sendcounts: *const usize,
    sdispls: *const usize,
    recv: *mut c_void,
    recvcounts: *const usize,
    rdispls: *const usize,
    datatype: ncclDataType_t,
    comm: ncclComm_t,
    stream: cudaStream_t,
) -> Result<Progress> {
    let comm = Comm::from_handle(comm)?;
    let size = comm.engine()?.size() as usize;
    let datatype = datatype_of(datatype)?;
    // SAFETY: the caller promises arrays of as many numbers as there are ranks.
    let input = unsafe { blocks::blocks(sendcounts, sdispls, size, "sendcounts") }?;
    // SAFETY: as above.
    let output = unsafe { blocks::blocks(recvcounts, rdispls, size, "recvcounts") }?;
    let action = Action::AllToAllV { datatype, send: send.cast(), recv: recv.cast(), input, output };
    // SAFETY: passed on from our caller.
    unsafe { group::submit(comm, action, stream) }
}
