//! How collective calls enter the engine: started and waited for later, or run to their end.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::MutexGuard;

use super::driver::Driver;
use crate::base::{BoxedResult, Result};
use crate::executor::{Buffers, Key, Prepared, StagedBuffers};
use crate::progress::context::CommId;
use crate::progress::engine::{CallOutcome, Engine, Ticket};
use crate::progress::fast_path::{CallRef, FastPath};

/// Calls under way from which on a new one is given its first push alone. A look at all of them takes long,
/// so it comes with every so many calls, and with each wait.
const MANY_CALLS: usize = 64;

/// A call that has begun on the fast path and waits for another rank. The engine is locked until it is ended.
pub struct LateCall<'a> {
    pub(in crate::progress) driver: &'a Driver,
    pub(in crate::progress) engine: MutexGuard<'a, Engine>,
    pub(in crate::progress) ticket: Ticket,
}

impl LateCall<'_> {
    /// Waits for the end.
    #[cold]
    pub fn wait(mut self, timeout: Option<Duration>) -> CallOutcome {
        self.driver.wait_for(&mut self.engine, self.ticket, timeout)
    }

    /// Unlocks the engine, and gives the ticket of the call, which goes on.
    #[cold]
    pub fn into_ticket(self) -> Ticket {
        self.ticket
    }
}

impl Driver {
    /// Starts a recent call and gives it a first push. `None`: the call is not in the cache.
    ///
    /// # Safety
    /// See [`Engine::start`].
    pub unsafe fn start_recent(&self, comm: CommId, key: &Key, buffers: Buffers) -> Option<Result<Ticket>> {
        let mut engine = self.lock();
        let prepared = Arc::clone(engine.recent_call(comm, key)?);
        // SAFETY: passed on from our caller.
        Some(unsafe { self.start_with(&mut engine, comm, prepared, buffers) })
    }

    /// Starts a call, gives it a first push, and keeps it in the cache for `start_recent` and `run_recent`.
    ///
    /// # Safety
    /// See [`Engine::start`].
    pub unsafe fn start_and_remember(
        &self,
        comm: CommId,
        key: &Key,
        prepared: Arc<Prepared>,
        buffers: Buffers,
    ) -> Result<Ticket> {
        let mut engine = self.lock();
        engine.remember(comm, *key, Arc::clone(&prepared));
        // SAFETY: passed on from our caller.
        unsafe { self.start_with(&mut engine, comm, prepared, buffers) }
    }

    /// Starts a call that is not expected to be repeated, and gives it a first push.
    ///
    /// # Safety
    /// See [`Engine::start`].
    pub unsafe fn start_once(
        &self,
        comm: CommId,
        prepared: Arc<Prepared>,
        buffers: Buffers,
    ) -> Result<Ticket> {
        // SAFETY: passed on from our caller.
        unsafe { self.start_with(&mut self.lock(), comm, prepared, buffers) }
    }

    /// Starts a call whose buffers are copied while it runs, and gives it a first push.
    ///
    /// # Safety
    /// See [`Engine::start_staged`].
    pub unsafe fn start_staged(
        &self,
        comm: CommId,
        prepared: Arc<Prepared>,
        buffers: Buffers,
        staged: &StagedBuffers,
    ) -> Result<Ticket> {
        let mut engine = self.lock();
        // SAFETY: passed on from our caller.
        let ticket = unsafe { engine.start_staged(comm, prepared, buffers, staged) }?;
        self.move_on(&mut engine);
        engine.note_returned(ticket);
        Ok(ticket)
    }

    /// Starts a call and gives it a first push.
    ///
    /// # Safety
    /// See [`Engine::start`].
    unsafe fn start_with(
        &self,
        engine: &mut Engine,
        comm: CommId,
        prepared: Arc<Prepared>,
        buffers: Buffers,
    ) -> Result<Ticket> {
        // SAFETY: passed on from our caller.
        let ticket = unsafe { engine.start(comm, prepared, buffers) }?;
        if engine.calls.active.len() > MANY_CALLS
            && !engine.calls.next_number.is_multiple_of(MANY_CALLS as u64)
        {
            if engine.push_latest() {
                self.sleepers.ring_all();
            }
        } else {
            self.move_on(engine);
        }
        engine.note_returned(ticket);
        Ok(ticket)
    }

    /// Runs a recent call to its end, on the fast path. `None`: nothing was done. The call is not in the
    /// cache, its buffers need further checks, or something else goes on. If another rank is late, `late`
    /// ends the call.
    ///
    /// # Safety
    /// If `buffers` fit the call ([`crate::executor::Extent::fits`]), they are as the caller of
    /// [`Engine::start`] promises.
    // Always inline: every small call does this.
    #[inline(always)]
    pub unsafe fn run_fast_path(
        &self,
        comm: CommId,
        key: &Key,
        buffers: Buffers,
        late: impl FnOnce(LateCall) -> BoxedResult<()>,
    ) -> Option<BoxedResult<()>> {
        let mut engine = self.lock();
        // SAFETY: passed on from our caller; the buffers fit.
        let result = unsafe {
            engine.run_fast_path(
                comm,
                CallRef::Recent(key),
                #[inline(always)]
                |prepared: &Prepared| {
                    let extent = prepared.extent.as_ref()?;
                    extent.fits(buffers, key.is_in_place()).then_some(buffers)
                },
            )
        };
        match result {
            FastPath::Done => Some(Ok(())),
            FastPath::Started(ticket) => Some(late(LateCall { driver: self, engine, ticket })),
            FastPath::NotTaken => None,
        }
    }

    /// Runs a recent call to its end, on the fast path or not. `None`: the call is not in the cache.
    /// `timeout` is called only if there is a wait.
    ///
    /// # Safety
    /// The contract of [`Engine::start`] holds during this call.
    #[inline]
    pub unsafe fn run_recent(
        &self,
        comm: CommId,
        key: &Key,
        buffers: Buffers,
        timeout: impl FnOnce() -> Option<Duration>,
    ) -> Option<Result<()>> {
        let mut engine = self.lock();
        // SAFETY: passed on from our caller.
        let started = unsafe { engine.run_fast_path_or_start(comm, CallRef::Recent(key), buffers) }?;
        Some(match started {
            Ok(None) => Ok(()),
            Ok(Some(ticket)) => self.wait_for(&mut engine, ticket, timeout()).map(drop),
            Err(error) => Err(error),
        })
    }

    /// Runs a call to its end, and keeps it in the cache for `run_fast_path` and `run_recent`.
    ///
    /// # Safety
    /// The contract of [`Engine::start`] holds during this call.
    pub unsafe fn run_and_remember(
        &self,
        comm: CommId,
        key: &Key,
        prepared: Arc<Prepared>,
        buffers: Buffers,
        timeout: Option<Duration>,
    ) -> Result<()> {
        let mut engine = self.lock();
        engine.remember(comm, *key, prepared);
        // SAFETY: passed on from our caller. This function returns only when the call has an outcome.
        match unsafe { engine.run_fast_path_or_start(comm, CallRef::Recent(key), buffers) }
            .expect("it was kept a moment ago")?
        {
            None => Ok(()),
            Some(ticket) => self.wait_for(&mut engine, ticket, timeout).map(drop),
        }
    }

    /// Runs a call that is not expected to be repeated to its end.
    ///
    /// # Safety
    /// The contract of [`Engine::start`] holds during this call.
    pub unsafe fn run_once(
        &self,
        comm: CommId,
        prepared: Arc<Prepared>,
        buffers: Buffers,
        timeout: Option<Duration>,
    ) -> Result<()> {
        let mut engine = self.lock();
        // SAFETY: passed on from our caller. This function returns only when the call has an outcome.
        match unsafe { engine.run_fast_path_or_start(comm, CallRef::Prepared(&prepared), buffers) } {
            None | Some(Ok(None)) => Ok(()),
            Some(Ok(Some(ticket))) => self.wait_for(&mut engine, ticket, timeout).map(drop),
            Some(Err(error)) => Err(error),
        }
    }
}
