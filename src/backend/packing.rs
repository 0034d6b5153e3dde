//! Packs blocks into one buffer, for engines that take nothing else.
//!
//! Our calls may have a pointer per block, and may receive a block where another one is sent from. What does
//! not fit the engine's form is copied: the input before the call, the output after it.

use std::ptr;

use super::MemoryKind;
use super::engine::UnequalCall;
use crate::backend::zeros::zeroed_for;
use crate::base::{Collective, Datatype, Rank, ReduceOp, Result};
use crate::plan::Block;

/// A call whose blocks may lie anywhere.
#[derive(Clone, Copy, Debug)]
pub struct Scattered<'a> {
    /// The collective: one with a layout, but without a graph.
    pub collective: Collective,
    /// Element type.
    pub datatype: Datatype,
    /// Operator, if the collective reduces.
    pub op: Option<ReduceOp>,
    /// Root, if the collective has one; else 0.
    pub root: Rank,
    /// The blocks that are read, as offsets from `send` if that is one buffer.
    pub inputs: &'a [Block],
    /// The blocks that are written, as offsets from `recv` if that is one buffer.
    pub outputs: &'a [Block],
    /// One buffer for all blocks of the input, or the address of each.
    pub send: ScatteredInput<'a>,
    /// One buffer for all blocks of the output, or the address of each.
    pub recv: ScatteredOutput<'a>,
    /// Whether some block is received where another one is sent from.
    pub overlaps: bool,
}

/// The memory from which blocks are read.
#[derive(Clone, Copy, Debug)]
pub enum ScatteredInput<'a> {
    /// All blocks in one buffer.
    Buffer(*const u8),
    /// An address for each block.
    List(&'a [*const u8]),
}

/// The memory to which blocks are written.
#[derive(Clone, Copy, Debug)]
pub enum ScatteredOutput<'a> {
    /// All blocks in one buffer.
    Buffer(*mut u8),
    /// An address for each block.
    List(&'a [*mut u8]),
}

/// A call in the form that foreign engines take, with the memory that it needs.
pub struct Packed {
    collective: Collective,
    datatype: Datatype,
    op: Option<ReduceOp>,
    root: Rank,
    send: *const u8,
    inputs: Vec<Block>,
    recv: *mut u8,
    outputs: Vec<Block>,
    _sent: Vec<u8>,
    received: Vec<u8>,
    /// The destination of each block of `received`.
    targets: Vec<*mut u8>,
}

// SAFETY: the pointers are our own memory and the caller's buffers, which nobody else uses until the end, by
// its promise.
unsafe impl Send for Packed {}

impl Packed {
    /// Copies what must be copied before the call.
    ///
    /// # Safety
    /// The blocks are readable and writable where the call says, until [`Packed::unpack`].
    pub unsafe fn new(call: &Scattered<'_>) -> Result<Packed> {
        let unit = call.datatype.bytes();
        let Scattered { collective, datatype, op, root, .. } = *call;
        let (mut inputs, mut outputs) = (call.inputs.to_vec(), call.outputs.to_vec());
        let (mut sent, mut received, mut targets) = (Vec::new(), Vec::new(), Vec::new());
        let is_dense = |blocks: &[Block]| {
            blocks
                .iter()
                .try_fold(0, |next, block| (block.offset == next).then_some(next + block.len))
                .is_some()
        };
        let send = match call.send {
            ScatteredInput::Buffer(start)
                if !call.overlaps && (!collective.reduces() || is_dense(&inputs)) =>
            {
                start
            }
            source => {
                let whole = make_dense(&mut inputs);
                sent = zeroed_for(whole * unit, "packed blocks")?;
                for (at, (block, from)) in inputs.iter().zip(call.inputs).enumerate() {
                    let from = match source {
                        ScatteredInput::Buffer(start) => start.wrapping_add(from.offset * unit),
                        ScatteredInput::List(starts) => starts[at],
                    };
                    let to = sent[block.offset * unit..].as_mut_ptr();
                    // SAFETY: a block of the input, readable by our caller's promise, into room made for it.
                    unsafe { copy_block(from, to, block.len * unit) };
                }
                sent.as_ptr()
            }
        };
        let recv = match call.recv {
            ScatteredOutput::Buffer(start) => start,
            ScatteredOutput::List(starts) => {
                targets = starts.to_vec();
                received = zeroed_for(make_dense(&mut outputs) * unit, "packed blocks")?;
                received.as_mut_ptr()
            }
        };
        let _sent = sent;
        Ok(Packed { collective, datatype, op, root, send, inputs, recv, outputs, _sent, received, targets })
    }

    /// The call for the engine.
    pub fn call(&self, memory: MemoryKind) -> UnequalCall<'_> {
        let Packed { collective, datatype, op, root, send, recv, .. } = *self;
        UnequalCall {
            collective,
            datatype,
            op,
            root,
            send,
            inputs: &self.inputs,
            recv,
            outputs: &self.outputs,
            memory,
        }
    }

    /// Copies what must be copied after the call.
    ///
    /// # Safety
    /// See [`Packed::new`]; the call has succeeded.
    pub unsafe fn unpack(&mut self) {
        let unit = self.datatype.bytes();
        for (block, to) in self.outputs.iter().zip(&self.targets) {
            let from = self.received[block.offset * unit..].as_ptr();
            // SAFETY: a block of the output, writable by our caller's promise, from our own memory.
            unsafe { copy_block(from, *to, block.len * unit) };
        }
    }
}

/// Makes blocks follow each other without gaps; returns their total length.
fn make_dense(blocks: &mut [Block]) -> usize {
    blocks.iter_mut().fold(0, |next, block| {
        block.offset = next;
        next + block.len
    })
}

/// # Safety
/// If there are bytes, they are readable, writable, and apart.
unsafe fn copy_block(from: *const u8, to: *mut u8, bytes: usize) {
    if bytes > 0 {
        // SAFETY: our caller's promise.
        unsafe { ptr::copy_nonoverlapping(from, to, bytes) };
    }
}
