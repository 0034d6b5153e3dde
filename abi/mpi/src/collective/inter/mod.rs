//! Collectives on an intercommunicator: every block goes to the other side.
//!
//! All of them are one exchange over the engine's communicator of both sides, in which blocks for and from a
//! rank's own side are empty. Ranks need not know the root on the other side. `movement` has the collectives
//! that move blocks. [`reduction`] reduces on each side first.

mod movement;
pub(super) mod reduction;

use std::ptr;

use anyccl_engine::base::Collective;
use anyccl_engine::plan::Block;

use super::engine_call::Blocks;
use super::script::Script;
use super::typed::no_root;
use crate::comm::{Comm, Inter};
use crate::constants::{PROC_NULL, ROOT};
use crate::error::Result;

pub(super) use movement::{Argument, allgather, bcast, exchange, gather, scatter};

/// The root of a call, seen from this rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Root {
    /// This rank.
    Me,
    /// Another rank of this side.
    OwnSide,
    /// A rank of the other side.
    Remote(u32),
}

impl Root {
    fn new(root: i32, comm: &Comm, inter: &Inter) -> Result<Root> {
        match root {
            ROOT => Ok(Root::Me),
            PROC_NULL => Ok(Root::OwnSide),
            rank if rank.cast_unsigned() < inter.remote.size() => Ok(Root::Remote(rank.cast_unsigned())),
            rank => Err(no_root(rank, inter.remote.size(), comm)),
        }
    }
}

/// A buffer of the engine and its blocks for or from the other side.
type Side<P> = (P, Vec<Block>);

/// The blocks for or from both sides; those of this rank's own side are empty.
fn of_both(comm: &Comm, inter: &Inter, blocks: Vec<Block>) -> Vec<Block> {
    let own = vec![Block::default(); comm.size() as usize];
    if inter.is_first { [own, blocks].concat() } else { [blocks, own].concat() }
}

/// Adds an exchange with the other side to a script. An empty list means that all blocks are empty.
fn add_exchange(
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

fn script_on(comm: &Comm) -> Script {
    let mut script = Script::new();
    script.turns_of = Some(comm.id);
    script
}

const NOTHING_READ: Side<*const u8> = (ptr::null(), Vec::new());
const NOTHING_WRITTEN: Side<*mut u8> = (ptr::null_mut(), Vec::new());

/// Blocks that are empty except the one for or from a rank of the other side.
fn only(rank: u32, block: Block) -> Vec<Block> {
    let mut blocks = vec![Block::default(); rank as usize];
    blocks.push(block);
    blocks
}
