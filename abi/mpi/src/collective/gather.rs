//! Gather, with equal and with unequal blocks.

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

/// `MPI_Gather`.
pub(super) unsafe fn gather(
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
        let send = inter::Argument { address: sendbuf, count: sendcount, datatype: sendtype };
        return inter::gather(&comm, inter, &send, root, |script, ranks| {
            let recvtype = types::committed(recvtype)?;
            let block = Elements::written(whole(recvbuf, "recvbuf")?, recvcount, &recvtype);
            script.output_blocks(&equal_blocks(block, ranks as usize), "recvbuf")
        });
    }
    let root = check_root(root, comm.size(), &comm)?;
    let mut script = Script::new();
    if comm.rank() != root {
        let sendtype = types::committed(sendtype)?;
        let sent = Elements::read(whole_send(sendbuf, "sendbuf")?, sendcount, &sendtype);
        let (bytes, send) = (sent.bytes()?, script.input(sent, "sendbuf")?);
        let operation = movement(Collective::Gather, root, bytes, send, ptr::null_mut());
        script.call(comm.engine(), operation, None);
        return Ok(script);
    }
    let recvtype = types::committed(recvtype)?;
    let block = Elements::written(whole(recvbuf, "recvbuf")?, recvcount, &recvtype);
    let all = Elements { count: recvcount.saturating_mul(i64::from(comm.size())), ..block };
    let bytes = block.bytes()?;
    let mine = comm.rank() as usize * bytes;
    let own = block.behind(i64::from(comm.rank()).wrapping_mul(recvcount), recvcount);
    let (send, recv) = if sendbuf.is_in_place() {
        let recv = script.updated(all, own, mine, "recvbuf")?;
        (recv.wrapping_add(mine).cast_const(), recv)
    } else {
        let sendtype = types::committed(sendtype)?;
        let sent = Elements::read(sendbuf.pointer(), sendcount, &sendtype);
        check_own(&sent, &block)?;
        check_own(&sent, &own)?;
        (script.input(sent, "sendbuf")?, script.output(all, "recvbuf")?)
    };
    script.call(comm.engine(), movement(Collective::Gather, root, bytes, send, recv), None);
    Ok(script)
}

/// `MPI_Gatherv`.
pub(super) unsafe fn gatherv(
    sendbuf: SendAddress,
    sendcount: i64,
    sendtype: DatatypeHandle,
    recvbuf: RecvAddress,
    recvcounts: Inputs<i64>,
    displs: Inputs<i64>,
    recvtype: DatatypeHandle,
    root: i32,
    comm: CommHandle,
) -> Result<Script> {
    let comm = Comm::from_handle(comm)?;
    if let Some(inter) = comm.inter() {
        let send = inter::Argument { address: sendbuf, count: sendcount, datatype: sendtype };
        return inter::gather(&comm, inter, &send, root, |script, ranks| {
            let recvtype = types::committed(recvtype)?;
            let start = Elements::written(whole(recvbuf, "recvbuf")?, 0, &recvtype);
            script.output_blocks(&blocks(start, recvcounts, displs, ranks)?, "recvbuf")
        });
    }
    let root = check_root(root, comm.size(), &comm)?;
    let (mut script, rank) = (Script::new(), comm.rank() as usize);
    let sendtype = if sendbuf.is_in_place() { None } else { Some(types::committed(sendtype)?) };
    let sent = sendtype.as_ref().map(|sendtype| Elements::read(sendbuf.pointer(), sendcount, sendtype));
    let (mut input, mut output) = (None, (ptr::null_mut(), Vec::new()));
    if comm.rank() == root {
        let recvtype = types::committed(recvtype)?;
        let start = Elements::written(whole(recvbuf, "recvbuf")?, 0, &recvtype);
        let blocks = blocks(start, recvcounts, displs, comm.size())?;
        match sent {
            None => {
                let (recv, places) = script.updated_blocks(&blocks, |at| at == rank, "recvbuf")?;
                input = Some((recv.cast_const(), vec![places[rank]]));
                output = (recv, places);
            }
            Some(sent) => {
                check_own(&sent, &blocks[rank])?;
                output = script.output_blocks(&blocks, "recvbuf")?;
            }
        }
    } else {
        whole_send(sendbuf, "sendbuf")?;
    }
    let (send, input) = match (input, sent) {
        (Some(found), _) => found,
        (None, Some(sent)) => script.input_blocks(&[sent], "sendbuf")?,
        (None, None) => unreachable!("in place is for the root"),
    };
    let (recv, output) = output;
    let call = Blocks::new(Collective::GatherV, root, (send, input), (recv, output));
    script.call_on_blocks(comm.engine(), call, None);
    Ok(script)
}
