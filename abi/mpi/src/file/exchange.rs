//! Blocks of bytes from every rank to every rank, for collective accesses.

use anyccl_engine::base::{Collective, Datatype};
use anyccl_engine::comm::{Communicator, Places, Unequal};
use anyccl_engine::plan::{Block, BlockLayout};

use crate::comm::agreement::exchange_all;
use crate::error::{Class, Error, Result};

/// Blocks in one buffer, one for each rank.
pub struct Blocks {
    bytes: Vec<u8>,
    blocks: Vec<Block>,
}

impl Blocks {
    /// Room for this number of blocks.
    pub fn with_capacity(blocks: usize) -> Blocks {
        Blocks { bytes: Vec::new(), blocks: Vec::with_capacity(blocks) }
    }

    /// Adds the block for the next rank: `fill` appends its bytes.
    pub fn push(&mut self, fill: impl FnOnce(&mut Vec<u8>)) {
        let offset = self.bytes.len();
        fill(&mut self.bytes);
        self.blocks.push(Block { offset, len: self.bytes.len() - offset });
    }

    /// The block of a rank.
    pub fn get(&self, rank: usize) -> &[u8] {
        let block = self.blocks[rank];
        &self.bytes[block.offset..block.end()]
    }

    /// Sends each rank its block, and returns the blocks that the ranks have sent to this one. Collective.
    pub fn exchange(&self, engine: &Communicator) -> Result<Blocks> {
        let own: Vec<u64> = self.blocks.iter().map(|block| block.len as u64).collect();
        let mut offset = 0;
        let mut blocks = Vec::with_capacity(own.len());
        for len in exchange_all(engine, &own)? {
            let len = usize::try_from(len).map_err(|_| damaged())?;
            blocks.push(Block { offset, len });
            offset = offset.checked_add(len).ok_or_else(damaged)?;
        }
        let mut bytes = vec![0; offset];
        let (send, recv) = (self.bytes.as_ptr(), bytes.as_mut_ptr());
        let call = Unequal {
            collective: Collective::AllToAllV,
            datatype: Datatype::Byte,
            op: None,
            root: 0,
            layout: BlockLayout { input: &self.blocks, output: &blocks, ..BlockLayout::NONE },
            places: Places::Buffers { send, recv },
        };
        // SAFETY: the blocks lie in the two buffers, which outlive the call.
        unsafe { engine.run(&call) }?;
        Ok(Blocks { bytes, blocks })
    }
}

#[cold]
pub fn damaged() -> Error {
    Error::new(Class::INTERN, "a rank has sent a damaged part of a collective access to a file")
}
