//! Scatter, with equal and with unequal blocks.

use std::ptr;

use anyccl_engine::base::Collective;

use super::blocks::{blocks, equal_blocks};
use super::engine_call::Blocks;
use super::inter;
use super::script::Script;
use super::typed::{Elements, check_own, check_root};
use super::uniform::{movement, whole, whole_send};
use crate::arguments::{CommHandle, DatatypeHandle, Inputs, RecvAddress, SendAddress};
use crate::comm::Comm;
use crate::error::Result;
use crate::types;

/// `MPI_Scatter`.
pub(super) unsafe fn scatter(
    sendbuf: SendAddress,
    sendcount: i64,
    sendtype: DatatypeHandle,
    recvbuf: RecvAddress,
    recvcount: i64,
    recvtype: DatatypeHandle,
    root: i32,
    comm: CommHandle,
) -> Result<Script> {
    let comm = Comm::from_handle(comm)?;
    if let Some(inter) = comm.inter() {
        let recv = inter::Argument { address: recvbuf, count: recvcount, datatype: recvtype };
        return inter::scatter(&comm, inter, &recv, root, |script, ranks| {
            let sendtype = types::committed(sendtype)?;
            let block = Elements::read(whole_send(sendbuf, "sendbuf")?, sendcount, &sendtype);
            script.input_blocks(&equal_blocks(block, ranks as usize), "sendbuf")
        });
    }
    let root = check_root(root, comm.size(), &comm)?;
    let mut script = Script::new();
    if comm.rank() != root {
        let recvtype = types::committed(recvtype)?;
        let received = Elements::written(whole(recvbuf, "recvbuf")?, recvcount, &recvtype);
        let (bytes, recv) = (received.bytes()?, script.output(received, "recvbuf")?);
        let operation = movement(Collective::Scatter, root, bytes, ptr::null(), recv);
        script.call(comm.engine(), operation, None);
        return Ok(script);
    }
    let sendtype = types::committed(sendtype)?;
    let block = Elements::read(whole_send(sendbuf, "sendbuf")?, sendcount, &sendtype);
    let bytes = block.bytes()?;
    let all = Elements { count: sendcount.saturating_mul(i64::from(comm.size())), ..block };
    let send = script.input(all, "sendbuf")?;
    let recv = if recvbuf.is_in_place() {
        send.wrapping_add(comm.rank() as usize * bytes).cast_mut()
    } else {
        let recvtype = types::committed(recvtype)?;
        let received = Elements::written(recvbuf.pointer(), recvcount, &recvtype);
        check_own(&block, &received)?;
        check_own(&block.behind(i64::from(comm.rank()).wrapping_mul(sendcount), sendcount), &received)?;
        script.output(received, "recvbuf")?
    };
    script.call(comm.engine(), movement(Collective::Scatter, root, bytes, send, recv), None);
    Ok(script)
}

/// `MPI_Scatterv`.
pub(super) unsafe fn scatterv(
    sendbuf: SendAddress,
    sendcounts: Inputs<i64>,
    displs: Inputs<i64>,
    sendtype: DatatypeHandle,
    recvbuf: RecvAddress,
    recvcount: i64,
    recvtype: DatatypeHandle,
    root: i32,
    comm: CommHandle,
) -> Result<Script> {
    let comm = Comm::from_handle(comm)?;
    if let Some(inter) = comm.inter() {
        let recv = inter::Argument { address: recvbuf, count: recvcount, datatype: recvtype };
        return inter::scatter(&comm, inter, &recv, root, |script, ranks| {
            let sendtype = types::committed(sendtype)?;
            let start = Elements::read(whole_send(sendbuf, "sendbuf")?, 0, &sendtype);
            script.input_blocks(&blocks(start, sendcounts, displs, ranks)?, "sendbuf")
        });
    }
    let root = check_root(root, comm.size(), &comm)?;
    let (mut script, rank) = (Script::new(), comm.rank() as usize);
    let recvtype = if recvbuf.is_in_place() { None } else { Some(types::committed(recvtype)?) };
    let received =
        recvtype.as_ref().map(|recvtype| Elements::written(recvbuf.pointer(), recvcount, recvtype));
    let mut input = (ptr::null(), Vec::new());
    if comm.rank() == root {
        let sendtype = types::committed(sendtype)?;
        let start = Elements::read(whole_send(sendbuf, "sendbuf")?, 0, &sendtype);
        let blocks = blocks(start, sendcounts, displs, comm.size())?;
        if let Some(received) = received {
            check_own(&blocks[rank], &received)?;
        }
        input = script.input_blocks(&blocks, "sendbuf")?;
    } else {
        whole(recvbuf, "recvbuf")?;
    }
    let (send, input) = input;
    let output = match received {
        Some(received) => script.output_blocks(&[received], "recvbuf")?,
        None => (send.cast_mut(), vec![input[rank]]),
    };
    let call = Blocks::new(Collective::ScatterV, root, (send, input), output);
    script.call_on_blocks(comm.engine(), call, None);
    Ok(script)
}
