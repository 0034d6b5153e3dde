//! Arguments and checks of collectives whose blocks differ in length.

use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::sync::Arc;

use anyccl_edge::{ObjectRef, Resolved, check};
use anyccl_engine::base::{Collective, Datatype, Rank, ReduceOp, Result};
use anyccl_engine::comm::{CallSpec, Communicator, Operator, Persistent, Places, Unequal, Work};
use anyccl_engine::p2p::Status;
use anyccl_engine::plan::{Block, BlockLayout};

use crate::comm::{Comm, anyccl_comm_t};
use crate::datatype::anyccl_datatype_t;
use crate::invocation::Invocation;
use crate::operator_table::OPERATORS;
use crate::reduce_op::anyccl_reduce_op_t;

/// The arguments that all these calls have in common.
pub struct Arguments {
    pub collective: Collective,
    pub datatype: anyccl_datatype_t,
    pub op: Option<anyccl_reduce_op_t>,
    pub root: Option<c_int>,
    pub comm: anyccl_comm_t,
}

/// The rank that describes its blocks.
#[derive(Clone, Copy)]
pub struct Caller<'c> {
    pub comm: &'c Comm,
    /// Its rank.
    pub rank: usize,
    /// Number of ranks.
    pub size: usize,
    /// Whether this is the root, where there is one.
    pub is_root: bool,
}

/// The blocks of a rank, for a [`BlockLayout`].
pub struct Blocks<'a> {
    pub input: Vec<Block>,
    pub output: Vec<Block>,
    pub places: Places<'a>,
    /// In a graph.
    pub sources: Vec<Rank>,
    /// In a graph.
    pub destinations: Vec<Rank>,
}

impl<'a> Blocks<'a> {
    /// Blocks of a call without a graph.
    pub fn of_ranks(input: Vec<Block>, output: Vec<Block>, places: Places<'a>) -> Blocks<'a> {
        Blocks { input, output, places, sources: Vec::new(), destinations: Vec::new() }
    }
}

/// The arguments, and a function that gives the blocks of this rank when the communicator is known.
pub struct Described<'a, F> {
    arguments: Arguments,
    describe: F,
    blocks: PhantomData<Blocks<'a>>,
}

/// The arguments as the engine takes them.
pub struct Checked<'a> {
    collective: Collective,
    datatype: Datatype,
    op: Option<ReduceOp>,
    /// The operator, if the program has made it.
    operator: Option<Arc<Operator>>,
    root: Rank,
    blocks: Blocks<'a>,
}

impl Arguments {
    /// Arguments of a call without operator and root.
    pub fn plain(collective: Collective, datatype: anyccl_datatype_t, comm: anyccl_comm_t) -> Arguments {
        Arguments { collective, datatype, op: None, root: None, comm }
    }

    pub fn with_op(self, op: anyccl_reduce_op_t) -> Arguments {
        Arguments { op: Some(op), ..self }
    }

    pub fn with_root(self, root: c_int) -> Arguments {
        Arguments { root: Some(root), ..self }
    }

    /// The call with the blocks that `describe` gives.
    pub fn with<'a, F>(self, describe: F) -> Described<'a, F>
    where
        F: FnOnce(Caller<'_>) -> Result<Blocks<'a>>,
    {
        Described { arguments: self, describe, blocks: PhantomData }
    }
}

impl<'a, F> Invocation for Described<'a, F>
where
    F: FnOnce(Caller<'_>) -> Result<Blocks<'a>>,
{
    type Checked = Checked<'a>;

    // Always inlined, so that the checked arguments are written where the call needs them.
    #[inline(always)]
    unsafe fn check(self) -> Result<(ObjectRef<'static, Comm>, Checked<'a>)> {
        let Arguments { collective, datatype, op, root, comm } = self.arguments;
        let comm = Comm::from_handle(comm)?;
        let datatype = check::datatype(datatype)?;
        let (op, operator) = match op.map(|op| OPERATORS.resolve(op, datatype)).transpose()? {
            Some(Resolved { op, operator }) => (Some(op), operator),
            None => (None, None),
        };
        let (rank, size) = (comm.engine.rank(), comm.engine.size());
        let root = root.map_or(Ok(0), |root| check::rank(root, size, "root"))?;
        let caller = Caller { comm: &comm, rank: rank as usize, size: size as usize, is_root: rank == root };
        let blocks = (self.describe)(caller)?;
        Ok((comm, Checked { collective, datatype, op, operator, root, blocks }))
    }

    unsafe fn run(engine: &Communicator, checked: &Checked<'a>) -> Result<Option<Status>> {
        // SAFETY: the caller vouches for the blocks.
        unsafe { engine.run(CallSpec::Unequal(&checked.operation(), checked.operator.as_ref())) }
            .map(|()| None)
    }

    unsafe fn start(engine: &Communicator, checked: &Checked<'a>) -> Result<Work> {
        // SAFETY: the caller vouches for the blocks.
        unsafe { engine.start(CallSpec::Unequal(&checked.operation(), checked.operator.as_ref())) }
            .map(Work::from)
    }

    unsafe fn prepare(engine: Arc<Communicator>, checked: Checked<'a>) -> Result<Persistent> {
        // SAFETY: the caller vouches for the blocks.
        unsafe { Persistent::new(engine, CallSpec::Unequal(&checked.operation(), checked.operator.as_ref())) }
    }
}

impl Checked<'_> {
    fn operation(&self) -> Unequal<'_> {
        let Checked { collective, datatype, op, root, .. } = *self;
        let Blocks { input, output, sources, destinations, places } = &self.blocks;
        let layout = BlockLayout { input, output, sources, destinations, ..BlockLayout::NONE };
        Unequal { collective, datatype, op, root, layout, places: *places }
    }
}

/// The memory of blocks that lie in one buffer on each side.
pub fn buffers(send: *const c_void, recv: *mut c_void) -> Places<'static> {
    Places::Buffers { send: send.cast(), recv: recv.cast() }
}

/// The one block of a rank that has one.
pub fn one(len: usize) -> Vec<Block> {
    vec![Block { offset: 0, len }]
}
