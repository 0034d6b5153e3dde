//! Allgather, with equal and with unequal blocks.

use anyccl_engine::base::Collective;

use super::blocks::{blocks, equal_blocks};
use super::engine_call::Blocks;
use super::inter;
use super::script::Script;
use super::typed::{Elements, check_own};
use super::uniform::{movement, whole};
use crate::arguments::{CommHandle, DatatypeHandle, Inputs, RecvAddress, SendAddress};
use crate::comm::Comm;
use crate::error::Result;
use crate::types;

/// `MPI_Allgather`.
pub(super) unsafe fn allgather(
    sendbuf: SendAddress,
    sendcount: i64,
    sendtype: DatatypeHandle,
    recvbuf: RecvAddress,
    recvcount: i64,
    recvtype: DatatypeHandle,
    comm: CommHandle,
) -> Result<Script> {
    let comm = Comm::from_handle(comm)?;
    let recvtype = types::committed(recvtype)?;
    let block = Elements::written(whole(recvbuf, "recvbuf")?, recvcount, &recvtype);
    if let Some(inter) = comm.inter() {
        let send = inter::Argument { address: sendbuf, count: sendcount, datatype: sendtype };
        let blocks = equal_blocks(block, inter.remote.size() as usize);
        return inter::allgather(&comm, inter, &send, &blocks);
    }
    let mut script = Script::new();
    let all = Elements { count: recvcount.saturating_mul(i64::from(comm.size())), ..block };
    let bytes = block.bytes()?;
    let own = block.behind(i64::from(comm.rank()).wrapping_mul(recvcount), recvcount);
    let (send, recv) = if sendbuf.is_in_place() {
        let mine = comm.rank() as usize * bytes;
        let recv = script.updated(all, own, mine, "recvbuf")?;
        (recv.wrapping_add(mine).cast_const(), recv)
    } else {
        let sendtype = types::committed(sendtype)?;
        let sent = Elements::read(sendbuf.pointer(), sendcount, &sendtype);
        check_own(&sent, &block)?;
        check_own(&sent, &own)?;
        (script.input(sent, "sendbuf")?, script.output(all, "recvbuf")?)
    };
    script.call(comm.engine(), movement(Collective::AllGather, 0, bytes, send, recv), None);
    Ok(script)
}

/// `MPI_Allgatherv`.
pub(super) unsafe fn allgatherv(
    sendbuf: SendAddress,
    sendcount: i64,
    sendtype: DatatypeHandle,
    recvbuf: RecvAddress,
    recvcounts: Inputs<i64>,
    displs: Inputs<i64>,
    recvtype: DatatypeHandle,
    comm: CommHandle,
) -> Result<Script> {
    let comm = Comm::from_handle(comm)?;
    let recvtype = types::committed(recvtype)?;
    let start = Elements::written(whole(recvbuf, "recvbuf")?, 0, &recvtype);
    if let Some(inter) = comm.inter() {
        let send = inter::Argument { address: sendbuf, count: sendcount, datatype: sendtype };
        let blocks = blocks(start, recvcounts, displs, inter.remote.size())?;
        return inter::allgather(&comm, inter, &send, &blocks);
    }
    let (mut script, rank) = (Script::new(), comm.rank() as usize);
    let blocks = blocks(start, recvcounts, displs, comm.size())?;
    let (input, output) = if sendbuf.is_in_place() {
        let (recv, places) = script.updated_blocks(&blocks, |at| at == rank, "recvbuf")?;
        ((recv.cast_const(), vec![places[rank]]), (recv, places))
    } else {
        let sendtype = types::committed(sendtype)?;
        let sent = Elements::read(sendbuf.pointer(), sendcount, &sendtype);
        check_own(&sent, &blocks[rank])?;
        (script.input_blocks(&[sent], "sendbuf")?, script.output_blocks(&blocks, "recvbuf")?)
    };
    script.call_on_blocks(comm.engine(), Blocks::new(Collective::AllGatherV, 0, input, output), None);
    Ok(script)
}
