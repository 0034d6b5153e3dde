//! An all_reduce, made of two other collectives.

use std::ptr;
use std::sync::Arc;

use crate::backend::engine::{ForeignComm, Started, UniformCall};
use crate::backend::zeros::zeroed_for;
use crate::base::{Collective, Result};

/// An all_reduce as a reduce to rank 0 and a broadcast from there.
pub struct ReduceBroadcast {
    comm: Arc<dyn ForeignComm>,
    second: UniformCall,
    under_way: Box<dyn Started>,
    is_second: bool,
}

// SAFETY: the pointers are the caller's buffers, which nobody else uses until the end, by its promise.
unsafe impl Send for ReduceBroadcast {}

impl ReduceBroadcast {
    /// Starts an all_reduce of this rank.
    ///
    /// # Safety
    /// See [`ForeignComm::start`].
    pub unsafe fn start(
        comm: Arc<dyn ForeignComm>,
        call: &UniformCall,
        rank: u32,
    ) -> Result<ReduceBroadcast> {
        // Only the root of a reduce has two buffers that can coincide.
        let in_place = call.in_place && rank == 0;
        let first = UniformCall { collective: Collective::Reduce, in_place, ..*call };
        let second = UniformCall {
            collective: Collective::Broadcast,
            op: None,
            send: call.recv.cast_const(),
            in_place: rank == 0,
            ..*call
        };
        // SAFETY: the reduce reads what an all_reduce reads and writes what it writes.
        let under_way = unsafe { comm.start(&first) }?;
        Ok(ReduceBroadcast { comm, second, under_way, is_second: false })
    }
}

impl Started for ReduceBroadcast {
    fn test(&mut self) -> Result<bool> {
        while self.under_way.test()? {
            if std::mem::replace(&mut self.is_second, true) {
                return Ok(true);
            }
            // SAFETY: the broadcast works in the output, and the reduce has ended there.
            self.under_way = unsafe { self.comm.start(&self.second) }?;
        }
        Ok(false)
    }
}

/// An all_reduce as a reduce_scatter and an all_gather, in memory whose length is a multiple of the number of
/// ranks.
pub struct ReduceScatterAllGather {
    comm: Arc<dyn ForeignComm>,
    call: UniformCall,
    block: usize,
    rank: usize,
    /// All blocks: first the input, later the result.
    all: Vec<u8>,
    mine: Vec<u8>,
    under_way: Box<dyn Started>,
    is_second: bool,
}

// SAFETY: as for `ReduceBroadcast`.
unsafe impl Send for ReduceScatterAllGather {}

impl ReduceScatterAllGather {
    /// Starts an all_reduce of this rank of `size`.
    ///
    /// # Safety
    /// See [`ForeignComm::start`]; the processor can read the memory.
    pub unsafe fn start(
        comm: Arc<dyn ForeignComm>,
        call: &UniformCall,
        rank: u32,
        size: u32,
    ) -> Result<ReduceScatterAllGather> {
        let unit = call.datatype.bytes();
        let block = call.count.div_ceil(size as usize);
        let mut all = zeroed_for(block * size as usize * unit, "copies of the input")?;
        let mut mine = zeroed_for(block * unit, "a part of the result")?;
        // SAFETY: the input has `count` elements by the caller's promise, and there is room for them.
        unsafe { ptr::copy_nonoverlapping(call.send, all.as_mut_ptr(), call.count * unit) };
        let first = UniformCall {
            collective: Collective::ReduceScatter,
            count: block,
            send: all.as_ptr(),
            recv: mine.as_mut_ptr(),
            in_place: false,
            ..*call
        };
        // SAFETY: our own memory, of the length that the call needs, kept until the call ends.
        let under_way = unsafe { comm.start(&first) }?;
        let rank = rank as usize;
        Ok(ReduceScatterAllGather { comm, call: *call, block, rank, all, mine, under_way, is_second: false })
    }
}

impl Started for ReduceScatterAllGather {
    fn test(&mut self) -> Result<bool> {
        while self.under_way.test()? {
            let unit = self.call.datatype.bytes();
            if std::mem::replace(&mut self.is_second, true) {
                // SAFETY: the output has room for `count` elements by the caller's promise, and `all` has as
                // many.
                unsafe {
                    ptr::copy_nonoverlapping(self.all.as_ptr(), self.call.recv, self.call.count * unit)
                };
                return Ok(true);
            }
            let at = self.rank * self.block * unit;
            self.all[at..at + self.mine.len()].copy_from_slice(&self.mine);
            let recv = self.all.as_mut_ptr();
            let second = UniformCall {
                collective: Collective::AllGather,
                op: None,
                count: self.block,
                send: recv.wrapping_add(at).cast_const(),
                recv,
                in_place: true,
                ..self.call
            };
            // SAFETY: as for the first.
            self.under_way = unsafe { self.comm.start(&second) }?;
        }
        Ok(false)
    }
}
