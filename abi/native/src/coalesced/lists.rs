//! The arguments of coalesced collectives: checked, and started, run or prepared.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use anyccl_edge::check::{self, not_null};
use anyccl_edge::{ObjectRef, Resolved, buffers};
use anyccl_engine::base::{Call, CallKind, Collective, Error, Rank, ReduceOp, Result};
use anyccl_engine::comm::{List, Operator, Part, Persistent};

use crate::batch;
use crate::communicator::{Comm, anyccl_comm_t};
use crate::datatype::anyccl_datatype_t;
use crate::operators::OPERATORS;
use crate::reduce_op::anyccl_reduce_op_t;
use crate::request::{anyccl_request_t, hand_out_prepared, hand_out_started};

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

/// What the engine takes.
struct Checked {
    comm: ObjectRef<'static, Comm>,
    op: Option<ReduceOp>,
    root: Rank,
    parts: Vec<Part>,
    operator: Option<Arc<Operator>>,
}

impl Lists {
    /// Of a call without operator and root.
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

    /// Checks everything, then starts. Nothing was sent when it fails, unless the communicator has failed.
    ///
    /// # Safety
    /// Arrays and buffers are as the documentation of the C function says, until what was started has ended.
    unsafe fn start(&self) -> Result<batch::Started> {
        // SAFETY: passed on from our caller.
        let Checked { comm, op, root, parts, operator } = unsafe { self.check() }?;
        let list = List { collective: self.collective, op, root, parts: &parts };
        // SAFETY: the caller vouches for the buffers; their extents were computed from the same calls.
        let started = unsafe { comm.engine.start_list(&list, operator.as_ref()) }?;
        Ok((started.into(), comm.share()))
    }

    /// Starts the call and gives C a request.
    ///
    /// # Safety
    /// As `start`; and `request` is NULL or writable.
    pub(super) unsafe fn hand_out(&self, request: *mut anyccl_request_t) -> Result<()> {
        // SAFETY: passed on from our caller.
        let start = || unsafe { self.start() };
        // SAFETY: as above.
        unsafe { hand_out_started(request, start) }
    }

    /// Checks everything, prepares the call and gives C a persistent request.
    ///
    /// # Safety
    /// As `start`, during each run; and `request` is NULL or writable.
    pub(super) unsafe fn init(&self, request: *mut anyccl_request_t) -> Result<()> {
        let prepare = || {
            // SAFETY: passed on from our caller.
            let Checked { comm, op, root, parts, operator } = unsafe { self.check() }?;
            let list = List { collective: self.collective, op, root, parts: &parts };
            // SAFETY: as in `start`.
            Ok((unsafe { Persistent::list(Arc::clone(&comm.engine), &list, operator) }?, comm.share()))
        };
        // SAFETY: passed on from our caller.
        unsafe { hand_out_prepared(request, prepare) }
    }

    /// # Safety
    /// The arrays are as the documentation of the C function says.
    unsafe fn check(&self) -> Result<Checked> {
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
        Ok(Checked { comm, op, root, parts, operator })
    }

    /// Runs the call to its end: now, or inside of a batch at its end.
    ///
    /// # Safety
    /// As `start`.
    pub(super) unsafe fn run(&self) -> Result<()> {
        // SAFETY: passed on from our caller.
        batch::run(None, || unsafe { self.start() })
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

/// Says which buffer of a list an error is about.
pub fn of_buffer(error: Error, at: usize) -> Error {
    match error {
        Error::InvalidArgument { what, got } => {
            Error::InvalidArgument { what, got: format!("buffer {at}: {got}") }
        }
        other => other,
    }
}
