//! Reductions: to one rank, to all ranks, and scans.

use std::ptr;

use anyccl_engine::base::{Collective, Rank};

use super::inter;
use super::reduced::Reduction;
use super::script::Script;
use super::typed::{bytes_of, check_apart, check_count, check_root};
use super::uniform::whole;
use crate::arguments::{CommHandle, DatatypeHandle, OpHandle, RecvAddress, SendAddress};
use crate::comm::Comm;
use crate::error::{Class, Error, Result};

/// A collective whose input and output have the same elements on each rank that has both.
fn aligned(
    collective: Collective,
    (sendbuf, recvbuf): (SendAddress, RecvAddress),
    count: i64,
    reduction: &Reduction,
    comm: &Comm,
    root: Rank,
) -> Result<Script> {
    let mut script = Script::new();
    check_count(count)?;
    let is_written = match collective {
        Collective::Reduce => comm.rank() == root,
        Collective::Exscan => comm.rank() > 0,
        _ => true,
    };
    // Rank 0 has a buffer in an exclusive scan, too; it may be in place.
    let has_recv = is_written || collective == Collective::Exscan;
    let (send, recv) = if sendbuf.is_in_place() {
        if !has_recv {
            return Err(Error::new(Class::BUFFER, "sendbuf is MPI_IN_PLACE, which is for the root"));
        }
        let base = whole(recvbuf, "recvbuf")?;
        let start = reduction.input(&mut script, base, count, "recvbuf")?;
        if is_written && reduction.in_place(base, count, "recvbuf")?.is_none() {
            script.unpack(start.cast_const(), reduction.elements(base, count).typed());
        }
        (start.cast_const(), start)
    } else {
        let recv = if is_written {
            let recv = whole(recvbuf, "recvbuf")?;
            check_apart(sendbuf.pointer(), recv, bytes_of(count, &reduction.datatype)?)?;
            reduction.output(&mut script, recv, count, "recvbuf")?
        } else {
            ptr::null_mut()
        };
        let send = reduction.input(&mut script, sendbuf.pointer().cast_mut(), count, "sendbuf")?;
        (send.cast_const(), recv)
    };
    reduction.bytes(count)?;
    if let Some(operation) = reduction.operation(collective, root, count, send, recv) {
        script.call(comm.engine(), operation, reduction.bound.clone());
    }
    Ok(script)
}

/// `MPI_Reduce`.
pub(super) unsafe fn reduce(
    sendbuf: SendAddress,
    recvbuf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
    op: OpHandle,
    root: i32,
    comm: CommHandle,
) -> Result<Script> {
    let comm = Comm::from_handle(comm)?;
    if let Some(inter) = comm.inter() {
        return inter::reduction::reduce(&comm, inter, sendbuf, recvbuf, count, datatype, op, root);
    }
    let root = check_root(root, comm.size(), &comm)?;
    let reduction = Reduction::new(datatype, op)?;
    aligned(Collective::Reduce, (sendbuf, recvbuf), count, &reduction, &comm, root)
}

/// `MPI_Allreduce`.
pub(super) unsafe fn allreduce(
    sendbuf: SendAddress,
    recvbuf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
    op: OpHandle,
    comm: CommHandle,
) -> Result<Script> {
    let comm = Comm::from_handle(comm)?;
    let reduction = Reduction::new(datatype, op)?;
    if let Some(inter) = comm.inter() {
        return inter::reduction::allreduce(&comm, inter, sendbuf, recvbuf, count, &reduction);
    }
    aligned(Collective::AllReduce, (sendbuf, recvbuf), count, &reduction, &comm, 0)
}

/// `MPI_Scan`.
pub(super) unsafe fn scan(
    sendbuf: SendAddress,
    recvbuf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
    op: OpHandle,
    comm: CommHandle,
) -> Result<Script> {
    before(Collective::Scan, (sendbuf, recvbuf), count, datatype, op, comm)
}

/// `MPI_Exscan`.
pub(super) unsafe fn exscan(
    sendbuf: SendAddress,
    recvbuf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
    op: OpHandle,
    comm: CommHandle,
) -> Result<Script> {
    before(Collective::Exscan, (sendbuf, recvbuf), count, datatype, op, comm)
}

fn before(
    collective: Collective,
    buffers: (SendAddress, RecvAddress),
    count: i64,
    datatype: DatatypeHandle,
    op: OpHandle,
    comm: CommHandle,
) -> Result<Script> {
    let comm = Comm::from_handle(comm)?;
    if comm.inter().is_some() {
        return Err(Error::new(Class::COMM, "a scan needs a communicator of one group"));
    }
    let reduction = Reduction::new(datatype, op)?;
    aligned(collective, buffers, count, &reduction, &comm, 0)
}
