//! What collectives have in common whose blocks differ in length: who describes what, and how a call is run or started.

use std::ffi::c_int;
use std::sync::Arc;

use anyccl_edge::{ObjectRef, Resolved, check};
use anyccl_engine::base::{Collective, Datatype, Rank, ReduceOp, Result};
use anyccl_engine::comm::{Operator, Persistent, Places, Unequal};
use anyccl_engine::plan::{Block, BlockLayout};

use crate::batch;
use crate::communicator::{Comm, anyccl_comm_t};
use crate::datatype::anyccl_datatype_t;
use crate::operators::OPERATORS;
use crate::reduce_op::anyccl_reduce_op_t;
use crate::request::{anyccl_request_t, hand_out_prepared, hand_out_started};

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
    comm: ObjectRef<'static, Comm>,
    datatype: Datatype,
    op: Option<ReduceOp>,
    /// Where it is not builtin.
    operator: Option<Arc<Operator>>,
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
        let (op, operator) = match self.op.map(|op| OPERATORS.resolve(op, datatype)).transpose()? {
            Some(Resolved { op, operator }) => (Some(op), operator),
            None => (None, None),
        };
        let root = self.root.map_or(Ok(0), |root| check::rank(root, comm.engine.size(), "root"))?;
        Ok(Checked { comm, datatype, op, operator, root })
    }

    /// Runs the call to its end.
    ///
    /// # Safety
    /// The blocks that `describe` gives are memory that nobody else uses meanwhile.
    pub unsafe fn run<'a>(&self, describe: impl FnOnce(Caller<'_>) -> Result<Blocks<'a>>) -> Result<()> {
        if batch::is_open() {
            // SAFETY: the same promise holds until the end of the batch.
            return batch::run(None, || unsafe { self.begin(describe) });
        }
        let checked = self.check()?;
        let blocks = describe(checked.caller())?;
        let operation = checked.operation(self.collective, &blocks);
        // SAFETY: the caller vouches for the blocks.
        unsafe { checked.comm.engine.run_unequal_by(&operation, checked.operator.as_ref()) }
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
        // SAFETY: as in `run`.
        let start = || unsafe { self.begin(describe) };
        // SAFETY: handed on.
        unsafe { hand_out_started(request, start) }
    }

    /// Prepares the call and gives C a persistent request.
    ///
    /// # Safety
    /// As for `run`, during each run of the request; and `request` is NULL or writable.
    pub unsafe fn init<'a>(
        &self,
        request: *mut anyccl_request_t,
        describe: impl FnOnce(Caller<'_>) -> Result<Blocks<'a>>,
    ) -> Result<()> {
        let prepare = || {
            let checked = self.check()?;
            let blocks = describe(checked.caller())?;
            let operation = checked.operation(self.collective, &blocks);
            let engine = Arc::clone(&checked.comm.engine);
            // SAFETY: as in `run`.
            let prepared = unsafe { Persistent::unequal(engine, &operation, checked.operator.as_ref()) }?;
            Ok((prepared, checked.comm.share()))
        };
        // SAFETY: handed on.
        unsafe { hand_out_prepared(request, prepare) }
    }

    /// # Safety
    /// As for `run`, until what was started has ended.
    unsafe fn begin<'a>(
        &self,
        describe: impl FnOnce(Caller<'_>) -> Result<Blocks<'a>>,
    ) -> Result<batch::Started> {
        let checked = self.check()?;
        let blocks = describe(checked.caller())?;
        let operation = checked.operation(self.collective, &blocks);
        // SAFETY: the caller vouches for the blocks.
        let started = unsafe { checked.comm.engine.start_unequal_by(&operation, checked.operator.as_ref()) }?;
        Ok((started.into(), checked.comm.share()))
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
        let layout = BlockLayout { input, output, sources, destinations, ..BlockLayout::NONE };
        Unequal { collective, datatype, op, root, layout, places: blocks.places }
    }
}

/// The one block of a rank that has one.
pub fn one(len: usize) -> Vec<Block> {
    vec![Block { offset: 0, len }]
}
