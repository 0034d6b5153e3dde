//! Blocks of bytes from every rank to every rank, for collective accesses.

use anyccl_engine::base::{Collective, Datatype};
use anyccl_engine::comm::{Communicator, Places, Unequal};
use anyccl_engine::plan::{Block, BlockLayout};

use crate::comm::agreement::exchange_all;
use crate::error::{Class, Error, Result};

/// Blocks in one buffer, one for each rank. The buffer has as much room as was reserved, and never gets more.
#[derive(Default)]
pub struct Blocks {
    bytes: Vec<u8>,
    blocks: Vec<Block>,
}

impl Blocks {
    /// Room for blocks of so many bytes altogether.
    pub fn reserve(bytes: usize) -> Result<Blocks> {
        Ok(Blocks { bytes: list(bytes)?, blocks: Vec::new() })
    }

    /// Removes all blocks.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.blocks.clear();
    }

    /// Adds the block for the next rank: `fill` appends its bytes. If that fails, the block is empty.
    pub fn push(&mut self, fill: impl FnOnce(&mut Vec<u8>) -> Result<()>) -> Result<()> {
        let offset = self.bytes.len();
        let outcome = fill(&mut self.bytes);
        if outcome.is_err() {
            self.bytes.truncate(offset);
        }
        self.blocks.push(Block { offset, len: self.bytes.len() - offset });
        outcome
    }

    /// Replaces the blocks by empty ones for so many ranks.
    pub fn empty(&mut self, ranks: u32) {
        self.clear();
        self.blocks.resize(ranks as usize, Block { offset: 0, len: 0 });
    }

    /// The block of a rank.
    pub fn get(&self, rank: u32) -> &[u8] {
        let place = self.place(rank);
        &self.bytes[place.offset..place.end()]
    }

    /// The place of a rank's block in [`Blocks::bytes`].
    pub fn place(&self, rank: u32) -> Block {
        self.blocks[rank as usize]
    }

    /// The bytes of all blocks.
    pub fn bytes(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Sends each rank its block, and replaces the blocks of `received` by those that the ranks have sent to
    /// this one. Collective.
    pub fn exchange(&self, engine: &Communicator, received: &mut Blocks) -> Result<()> {
        let own: Vec<u64> = self.blocks.iter().map(|block| block.len as u64).collect();
        let mut offset = 0;
        received.blocks.clear();
        for len in exchange_all(engine, &own)? {
            let len = usize::try_from(len).map_err(|_| damaged())?;
            received.blocks.push(Block { offset, len });
            offset = offset.checked_add(len).ok_or_else(damaged)?;
        }
        if offset > received.bytes.capacity() {
            return Err(damaged());
        }
        // Bytes of an earlier exchange are overwritten.
        received.bytes.resize(offset.max(received.bytes.len()), 0);
        let (send, recv) = (self.bytes.as_ptr(), received.bytes.as_mut_ptr());
        let call = Unequal {
            collective: Collective::AllToAllV,
            datatype: Datatype::Byte,
            op: None,
            root: 0,
            layout: BlockLayout { input: &self.blocks, output: &received.blocks, ..BlockLayout::NONE },
            places: Places::Buffers { send, recv },
        };
        // SAFETY: the blocks lie in the two buffers, which outlive the call.
        unsafe { engine.run(&call) }?;
        Ok(())
    }
}

/// An empty list with room for `len` items.
pub fn list<T>(len: usize) -> Result<Vec<T>> {
    let mut items = Vec::new();
    let text =
        || format!("no memory for {} bytes of an access to a file", len.saturating_mul(size_of::<T>()));
    items.try_reserve_exact(len).map_err(|_| Error::new(Class::NO_MEM, text()))?;
    Ok(items)
}

/// Gives a buffer this length.
pub fn resize(buffer: &mut Vec<u8>, len: usize) -> Result<()> {
    if buffer.capacity() < len {
        *buffer = list(len)?;
    }
    buffer.resize(len, 0);
    Ok(())
}

#[cold]
pub fn damaged() -> Error {
    Error::new(Class::INTERN, "a rank has sent a damaged part of a collective access to a file")
}
