//! Running and starting collectives: on the fast path, by another engine, or by the builtin engine.

use std::ptr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::call::operation::{Operation, Variant};
use super::call::operator::Operator;
use super::call::spec::CallSpec;
use super::communicator::Communicator;
use super::late::Late;
use super::request::Request;
use crate::base::{BoxedResult, Call, CallKind, Collective, Error, ReduceOp, Result};
use crate::executor::{Key, Prepared, StagedBuffers};
use crate::sys::zeroed::zeroed;

impl Communicator {
    /// Whether another engine than the builtin one may serve calls.
    #[inline]
    pub(super) fn may_be_foreign(&self) -> bool {
        self.foreign.is_some() || self.kinds.may_differ()
    }

    /// Runs a call to its end.
    ///
    /// # Safety
    /// The buffers of `operation` are valid for what `operation.call` reads and writes, for the whole call.
    #[inline]
    pub unsafe fn run(&self, operation: &Operation) -> Result<()> {
        if self.may_be_foreign() {
            // SAFETY: passed on from our caller.
            if let Some(outcome) = unsafe { self.run_on_device(&CallSpec::Collective(operation, None)) } {
                return outcome;
            }
            self.check_usable()?;
            // SAFETY: passed on from our caller.
            if let Some(outcome) = unsafe { self.run_foreign(operation) } {
                return outcome;
            }
        }
        // SAFETY: passed on from our caller.
        unsafe { self.run_builtin(operation) }
    }

    /// Runs a call to its end if it equals a recent one, without repeating the checks of that call. `None`:
    /// nothing was done, and the caller must use [`Communicator::run`]. If another rank is late, `late` ends
    /// the call.
    ///
    /// # Safety
    /// See [`Communicator::run`]. The buffers are not NULL, and overlap only in ways that the call allows.
    // Always inline: every small call does this, and most of it is known at compile time in the caller.
    #[inline(always)]
    pub unsafe fn run_fast_path(
        &self,
        operation: &Operation,
        late: impl FnOnce(Late) -> BoxedResult<()>,
    ) -> Option<BoxedResult<()>> {
        if self.may_be_foreign() || self.finalized.load(Ordering::Relaxed) {
            return None;
        }
        let (key, buffers) = (operation.key(self.rank), operation.buffers());
        // SAFETY: a prepared call touches what the call reads and writes, for which the caller vouches.
        unsafe { self.driver.run_fast_path(self.id, &key, buffers, |call| late(Late { comm: self, call })) }
    }

    /// Runs a call to its end by the builtin engine.
    ///
    /// # Safety
    /// See [`Communicator::run`].
    #[inline]
    pub(super) unsafe fn run_builtin(&self, operation: &Operation) -> Result<()> {
        self.check_usable()?;
        let (key, buffers) = (operation.key(self.rank), operation.buffers());
        let timeout = || self.timeout.get();
        // SAFETY: a prepared call touches what the call reads and writes, for which the caller vouches.
        if let Some(outcome) = unsafe { self.driver.run_recent(self.id, &key, buffers, timeout) } {
            return outcome;
        }
        let prepared = self.plan_cache.get(&key, operation, self.rank, &self.topology)?;
        // SAFETY: as above.
        unsafe { self.driver.run_and_remember(self.id, &key, prepared, buffers, timeout()) }
    }

    /// Starts a call.
    ///
    /// # Safety
    /// See [`Communicator::run`]; the promise holds until the request is complete.
    pub unsafe fn start(&self, operation: &Operation) -> Result<Request> {
        // SAFETY: passed on from our caller.
        if let Some(started) = unsafe { self.start_on_device(&CallSpec::Collective(operation, None)) } {
            return started;
        }
        self.check_usable()?;
        if self.may_be_foreign()
            // SAFETY: passed on from our caller.
            && let Some(started) = unsafe { self.start_foreign(operation) }
        {
            return started;
        }
        let (key, buffers) = (operation.key(self.rank), operation.buffers());
        // SAFETY: as in `run`; dropping a request waits for it, so it does not outlive the buffers unnoticed.
        let ticket = match unsafe { self.driver.start_recent(self.id, &key, buffers) } {
            Some(started) => started?,
            None => {
                let prepared = self.plan_cache.get(&key, operation, self.rank, &self.topology)?;
                // SAFETY: as above.
                unsafe { self.driver.start_and_remember(self.id, &key, prepared, buffers) }?
            }
        };
        Ok(Request::new(Arc::clone(&self.driver), ticket, self.timeout.get()))
    }

    /// Runs a call to its end. `operator` is set if the program has made the operator.
    ///
    /// # Safety
    /// See [`Communicator::run`].
    #[inline]
    pub unsafe fn run_with_operator(
        &self,
        operation: &Operation,
        operator: Option<&Arc<Operator>>,
    ) -> Result<()> {
        match operator {
            // SAFETY: passed on from our caller.
            None => unsafe { self.run(operation) },
            Some(_) => {
                // SAFETY: passed on from our caller.
                let on_device = unsafe { self.run_on_device(&CallSpec::Collective(operation, operator)) };
                on_device.unwrap_or_else(|| {
                    // SAFETY: passed on from our caller.
                    unsafe { self.start_with_signature(operation, operator, None) }?.wait()
                })
            }
        }
    }

    /// Starts a call. `operator` is set if the program has made the operator.
    ///
    /// # Safety
    /// See [`Communicator::start`].
    #[inline]
    pub unsafe fn start_with_operator(
        &self,
        operation: &Operation,
        operator: Option<&Arc<Operator>>,
    ) -> Result<Request> {
        match operator {
            // SAFETY: passed on from our caller.
            None => unsafe { self.start(operation) },
            Some(_) => {
                // SAFETY: passed on from our caller.
                let on_device = unsafe { self.start_on_device(&CallSpec::Collective(operation, operator)) };
                // SAFETY: passed on from our caller.
                on_device.unwrap_or_else(|| unsafe { self.start_with_signature(operation, operator, None) })
            }
        }
    }

    /// Like [`Communicator::start_with_operator`], but the other ranks see the call as `signature`, if given.
    ///
    /// # Safety
    /// See [`Communicator::start`].
    pub(super) unsafe fn start_with_signature(
        &self,
        operation: &Operation,
        operator: Option<&Arc<Operator>>,
        signature: Option<Call>,
    ) -> Result<Request> {
        let Some(operator) = operator else {
            // SAFETY: passed on from our caller.
            return unsafe { self.start_variant(operation, &Variant { signature, callback: None }) };
        };
        operator.check(&operation.call)?;
        let variant = operator.variant(&operation.call, signature);
        operation.check_by(self.size(), variant.unit(&operation.call))?;
        // The function of the program reads the buffers, or the library does so to scale them.
        self.check_host(operation)?;
        if !operator.scales() {
            // SAFETY: passed on from our caller.
            return unsafe { self.start_variant(operation, &variant) };
        }
        // SAFETY: the caller vouches for the buffers.
        let (scaled, memory) = unsafe { self.scaled(operation, operator) }?;
        if signature.is_none() && self.foreign.is_some() {
            self.check_usable()?;
            // For another engine, the call is a plain sum of the scaled input.
            let call = Call { op: Some(ReduceOp::Sum), ..scaled.call };
            // SAFETY: the scaled input is the output or `memory`, which the request keeps.
            if let Some(started) = unsafe { self.start_foreign(&Operation { call, ..scaled }) } {
                return Ok(started?.keeping(memory));
            }
        }
        // SAFETY: the scaled input is the output or `memory`, which the request keeps.
        Ok(unsafe { self.start_variant(&scaled, &variant) }?.keeping(memory))
    }

    /// The call on the scaled input, which lies in the output or in the returned memory.
    ///
    /// # Safety
    /// See [`Communicator::run`].
    unsafe fn scaled(&self, operation: &Operation, operator: &Operator) -> Result<(Operation, Vec<u8>)> {
        let CallKind::Collective(collective) = operation.call.kind else {
            unreachable!("only collectives have operators");
        };
        let (call, count) = (operation.call, operation.call.count as usize);
        let elements = collective.input_elements(self.size() as usize, self.rank, call.root, count);
        let fits_output = match collective {
            Collective::AllReduce => true,
            Collective::Reduce => self.rank == call.root,
            _ => false,
        };
        let mut memory = Vec::new();
        let input = if fits_output {
            operation.recv
        } else {
            let bytes = elements * call.datatype.bytes();
            memory = zeroed(bytes).map_err(|error| Error::no_memory(bytes, "the scaled input", error))?;
            memory.as_mut_ptr()
        };
        // SAFETY: `elements` elements of the send buffer are readable by the caller's promise. As many are
        // writable in the output, which is the send buffer or does not overlap it, or in `memory`.
        unsafe { operator.scale(input, operation.send, elements, self.plan_cache.saturates()) };
        let send = if elements > 0 { input.cast_const() } else { ptr::null() };
        Ok((Operation { send, ..*operation }, memory))
    }

    /// Key and plan of a variant of a call.
    pub(super) fn prepare(&self, operation: &Operation, variant: &Variant) -> Result<(Key, Arc<Prepared>)> {
        let (signature, number) =
            (variant.signature.unwrap_or(operation.call), variant.callback.map_or(0, |(number, _)| number));
        let in_place = operation.is_in_place_by(self.rank, variant.unit(&operation.call));
        let key = Key::new(&signature, in_place).with_operator(number);
        let prepared = self.plan_cache.get_variant(&key, operation, variant, self.rank, &self.topology)?;
        Ok((key, prepared))
    }

    /// # Safety
    /// See [`Communicator::start`].
    pub(super) unsafe fn start_variant(&self, operation: &Operation, variant: &Variant) -> Result<Request> {
        self.check_usable()?;
        let (key, prepared) = self.prepare(operation, variant)?;
        // SAFETY: passed on from our caller.
        unsafe { self.start_prepared(&key, prepared, operation) }
    }

    /// Starts a call of the builtin engine whose buffers are copied while it runs.
    ///
    /// # Safety
    /// See [`Communicator::start`] and [`StagedBuffers`]; `prepared` belongs to this operation.
    pub(super) unsafe fn start_staged(
        &self,
        prepared: Arc<Prepared>,
        operation: &Operation,
        staged: &StagedBuffers,
    ) -> Result<Request> {
        self.check_usable()?;
        // SAFETY: passed on from our caller; dropping a request waits for it.
        let ticket = unsafe { self.driver.start_staged(self.id, prepared, operation.buffers(), staged) }?;
        Ok(Request::new(Arc::clone(&self.driver), ticket, self.timeout.get()))
    }

    /// # Safety
    /// See [`Communicator::start`]; `key` and `prepared` belong to this operation.
    pub(super) unsafe fn start_prepared(
        &self,
        key: &Key,
        prepared: Arc<Prepared>,
        operation: &Operation,
    ) -> Result<Request> {
        // SAFETY: passed on from our caller; dropping a request waits for it.
        let ticket = unsafe { self.driver.start_and_remember(self.id, key, prepared, operation.buffers()) }?;
        Ok(Request::new(Arc::clone(&self.driver), ticket, self.timeout.get()))
    }
}
