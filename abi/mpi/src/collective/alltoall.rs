//! Alltoall, with equal and unequal blocks, of one datatype and of many.

use anyccl_engine::base::Collective;

use super::blocks::{blocks, equal_blocks};
use super::engine_call::Blocks;
use super::inter;
use super::script::Script;
use super::typed::{Elements, check_own};
use super::uniform::{movement, whole, whole_send};
use crate::arguments::{CommHandle, DatatypeHandle, Inputs, RecvAddress, SendAddress};
use crate::comm::Comm;
use crate::constants::BYTE;
use crate::error::Result;
use crate::types::{self, TypeRef};

/// `MPI_Alltoall`.
pub(super) unsafe fn alltoall(
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
        let sendtype = types::committed(sendtype)?;
        let sent = Elements::read(whole_send(sendbuf, "sendbuf")?, sendcount, &sendtype);
        let ranks = inter.remote.size() as usize;
        return inter::exchange(&comm, inter, &equal_blocks(sent, ranks), &equal_blocks(block, ranks));
    }
    let mut script = Script::new();
    let of_all = |block: Elements<'_>| block.count.saturating_mul(i64::from(comm.size()));
    let all = Elements { count: of_all(block), ..block };
    let bytes = block.bytes()?;
    let (send, recv) = if sendbuf.is_in_place() {
        let recv = script.updated(all, all, 0, "recvbuf")?;
        (recv.cast_const(), recv)
    } else {
        let sendtype = types::committed(sendtype)?;
        let sent = Elements::read(sendbuf.pointer(), sendcount, &sendtype);
        check_own(&sent, &block)?;
        let sent = Elements { count: of_all(sent), ..sent };
        (script.input(sent, "sendbuf")?, script.output(all, "recvbuf")?)
    };
    script.call(comm.engine(), movement(Collective::AllToAll, 0, bytes, send, recv), None);
    Ok(script)
}

/// `MPI_Alltoallv`.
pub(super) unsafe fn alltoallv(
    sendbuf: SendAddress,
    sendcounts: Inputs<i64>,
    sdispls: Inputs<i64>,
    sendtype: DatatypeHandle,
    recvbuf: RecvAddress,
    recvcounts: Inputs<i64>,
    rdispls: Inputs<i64>,
    recvtype: DatatypeHandle,
    comm: CommHandle,
) -> Result<Script> {
    let comm = Comm::from_handle(comm)?;
    let recvtype = types::committed(recvtype)?;
    let start = Elements::written(whole(recvbuf, "recvbuf")?, 0, &recvtype);
    let size = comm.inter().map_or(comm.size(), |inter| inter.remote.size());
    let recvs = blocks(start, recvcounts, rdispls, size)?;
    if sendbuf.is_in_place() && comm.inter().is_none() {
        return in_place(&comm, &recvs);
    }
    let sendtype = types::committed(sendtype)?;
    let start = Elements::read(whole_send(sendbuf, "sendbuf")?, 0, &sendtype);
    let sends = blocks(start, sendcounts, sdispls, size)?;
    apart(&comm, &sends, &recvs)
}

/// `MPI_Alltoallw`. Displacements are bytes.
pub(super) unsafe fn alltoallw(
    sendbuf: SendAddress,
    sendcounts: Inputs<i64>,
    sdispls: Inputs<i64>,
    sendtypes: Inputs<DatatypeHandle>,
    recvbuf: RecvAddress,
    recvcounts: Inputs<i64>,
    rdispls: Inputs<i64>,
    recvtypes: Inputs<DatatypeHandle>,
    comm: CommHandle,
) -> Result<Script> {
    let comm = Comm::from_handle(comm)?;
    let size = comm.inter().map_or(comm.size(), |inter| inter.remote.size()) as usize;
    let recvtypes = datatypes(recvtypes, &recvcounts, size)?;
    let recvs = typed_blocks(whole(recvbuf, "recvbuf")?, recvcounts, rdispls, &recvtypes)?;
    if sendbuf.is_in_place() && comm.inter().is_none() {
        return in_place(&comm, &recvs);
    }
    let sendtypes = datatypes(sendtypes, &sendcounts, size)?;
    let send = whole_send(sendbuf, "sendbuf")?.cast_mut();
    let sends = typed_blocks(send, sendcounts, sdispls, &sendtypes)?;
    apart(&comm, &sends, &recvs)
}

/// The datatypes of a list of handles. `MPI_DATATYPE_NULL` is one for a block without elements.
pub(super) fn datatypes(
    handles: Inputs<DatatypeHandle>,
    counts: &Inputs<i64>,
    size: usize,
) -> Result<Vec<TypeRef>> {
    handles.check(size)?;
    counts.check(size)?;
    let datatype = |at| match handles.get(at) {
        DatatypeHandle::NULL if counts.get(at) == 0 => types::committed(DatatypeHandle(BYTE)),
        handle => types::committed(handle),
    };
    (0..size).map(datatype).collect()
}

/// The blocks of counts, displacements in bytes, and datatypes.
pub(super) fn typed_blocks<'a>(
    start: *mut u8,
    counts: Inputs<i64>,
    displs: Inputs<i64>,
    datatypes: &'a [TypeRef],
) -> Result<Vec<Elements<'a>>> {
    displs.check(datatypes.len())?;
    let block = |(at, datatype): (usize, &'a TypeRef)| {
        Elements::written(start.wrapping_offset(displs.get(at) as isize), counts.get(at), datatype)
    };
    Ok(datatypes.iter().enumerate().map(block).collect())
}

fn in_place(comm: &Comm, blocks: &[Elements]) -> Result<Script> {
    let mut script = Script::new();
    let (recv, places) = script.updated_blocks(blocks, |_| true, "recvbuf")?;
    let input = (recv.cast_const(), places.clone());
    script.call_on_blocks(comm.engine(), Blocks::new(Collective::AllToAllV, 0, input, (recv, places)), None);
    Ok(script)
}

fn apart(comm: &Comm, sends: &[Elements], recvs: &[Elements]) -> Result<Script> {
    if let Some(inter) = comm.inter() {
        return inter::exchange(comm, inter, sends, recvs);
    }
    let rank = comm.rank() as usize;
    check_own(&sends[rank], &recvs[rank])?;
    let mut script = Script::new();
    let input = script.input_blocks(sends, "sendbuf")?;
    let output = script.output_blocks(recvs, "recvbuf")?;
    script.call_on_blocks(comm.engine(), Blocks::new(Collective::AllToAllV, 0, input, output), None);
    Ok(script)
}
