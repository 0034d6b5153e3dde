//! Reductions whose result is scattered, in equal and in unequal blocks.

use anyccl_engine::base::Collective;
use anyccl_engine::plan::Block;

use super::blocks::element_blocks;
use super::engine_call::Blocks;
use super::inter;
use super::reduced::Reduction;
use super::script::Script;
use super::typed::{bytes_of, check_apart, check_count, exceeds_memory};
use super::uniform::whole;
use crate::arguments::{CommHandle, DatatypeHandle, Inputs, OpHandle, RecvAddress, SendAddress};
use crate::comm::Comm;
use crate::error::Result;

/// `MPI_Reduce_scatter_block`.
pub(super) unsafe fn reduce_scatter_block(
    sendbuf: SendAddress,
    recvbuf: RecvAddress,
    recvcount: i64,
    datatype: DatatypeHandle,
    op: OpHandle,
    comm: CommHandle,
) -> Result<Script> {
    let comm = Comm::from_handle(comm)?;
    let reduction = Reduction::new(datatype, op)?;
    check_count(recvcount)?;
    if let Some(inter) = comm.inter() {
        let counts = vec![recvcount; comm.size() as usize];
        return inter::reduction::reduce_scatter(&comm, inter, sendbuf, recvbuf, &counts, &reduction);
    }
    let all = recvcount.checked_mul(i64::from(comm.size())).ok_or_else(exceeds_memory)?;
    let mut script = Script::new();
    let (send, recv) = scattered(&mut script, (sendbuf, recvbuf), all, recvcount, &reduction)?;
    if let Some(operation) = reduction.operation(Collective::ReduceScatter, 0, recvcount, send, recv) {
        script.call(comm.engine(), operation, reduction.bound.clone());
    }
    Ok(script)
}

/// `MPI_Reduce_scatter`.
pub(super) unsafe fn reduce_scatter(
    sendbuf: SendAddress,
    recvbuf: RecvAddress,
    recvcounts: Inputs<i64>,
    datatype: DatatypeHandle,
    op: OpHandle,
    comm: CommHandle,
) -> Result<Script> {
    let comm = Comm::from_handle(comm)?;
    let reduction = Reduction::new(datatype, op)?;
    let counts = recvcounts.read(comm.size() as usize)?;
    counts.iter().try_for_each(|count| check_count(*count))?;
    if let Some(inter) = comm.inter() {
        return inter::reduction::reduce_scatter(&comm, inter, sendbuf, recvbuf, &counts, &reduction);
    }
    let (all, blocks) = element_blocks(&counts)?;
    let own = counts[comm.rank() as usize];
    let mut script = Script::new();
    let (send, recv) = scattered(&mut script, (sendbuf, recvbuf), all, own, &reduction)?;
    if reduction.bound.is_some() {
        let output = vec![Block { offset: 0, len: own as usize }];
        let call = Blocks::new(Collective::ReduceScatterV, 0, (send, blocks), (recv, output));
        script.call_on_blocks(comm.engine(), call, reduction.bound.clone());
    }
    Ok(script)
}

/// The input of all elements and the output of this rank's. In place, the input begins where the result goes.
fn scattered(
    script: &mut Script,
    (sendbuf, recvbuf): (SendAddress, RecvAddress),
    all: i64,
    own: i64,
    reduction: &Reduction,
) -> Result<(*const u8, *mut u8)> {
    let recvbuf = whole(recvbuf, "recvbuf")?;
    reduction.bytes(all)?;
    if sendbuf.is_in_place() {
        let send = reduction.input(script, recvbuf, all, "recvbuf")?;
        return Ok((send.cast_const(), reduction.output_apart(script, recvbuf, own)?));
    }
    check_apart(sendbuf.pointer(), recvbuf, bytes_of(own, &reduction.datatype)?)?;
    let send = reduction.input(script, sendbuf.pointer().cast_mut(), all, "sendbuf")?;
    Ok((send.cast_const(), reduction.output(script, recvbuf, own, "recvbuf")?))
}
