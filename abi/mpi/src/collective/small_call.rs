//! A small call: the engine runs it directly, without a script.

use anyccl_edge::{ObjectRef, buffers};
use anyccl_engine::base::Call;
use anyccl_engine::comm::Operation;
use anyccl_engine::reduce::is_inside_callback;

use crate::comm::Comm;
use crate::error::{Error, Result};
use crate::request::Active;

/// A call on a communicator of one group, with datatypes and an operator that the engine knows. Its buffers
/// and its root are not checked yet.
pub(super) struct SmallCall {
    comm: ObjectRef<'static, Comm>,
    operation: Operation,
}

impl SmallCall {
    /// Makes a small call. `None`: the call is not small.
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

    /// Runs the call to its end, if a similar call was made lately.
    ///
    /// # Safety
    /// The buffers are as the program has described them.
    #[inline(always)]
    pub unsafe fn run(&self) -> Option<Result<()>> {
        // SAFETY: passed on from our caller. The engine checks that the buffers exist and are apart. No call
        // with a root that is no rank was ever made, so none is similar to it.
        let outcome =
            unsafe { self.comm.engine().run_fast_path(&self.operation, |late| late.wait().map(drop)) }?;
        Some(outcome.map_err(Error::from))
    }

    /// Starts the call if its buffers and its root are valid.
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
