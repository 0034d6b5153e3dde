//! The collectives, one file each. What they share is here: the checks, and how a call is run or started.
//!
//! Each has two forms. The blocking one returns when this rank's part is done: its send buffer may be changed, its
//! receive buffer is complete. The one with an `i` returns at once and gives a request.

mod all_reduce;
mod reduce;

mod broadcast;

mod all_gather;
mod gather;
mod scatter;

mod reduce_scatter;

mod all_to_all;

mod barrier;

use std::ffi::{c_int, c_void};

use anyccl_edge::{Found, Out, buffers, check};
use anyccl_engine::base::{Call, CallKind, Collective, Result};
use anyccl_engine::comm::Operation;

use crate::batch;
use crate::communicator::{Comm, anyccl_comm_t};
use crate::datatype::anyccl_datatype_t;
use crate::reduce_op::anyccl_reduce_op_t;
use crate::request::{anyccl_request_t, hand_out};

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
    /// Says what is wrong with them, or gives what the engine takes. Nothing was sent when it fails.
    fn check(&self) -> Result<(Found<'static, Comm>, Operation)> {
        let comm = Comm::from_handle(self.comm)?;
        let (rank, size) = (comm.engine.rank(), comm.engine.size());
        let datatype = check::datatype(self.datatype)?;
        let call = Call {
            kind: CallKind::Collective(self.collective),
            datatype,
            op: self.op.map(|op| check::reduce_op_on(op, datatype)).transpose()?,
            root: self.root.map_or(Ok(0), |root| check::rank(root, size, "root"))?,
            count: self.count as u64,
        };
        buffers::check(&call, rank, size, self.send.addr(), self.recv.addr())?;
        Ok((comm, Operation { call, send: self.send.cast(), recv: self.recv.cast(), peer: 0 }))
    }

    /// Runs the call to its end.
    ///
    /// # Safety
    /// The buffers are as long as the documentation of the C function says, and nobody else uses them meanwhile.
    unsafe fn run(&self) -> Result<()> {
        if batch::is_open() {
            // SAFETY: the same promise holds until the end of the batch.
            return batch::run(None, || unsafe { self.begin() });
        }
        let (comm, operation) = self.check()?;
        // SAFETY: the caller vouches for what the buffers hold; their extent was computed from the same call.
        unsafe { comm.engine.run(&operation) }
    }

    /// Starts the call and gives C a request.
    ///
    /// # Safety
    /// As for `run`, until the request has ended; and `request` is NULL or writable.
    unsafe fn start(&self, request: *mut anyccl_request_t) -> Result<()> {
        batch::noting(|| {
            // SAFETY: handed on. Before the start: afterwards nothing may fail any more.
            let place = unsafe { Out::new(request, "request") }?;
            // SAFETY: handed on; a request lives in the table until it has ended.
            let (started, comm) = unsafe { self.begin() }?;
            hand_out(started, comm, place);
            Ok(())
        })
    }

    /// # Safety
    /// As for `run`, until the request has ended.
    unsafe fn begin(&self) -> Result<batch::Started> {
        let (comm, operation) = self.check()?;
        // SAFETY: as in `run`.
        let started = unsafe { comm.engine.start(&operation) }?;
        Ok((started, comm.share()))
    }
}
