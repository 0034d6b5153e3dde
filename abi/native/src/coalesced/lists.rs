//! The arguments of coalesced collectives, and their checks.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use anyccl_edge::check::{self, not_null};
use anyccl_edge::{ObjectRef, Resolved, buffers};
use anyccl_engine::base::{Call, CallKind, Collective, Error, Rank, ReduceOp, Result};
use anyccl_engine::comm::{CallSpec, Communicator, List, Operator, Part, Persistent, Work};
use anyccl_engine::p2p::Status;

use crate::comm::{Comm, anyccl_comm_t};
use crate::datatype::anyccl_datatype_t;
use crate::invocation::Invocation;
use crate::operator_table::OPERATORS;
use crate::reduce_op::anyccl_reduce_op_t;

/// The arguments as they came from C.
pub(super) struct Lists {
    pub(super) collective: Collective,
    pub(super) sends: *const *const c_void,
    pub(super) recvs: *const *mut c_void,
    pub(super) counts: *const usize,
    pub(super) buffers: usize,
    pub(super) datatype: anyccl_datatype_t,
    pub(super) op: Option<anyccl_reduce_op_t>,
    pub(super) root: Option<c_int>,
    pub(super) comm: anyccl_comm_t,
}

/// The arguments as the engine takes them.
pub(super) struct Checked {
    collective: Collective,
    op: Option<ReduceOp>,
    root: Rank,
    parts: Vec<Part>,
    operator: Option<Arc<Operator>>,
}

impl Lists {
    /// Arguments of a call without operator and root.
    pub(super) fn plain(
        collective: Collective,
        sends: *const *const c_void,
        recvs: *const *mut c_void,
        counts: *const usize,
        buffers: usize,
        datatype: anyccl_datatype_t,
        comm: anyccl_comm_t,
    ) -> Lists {
        Lists { collective, sends, recvs, counts, buffers, datatype, op: None, root: None, comm }
    }

    pub(super) fn with_op(self, op: anyccl_reduce_op_t) -> Lists {
        Lists { op: Some(op), ..self }
    }

    pub(super) fn with_root(self, root: c_int) -> Lists {
        Lists { root: Some(root), ..self }
    }
}

impl Invocation for Lists {
    type Checked = Checked;

    unsafe fn check(self) -> Result<(ObjectRef<'static, Comm>, Checked)> {
        let comm = Comm::from_handle(self.comm)?;
        let (rank, size) = (comm.engine.rank(), comm.engine.size());
        let datatype = check::datatype(self.datatype)?;
        let (op, operator) = match self.op.map(|op| OPERATORS.resolve(op, datatype)).transpose()? {
            Some(Resolved { op, operator }) => (Some(op), operator),
            None => (None, None),
        };
        let root = self.root.map_or(Ok(0), |root| check::rank(root, size, "root"))?;
        // SAFETY: the caller promises arrays of this length.
        let counts = unsafe { array(self.counts, self.buffers, "counts") }?;
        let sends = if self.sends.is_null() && self.collective == Collective::Broadcast && rank != root {
            None
        } else {
            // SAFETY: as above.
            Some(unsafe { array(self.sends, self.buffers, "sends") }?)
        };
        // SAFETY: as above.
        let recvs = unsafe { array(self.recvs, self.buffers, "recvs") }?;
        let mut parts = Vec::with_capacity(self.buffers);
        for (at, (&count, &recv)) in counts.iter().zip(recvs).enumerate() {
            let send = sends.map_or(std::ptr::null(), |sends| sends[at]);
            let kind = CallKind::Collective(self.collective);
            let call = Call { kind, datatype, op, root, count: count as u64 };
            buffers::check(&call, rank, size, send.addr(), recv.addr())
                .map_err(|error| of_buffer(error, at))?;
            parts.push(Part { send: send.cast(), recv: recv.cast(), count, datatype });
        }
        Ok((comm, Checked { collective: self.collective, op, root, parts, operator }))
    }

    /// The engine has no blocking form of a coalesced call: the operation is started and waited for.
    unsafe fn run(engine: &Communicator, checked: &Checked) -> Result<Option<Status>> {
        // SAFETY: passed on from our caller.
        unsafe { Lists::start(engine, checked) }?.wait().map(|()| None)
    }

    unsafe fn start(engine: &Communicator, checked: &Checked) -> Result<Work> {
        // SAFETY: the caller vouches for the buffers; their extents were computed from the same calls.
        unsafe { engine.start(CallSpec::List(&checked.list(), checked.operator.as_ref())) }.map(Work::from)
    }

    unsafe fn prepare(engine: Arc<Communicator>, checked: Checked) -> Result<Persistent> {
        // SAFETY: as in `start`.
        unsafe { Persistent::new(engine, CallSpec::List(&checked.list(), checked.operator.as_ref())) }
    }
}

impl Checked {
    fn list(&self) -> List<'_> {
        List { collective: self.collective, op: self.op, root: self.root, parts: &self.parts }
    }
}

/// An array from C.
///
/// # Safety
/// `start` is NULL or has `length` elements that nobody changes during the call.
pub unsafe fn array<'a, T>(start: *const T, length: usize, what: &'static str) -> Result<&'a [T]> {
    if length == 0 {
        return Ok(&[]);
    }
    not_null(start, what)?;
    // SAFETY: not NULL; the rest is the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(start, length) })
}

/// Adds to an error which buffer of a list it is about.
pub fn of_buffer(error: Error, at: usize) -> Error {
    match error {
        Error::InvalidArgument { what, got } => {
            Error::InvalidArgument { what, got: format!("buffer {at}: {got}") }
        }
        other => other,
    }
}
