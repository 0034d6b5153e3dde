//! What collectives have in common whose blocks differ in length: who describes what, and how a call is run or started.

use std::ffi::c_int;

use anyccl_edge::{Found, Out, check};
use anyccl_engine::base::{Collective, Datatype, Rank, ReduceOp, Result};
use anyccl_engine::comm::{Places, Unequal};
use anyccl_engine::plan::{Block, BlockLayout};

use crate::communicator::{Comm, anyccl_comm_t};
use crate::datatype::anyccl_datatype_t;
use crate::reduce_op::anyccl_reduce_op_t;
use crate::request::{anyccl_request_t, hand_out};

/// The arguments of every such call.
pub struct Arguments {
    pub collective: Collective,
    pub datatype: anyccl_datatype_t,
    pub op: Option<anyccl_reduce_op_t>,
    pub root: Option<c_int>,
    pub comm: anyccl_comm_t,
}

/// Who describes its blocks.
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

/// The blocks of a rank, as [`BlockLayout`] has them.
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
    /// Of a call without a graph.
    pub fn of_ranks(input: Vec<Block>, output: Vec<Block>, places: Places<'a>) -> Blocks<'a> {
        Blocks { input, output, places, sources: Vec::new(), destinations: Vec::new() }
    }
}

/// Arguments that have been checked.
struct Checked {
    comm: Found<'static, Comm>,
    datatype: Datatype,
    op: Option<ReduceOp>,
    root: Rank,
}

impl Arguments {
    /// Of a call without operator and root.
    pub fn plain(collective: Collective, datatype: anyccl_datatype_t, comm: anyccl_comm_t) -> Arguments {
        Arguments { collective, datatype, op: None, root: None, comm }
    }

    fn check(&self) -> Result<Checked> {
        let comm = Comm::from_handle(self.comm)?;
        let datatype = check::datatype(self.datatype)?;
        let op = self.op.map(|op| check::reduce_op_on(op, datatype)).transpose()?;
        let root = self.root.map_or(Ok(0), |root| check::rank(root, comm.engine.size(), "root"))?;
        Ok(Checked { comm, datatype, op, root })
    }

    /// Runs the call to its end.
    ///
    /// # Safety
    /// The blocks that `describe` gives are memory that nobody else uses meanwhile.
    pub unsafe fn run<'a>(&self, describe: impl FnOnce(Caller<'_>) -> Result<Blocks<'a>>) -> Result<()> {
        let checked = self.check()?;
        let blocks = describe(checked.caller())?;
        // SAFETY: the caller vouches for the blocks.
        unsafe { checked.comm.engine.run_unequal(&checked.operation(self.collective, &blocks)) }
    }

    /// Starts the call and gives C a request.
    ///
    /// # Safety
    /// As for `run`, until the request has ended; and `request` is NULL or writable.
    pub unsafe fn start<'a>(
        &self,
        request: *mut anyccl_request_t,
        describe: impl FnOnce(Caller<'_>) -> Result<Blocks<'a>>,
    ) -> Result<()> {
        // SAFETY: handed on. Before the start: afterwards nothing may fail any more.
        let place = unsafe { Out::new(request, "request") }?;
        let checked = self.check()?;
        let blocks = describe(checked.caller())?;
        let operation = checked.operation(self.collective, &blocks);
        // SAFETY: as in `run`; a request lives in the table until it has ended.
        let started = unsafe { checked.comm.engine.start_unequal(&operation) }?;
        hand_out(started, checked.comm.share(), place);
        Ok(())
    }
}

impl Checked {
    fn caller(&self) -> Caller<'_> {
        let (rank, size) = (self.comm.engine.rank(), self.comm.engine.size());
        Caller { comm: &self.comm, rank: rank as usize, size: size as usize, is_root: rank == self.root }
    }

    fn operation<'a>(&self, collective: Collective, blocks: &'a Blocks) -> Unequal<'a> {
        let Checked { datatype, op, root, .. } = *self;
        let Blocks { input, output, sources, destinations, .. } = blocks;
        let layout = BlockLayout { input, output, sources, destinations };
        Unequal { collective, datatype, op, root, layout, places: blocks.places }
    }
}

/// The one block of a rank that has one.
pub fn one(len: usize) -> Vec<Block> {
    vec![Block { offset: 0, len }]
}
