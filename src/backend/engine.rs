//! The interface of an engine of others.
//!
//! [`ForeignEngine`] is a library, opened once per process. [`ForeignComm`] is its communicator of the ranks
//! of one of ours, made by all of them together; until that is there they talk over a [`OobExchange`], which
//! the builtin engine lends.
//!
//! # Rules for an implementation
//!
//! - A call comes only where [`ForeignEngine::does`] has said that it can be served; that answer depends on
//!   nothing that differs between ranks.
//! - Arguments are checked before: root, operator and sizes fit, buffers overlap only as `in_place` says, and
//!   a call of no elements does not come at all (a barrier does).
//! - Operators are builtin ones: a premultiplied sum comes as a sum of what was scaled before; functions of
//!   the program never come. An average is the engine's own, or a sum that it divides
//!   ([`crate::reduce::divide_fn`]).
//! - Ranks make their calls in the same order, in the same form: blocking, started, or as messages.
//! - Any thread may call, several at a time.

use std::sync::Arc;

use super::shape::Shape;
use crate::base::{Collective, Datatype, Rank, ReduceOp, Result};
use crate::config::MemoryKind;
use crate::plan::Block;

/// The library of another engine, opened.
pub trait ForeignEngine: Send + Sync {
    /// Its name and version: "MPICH 5.0.2 (standard ABI)".
    fn version(&self) -> String;

    /// The file that it was loaded from.
    fn path(&self) -> String;

    /// Whether it does a call of this shape itself.
    fn does(&self, shape: &Shape) -> bool;

    /// Whether it has messages from rank to rank, for memory of this kind: [`ForeignComm::exchange`].
    fn has_messages(&self, memory: MemoryKind) -> bool;

    /// Makes its communicator of the ranks that meet, in their order. Collective over them. A rank that fails
    /// says why; the others may then fail or succeed: the caller asks all.
    fn connect(&self, oob: &dyn OobExchange) -> Result<Arc<dyn ForeignComm>>;
}

/// The ranks of one communicator of ours, before they have one of the engine's. Every call is collective.
pub trait OobExchange {
    /// My rank.
    fn rank(&self) -> Rank;

    /// Number of ranks.
    fn size(&self) -> u32;

    /// The bytes of each rank, in rank order. All ranks bring equally many.
    fn all_gather(&self, mine: &[u8]) -> Result<Vec<Vec<u8>>>;

    /// Gives everybody what `root` has. All bring equally much room.
    fn broadcast(&self, root: Rank, bytes: &mut [u8]) -> Result<()>;
}

/// One call whose buffers one count describes.
#[derive(Clone, Copy, Debug)]
pub struct UniformCall {
    /// One of [`Collective::UNIFORM`].
    pub collective: Collective,
    /// Element type.
    pub datatype: Datatype,
    /// Operator, where the collective reduces.
    pub op: Option<ReduceOp>,
    /// Root, where the collective has one; else 0.
    pub root: Rank,
    /// Elements, in the sense of [`Collective::input_elements`].
    pub count: usize,
    /// Read.
    pub send: *const u8,
    /// Written.
    pub recv: *mut u8,
    /// The buffers coincide, as [`crate::plan::PlanRequest::in_place`] defines it.
    pub in_place: bool,
    /// The memory of both buffers.
    pub memory: MemoryKind,
}

/// One call whose blocks differ. No block of the output overlaps any other memory of the call.
#[derive(Clone, Copy, Debug)]
pub struct UnequalCall<'a> {
    /// One with a layout, but without a graph.
    pub collective: Collective,
    /// Element type.
    pub datatype: Datatype,
    /// Operator, where the collective reduces.
    pub op: Option<ReduceOp>,
    /// Root, where the collective has one; else 0.
    pub root: Rank,
    /// Read.
    pub send: *const u8,
    /// What of it, in elements, as [`crate::plan::BlockLayout`] lists it for the collective. Where it
    /// reduces, the blocks lie one behind the other.
    pub inputs: &'a [Block],
    /// Written.
    pub recv: *mut u8,
    /// What of it, in elements.
    pub outputs: &'a [Block],
    /// The memory of both buffers.
    pub memory: MemoryKind,
}

/// A message between this rank and another one. Between two ranks, messages match in the order in which they
/// are listed here and made: the k-th to a rank meets its k-th from this one, and is as long.
#[derive(Clone, Copy, Debug)]
pub enum Exchange {
    /// To a rank.
    Send {
        /// Receiver, not this rank.
        to: Rank,
        /// Read.
        data: *const u8,
        /// Length.
        bytes: usize,
    },
    /// From a rank.
    Receive {
        /// Sender, not this rank.
        from: Rank,
        /// Written.
        data: *mut u8,
        /// Length.
        bytes: usize,
    },
}

/// A communicator of the engine.
pub trait ForeignComm: Send + Sync {
    /// Whether a uniform call of so many elements is one that the engine can count. The builtin engine does
    /// it if not, so the answer is the same on all ranks.
    fn fits(&self, call: &UniformCall) -> bool;

    /// Runs a call to its end.
    ///
    /// # Safety
    /// The buffers are valid for what the collective reads and writes, and nobody else uses them during the
    /// call.
    unsafe fn run(&self, call: &UniformCall) -> Result<()>;

    /// Starts a call.
    ///
    /// # Safety
    /// See [`ForeignComm::run`]; the promise holds until the started call has ended.
    unsafe fn start(&self, call: &UniformCall) -> Result<Box<dyn Started>>;

    /// Runs a call whose blocks differ to its end.
    ///
    /// # Safety
    /// See [`ForeignComm::run`].
    unsafe fn run_unequal(&self, call: &UnequalCall<'_>) -> Result<()>;

    /// Starts a call whose blocks differ. The lists of blocks may go when this returns.
    ///
    /// # Safety
    /// See [`ForeignComm::start`].
    unsafe fn start_unequal(&self, call: &UnequalCall<'_>) -> Result<Box<dyn Started>>;

    /// Starts messages, all at once: none waits for another of the list.
    ///
    /// # Safety
    /// See [`ForeignComm::start`].
    unsafe fn exchange(&self, messages: &[Exchange]) -> Result<Box<dyn Started>>;

    /// Moves on what was started in this process, as far as it goes now, without waiting. Also after `close`.
    fn move_on(&self);

    /// Ends calls that are stuck, on any thread, as far as the engine can do that.
    fn abort(&self);

    /// Leaves in good order: nothing is under way. Each rank does it when it likes.
    fn close(&self);
}

/// Something that goes on.
pub trait Started: Send {
    /// Whether it has ended; moves it on. After an end or an error it is not asked again.
    fn test(&mut self) -> Result<bool>;
}

/// Several started calls that end together.
impl Started for Vec<Box<dyn Started>> {
    fn test(&mut self) -> Result<bool> {
        while let Some(last) = self.last_mut() {
            if !last.test()? {
                return Ok(false);
            }
            self.pop();
        }
        Ok(true)
    }
}
