//! ncclSend and ncclRecv: messages from rank to rank.
//!
//! NCCL has no tags: the messages between two ranks match in the order of the calls. Here they all have one
//! tag.

use std::ffi::{c_int, c_void};

use anyccl_edge::{ObjectRef, buffers, check};
use anyccl_engine::base::{Call, CallKind, Datatype, Rank, Result};
use anyccl_engine::p2p::{OutgoingMessage, RecvBuffer, Selector, Tag};

use crate::action::Action;
use crate::call::Progress;
use crate::communicator::Comm;
use crate::datatype::datatype_of;
use crate::group;
use crate::types::{cudaStream_t, ncclComm_t, ncclDataType_t};

const TAG: Tag = 0;

/// The checked arguments that sends and receives share.
struct Checked {
    comm: ObjectRef<'static, Comm>,
    datatype: Datatype,
    peer: Rank,
}

#[inline]
fn check(
    buffer: usize,
    count: usize,
    datatype: ncclDataType_t,
    peer: c_int,
    comm: ncclComm_t,
    what: &'static str,
) -> Result<Checked> {
    let comm = Comm::from_handle(comm)?;
    let datatype = datatype_of(datatype)?;
    let peer = check::rank(peer, comm.engine()?.size(), "peer")?;
    let call = Call { kind: CallKind::Transfer, datatype, op: None, root: 0, count: count as u64 };
    buffers::check_transfer(&call, buffer, what)?;
    Ok(Checked { comm, datatype, peer })
}

/// ncclSend.
pub unsafe fn send(
    data: *const c_void,
    count: usize,
    datatype: ncclDataType_t,
    peer: c_int,
    comm: ncclComm_t,
    stream: cudaStream_t,
) -> Result<Progress> {
    let Checked { comm, datatype, peer } = check(data.addr(), count, datatype, peer, comm, "sendbuff")?;
    let (count, data) = (count as u64, data.cast());
    let message = OutgoingMessage { to: peer, tag: TAG, datatype, count, data, is_synchronous: false };
    // SAFETY: passed on from our caller.
    unsafe { group::submit(comm, Action::Send(message), stream) }
}

/// ncclRecv.
pub unsafe fn recv(
    data: *mut c_void,
    count: usize,
    datatype: ncclDataType_t,
    peer: c_int,
    comm: ncclComm_t,
    stream: cudaStream_t,
) -> Result<Progress> {
    let Checked { comm, datatype, peer } = check(data.addr(), count, datatype, peer, comm, "recvbuff")?;
    let buffer = RecvBuffer { data: data.cast(), datatype, count: count as u64, is_lenient: false };
    // SAFETY: passed on from our caller.
    unsafe { group::submit(comm, Action::Receive(Selector::new(Some(peer), Some(TAG)), buffer), stream) }
}
