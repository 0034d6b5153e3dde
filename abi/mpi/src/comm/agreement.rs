//! How processes agree on what the engine needs to form a communicator: contexts and lists of processes.
//!
//! If all processes of a communicator take part, they gather records. If only some do, they send messages on
//! it. These have negative tags, which no receive of the program accepts.

use anyccl_engine::base::{Call, CallKind, Collective, Datatype, Rank, ReduceOp};
use anyccl_engine::comm::{CommConfig, Communicator, Operation, Request};
use anyccl_engine::p2p::{OutgoingMessage, RecvBuffer, Selector};

use crate::error::{Class, Error, Result};
use crate::state;

/// Mask of the bits of a program's tag that become part of a tag here.
const TAG_BITS: i32 = (1 << 28) - 1;
/// Tag of the messages of `MPI_Comm_idup`.
pub const DUPLICATE: i32 = -0x3000_0000;
/// Bits of a hash that become part of a tag. The tags are between those of `MPI_Intercomm_create` and 0.
const HASH_BITS: u64 = (1 << 27) - 1;
/// Tag of the messages of `MPI_Dist_graph_create`.
pub const DIST_GRAPH: i32 = -0x3000_0001;

/// Tag of the messages of `MPI_Comm_create_group`.
pub fn create_group_tag(tag: i32) -> i32 {
    -0x1000_0000 - (tag & TAG_BITS)
}

/// Tag of the messages of `MPI_Intercomm_create`.
pub fn intercomm_tag(tag: i32) -> i32 {
    -0x2000_0000 - (tag & TAG_BITS)
}

/// Tag of the messages of processes that have agreed on a text and a group, by their hash.
pub fn text_tag(hash: u64) -> i32 {
    -0x0400_0000 - (hash & HASH_BITS) as i32
}

fn call(collective: Collective, root: Rank, bytes: usize) -> Call {
    let kind = CallKind::Collective(collective);
    Call { kind, datatype: Datatype::Byte, op: None, root, count: bytes as u64 }
}

/// The records of all ranks, in order. Collective.
pub fn gather<const N: usize>(engine: &Communicator, own: [u64; N]) -> Result<Vec<[u64; N]>> {
    let mut all = vec![[0; N]; engine.size() as usize];
    let call = call(Collective::AllGather, 0, N * 8);
    let operation = Operation { call, send: own.as_ptr().cast(), recv: all.as_mut_ptr().cast() };
    // SAFETY: a record is read, one per rank is written; both outlive the call.
    unsafe { engine.run(&operation) }?;
    Ok(all)
}

/// One word for this process from each rank. `own` has one word for each rank. Collective.
pub fn exchange_all(engine: &Communicator, own: &[u64]) -> Result<Vec<u64>> {
    let mut all = vec![0; own.len()];
    debug_assert_eq!(own.len(), engine.size() as usize);
    let call = call(Collective::AllToAll, 0, 8);
    let operation = Operation { call, send: own.as_ptr().cast(), recv: all.as_mut_ptr().cast() };
    // SAFETY: one word per rank is read and written; both outlive the call.
    unsafe { engine.run(&operation) }?;
    Ok(all)
}

/// Replaces each word by its minimum over all ranks. Collective.
pub fn minimum(engine: &Communicator, words: &mut [u64]) -> Result<()> {
    let place = words.as_mut_ptr().cast::<u8>();
    let kind = CallKind::Collective(Collective::AllReduce);
    let (op, count) = (Some(ReduceOp::Min), words.len() as u64);
    let call = Call { kind, datatype: Datatype::Uint64, op, root: 0, count };
    let operation = Operation { call, send: place, recv: place };
    // SAFETY: the words are read and written; they outlive the call.
    unsafe { engine.run(&operation) }?;
    Ok(())
}

/// Copies the words of the root to all ranks, which know their number. Collective.
pub fn broadcast(engine: &Communicator, root: Rank, words: &mut [u64]) -> Result<()> {
    let place = words.as_mut_ptr().cast::<u8>();
    let call = call(Collective::Broadcast, root, words.len() * 8);
    let operation = Operation { call, send: place, recv: place };
    // SAFETY: the words are read at the root and written elsewhere; they outlive the call.
    unsafe { engine.run(&operation) }?;
    Ok(())
}

/// Starts a send of words.
pub fn start_send(engine: &Communicator, to: Rank, tag: i32, words: &[u64]) -> Result<Request> {
    let data: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let message = OutgoingMessage {
        to,
        tag,
        datatype: Datatype::Byte,
        count: data.len() as u64,
        data: data.as_ptr(),
        is_synchronous: false,
    };
    // SAFETY: the request keeps the sent bytes.
    Ok(unsafe { engine.start(&message) }?.keeping(data))
}

/// Receives `len` words.
pub fn receive(engine: &Communicator, from: Rank, tag: i32, len: usize) -> Result<Vec<u64>> {
    let mut words = vec![0u64; len];
    let (data, count) = (words.as_mut_ptr().cast(), len as u64 * 8);
    let buffer = RecvBuffer { data, datatype: Datatype::Byte, count, is_lenient: true };
    // SAFETY: the words outlive the call.
    unsafe { engine.receive(Selector::new(Some(from), Some(tag)), buffer) }?;
    Ok(words)
}

/// Sends a list to a peer and receives the peer's list, whose length need not be known.
pub fn exchange_lists(engine: &Communicator, peer: Rank, tag: i32, own: &[u64]) -> Result<Vec<u64>> {
    let mut length = start_send(engine, peer, tag, &[own.len() as u64])?;
    let mut list = start_send(engine, peer, tag, own)?;
    let len = receive(engine, peer, tag, 1)?[0];
    let len = usize::try_from(len).ok().filter(|len| *len <= 1 << 32);
    let len = len.ok_or_else(|| Error::new(Class::INTERN, "a list of impossible length"))?;
    let theirs = receive(engine, peer, tag, len)?;
    length.wait()?;
    list.wait()?;
    Ok(theirs)
}

/// A new context.
pub fn new_context() -> Result<u64> {
    Ok(u64::from(state::world()?.new_context()?))
}

/// Forms the communicator of these processes, which have agreed on a context.
pub fn form(context: u64, processes: &[Rank], name: &str) -> Result<Communicator> {
    let own = CommConfig { name: Some(name.into()), ..CommConfig::default() };
    Ok(state::world()?.form_with_context(context as u32, processes, &own)?)
}
