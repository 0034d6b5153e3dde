//! The internal description of a collective call: what is packed, what the engine runs, what is unpacked.
//!
//! A [`Script`] is a list of stages. Most calls have one stage, whose engine call works directly on the
//! program's memory; making and running it allocates nothing. Others pack into scratch memory before the
//! engine's call and unpack after it. Reductions on an intercommunicator have several stages. The blocking,
//! the non-blocking and the persistent form of a function run the same script.
//!
//! On an intercommunicator, calls take turns ([`crate::comm::turns`]), because the engine matches calls by
//! their order.

use std::sync::Arc;

use anyccl_engine::comm::{Communicator, Operation, Request};

use super::engine_call::{Blocks, EngineCall, Work};
use crate::error::{Class, Error, Result};
use crate::op::Bound;
use crate::types::Typed;
use crate::types::check_holes;
use crate::types::host_memory::check_host;

/// A collective call of this rank, ready to run.
pub struct Script {
    first: Stage,
    rest: Vec<Stage>,
    scratch: Vec<Box<[u128]>>,
    /// The intercommunicator on which the script's call takes turns, if it is on one.
    pub(super) turns_of: Option<u32>,
}

/// A call of the engine, and the copies before and after it.
#[derive(Default)]
pub(super) struct Stage {
    before: Vec<Move>,
    call: Option<EngineCall>,
    after: Vec<Move>,
}

/// A copy on this rank.
enum Move {
    Pack(Typed, *mut u8),
    Unpack(*const u8, Typed),
    Copy(*const u8, *mut u8, usize),
}

// SAFETY: the pointers are scratch memory of the script, and the program's buffers, which it leaves alone
// until the call is complete. One thread at a time runs a script.
unsafe impl Send for Script {}
// SAFETY: as above.
unsafe impl Sync for Script {}

impl Script {
    /// An empty script.
    pub(super) fn new() -> Script {
        Script { first: Stage::default(), rest: Vec::new(), scratch: Vec::new(), turns_of: None }
    }

    /// Memory owned by the script, aligned for any type.
    pub(super) fn scratch(&mut self, bytes: usize) -> Result<*mut u8> {
        let words = bytes.div_ceil(16);
        let mut memory = Vec::<u128>::new();
        memory
            .try_reserve_exact(words)
            .map_err(|_| Error::new(Class::NO_MEM, format!("no memory for {bytes} bytes that are packed")))?;
        memory.resize(words, 0);
        self.scratch.push(memory.into_boxed_slice());
        Ok(self.scratch.last_mut().map_or(std::ptr::null_mut(), |memory| memory.as_mut_ptr().cast()))
    }

    fn stage(&mut self) -> &mut Stage {
        self.rest.last_mut().unwrap_or(&mut self.first)
    }

    /// Begins a stage: everything that is added from now on belongs to it.
    pub(super) fn next_stage(&mut self) {
        self.rest.push(Stage::default());
    }

    /// Adds a pack before the call of this stage.
    pub(super) fn pack(&mut self, from: Typed, to: *mut u8) {
        self.stage().before.push(Move::Pack(from, to));
    }

    /// Adds an unpack after the call of this stage.
    pub(super) fn unpack(&mut self, from: *const u8, to: Typed) {
        self.stage().after.push(Move::Unpack(from, to));
    }

    /// Adds a copy after the call of this stage.
    pub(super) fn copy_after(&mut self, from: *const u8, to: *mut u8, bytes: usize) {
        self.stage().after.push(Move::Copy(from, to, bytes));
    }

    /// Sets the engine's call of this stage.
    pub(super) fn call(&mut self, comm: &Arc<Communicator>, operation: Operation, bound: Option<Bound>) {
        let work = Work::Uniform(operation);
        self.stage().call = Some(EngineCall { comm: Arc::clone(comm), work, bound });
    }

    /// Sets the engine's call of this stage, on blocks.
    pub(super) fn call_on_blocks(&mut self, comm: &Arc<Communicator>, blocks: Blocks, bound: Option<Bound>) {
        let work = Work::Unequal(Box::new(blocks));
        self.stage().call = Some(EngineCall { comm: Arc::clone(comm), work, bound });
    }

    /// Makes the calls on one communicator of the engine calls on another one of the same processes.
    pub(super) fn move_to(&mut self, from: &Arc<Communicator>, to: &Arc<Communicator>) {
        let stages = std::iter::once(&mut self.first).chain(&mut self.rest);
        for call in stages.filter_map(|stage| stage.call.as_mut()) {
            if Arc::ptr_eq(&call.comm, from) {
                call.comm = Arc::clone(to);
            }
        }
    }

    /// Refuses memory of a GPU in what the processor copies.
    pub(super) fn check_host(&self) -> Result<()> {
        std::iter::once(&self.first).chain(&self.rest).try_for_each(|stage| {
            stage.before.iter().chain(&stage.after).try_for_each(|copy| match copy {
                Move::Pack(typed, _) | Move::Unpack(_, typed) => check_holes(typed),
                Move::Copy(_, to, bytes) => check_host(*to, *bytes, "a call that copies its result"),
            })
        })
    }

    /// Whether it is one call of the engine, with nothing before it or after it.
    pub(super) fn plain_call(&self) -> Option<&EngineCall> {
        let is_plain = self.rest.is_empty()
            && self.turns_of.is_none()
            && self.first.before.is_empty()
            && self.first.after.is_empty()
            && self.scratch.is_empty();
        self.first.call.as_ref().filter(|call| is_plain && call.needs_nothing())
    }

    /// Number of stages.
    pub(super) fn stages(&self) -> usize {
        1 + self.rest.len()
    }

    /// A stage.
    pub(super) fn stage_at(&self, at: usize) -> &Stage {
        if at == 0 { &self.first } else { &self.rest[at - 1] }
    }
}

impl Stage {
    /// # Safety
    /// See [`Script::run`].
    pub unsafe fn run(&self) -> Result<()> {
        // SAFETY: passed on from our caller.
        unsafe { self.prepare() };
        if let Some(call) = &self.call {
            // SAFETY: passed on from our caller.
            unsafe { call.run() }?;
        }
        // SAFETY: passed on from our caller.
        unsafe { self.finish() };
        Ok(())
    }

    /// Makes the copies before the call.
    ///
    /// # Safety
    /// See [`Script::run`].
    pub unsafe fn prepare(&self) {
        // SAFETY: passed on from our caller.
        self.before.iter().for_each(|copy| unsafe { copy.run() });
    }

    /// Starts the call, if there is one.
    ///
    /// # Safety
    /// See [`Script::start`].
    pub unsafe fn start(&self) -> Result<Option<Request>> {
        // SAFETY: passed on from our caller.
        self.call.as_ref().map(|call| unsafe { call.start() }).transpose()
    }

    /// Makes the copies after the call.
    ///
    /// # Safety
    /// See [`Script::run`].
    pub unsafe fn finish(&self) {
        // SAFETY: passed on from our caller.
        self.after.iter().for_each(|copy| unsafe { copy.run() });
    }
}

impl Move {
    /// # Safety
    /// See [`Script::run`]; scratch memory has room for the packed data.
    unsafe fn run(&self) {
        match self {
            Move::Pack(typed, to) => {
                let Typed { base, count, datatype } = typed;
                // SAFETY: promised by the caller.
                unsafe { datatype.gather(*count, base.cast_const(), 0, *to, typed.bytes()) };
            }
            Move::Unpack(from, typed) => {
                let Typed { base, count, datatype } = typed;
                // SAFETY: promised by the caller.
                unsafe { datatype.scatter(*count, *base, 0, *from, typed.bytes()) };
            }
            // SAFETY: promised by the caller; scratch memory is apart from the program's.
            Move::Copy(from, to, bytes) => unsafe { std::ptr::copy_nonoverlapping(*from, *to, *bytes) },
        }
    }
}
