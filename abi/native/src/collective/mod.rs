//! The collectives, a file for each group, and what they share: arguments, checks and fast path.
//!
//! The blocking form returns when this rank's part is complete: its send buffer may be changed, and its
//! receive buffer is complete. The nonblocking form, with an `i`, returns at once and gives a request.

mod barrier;
mod data_movement;
mod reductions;

mod lists;
mod neighbor;
mod vector;

mod unequal;

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use anyccl_edge::{ObjectRef, Resolved, buffers, check};
use anyccl_engine::base::{BoxedResult, Call, CallKind, Collective, Result};
use anyccl_engine::comm::{CallSpec, Communicator, Operation, Operator, Persistent, Work};
use anyccl_engine::p2p::Status;

use crate::batch;
use crate::blocking_limit;
use crate::comm::{Comm, anyccl_comm_t};
use crate::datatype::anyccl_datatype_t;
use crate::invocation::{self, Invocation};
use crate::operator_table::OPERATORS;
use crate::reduce_op::anyccl_reduce_op_t;
use crate::status::{anyccl_status_t, edge_boxed};

/// The arguments of a collective as they came from C.
struct Arguments {
    collective: Collective,
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    datatype: anyccl_datatype_t,
    op: Option<anyccl_reduce_op_t>,
    root: Option<c_int>,
    comm: anyccl_comm_t,
}

impl Arguments {
    /// Arguments of a call without operator and root.
    #[inline(always)]
    fn plain(
        collective: Collective,
        send: *const c_void,
        recv: *mut c_void,
        count: usize,
        datatype: anyccl_datatype_t,
        comm: anyccl_comm_t,
    ) -> Arguments {
        Arguments { collective, send, recv, count, datatype, op: None, root: None, comm }
    }

    #[inline(always)]
    fn with_op(self, op: anyccl_reduce_op_t) -> Arguments {
        Arguments { op: Some(op), ..self }
    }

    #[inline(always)]
    fn with_root(self, root: c_int) -> Arguments {
        Arguments { root: Some(root), ..self }
    }

    /// Runs a call like one that was made recently, on the fast path. `None`: this is no such call, and
    /// nothing was done.
    ///
    /// # Safety
    /// See [`Invocation`].
    #[inline(always)]
    unsafe fn run_fast_path(&self) -> Option<BoxedResult<()>> {
        if batch::is_open() {
            return None;
        }
        let comm = Comm::if_known(self.comm)?;
        let op = match self.op {
            None => None,
            Some(op) => Some(check::known_reduce_op(op)?),
        };
        let call = Call {
            kind: CallKind::Collective(self.collective),
            datatype: check::known_datatype(self.datatype)?,
            op,
            // A negative number is not a rank: no recent call had such a root.
            root: self.root.map_or(0, |root| root as u32),
            count: self.count as u64,
        };
        let operation = Operation { call, send: self.send.cast(), recv: self.recv.cast() };
        // SAFETY: the caller vouches for what the buffers hold.
        unsafe {
            comm.engine.run_fast_path(&operation, |late| blocking_limit::end_late(late, comm.object(), None))
        }
    }
}

impl Invocation for Arguments {
    /// The operation, and its operator if the program has made it.
    type Checked = (Operation, Option<Arc<Operator>>);

    #[inline(always)]
    unsafe fn run_blocking(name: &str, arguments: impl FnOnce() -> Arguments) -> anyccl_status_t {
        edge_boxed(name, || {
            let arguments = arguments();
            // SAFETY: passed on from our caller.
            match unsafe { arguments.run_fast_path() } {
                Some(outcome) => outcome,
                // SAFETY: passed on from our caller.
                None => unsafe { invocation::run_boxed(arguments, None) },
            }
        })
    }

    #[inline]
    unsafe fn check(self) -> Result<(ObjectRef<'static, Comm>, Self::Checked)> {
        let comm = Comm::from_handle(self.comm)?;
        let (rank, size) = (comm.engine.rank(), comm.engine.size());
        let datatype = check::datatype(self.datatype)?;
        let (op, operator) = match self.op {
            None => (None, None),
            Some(op) => {
                let Resolved { op, operator } = OPERATORS.resolve(op, datatype)?;
                (Some(op), operator)
            }
        };
        let call = Call {
            kind: CallKind::Collective(self.collective),
            datatype,
            op,
            root: self.root.map_or(Ok(0), |root| check::rank(root, size, "root"))?,
            count: self.count as u64,
        };
        buffers::check(&call, rank, size, self.send.addr(), self.recv.addr())?;
        let operation = Operation { call, send: self.send.cast(), recv: self.recv.cast() };
        Ok((comm, (operation, operator)))
    }

    unsafe fn run(engine: &Communicator, (operation, operator): &Self::Checked) -> Result<Option<Status>> {
        // SAFETY: the caller vouches for what the buffers hold; their extent was computed from the same call.
        unsafe { engine.run(CallSpec::Collective(operation, operator.as_ref())) }.map(|()| None)
    }

    unsafe fn start(engine: &Communicator, (operation, operator): &Self::Checked) -> Result<Work> {
        // SAFETY: as in `run`.
        unsafe { engine.start(CallSpec::Collective(operation, operator.as_ref())) }.map(Work::from)
    }

    unsafe fn prepare(engine: Arc<Communicator>, (operation, operator): Self::Checked) -> Result<Persistent> {
        // SAFETY: as in `run`.
        unsafe { Persistent::new(engine, CallSpec::Collective(&operation, operator.as_ref())) }
    }
}
