//! Reductions on an intercommunicator: each side reduces to its rank 0, and the results cross over.
//!
//! The stages are a reduction on the local communicator and an exchange between the sides. If the result is
//! scattered, a scatter on the local communicator follows, because only that side knows the blocks.

use std::ptr;

use anyccl_engine::base::Collective;
use anyccl_engine::plan::Block;

use super::{NOTHING_READ, NOTHING_WRITTEN, Root, add_exchange, only, script_on};
use crate::arguments::{DatatypeHandle, OpHandle, RecvAddress, SendAddress};
use crate::collective::blocks::element_blocks;
use crate::collective::engine_call::Blocks;
use crate::collective::reduced::Reduction;
use crate::collective::script::Script;
use crate::collective::typed::check_count;
use crate::collective::uniform::{whole, whole_send};
use crate::comm::{Comm, Inter};
use crate::error::Result;

/// Adds a stage that reduces on this side. Returns the address of the result on rank 0, and its blocks.
fn reduce_locally(
    script: &mut Script,
    comm: &Comm,
    inter: &Inter,
    sendbuf: SendAddress,
    count: i64,
    reduction: &Reduction,
) -> Result<(*mut u8, Block)> {
    check_count(count)?;
    let send = whole_send(sendbuf, "sendbuf")?.cast_mut();
    let send = reduction.input(script, send, count, "sendbuf")?;
    let bytes = reduction.bytes(count)?;
    let recv = if comm.rank() == 0 { script.scratch(bytes)? } else { ptr::null_mut() };
    if let Some(operation) = reduction.operation(Collective::Reduce, 0, count, send.cast_const(), recv) {
        script.call(&inter.local, operation, reduction.bound.clone());
    }
    script.next_stage();
    Ok((recv, Block { offset: 0, len: bytes }))
}

pub fn reduce(
    comm: &Comm,
    inter: &Inter,
    sendbuf: SendAddress,
    recvbuf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
    op: OpHandle,
    root: i32,
) -> Result<Script> {
    let mut script = script_on(comm);
    let (mut input, mut output) = (NOTHING_READ, NOTHING_WRITTEN);
    match Root::new(root, comm, inter)? {
        Root::OwnSide => {}
        Root::Remote(root) => {
            let reduction = Reduction::new(datatype, op)?;
            let (result, block) = reduce_locally(&mut script, comm, inter, sendbuf, count, &reduction)?;
            if comm.rank() == 0 {
                input = (result.cast_const(), only(root, block));
            }
        }
        Root::Me => {
            let reduction = Reduction::new(datatype, op)?;
            let recv = reduction.output(&mut script, whole(recvbuf, "recvbuf")?, count, "recvbuf")?;
            output = (recv, only(0, Block { offset: 0, len: reduction.bytes(count)? }));
        }
    }
    add_exchange(&mut script, comm, inter, input, output);
    Ok(script)
}

pub fn allreduce(
    comm: &Comm,
    inter: &Inter,
    sendbuf: SendAddress,
    recvbuf: RecvAddress,
    count: i64,
    reduction: &Reduction,
) -> Result<Script> {
    let mut script = script_on(comm);
    let recvbuf = whole(recvbuf, "recvbuf")?;
    let (result, block) = reduce_locally(&mut script, comm, inter, sendbuf, count, reduction)?;
    let input = match comm.rank() {
        0 => (result.cast_const(), vec![block; inter.remote.size() as usize]),
        _ => (ptr::null(), vec![]),
    };
    let recv = reduction.output(&mut script, recvbuf, count, "recvbuf")?;
    add_exchange(&mut script, comm, inter, input, (recv, only(0, block)));
    Ok(script)
}

/// `counts` has the elements for each rank of this side; both sides must have the same sum.
pub fn reduce_scatter(
    comm: &Comm,
    inter: &Inter,
    sendbuf: SendAddress,
    recvbuf: RecvAddress,
    counts: &[i64],
    reduction: &Reduction,
) -> Result<Script> {
    let mut script = script_on(comm);
    let recvbuf = whole(recvbuf, "recvbuf")?;
    let (all, elements) = element_blocks(counts)?;
    let (result, block) = reduce_locally(&mut script, comm, inter, sendbuf, all, reduction)?;
    let is_leader = comm.rank() == 0;
    let theirs = if is_leader { script.scratch(block.len)? } else { ptr::null_mut() };
    let blocks = || if is_leader { vec![block] } else { vec![] };
    add_exchange(&mut script, comm, inter, (result.cast_const(), blocks()), (theirs, blocks()));
    script.next_stage();
    let unit = block.len.checked_div(all as usize).unwrap_or(0);
    let in_bytes = |block: &Block| Block { offset: block.offset * unit, len: block.len * unit };
    let input = if is_leader { elements.iter().map(in_bytes).collect() } else { vec![] };
    let own = counts[comm.rank() as usize];
    let recv = reduction.output(&mut script, recvbuf, own, "recvbuf")?;
    let output = vec![Block { offset: 0, len: reduction.bytes(own)? }];
    let call = Blocks::new(Collective::ScatterV, 0, (theirs.cast_const(), input), (recv, output));
    script.call_on_blocks(&inter.local, call, None);
    Ok(script)
}
