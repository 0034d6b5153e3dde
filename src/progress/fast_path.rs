//! The fast path of a collective call in the engine: the call runs from top to bottom while nothing else goes
//! on.
//!
//! There are several ways to run a call, from narrow to wide. `run_fast_path` runs it only on the fast path.
//! `run_fast_path_or_start` starts it if the fast path is not possible. [`super::wait::Driver::run_recent`],
//! `run_and_remember` and `run_once` also wait for its end.

use std::ptr;
use std::sync::Arc;

use super::calls::{finish, header_for, scratch_of, spare_for};
use super::context::CommId;
use super::engine::{Engine, Ticket};
use super::engine_comm::EngineComm;
use crate::base::Result;
use crate::executor::fast_path::{self, StopPoint};
use crate::executor::{Buffers, Key, Memory, Prepared};
use crate::observe::status::{ShownEnd, StatusPage};
use crate::observe::trace;
use crate::transport::Header;

/// Outcome of an attempt to run a call on the fast path.
pub enum FastPath {
    /// The call has run to its end.
    Done,
    /// The call has begun, and must be waited for.
    Started(Ticket),
    /// Nothing was done.
    NotTaken,
}

/// A call that is to be run.
#[derive(Clone, Copy)]
pub enum CallRef<'a> {
    /// A recent call, by its key in the cache.
    Recent(&'a Key),
    /// A call that the caller has prepared.
    Prepared(&'a Arc<Prepared>),
}

impl Engine {
    /// Runs a call to its end on the fast path, or starts it. `None`: the call is not in the cache.
    ///
    /// # Safety
    /// The contract of `start` holds.
    #[inline]
    pub unsafe fn run_fast_path_or_start(
        &mut self,
        id: CommId,
        call: CallRef,
        buffers: Buffers,
    ) -> Option<Result<Option<Ticket>>> {
        // SAFETY: passed on from our caller.
        match unsafe { self.run_fast_path(id, call, |_| Some(buffers)) } {
            FastPath::Done => Some(Ok(None)),
            FastPath::Started(ticket) => Some(Ok(Some(ticket))),
            FastPath::NotTaken => {
                if let Some(failure) = self.report_failure(id) {
                    return Some(Err(failure));
                }
                let prepared = Arc::clone(match call {
                    CallRef::Recent(key) => self.recent_call(id, key)?,
                    CallRef::Prepared(prepared) => prepared,
                });
                // SAFETY: passed on from our caller.
                Some(unsafe { self.start(id, prepared, buffers) }.map(Some))
            }
        }
    }

    /// Runs a call to its end if it is known, its program has a fast form, and nothing else goes on.
    /// `buffers_of` returns the buffers of a known call, or nothing if they need further checks.
    ///
    /// # Safety
    /// The contract of `start` holds for the buffers that `buffers_of` returns.
    // Always inline: it is most of a small call.
    #[inline(always)]
    pub unsafe fn run_fast_path(
        &mut self,
        id: CommId,
        call: CallRef,
        buffers_of: impl FnOnce(&Prepared) -> Option<Buffers>,
    ) -> FastPath {
        let Some(comm) = self.comms.find_mut(id) else { return FastPath::NotTaken };
        let known = match call {
            CallRef::Recent(key) => comm.recent.get(key),
            CallRef::Prepared(prepared) => Some(prepared),
        };
        let Some(prepared) = known else { return FastPath::NotTaken };
        let Some(buffers) = buffers_of(prepared) else { return FastPath::NotTaken };
        let Some(fast) = prepared.program.fast.as_ref() else { return FastPath::NotTaken };
        // Nothing is under way, nothing is wrong, and no trace wants to see each step.
        let nothing = self.calls.active.is_empty() && self.messaging.comms.is_empty();
        let is_known = !comm.stalls_known && !comm.holds_senders;
        let is_quiet = nothing && is_known && comm.failure.is_none() && !trace::is_on();
        if !is_quiet {
            return FastPath::NotTaken;
        }
        let EngineComm { context, collectives, .. } = comm;
        let header = header_for(*context, collectives, prepared, ShownEnd::Soon);
        let scratch = match prepared.program.scratch_bytes {
            0 => ptr::null_mut(),
            _ => scratch_of(&mut self.calls.spare, prepared),
        };
        let memory = Memory { buffers, scratch };
        let oversubscribed = self.oversubscribed;
        let call = fast_path::FastCall { header: &header, prepared, oversubscribed };
        // SAFETY: passed on from our caller.
        let stop = unsafe { fast_path::run(fast, &memory, &call, &mut self.endpoints) };
        if stop.is_end_of(fast) {
            finish(prepared, buffers);
            return FastPath::Done;
        }
        let prepared = Arc::clone(prepared);
        // SAFETY: passed on from our caller; the next operation is a transfer.
        FastPath::Started(unsafe { self.continue_from(id, prepared, header, buffers, stop) })
    }

    /// Starts a call that has run as far as `stop`, with the scratch of the last spare execution.
    ///
    /// # Safety
    /// The contract of `start` holds, and the next operation is a transfer.
    #[cold]
    unsafe fn continue_from(
        &mut self,
        id: CommId,
        prepared: Arc<Prepared>,
        header: Header,
        buffers: Buffers,
        stop: StopPoint,
    ) -> Ticket {
        self.page.iter().for_each(StatusPage::note_latest_goes_on);
        let mut execution = spare_for(&mut self.calls.spare, &prepared);
        // SAFETY: passed on from our caller.
        unsafe { execution.resume(Arc::clone(&prepared), header, buffers, &stop) };
        self.enlist(id, &prepared, buffers, (Vec::new(), None), execution)
    }
}
