//! The interface of a foreign engine.
//!
//! [`ForeignEngine`] is a library, opened once per process. [`ForeignComm`] is its communicator for the ranks
//! of one of our communicators. All of these ranks make it together. Until it exists they talk over an
//! [`OobExchange`], which the builtin engine provides.
//!
//! # Rules for an implementation
//!
//! - It gets a call only if [`ForeignEngine::does`] has said that it can serve the call. That answer depends
//!   on nothing that differs between ranks.
//! - Arguments are checked before: root, operator and sizes are valid, and buffers overlap only as `in_place`
//!   says. A call of no elements does not reach it, except a barrier.
//! - Operators are builtin ones. A premultiplied sum arrives as a sum of values that were scaled before;
//!   functions of the program never arrive. An average is the engine's own, or a sum that the engine's
//!   adapter divides ([`crate::reduce::divide_fn`]).
//! - Ranks make their calls in the same order and in the same form: blocking, started, or as messages.
//! - Any thread may call, and several may call at a time.

use std::sync::Arc;
use std::time::Duration;

use super::shape::Shape;
use crate::base::{Collective, Datatype, Error, Rank, ReduceOp, Result};
use crate::config::MemoryKind;
use crate::device::CudaStream;
use crate::plan::Block;

/// The opened library of a foreign engine.
pub trait ForeignEngine: Send + Sync {
    /// Name and version, such as "MPICH 5.0.2 (standard ABI)".
    fn version(&self) -> String;

    /// The file from which the library was loaded.
    fn path(&self) -> String;

    /// Whether the engine itself serves calls of this shape.
    fn does(&self, shape: &Shape) -> bool;

    /// Whether the engine has messages from rank to rank for memory of this kind: [`ForeignComm::exchange`].
    fn has_messages(&self, memory: MemoryKind) -> bool;

    /// Makes the engine's communicator for the ranks of `oob`, in their order. Collective over them. A rank
    /// that fails says why; the others may then fail or succeed. The caller asks all of them.
    fn connect(&self, oob: &dyn OobExchange) -> Result<Arc<dyn ForeignComm>>;
}

/// The ranks of one of our communicators while they make the engine's communicator. Every call is collective.
pub trait OobExchange {
    /// Rank of this process.
    fn rank(&self) -> Rank;

    /// Number of ranks.
    fn size(&self) -> u32;

    /// The bytes of each rank, in rank order. All ranks pass the same number of bytes.
    fn all_gather(&self, mine: &[u8]) -> Result<Vec<Vec<u8>>>;

    /// Copies the bytes of `root` to all ranks. All ranks pass the same length.
    fn broadcast(&self, root: Rank, bytes: &mut [u8]) -> Result<()>;

    /// Whether all ranks are still there; an error says who is not. Not collective: for a rank that waits in
    /// the engine meanwhile.
    fn check(&self) -> Result<()>;

    /// Longest time to wait in the engine for the other ranks. `None`: no limit.
    fn patience(&self) -> Option<Duration>;
}

/// One call whose buffers one count describes.
#[derive(Clone, Copy, Debug)]
pub struct UniformCall {
    /// One of [`Collective::UNIFORM`].
    pub collective: Collective,
    /// Element type.
    pub datatype: Datatype,
    /// Operator, if the collective reduces.
    pub op: Option<ReduceOp>,
    /// Root, if the collective has one; else 0.
    pub root: Rank,
    /// Number of elements, in the sense of [`Collective::input_elements`].
    pub count: usize,
    /// Buffer that is read.
    pub send: *const u8,
    /// Buffer that is written.
    pub recv: *mut u8,
    /// Whether the buffers coincide, as [`crate::plan::PlanRequest::in_place`] defines it.
    pub in_place: bool,
    /// Kind of memory of both buffers.
    pub memory: MemoryKind,
    /// The stream of a device that the call becomes a part of. Then [`ForeignComm::run`] returns when it is
    /// enqueued, and the call is never started. `None`: it returns when the call has ended.
    pub stream: Option<CudaStream>,
}

/// One call whose blocks differ in length. No block of the output overlaps any other memory of the call.
#[derive(Clone, Copy, Debug)]
pub struct UnequalCall<'a> {
    /// A collective with a layout but without a graph.
    pub collective: Collective,
    /// Element type.
    pub datatype: Datatype,
    /// Operator, if the collective reduces.
    pub op: Option<ReduceOp>,
    /// Root, if the collective has one; else 0.
    pub root: Rank,
    /// Buffer that is read.
    pub send: *const u8,
    /// Blocks of `send`, in elements, as [`crate::plan::BlockLayout`] lists them for the collective. If it
    /// reduces, the blocks follow each other.
    pub inputs: &'a [Block],
    /// Buffer that is written.
    pub recv: *mut u8,
    /// Blocks of `recv`, in elements.
    pub outputs: &'a [Block],
    /// Kind of memory of both buffers.
    pub memory: MemoryKind,
}

/// A message between this rank and another one. Messages between two ranks match in the order in which they
/// are listed here and started. The k-th message to a rank meets that rank's k-th from this one, and both
/// have the same length.
#[derive(Clone, Copy, Debug)]
pub enum Exchange {
    /// A message to another rank.
    Send {
        /// Receiver, not this rank.
        to: Rank,
        /// Bytes that are read.
        data: *const u8,
        /// Length of the message.
        bytes: usize,
    },
    /// A message from another rank.
    Receive {
        /// Sender, not this rank.
        from: Rank,
        /// Memory that is written.
        data: *mut u8,
        /// Length of the message.
        bytes: usize,
    },
}

/// A communicator of the foreign engine.
pub trait ForeignComm: Send + Sync {
    /// Whether the engine can count the elements of a uniform call. If not, the builtin engine serves the
    /// call, so the answer is the same on all ranks.
    fn fits(&self, call: &UniformCall) -> bool;

    /// Runs a call until it has ended.
    ///
    /// # Safety
    /// The buffers are valid for what the collective reads and writes, and nobody else uses them during the
    /// call.
    unsafe fn run(&self, call: &UniformCall) -> Result<()>;

    /// Starts a call.
    ///
    /// # Safety
    /// See [`ForeignComm::run`]; its promise holds until the started call has ended.
    unsafe fn start(&self, call: &UniformCall) -> Result<Box<dyn Started>>;

    /// Runs a call whose blocks differ until it has ended.
    ///
    /// # Safety
    /// See [`ForeignComm::run`].
    unsafe fn run_unequal(&self, call: &UnequalCall<'_>) -> Result<()>;

    /// Starts a call whose blocks differ. The lists of blocks may be freed when this returns.
    ///
    /// # Safety
    /// See [`ForeignComm::start`].
    unsafe fn start_unequal(&self, call: &UnequalCall<'_>) -> Result<Box<dyn Started>>;

    /// Starts all messages of a list at once: none waits for another one of the list.
    ///
    /// # Safety
    /// See [`ForeignComm::start`].
    unsafe fn exchange(&self, messages: &[Exchange]) -> Result<Box<dyn Started>>;

    /// Advances what was started in this process as far as it goes now, without waiting. May be called after
    /// `close`.
    fn move_on(&self);

    /// Whether a stream is recording a graph.
    fn is_recording(&self, _stream: CudaStream) -> Result<bool> {
        Ok(false)
    }

    /// The position behind everything that is in a stream. Engines for memory of devices have it.
    fn position(&self, _stream: CudaStream) -> Result<Arc<dyn StreamPosition>> {
        Err(Error::Internal("a stream without a device".into()))
    }

    /// Asks the engine whether it has failed since. May be called beside any other call.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Whether no started call is waiting or running in a thread of this library.
    fn is_idle(&self) -> bool {
        true
    }

    /// Ends calls that are stuck in any thread, as far as the engine can do that. Only the first time counts.
    fn abort(&self);

    /// Closes the communicator in good order, with nothing under way. Each rank may call it at any time.
    fn close(&self);
}

/// A position in a stream of a device.
pub trait StreamPosition: Send + Sync {
    /// Whether the stream has passed it. Any thread may ask.
    fn has_passed(&self) -> Result<bool>;
}

/// A started call of the foreign engine.
pub trait Started: Send {
    /// Notes that a thread waits for the end. Its deadline counts from the first time on.
    fn note_wait(&self) {}

    /// Advances the call and returns whether it has ended. Must not be called again after an end or an error.
    /// After an error the engine may still use memory of the call, so this value must not be dropped.
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
