//! The fast path of small calls. It takes predefined datatypes and operators, or contiguous datatypes, on a
//! communicator of one group. The blocking form runs a call that resembles a recent one; the non-blocking
//! form starts it without a script.
//!
//! `None` means that nothing was done. The slow path then checks everything, and runs the call or says what
//! is wrong.

use anyccl_engine::base::{Call, CallKind, Collective, Datatype as Element, ReduceOp};

use super::small_call::SmallCall;
use crate::arguments::{CommHandle, DatatypeHandle, OpHandle, RecvAddress, SendAddress};
use crate::comm::Comm;
use crate::op::{Kernel, kernel};
use crate::types::memory::dense_bytes;

/// A call that moves bytes.
#[inline(always)]
fn movement(collective: Collective, bytes: u64, root: i32) -> Call {
    let (kind, root) = (CallKind::Collective(collective), root.cast_unsigned());
    Call { kind, datatype: Element::Byte, op: None, root, count: bytes }
}

/// Bytes that are both sent and received, if those are equal.
#[inline(always)]
fn equal_bytes(
    sendcount: i64,
    sendtype: DatatypeHandle,
    recvcount: i64,
    recvtype: DatatypeHandle,
) -> Option<u64> {
    let received = dense_bytes(recvcount, recvtype)?;
    if (sendcount, sendtype) == (recvcount, recvtype) || dense_bytes(sendcount, sendtype)? == received {
        Some(received)
    } else {
        None
    }
}

/// Two different buffers, none of which is `MPI_IN_PLACE`.
#[inline(always)]
fn apart(send: SendAddress, recv: RecvAddress) -> Option<(*const u8, *mut u8)> {
    let (from, to) = (send.pointer(), recv.pointer());
    let are_apart = !send.is_in_place() && !recv.is_in_place() && from != to.cast_const();
    are_apart.then_some((from, to))
}

/// Two different buffers, or one in place.
#[inline(always)]
fn apart_or_same(send: SendAddress, recv: RecvAddress) -> Option<(*const u8, *mut u8)> {
    if send.is_in_place() && !recv.is_in_place() {
        return Some((recv.pointer().cast_const(), recv.pointer()));
    }
    apart(send, recv)
}

/// A call that reduces.
#[inline(always)]
fn reduction(
    collective: Collective,
    count: i64,
    datatype: DatatypeHandle,
    op: OpHandle,
    root: i32,
) -> Option<Call> {
    let Kernel::Engine(op, datatype): Kernel = kernel(op.0, datatype.0)? else { return None };
    let (op, kind): (Option<ReduceOp>, _) = (Some(op), CallKind::Collective(collective));
    let call = Call { kind, datatype, op, root: root.cast_unsigned(), count: count.cast_unsigned() };
    (count >= 0).then_some(call)
}

#[inline(always)]
pub(super) fn barrier(comm: CommHandle) -> Option<SmallCall> {
    let comm = Comm::from_handle(comm).ok()?;
    let call = movement(Collective::Barrier, 0, 0);
    SmallCall::new(comm, call, std::ptr::null(), std::ptr::null_mut())
}

#[inline(always)]
pub(super) fn bcast(
    buffer: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
    root: i32,
    comm: CommHandle,
) -> Option<SmallCall> {
    let call = movement(Collective::Broadcast, dense_bytes(count, datatype)?, root);
    let comm = Comm::from_handle(comm).ok()?;
    let to = buffer.pointer();
    if buffer.is_in_place() {
        return None;
    }
    // As in the slow path: in place at the root.
    let from = if comm.rank() == call.root { to.cast_const() } else { std::ptr::null() };
    SmallCall::new(comm, call, from, to)
}

/// Defines gather and scatter: the root has two buffers, the other ranks have one.
macro_rules! rooted {
    ($($name:ident: $collective:ident, $significant:ident;)*) => {$(
        #[inline(always)]
        pub(super) fn $name(
            sendbuf: SendAddress,
            sendcount: i64,
            sendtype: DatatypeHandle,
            recvbuf: RecvAddress,
            recvcount: i64,
            recvtype: DatatypeHandle,
            root: i32,
            comm: CommHandle,
        ) -> Option<SmallCall> {
            let comm = Comm::from_handle(comm).ok()?;
            let (bytes, (from, to)) = if comm.rank() == root.cast_unsigned() {
                (equal_bytes(sendcount, sendtype, recvcount, recvtype)?, apart(sendbuf, recvbuf)?)
            } else {
                $significant(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype)?
            };
            let call = movement(Collective::$collective, bytes, root);
            SmallCall::new(comm, call, from, to)
        }
    )*};
}

rooted! {
    gather: Gather, sent_alone;
    scatter: Scatter, received_alone;
}

type OneBuffer = Option<(u64, (*const u8, *mut u8))>;

#[inline(always)]
fn sent_alone(
    send: SendAddress,
    count: i64,
    datatype: DatatypeHandle,
    _: RecvAddress,
    _: i64,
    _: DatatypeHandle,
) -> OneBuffer {
    let bytes = dense_bytes(count, datatype)?;
    (!send.is_in_place()).then_some((bytes, (send.pointer(), std::ptr::null_mut())))
}

#[inline(always)]
fn received_alone(
    _: SendAddress,
    _: i64,
    _: DatatypeHandle,
    recv: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
) -> OneBuffer {
    let bytes = dense_bytes(count, datatype)?;
    (!recv.is_in_place()).then_some((bytes, (std::ptr::null(), recv.pointer())))
}

/// Defines allgather and alltoall.
macro_rules! to_all {
    ($($name:ident: $collective:ident;)*) => {$(
        #[inline(always)]
        pub(super) fn $name(
            sendbuf: SendAddress,
            sendcount: i64,
            sendtype: DatatypeHandle,
            recvbuf: RecvAddress,
            recvcount: i64,
            recvtype: DatatypeHandle,
            comm: CommHandle,
        ) -> Option<SmallCall> {
            let call = movement(
                Collective::$collective,
                equal_bytes(sendcount, sendtype, recvcount, recvtype)?,
                0,
            );
            let (from, to) = apart(sendbuf, recvbuf)?;
            let comm = Comm::from_handle(comm).ok()?;
            SmallCall::new(comm, call, from, to)
        }
    )*};
}

to_all! {
    allgather: AllGather;
    alltoall: AllToAll;
}

/// Defines reductions without a root.
macro_rules! reductions {
    ($($name:ident: $collective:ident, $buffers:ident;)*) => {$(
        #[inline(always)]
        pub(super) fn $name(
            sendbuf: SendAddress,
            recvbuf: RecvAddress,
            count: i64,
            datatype: DatatypeHandle,
            op: OpHandle,
            comm: CommHandle,
        ) -> Option<SmallCall> {
            let call = reduction(Collective::$collective, count, datatype, op, 0)?;
            let (from, to) = $buffers(sendbuf, recvbuf)?;
            let comm = Comm::from_handle(comm).ok()?;
            SmallCall::new(comm, call, from, to)
        }
    )*};
}

reductions! {
    allreduce: AllReduce, apart_or_same;
    scan: Scan, apart_or_same;
    exscan: Exscan, apart_or_same;
    reduce_scatter_block: ReduceScatter, apart;
}

#[inline(always)]
pub(super) fn reduce(
    sendbuf: SendAddress,
    recvbuf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
    op: OpHandle,
    root: i32,
    comm: CommHandle,
) -> Option<SmallCall> {
    let call = reduction(Collective::Reduce, count, datatype, op, root)?;
    let comm = Comm::from_handle(comm).ok()?;
    let (from, to) = if comm.rank() == call.root {
        apart_or_same(sendbuf, recvbuf)?
    } else if sendbuf.is_in_place() {
        return None;
    } else {
        (sendbuf.pointer(), std::ptr::null_mut())
    };
    SmallCall::new(comm, call, from, to)
}
