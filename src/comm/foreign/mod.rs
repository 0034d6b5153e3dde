//! Calls that another engine serves.
//!
//! A table says which calls these are. It depends only on the engine, so all ranks send a call the same way.
//! The builtin engine serves the rest. These are calls that the engine does not have and that cannot be
//! composed, lists of buffers, persistent calls with a layout, and calls with a function of the program. This
//! holds for memory of the processor. A call in memory of a device goes to the engine that serves such
//! memory, or is refused: no other engine can access it.

pub(super) mod co_progress;
mod composed;
pub(super) mod ending;
pub(super) mod engine;
pub(super) mod engines;
pub(super) mod host;
mod on_device;
pub(super) mod started_call;
mod unequal;
mod usage;
mod watch;

use self::host::failed;
use self::usage::{Usage, check};
use super::call::operation::Operation;
use super::call::spec::CallSpec;
use super::communicator::Communicator;
use super::create::backends::device_engine;
use super::request::Request;
use crate::backend::{MemoryKind, Support, UniformCall};
use crate::base::{Call, CallKind, Collective, Error, Result};

/// Runs a call by another engine. `None`: the builtin engine must serve it, and nothing was done.
///
/// # Safety
/// See [`Communicator::run`].
#[inline]
pub(super) unsafe fn run(comm: &Communicator, call: &CallSpec) -> Option<Result<()>> {
    match call {
        // SAFETY: passed on from our caller.
        CallSpec::Collective(operation, None) => unsafe { run_uniform(comm, operation) },
        // SAFETY: passed on from our caller.
        CallSpec::Unequal(operation, None) => unsafe { unequal::run(comm, operation) },
        _ => None,
    }
}

/// Starts a call by another engine. `None` as for [`run`].
///
/// # Safety
/// See [`Communicator::start`].
#[inline]
pub(super) unsafe fn start(comm: &Communicator, call: &CallSpec) -> Option<Result<Request>> {
    match call {
        // SAFETY: passed on from our caller.
        CallSpec::Collective(operation, None) => unsafe { start_uniform(comm, operation) },
        // SAFETY: passed on from our caller.
        CallSpec::Unequal(operation, None) => unsafe { unequal::start(comm, operation) },
        _ => None,
    }
}

/// # Safety
/// See [`run`].
#[inline]
unsafe fn run_uniform(comm: &Communicator, operation: &Operation) -> Option<Result<()>> {
    let (usage, call, support) = match served_by(comm, operation)? {
        Ok(found) => found,
        Err(error) => return Some(Err(error)),
    };
    if call.count == 0 && call.collective != Collective::Barrier {
        return Some(Ok(()));
    }
    let Usage { foreign, .. } = usage;
    Some(match support {
        Support::Native if call.memory == MemoryKind::Cuda => {
            // SAFETY: passed on from our caller; the call was checked.
            unsafe { usage.run_watched(operation.call, &call) }.map(drop)
        }
        Support::Native => foreign
            .co_progress
            // SAFETY: passed on from our caller; the call was checked.
            .run_blocking(&comm.driver, || unsafe { foreign.comm.run(&call) })
            .map_err(|error| usage.failed(error)),
        Support::Composed(recipe) => {
            // SAFETY: as above.
            unsafe { usage.start_composed(recipe, &call) }.and_then(|mut request| request.wait())
        }
        Support::Builtin => return None,
    })
}

/// # Safety
/// See [`start`].
#[inline]
unsafe fn start_uniform(comm: &Communicator, operation: &Operation) -> Option<Result<Request>> {
    let (usage, call, support) = match served_by(comm, operation)? {
        Ok(found) => found,
        Err(error) => return Some(Err(error)),
    };
    if call.count == 0 && call.collective != Collective::Barrier {
        return Some(Ok(usage.request(Box::new(Vec::new()))));
    }
    Some(match support {
        Support::Native if call.memory == MemoryKind::Cuda => {
            // SAFETY: passed on from our caller; the call was checked.
            unsafe { usage.start_watched(operation.call, &call) }
        }
        Support::Native => {
            // SAFETY: passed on from our caller; the call was checked.
            let started = unsafe { usage.foreign.comm.start(&call) };
            started.map(|started| usage.request(started)).map_err(|error| usage.failed(error))
        }
        // SAFETY: as above.
        Support::Composed(recipe) => unsafe { usage.start_composed(recipe, &call) },
        Support::Builtin => return None,
    })
}

/// The engine, and the checked call in its form. `None`: the builtin engine must serve the call.
#[inline]
fn served_by<'a>(
    comm: &'a Communicator,
    operation: &Operation,
) -> Option<Result<(Usage<'a>, UniformCall, Support)>> {
    let Call { kind, datatype, op, root, count } = operation.call;
    let CallKind::Collective(collective) = kind else { return None };
    if collective.has_layout() {
        return None;
    }
    let is_on_device = match is_on_device(comm, collective, operation) {
        Ok(answer) => answer,
        // The other ranks may be in the call of an engine that nobody has asked for.
        Err(error) if comm.engines.serve_devices_unasked() => return Some(Err(failed(comm, error))),
        Err(error) => return Some(Err(error)),
    };
    let foreign = if is_on_device { device_engine(comm) } else { comm.engines.on_host.as_deref() };
    let support = foreign.map_or(Support::Builtin, |foreign| foreign.support(collective, datatype, op));
    let Some(foreign) = foreign.filter(|_| support != Support::Builtin) else {
        return is_on_device.then(|| Err(unserved(comm, operation)));
    };
    if let Err(error) = check(comm).and_then(|()| operation.check(comm.size())) {
        return Some(Err(error));
    }
    let call = UniformCall {
        collective,
        datatype,
        op,
        root,
        count: count as usize,
        send: operation.send,
        recv: operation.recv,
        in_place: operation.is_in_place(comm.rank),
        memory: foreign.memory,
        stream: comm.devices.queue.stream().filter(|_| is_on_device && support == Support::Native),
    };
    if support == Support::Native && !foreign.comm.fits(&call) {
        return is_on_device.then(|| Err(unserved(comm, operation)));
    }
    Some(Ok((Usage { comm, foreign }, call, support)))
}

/// Whether the buffers that this rank uses are in memory of a device. It is an error if only one of them
/// is.
#[inline]
fn is_on_device(comm: &Communicator, collective: Collective, operation: &Operation) -> Result<bool> {
    if !comm.devices.kinds.may_differ() {
        return Ok(false);
    }
    let Call { root, count, .. } = operation.call;
    let (size, count) = (comm.size() as usize, count as usize);
    let reads = collective.input_elements(size, comm.rank, root, count) > 0;
    let writes = collective.output_elements(size, comm.rank, root, count) > 0;
    let kind = |address| comm.devices.kinds.of(address) == MemoryKind::Cuda;
    let send = reads.then(|| kind(operation.send.addr()));
    let recv = writes.then(|| kind(operation.recv.addr()));
    match (send, recv) {
        (Some(send), Some(recv)) if send != recv => {
            let of = |on_device| if on_device { "of a GPU" } else { "of the host" };
            let got = format!(
                "memory {}, and recv memory {}; both must be of one kind for nccl",
                of(send),
                of(recv)
            );
            Err(Error::InvalidArgument { what: "send", got })
        }
        (send, recv) => Ok(send.or(recv).unwrap_or(false)),
    }
}

#[cold]
fn unserved(comm: &Communicator, operation: &Operation) -> Error {
    let why = match comm.engines.on_device.get() {
        Some(Ok(foreign)) => format!("{} does not support it", foreign.name.name()),
        Some(Err(error)) => format!("no engine serves it: {error}"),
        None => "no engine serves it".into(),
    };
    let call = operation.call;
    Error::Unsupported(format!("{call} in memory of a GPU: {why}; copy it to the host"))
}
