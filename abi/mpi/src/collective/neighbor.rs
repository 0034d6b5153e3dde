//! Neighbourhood collectives: exchanges with the neighbours of a topology, in the order of its edges.
//!
//! `MPI_PROC_NULL` neighbours, which ranks on the border of a grid have, are left out: their blocks stay as
//! they are.

use anyccl_engine::base::{Collective, Rank};

use super::alltoall::{datatypes, typed_blocks};
use super::blocks::{blocks, equal_blocks};
use super::engine_call::Blocks;
use super::script::Script;
use super::typed::Elements;
use super::uniform::{whole, whole_send};
use crate::arguments::{CommHandle, DatatypeHandle, Inputs, RecvAddress, SendAddress};
use crate::comm::Comm;
use crate::error::{Class, Error, Result};
use crate::topology::Topology;
use crate::types;

/// The neighbours of this rank, in the order of the blocks.
struct Neighbors {
    sources: Vec<i32>,
    destinations: Vec<i32>,
    is_grid: bool,
}

impl Neighbors {
    fn of(comm: &Comm) -> Result<Neighbors> {
        let topology = comm.topology().ok_or_else(|| {
            let text = format!("{} has no topology; a neighbourhood collective needs one", comm.title());
            Error::new(Class::TOPOLOGY, text)
        })?;
        let (sources, destinations) = (topology.sources(comm.rank()), topology.destinations(comm.rank()));
        Ok(Neighbors { sources, destinations, is_grid: matches!(**topology, Topology::Cart(_)) })
    }

    /// Ranks and blocks to which this rank sends.
    fn destinations<'a>(&self, blocks: Vec<Elements<'a>>) -> (Vec<Rank>, Vec<Elements<'a>>) {
        present(self.destinations.iter().zip(blocks))
    }

    /// Ranks and blocks from which this rank receives. The n-th block from a rank here is the n-th that the
    /// rank sends to this one. In a grid, data sent downwards in a dimension is received from above. This
    /// matters if both neighbours are the same process (MPI 5.0, section 8.6).
    fn sources<'a>(&self, blocks: Vec<Elements<'a>>) -> (Vec<Rank>, Vec<Elements<'a>>) {
        let mut edges: Vec<_> = self.sources.iter().zip(blocks).collect();
        if self.is_grid {
            edges.chunks_exact_mut(2).for_each(|both| both.swap(0, 1));
        }
        present(edges)
    }
}

/// The ranks and elements of neighbours that exist.
fn present<'a, 'b>(
    edges: impl IntoIterator<Item = (&'b i32, Elements<'a>)>,
) -> (Vec<Rank>, Vec<Elements<'a>>) {
    edges.into_iter().filter_map(|(rank, block)| Some((Rank::try_from(*rank).ok()?, block))).unzip()
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
    let neighbors = Neighbors::of(&comm)?;
    let (sendtype, recvtype) = (types::committed(sendtype)?, types::committed(recvtype)?);
    let sent = Elements::read(whole_send(sendbuf, "sendbuf")?, sendcount, &sendtype);
    let block = Elements::written(whole(recvbuf, "recvbuf")?, recvcount, &recvtype);
    let recvs = neighbors.sources(equal_blocks(block, neighbors.sources.len()));
    let to = neighbors.destinations(vec![sent; neighbors.destinations.len()]).0;
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
    let neighbors = Neighbors::of(&comm)?;
    let (sendtype, recvtype) = (types::committed(sendtype)?, types::committed(recvtype)?);
    let sent = Elements::read(whole_send(sendbuf, "sendbuf")?, sendcount, &sendtype);
    let start = Elements::written(whole(recvbuf, "recvbuf")?, 0, &recvtype);
    let recvs = neighbors.sources(blocks(start, recvcounts, displs, neighbors.sources.len() as u32)?);
    let to = neighbors.destinations(vec![sent; neighbors.destinations.len()]).0;
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
    let neighbors = Neighbors::of(&comm)?;
    let (sendtype, recvtype) = (types::committed(sendtype)?, types::committed(recvtype)?);
    let sent = Elements::read(whole_send(sendbuf, "sendbuf")?, sendcount, &sendtype);
    let block = Elements::written(whole(recvbuf, "recvbuf")?, recvcount, &recvtype);
    let sends = neighbors.destinations(equal_blocks(sent, neighbors.destinations.len()));
    let recvs = neighbors.sources(equal_blocks(block, neighbors.sources.len()));
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
    let neighbors = Neighbors::of(&comm)?;
    let (sendtype, recvtype) = (types::committed(sendtype)?, types::committed(recvtype)?);
    let from = Elements::read(whole_send(sendbuf, "sendbuf")?, 0, &sendtype);
    let to = Elements::written(whole(recvbuf, "recvbuf")?, 0, &recvtype);
    let sends =
        neighbors.destinations(blocks(from, sendcounts, sdispls, neighbors.destinations.len() as u32)?);
    let recvs = neighbors.sources(blocks(to, recvcounts, rdispls, neighbors.sources.len() as u32)?);
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
    let neighbors = Neighbors::of(&comm)?;
    let sendtypes = datatypes(sendtypes, &sendcounts, neighbors.destinations.len())?;
    let recvtypes = datatypes(recvtypes, &recvcounts, neighbors.sources.len())?;
    let from = whole_send(sendbuf, "sendbuf")?.cast_mut();
    let sends = typed_blocks(from, sendcounts, sdispls, &sendtypes)?;
    let recvs = typed_blocks(whole(recvbuf, "recvbuf")?, recvcounts, rdispls, &recvtypes)?;
    let (sends, recvs) = (neighbors.destinations(sends), neighbors.sources(recvs));
    script_of(&comm, Collective::NeighborAllToAllV, sends, recvs)
}
