//! Movements on an intercommunicator: every block goes to the other side.
//!
//! All of them are one exchange over the engine's communicator of both sides, in which blocks for and from a
//! rank's own side are empty. Ranks need not know the root on the other side.

use std::ptr;

use anyccl_engine::base::Collective;
use anyccl_engine::plan::Block;

use super::blocks::{blocks, equal_blocks};
use super::engine_call::Blocks;
use super::script::Script;
use super::typed::{Elements, no_root};
use super::uniform::{whole, whole_send};
use crate::arguments::{DatatypeHandle, Inputs, RecvAddress, SendAddress};
use crate::comm::{Comm, Inter};
use crate::constants::{PROC_NULL, ROOT};
use crate::error::Result;
use crate::types;

/// The root of a call, seen from this rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Root {
    /// This rank.
    Me,
    /// Another rank of this side.
    OwnSide,
    /// A rank of the other side.
    Remote(u32),
}

impl Root {
    pub(super) fn new(root: i32, comm: &Comm, inter: &Inter) -> Result<Root> {
        match root {
            ROOT => Ok(Root::Me),
            PROC_NULL => Ok(Root::OwnSide),
            rank if rank.cast_unsigned() < inter.remote.size() => Ok(Root::Remote(rank.cast_unsigned())),
            rank => Err(no_root(rank, inter.remote.size(), comm)),
        }
    }
}

/// The data that a rank sends, as the program describes it. Ignored if it is not significant.
pub(super) struct Arguments {
    pub address: SendAddress,
    pub count: i64,
    pub datatype: DatatypeHandle,
}

/// The memory in which a rank receives.
pub(super) struct Target {
    pub address: RecvAddress,
    pub count: i64,
    pub datatype: DatatypeHandle,
}

/// A buffer of the engine and its blocks for or from the other side.
pub(super) type Side<P> = (P, Vec<Block>);

/// The blocks for or from both sides; those of this rank's own side are empty.
fn of_both(comm: &Comm, inter: &Inter, blocks: Vec<Block>) -> Vec<Block> {
    let own = vec![Block::default(); comm.size() as usize];
    if inter.is_first { [own, blocks].concat() } else { [blocks, own].concat() }
}

/// Adds an exchange with the other side to a script. An empty list means that all blocks are empty.
pub(super) fn add_exchange(
    script: &mut Script,
    comm: &Comm,
    inter: &Inter,
    (send, input): Side<*const u8>,
    (recv, output): Side<*mut u8>,
) {
    let remote = inter.remote.size() as usize;
    let filled = |mut blocks: Vec<Block>| {
        blocks.resize(remote, Block::default());
        of_both(comm, inter, blocks)
    };
    let (input, output) = (filled(input), filled(output));
    let call = Blocks::new(Collective::AllToAllV, 0, (send, input), (recv, output));
    script.call_on_blocks(comm.engine(), call, None);
}

pub(super) fn script_on(comm: &Comm) -> Script {
    let mut script = Script::new();
    script.turns_of = Some(comm.id);
    script
}

const NOTHING_READ: Side<*const u8> = (ptr::null(), Vec::new());
const NOTHING_WRITTEN: Side<*mut u8> = (ptr::null_mut(), Vec::new());

/// Blocks that are empty except the one for or from a rank of the other side.
pub(super) fn only(rank: u32, block: Block) -> Vec<Block> {
    let mut blocks = vec![Block::default(); rank as usize];
    blocks.push(block);
    blocks
}

/// An exchange in which every rank sends to and receives from all ranks of the other side.
pub(super) fn exchange(comm: &Comm, inter: &Inter, sends: &[Elements], recvs: &[Elements]) -> Result<Script> {
    let mut script = script_on(comm);
    let input = script.input_blocks(sends, "sendbuf")?;
    let output = script.output_blocks(recvs, "recvbuf")?;
    add_exchange(&mut script, comm, inter, input, output);
    Ok(script)
}

pub(super) fn bcast(comm: &Comm, inter: &Inter, elements: Elements, root: i32) -> Result<Script> {
    let mut script = script_on(comm);
    let (mut input, mut output) = (NOTHING_READ, NOTHING_WRITTEN);
    match Root::new(root, comm, inter)? {
        Root::OwnSide => {}
        Root::Me => {
            let (send, blocks) = script.input_blocks(&[elements], "buffer")?;
            input = (send, vec![blocks[0]; inter.remote.size() as usize]);
        }
        Root::Remote(root) => {
            let (recv, blocks) = script.output_blocks(&[elements], "buffer")?;
            output = (recv, only(root, blocks[0]));
        }
    }
    add_exchange(&mut script, comm, inter, input, output);
    Ok(script)
}

/// The one block that this rank sends to the root.
fn sent_to(script: &mut Script, root: u32, send: &Arguments) -> Result<Side<*const u8>> {
    let datatype = types::committed(send.datatype)?;
    let sent = Elements::read(whole_send(send.address, "sendbuf")?, send.count, &datatype);
    let (start, blocks) = script.input_blocks(&[sent], "sendbuf")?;
    Ok((start, only(root, blocks[0])))
}

/// The one block that this rank receives from the root.
fn received_from(script: &mut Script, root: u32, recv: &Target) -> Result<Side<*mut u8>> {
    let datatype = types::committed(recv.datatype)?;
    let received = Elements::written(whole(recv.address, "recvbuf")?, recv.count, &datatype);
    let (start, blocks) = script.output_blocks(&[received], "recvbuf")?;
    Ok((start, only(root, blocks[0])))
}

pub(super) fn gather(
    comm: &Comm,
    inter: &Inter,
    send: Arguments,
    recvbuf: RecvAddress,
    recvcount: i64,
    recvtype: DatatypeHandle,
    root: i32,
) -> Result<Script> {
    let mut script = script_on(comm);
    let (mut input, mut output) = (NOTHING_READ, NOTHING_WRITTEN);
    match Root::new(root, comm, inter)? {
        Root::OwnSide => {}
        Root::Remote(root) => input = sent_to(&mut script, root, &send)?,
        Root::Me => {
            let recvtype = types::committed(recvtype)?;
            let block = Elements::written(whole(recvbuf, "recvbuf")?, recvcount, &recvtype);
            output = script.output_blocks(&equal_blocks(block, inter.remote.size() as usize), "recvbuf")?;
        }
    }
    add_exchange(&mut script, comm, inter, input, output);
    Ok(script)
}

pub(super) fn gatherv(
    comm: &Comm,
    inter: &Inter,
    send: Arguments,
    recvbuf: RecvAddress,
    recvcounts: Inputs<i64>,
    displs: Inputs<i64>,
    recvtype: DatatypeHandle,
    root: i32,
) -> Result<Script> {
    let mut script = script_on(comm);
    let (mut input, mut output) = (NOTHING_READ, NOTHING_WRITTEN);
    match Root::new(root, comm, inter)? {
        Root::OwnSide => {}
        Root::Remote(root) => input = sent_to(&mut script, root, &send)?,
        Root::Me => {
            let recvtype = types::committed(recvtype)?;
            let start = Elements::written(whole(recvbuf, "recvbuf")?, 0, &recvtype);
            let blocks = blocks(start, recvcounts, displs, inter.remote.size())?;
            output = script.output_blocks(&blocks, "recvbuf")?;
        }
    }
    add_exchange(&mut script, comm, inter, input, output);
    Ok(script)
}

pub(super) fn scatter(
    comm: &Comm,
    inter: &Inter,
    send: Arguments,
    recvbuf: RecvAddress,
    recvcount: i64,
    recvtype: DatatypeHandle,
    root: i32,
) -> Result<Script> {
    let mut script = script_on(comm);
    let (mut input, mut output) = (NOTHING_READ, NOTHING_WRITTEN);
    match Root::new(root, comm, inter)? {
        Root::OwnSide => {}
        Root::Remote(root) => {
            let target = Target { address: recvbuf, count: recvcount, datatype: recvtype };
            output = received_from(&mut script, root, &target)?;
        }
        Root::Me => {
            let sendtype = types::committed(send.datatype)?;
            let block = Elements::read(whole_send(send.address, "sendbuf")?, send.count, &sendtype);
            input = script.input_blocks(&equal_blocks(block, inter.remote.size() as usize), "sendbuf")?;
        }
    }
    add_exchange(&mut script, comm, inter, input, output);
    Ok(script)
}

pub(super) fn scatterv(
    comm: &Comm,
    inter: &Inter,
    sendbuf: SendAddress,
    sendcounts: Inputs<i64>,
    displs: Inputs<i64>,
    sendtype: DatatypeHandle,
    recv: Target,
    root: i32,
) -> Result<Script> {
    let mut script = script_on(comm);
    let (mut input, mut output) = (NOTHING_READ, NOTHING_WRITTEN);
    match Root::new(root, comm, inter)? {
        Root::OwnSide => {}
        Root::Remote(root) => output = received_from(&mut script, root, &recv)?,
        Root::Me => {
            let sendtype = types::committed(sendtype)?;
            let start = Elements::read(whole_send(sendbuf, "sendbuf")?, 0, &sendtype);
            let blocks = blocks(start, sendcounts, displs, inter.remote.size())?;
            input = script.input_blocks(&blocks, "sendbuf")?;
        }
    }
    add_exchange(&mut script, comm, inter, input, output);
    Ok(script)
}

/// An exchange in which every rank sends one block to all ranks of the other side, and receives theirs.
pub(super) fn allgather(comm: &Comm, inter: &Inter, send: Arguments, recvs: &[Elements]) -> Result<Script> {
    let mut script = script_on(comm);
    let datatype = types::committed(send.datatype)?;
    let sent = Elements::read(whole_send(send.address, "sendbuf")?, send.count, &datatype);
    let (start, blocks) = script.input_blocks(&[sent], "sendbuf")?;
    let input = (start, vec![blocks[0]; inter.remote.size() as usize]);
    let output = script.output_blocks(recvs, "recvbuf")?;
    add_exchange(&mut script, comm, inter, input, output);
    Ok(script)
}
