//! Neighbourhood collectives: exchanges with the neighbours of a topology, in the order of its edges.
//!
//! `MPI_PROC_NULL` neighbours, which the border of a grid has, are left out: their blocks stay as they are.

use anyccl_engine::base::{Collective, Rank};

use super::alltoall::{datatypes, typed_blocks};
use super::gather::{blocks, equal_blocks};
use super::script::{Blocks, Script};
use super::typed::Elements;
use super::uniform::{whole, whole_send};
use crate::arguments::{CommHandle, DatatypeHandle, Inputs, RecvAddress, SendAddress};
use crate::comm::Comm;
use crate::error::{Class, Error, Result};
use crate::types;

/// The neighbours of this rank, in the order of the blocks.
struct Neighbors {
    sources: Vec<Option<Rank>>,
    destinations: Vec<Option<Rank>>,
}

impl Neighbors {
    fn of(comm: &Comm) -> Result<Neighbors> {
        let text = format!("{} has no topology; a neighbourhood collective needs one", comm.title());
        Err(Error::new(Class::TOPOLOGY, text))
    }
}

/// The ranks and elements of neighbours that are there.
fn present<'a>(neighbors: &[Option<Rank>], blocks: Vec<Elements<'a>>) -> (Vec<Rank>, Vec<Elements<'a>>) {
    neighbors.iter().zip(blocks).filter_map(|(rank, block)| rank.map(|rank| (rank, block))).unzip()
}

fn script_of(
    comm: &Comm,
    collective: Collective,
    (destinations, sends): (Vec<Rank>, Vec<Elements>),
    (sources, recvs): (Vec<Rank>, Vec<Elements>),
) -> Result<Script> {
    let mut script = Script::new();
    let input = script.input_blocks(&sends, "sendbuf")?;
    let output = script.output_blocks(&recvs, "recvbuf")?;
    let call = Blocks { sources, destinations, ..Blocks::new(collective, 0, input, output) };
    script.call_on_blocks(comm.engine(), call, None);
    Ok(script)
}

/// `MPI_Neighbor_allgather`.
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
    let Neighbors { sources, destinations } = Neighbors::of(&comm)?;
    let (sendtype, recvtype) = (types::committed(sendtype)?, types::committed(recvtype)?);
    let sent = Elements::read(whole_send(sendbuf, "sendbuf")?, sendcount, &sendtype);
    let block = Elements::written(whole(recvbuf, "recvbuf")?, recvcount, &recvtype);
    let recvs = present(&sources, equal_blocks(block, sources.len()));
    let to = destinations.into_iter().flatten().collect();
    script_of(&comm, Collective::NeighborAllGatherV, (to, vec![sent]), recvs)
}

/// `MPI_Neighbor_allgatherv`.
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
    let Neighbors { sources, destinations } = Neighbors::of(&comm)?;
    let (sendtype, recvtype) = (types::committed(sendtype)?, types::committed(recvtype)?);
    let sent = Elements::read(whole_send(sendbuf, "sendbuf")?, sendcount, &sendtype);
    let start = Elements::written(whole(recvbuf, "recvbuf")?, 0, &recvtype);
    let recvs = present(&sources, blocks(start, recvcounts, displs, sources.len() as u32)?);
    let to = destinations.into_iter().flatten().collect();
    script_of(&comm, Collective::NeighborAllGatherV, (to, vec![sent]), recvs)
}

/// `MPI_Neighbor_alltoall`.
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
    let Neighbors { sources, destinations } = Neighbors::of(&comm)?;
    let (sendtype, recvtype) = (types::committed(sendtype)?, types::committed(recvtype)?);
    let sent = Elements::read(whole_send(sendbuf, "sendbuf")?, sendcount, &sendtype);
    let block = Elements::written(whole(recvbuf, "recvbuf")?, recvcount, &recvtype);
    let sends = present(&destinations, equal_blocks(sent, destinations.len()));
    let recvs = present(&sources, equal_blocks(block, sources.len()));
    script_of(&comm, Collective::NeighborAllToAllV, sends, recvs)
}

/// `MPI_Neighbor_alltoallv`.
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
    let Neighbors { sources, destinations } = Neighbors::of(&comm)?;
    let (sendtype, recvtype) = (types::committed(sendtype)?, types::committed(recvtype)?);
    let from = Elements::read(whole_send(sendbuf, "sendbuf")?, 0, &sendtype);
    let to = Elements::written(whole(recvbuf, "recvbuf")?, 0, &recvtype);
    let sends = present(&destinations, blocks(from, sendcounts, sdispls, destinations.len() as u32)?);
    let recvs = present(&sources, blocks(to, recvcounts, rdispls, sources.len() as u32)?);
    script_of(&comm, Collective::NeighborAllToAllV, sends, recvs)
}

/// `MPI_Neighbor_alltoallw`. Displacements are bytes.
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
    let Neighbors { sources, destinations } = Neighbors::of(&comm)?;
    let sendtypes = datatypes(sendtypes, destinations.len())?;
    let recvtypes = datatypes(recvtypes, sources.len())?;
    let from = whole_send(sendbuf, "sendbuf")?.cast_mut();
    let sends = typed_blocks(from, sendcounts, sdispls, &sendtypes)?;
    let recvs = typed_blocks(whole(recvbuf, "recvbuf")?, recvcounts, rdispls, &recvtypes)?;
    let (sends, recvs) = (present(&destinations, sends), present(&sources, recvs));
    script_of(&comm, Collective::NeighborAllToAllV, sends, recvs)
}
