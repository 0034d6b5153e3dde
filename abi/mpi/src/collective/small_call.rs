//! A small call: one that the engine does as it is, without a script.

use anyccl_edge::{ObjectRef, buffers};
use anyccl_engine::base::Call;
use anyccl_engine::comm::Operation;
use anyccl_engine::reduce::is_inside_callback;

use crate::comm::Comm;
use crate::error::{Error, Result};
use crate::request::Active;

/// A call on a communicator of one group, whose datatypes and operator the engine knows. Its buffers and its
/// root are not checked yet.
pub(super) struct SmallCall {
    comm: ObjectRef<'static, Comm>,
    operation: Operation,
}

impl SmallCall {
    /// `None`: it is not small after all.
    #[inline(always)]
    pub fn new(
        comm: ObjectRef<'static, Comm>,
        call: Call,
        send: *const u8,
        recv: *mut u8,
    ) -> Option<SmallCall> {
        if comm.inter().is_some() || is_inside_callback() {
            return None;
        }
        Some(SmallCall { comm, operation: Operation { call, send, recv } })
    }

    /// Runs it to its end, if a call like it was made lately.
    ///
    /// # Safety
    /// The buffers are as the program has described them.
    #[inline(always)]
    pub unsafe fn run(&self) -> Option<Result<()>> {
        // SAFETY: passed on from our caller; the engine checks that the buffers are there and apart. No call
        // with a root that is no rank was ever made.
        let outcome = unsafe { self.comm.engine().run_fast_path(&self.operation) }?;
        Some(outcome.map_err(Error::from))
    }

    /// Starts it, if its buffers and its root are as they should be.
    ///
    /// # Safety
    /// See [`SmallCall::run`], until it is complete.
    #[inline(always)]
    pub unsafe fn start(&self) -> Option<Result<Active>> {
        let SmallCall { comm, operation } = self;
        let Operation { call, send, recv } = operation;
        let is_root = call.root < comm.size();
        if !is_root || buffers::check(call, comm.rank(), comm.size(), send.addr(), recv.addr()).is_err() {
            return None;
        }
        // SAFETY: passed on from our caller.
        let started = unsafe { comm.engine().start(operation) };
        Some(started.map(Active::engine).map_err(Error::from))
    }
}
