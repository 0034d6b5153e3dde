//! A call of the engine: its communicator, its buffers and its operator.

use std::sync::Arc;

use anyccl_engine::base::{Collective, Datatype as Element, Rank, ReduceOp};
use anyccl_engine::comm::{CallSpec, Communicator, Operation, Places, Request, Unequal};
use anyccl_engine::plan::{Block, BlockLayout};

use crate::error::{Error, Result};
use crate::op::Bound;

/// A call of the engine.
pub(super) struct EngineCall {
    pub comm: Arc<Communicator>,
    pub work: Work,
    /// The operator, if the call reduces.
    pub bound: Option<Bound>,
}

/// The work of a call.
pub(super) enum Work {
    /// A call on buffers with one count.
    Uniform(Operation),
    /// A call on blocks.
    Unequal(Box<Blocks>),
}

/// A call of the engine on blocks that differ in length.
pub(super) struct Blocks {
    pub collective: Collective,
    pub root: Rank,
    /// Blocks that are read, at `send`, and written, at `recv`.
    pub input: Vec<Block>,
    pub output: Vec<Block>,
    pub send: *const u8,
    pub recv: *mut u8,
    /// Neighbours, if the collective has some.
    pub sources: Vec<Rank>,
    pub destinations: Vec<Rank>,
}

impl EngineCall {
    /// Whether the engine alone keeps everything that the call needs.
    pub fn needs_nothing(&self) -> bool {
        self.bound.as_ref().is_none_or(|bound| !bound.is_of_program())
    }

    /// Runs the call to its end.
    ///
    /// # Safety
    /// See [`super::Script::run`].
    pub unsafe fn run(&self) -> Result<()> {
        let operator = self.bound.as_ref().and_then(Bound::operator);
        let outcome = match &self.work {
            // SAFETY: passed on from our caller.
            Work::Uniform(operation) => unsafe { self.comm.run(CallSpec::Collective(operation, operator)) },
            Work::Unequal(blocks) => {
                let unequal = blocks.as_unequal(self.bound.as_ref());
                // SAFETY: passed on from our caller.
                unsafe { self.comm.run(CallSpec::Unequal(&unequal, operator)) }
            }
        };
        outcome.map_err(Error::from)
    }

    /// Starts the call.
    ///
    /// # Safety
    /// See [`super::Script::start`].
    pub unsafe fn start(&self) -> Result<Request> {
        let operator = self.bound.as_ref().and_then(Bound::operator);
        let started = match &self.work {
            // SAFETY: passed on from our caller.
            Work::Uniform(operation) => unsafe { self.comm.start(CallSpec::Collective(operation, operator)) },
            Work::Unequal(blocks) => {
                let unequal = blocks.as_unequal(self.bound.as_ref());
                // SAFETY: passed on from our caller.
                unsafe { self.comm.start(CallSpec::Unequal(&unequal, operator)) }
            }
        };
        started.map_err(Error::from)
    }
}

impl Blocks {
    /// A call with blocks of the input and of the output.
    pub fn new(
        collective: Collective,
        root: Rank,
        (send, input): (*const u8, Vec<Block>),
        (recv, output): (*mut u8, Vec<Block>),
    ) -> Blocks {
        let (sources, destinations) = (Vec::new(), Vec::new());
        Blocks { collective, root, input, output, send, recv, sources, destinations }
    }

    fn as_unequal(&self, bound: Option<&Bound>) -> Unequal<'_> {
        let (datatype, op): (Element, Option<ReduceOp>) =
            bound.map_or((Element::Byte, None), |bound| (bound.element, Some(bound.op)));
        let Blocks { collective, root, input, output, send, recv, sources, destinations } = self;
        Unequal {
            collective: *collective,
            datatype,
            op,
            root: *root,
            layout: BlockLayout { input, output, sources, destinations, ..BlockLayout::NONE },
            places: Places::Buffers { send: *send, recv: *recv },
        }
    }
}
