//! Calls that the builtin engine serves: their last checks, their plans, and their way to the driver.

use std::ptr;
use std::sync::Arc;

use super::call::operation::{Operation, Variant};
use super::call::operator::Operator;
use super::call::spec::CallSpec;
use super::coalesced;
use super::communicator::Communicator;
use super::foreign;
use super::messages::StartedReceive;
use super::prepared_unequal::PreparedUnequal;
use super::ready::ReadyCall;
use super::request::Request;
use crate::base::{Call, CallKind, Collective, Error, ReduceOp, Result};
use crate::executor::{Key, Prepared, StagedBuffers};
use crate::sys::zeroed::zeroed;

impl Communicator {
    /// Runs a call to its end.
    ///
    /// # Safety
    /// See [`Communicator::run`].
    pub(super) unsafe fn run_builtin(&self, call: &CallSpec) -> Result<()> {
        match call {
            // SAFETY: passed on from our caller.
            CallSpec::Collective(operation, None) => unsafe { self.run_uniform(operation) },
            CallSpec::Unequal(operation, None) => {
                self.check_usable()?;
                operation.check_host(&self.devices.kinds)?;
                let (prepared, buffers) =
                    self.plan_cache.get_unequal(operation, None, self.rank, &self.topology)?;
                // SAFETY: the plan touches only the blocks, for which the caller vouches.
                unsafe { self.driver.run_once(self.id, prepared, buffers, self.timeout.get()) }
            }
            CallSpec::Send(what) => {
                self.check_outgoing(what)?;
                // SAFETY: passed on from our caller.
                unsafe { self.driver.send(self.id, what, self.timeout.get()) }
            }
            // SAFETY: passed on from our caller.
            _ => unsafe { self.start_builtin(call) }?.wait(),
        }
    }

    /// Runs a collective with one count and a builtin operator to its end.
    ///
    /// # Safety
    /// See [`Communicator::run`].
    #[inline]
    pub(super) unsafe fn run_uniform(&self, operation: &Operation) -> Result<()> {
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
    /// See [`Communicator::start`].
    #[inline]
    pub(super) unsafe fn start_builtin(&self, call: &CallSpec) -> Result<Request> {
        match *call {
            CallSpec::Collective(operation, None) => {
                self.check_usable()?;
                let (key, buffers) = (operation.key(self.rank), operation.buffers());
                // SAFETY: as in `run_uniform`; dropping a request waits for it, so it does not outlive the
                // buffers unnoticed.
                let ticket = match unsafe { self.driver.start_recent(self.id, &key, buffers) } {
                    Some(started) => started?,
                    None => {
                        let prepared = self.plan_cache.get(&key, operation, self.rank, &self.topology)?;
                        // SAFETY: as above.
                        unsafe { self.driver.start_and_remember(self.id, &key, prepared, buffers) }?
                    }
                };
                Ok(self.request(ticket))
            }
            // SAFETY: passed on from our caller.
            CallSpec::Collective(operation, operator) => unsafe {
                self.start_with_signature(operation, operator, None)
            },
            CallSpec::Unequal(operation, operator) => {
                self.check_usable()?;
                // SAFETY: passed on from our caller.
                let mut ready = unsafe { PreparedUnequal::new(self, operation, operator) }?;
                // SAFETY: as above; the request keeps the memory.
                let request = unsafe { ready.start(self) }?;
                Ok(request.keeping(ready.into_memory()))
            }
            // SAFETY: passed on from our caller.
            CallSpec::List(list, operator) => unsafe { coalesced::start(self, list, operator) },
            // SAFETY: passed on from our caller.
            CallSpec::Send(what) => unsafe { self.start_send(what) },
            CallSpec::Receive(selector, buffer) | CallSpec::ReceiveAll(selector, buffer) => {
                // SAFETY: passed on from our caller.
                Ok(match unsafe { self.start_receive(selector, buffer) }? {
                    StartedReceive::Pending(request) => request,
                    StartedReceive::Received(status) => Request::ended(Arc::clone(&self.driver), status),
                })
            }
        }
    }

    /// Checks a call that is started later, and finds its plan if it always has the same one.
    ///
    /// # Safety
    /// See [`Communicator::prepare`].
    pub(super) unsafe fn prepare_builtin(&self, call: &CallSpec) -> Result<ReadyCall> {
        match *call {
            CallSpec::Collective(operation, operator) => {
                operation.check_host(&self.devices.kinds, self.rank, self.size())?;
                let (key, prepared) = self.plan_with(operation, operator)?;
                // The input has to be scaled at each start.
                if operator.is_some_and(|operator| operator.scales()) {
                    return Ok(ReadyCall::Described(call.owned()));
                }
                Ok(ReadyCall::Planned { operation: *operation, _operator: operator.cloned(), key, prepared })
            }
            CallSpec::Unequal(operation, operator) => {
                // SAFETY: passed on from our caller.
                unsafe { PreparedUnequal::new(self, operation, operator) }.map(ReadyCall::Unequal)
            }
            CallSpec::List(list, operator) => {
                coalesced::check(self, list, operator)?;
                Ok(ReadyCall::Described(call.owned()))
            }
            CallSpec::Send(what) => {
                self.check_outgoing(what)?;
                Ok(ReadyCall::Described(call.owned()))
            }
            CallSpec::Receive(_, buffer) | CallSpec::ReceiveAll(_, buffer) => {
                self.check_recv_buffer(&buffer)?;
                Ok(ReadyCall::Described(call.owned()))
            }
        }
    }

    /// Starts a collective with one count. The other ranks see it as `signature`, if given.
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
        operation.check_host(&self.devices.kinds, self.rank, self.size())?;
        if !operator.scales() {
            // SAFETY: passed on from our caller.
            return unsafe { self.start_variant(operation, &variant) };
        }
        // SAFETY: the caller vouches for the buffers.
        let (scaled, memory) = unsafe { self.scaled(operation, operator) }?;
        if signature.is_none() && self.engines.on_host.is_some() {
            self.check_usable()?;
            // For another engine, the call is a plain sum of the scaled input.
            let call = Call { op: Some(ReduceOp::Sum), ..scaled.call };
            let sum = Operation { call, ..scaled };
            // SAFETY: the scaled input is the output or `memory`, which the request keeps.
            if let Some(started) = unsafe { foreign::start(self, &CallSpec::from(&sum)) } {
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
    pub(super) fn plan(&self, operation: &Operation, variant: &Variant) -> Result<(Key, Arc<Prepared>)> {
        let (signature, number) =
            (variant.signature.unwrap_or(operation.call), variant.callback.map_or(0, |(number, _)| number));
        let in_place = operation.is_in_place_by(self.rank, variant.unit(&operation.call));
        let mut key = Key::new(&signature, in_place).with_operator(number);
        if variant.signature.is_some() {
            // The ranks may compare something else than the length of their messages.
            key = key.with_count(operation.call.count);
        }
        let prepared = self.plan_cache.get_variant(&key, operation, variant, self.rank, &self.topology)?;
        Ok((key, prepared))
    }

    /// Key and plan of a call whose operator the program may have made.
    pub(super) fn plan_with(
        &self,
        operation: &Operation,
        operator: Option<&Arc<Operator>>,
    ) -> Result<(Key, Arc<Prepared>)> {
        let mut variant = Variant::default();
        if let Some(operator) = operator {
            operator.check(&operation.call)?;
            variant = operator.variant(&operation.call, None);
        }
        self.plan(operation, &variant)
    }

    /// # Safety
    /// See [`Communicator::start`].
    pub(super) unsafe fn start_variant(&self, operation: &Operation, variant: &Variant) -> Result<Request> {
        self.check_usable()?;
        let (key, prepared) = self.plan(operation, variant)?;
        // SAFETY: passed on from our caller.
        unsafe { self.start_planned(&key, prepared, operation) }
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
        Ok(self.request(ticket))
    }

    /// # Safety
    /// See [`Communicator::start`]; `key` and `prepared` belong to this operation.
    pub(super) unsafe fn start_planned(
        &self,
        key: &Key,
        prepared: Arc<Prepared>,
        operation: &Operation,
    ) -> Result<Request> {
        // SAFETY: passed on from our caller; dropping a request waits for it.
        let ticket = unsafe { self.driver.start_and_remember(self.id, key, prepared, operation.buffers()) }?;
        Ok(self.request(ticket))
    }
}
