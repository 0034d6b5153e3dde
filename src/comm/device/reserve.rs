//! From a call to its reservation: checks, the choice of the path, and the memory.
//!
//! A collective with a builtin operator goes by the direct path, and so does a long message, if the
//! communicator has it. The others are staged, on copies of their buffers.

use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use super::call_streams::CallStream;
use super::completion::{DeviceCompletion, StreamedCall, captured_completion};
use super::direct::{CapturedPieces, DirectMessage, DirectPath, DirectPieces, UnequalBlocks};
use super::graph::{CapturedCopies, Capturing, capture_together};
use super::reserved::{ReservedCall, failed};
use super::staged::ranges::Touched;
use super::staged::{StagedCall, in_pieces};
use super::stream_order::StreamInContext;
use crate::backend::Support;
use crate::base::{Error, ListCount, Result};
use crate::comm::call::list::{List, Part};
use crate::comm::call::operation::Operation;
use crate::comm::call::operator::Operator;
use crate::comm::call::placement::Placed;
use crate::comm::call::spec::CallSpec;
use crate::comm::call::unequal::{Places, Unequal};
use crate::comm::coalesced;
use crate::comm::communicator::Communicator;
use crate::comm::prepared_unequal::PreparedUnequal;
use crate::comm::ready::ReadyCall;
use crate::comm::request::Request;
use crate::config::DEVICE_PATH_VARIABLE;
use crate::device::{Capture, CudaContext, CudaDriver, CudaStream, Entered};
use crate::p2p::{OutgoingMessage, RecvBuffer};

/// A call whose memory is reserved.
pub(super) enum Reserved {
    /// A call of a stream.
    InStream(ReservedCall<Communicator>),
    /// A call of the graph that its stream captures.
    Captured(Capturing<Communicator>),
}

/// Runs a call with device buffers: until it is enqueued, if the communicator has a stream; otherwise to its
/// end. `None`: no buffer is on a device, or another engine serves such calls, and nothing was done.
///
/// # Safety
/// The buffers are valid for what the call reads and writes until its end, which is when the stream has
/// passed it.
pub(in crate::comm) unsafe fn run(comm: &Communicator, call: &CallSpec) -> Option<Result<()>> {
    // SAFETY: passed on from our caller.
    let started = unsafe { start(comm, call) }?;
    Some(match (started, comm.devices.queue.stream()) {
        (Ok(request), Some(_)) => {
            request.detach();
            Ok(())
        }
        (Ok(mut request), None) => request.wait(),
        (Err(error), _) => Err(error),
    })
}

/// Starts a call with device buffers. `None` as for [`run`].
///
/// # Safety
/// See [`run`].
#[inline]
pub(in crate::comm) unsafe fn start(comm: &Communicator, call: &CallSpec) -> Option<Result<Request>> {
    let queue = &comm.devices.queue;
    let stream = |driver, context| queue.stream_in(driver, context);
    let reserved = reserve_in(comm, call, (queue.stream(), None), false, stream)?;
    // SAFETY: passed on from our caller.
    let completion = reserved.and_then(|reserved| unsafe { enqueue(comm, call, reserved) });
    Some(completion.map(|completion| Request::on_device(Arc::clone(&comm.driver), completion)))
}

/// Whether a buffer of a call is memory of a device.
pub(in crate::comm) fn touches(comm: &Communicator, call: &CallSpec) -> bool {
    let kinds = &comm.devices.kinds;
    kinds.may_differ() && !call.touched(kinds, comm.rank, comm.size()).is_empty()
}

/// Checks a call that is to be started later. Returns whether it has device buffers that the builtin engine
/// serves; if not, nothing was checked. The pool of pinned memory is large enough for the call afterwards.
pub(in crate::comm) fn takes(comm: &Communicator, call: &CallSpec) -> Result<bool> {
    let queue = &comm.devices.queue;
    let stream = |driver, context| queue.own_stream_in(driver, context);
    let reserved = reserve_in(comm, call, (None, None), false, stream);
    reserved.map_or(Ok(false), |reserved| reserved.map(|_| true))
}

/// Reserves the memory of a call on `stream`. `None`: streams cannot use any of its buffers, or another
/// engine serves such calls, and nothing was done. Pinned, registered and managed host memory counts as
/// memory that streams use.
#[inline]
pub(super) fn reserve_on(
    comm: &Communicator,
    call: &CallSpec,
    stream: CudaStream,
    is_grouped: bool,
) -> Option<Result<Reserved>> {
    let queue = &comm.devices.queue;
    let in_context = |driver, context| queue.given_stream_in(driver, context, stream);
    reserve_in(comm, call, (Some(stream), Some(stream)), is_grouped, in_context)
}

/// Enqueues a call on `stream` as a whole. `None`: streams cannot use any of its buffers, or another engine
/// serves such calls, and nothing was done.
///
/// # Safety
/// The buffers are valid for what the call reads and writes until the stream has passed it.
#[inline]
pub unsafe fn enqueue_on(
    comm: &Communicator,
    call: &CallSpec,
    stream: CudaStream,
) -> Option<Result<StreamedCall>> {
    let reserved = reserve_on(comm, call, stream, false)?;
    // SAFETY: passed on from our caller.
    let completion = reserved.and_then(|reserved| unsafe { enqueue(comm, call, reserved) });
    Some(completion.map(|completion| StreamedCall::of(&completion)))
}

/// Enqueues a call as a whole: a collective behind the one before. Returns its completion. A captured call
/// has completed when it is in its graph.
///
/// # Safety
/// See [`run`].
unsafe fn enqueue(comm: &Communicator, call: &CallSpec, reserved: Reserved) -> Result<Arc<DeviceCompletion>> {
    let queue = &comm.devices.queue;
    let reserved = match reserved {
        Reserved::InStream(reserved) => reserved,
        Reserved::Captured(call) => {
            capture_together(&[call])?;
            return Ok(captured_completion());
        }
    };
    let completion = Arc::clone(&reserved.completion);
    if call.is_message() {
        // SAFETY: passed on from our caller.
        unsafe { reserved.enqueue_all(comm, queue) }?;
    } else {
        // SAFETY: passed on from our caller.
        unsafe { reserved.enqueue_in_order(comm, queue) }?;
    }
    Ok(completion)
}

/// Checks a call with device buffers, chooses its path, and reserves memory for its copies. `None` as for
/// [`run`]. A stream of the program may capture the call. With a `given` stream, calls on host memory that
/// streams may use are part of it.
#[inline]
fn reserve_in(
    comm: &Communicator,
    call: &CallSpec,
    (programs, given): (Option<CudaStream>, Option<CudaStream>),
    is_grouped: bool,
    stream: impl FnOnce(&'static CudaDriver, CudaContext) -> Result<CallStream>,
) -> Option<Result<Reserved>> {
    if !comm.devices.kinds.may_differ() {
        return None;
    }
    if let Err(error) = comm.check_shape(call) {
        return Some(Err(error));
    }
    let touched = call.touched(&comm.devices.kinds, comm.rank, comm.size());
    let is_in_stream = !touched.is_empty()
        || given.is_some() && touched.has_host()
        || comm.devices.direct.is_some() && call.counts_as_on_device(&comm.devices.kinds);
    if !is_in_stream || comm.engines.serve_devices() && leaves_to_engine(comm, call) {
        return None;
    }
    let captured = check_usable(comm).and_then(|()| capture_on(comm, &touched, (programs, given)));
    let reserved = match captured {
        // Nothing of the call is sent before a launch, so an error harms nobody.
        Ok(Some(captured)) => {
            let call = capture(comm, call, &touched, captured, given.is_some());
            return Some(call.map(Reserved::Captured));
        }
        captured => captured.map(drop),
    };
    let own = |driver, context| comm.devices.queue.own_stream_in(driver, context);
    let reserved = reserved.and_then(|()| {
        if let Some(path) = &comm.devices.direct
            && let Some(pieces) = call.direct_pieces(comm, path)?
        {
            return ReservedCall::direct(path, comm, pieces, stream, own);
        }
        if let Some(path) = &comm.devices.direct
            && let Some(message) = call.direct_message(comm, path, is_grouped)?
        {
            let follows_launches = comm.devices.graphs.has_calls();
            return ReservedCall::message(path, message, follows_launches, stream, own);
        }
        let mut staged = StagedCall::new(&touched, given, stream, own)?;
        if !call.is_message() {
            staged.set_ordered();
        }
        if comm.devices.graphs.has_calls() {
            staged.set_follows_launches();
        }
        let ready = call.ready(comm, &|address| staged.host(address))?;
        Ok(ReservedCall::staged(in_pieces(comm, ready, &mut staged)?, staged))
    });
    Some(reserved.map(Reserved::InStream).map_err(|error| failed(comm, error, call)))
}

/// The capture in which the stream of the program is, and the stream. `None`: it captures nothing.
fn capture_on(
    comm: &Communicator,
    touched: &Touched,
    (programs, given): (Option<CudaStream>, Option<CudaStream>),
) -> Result<Option<(Capture, StreamInContext)>> {
    let Some(stream) = programs else { return Ok(None) };
    let driver = CudaDriver::get()?;
    let entered = match &comm.devices.direct {
        Some(path) if touched.is_empty() && given.is_none() => Entered::for_device(driver, path.device)?,
        _ => touched.enter(driver, given)?,
    };
    let Some(capture) = driver.capture_of(stream)? else { return Ok(None) };
    let context = entered.context();
    let stream = comm.devices.queue.given_stream_in(driver, context, stream)?;
    Ok(Some((capture, StreamInContext { driver, context, stream })))
}

/// Prepares a call for the graph that its stream captures. A message needs a `given` stream, and a receive
/// must get as many elements as it asks for.
fn capture(
    comm: &Communicator,
    call: &CallSpec,
    touched: &Touched,
    (capture, stream): (Capture, StreamInContext),
    is_given: bool,
) -> Result<Capturing<Communicator>> {
    if !is_given && call.is_message() {
        return Err(Error::Unsupported(
            "the stream records a graph, and a message outside of NCCL's functions cannot be part of one: make the call \
             outside of the capture"
                .into(),
        ));
    }
    let queue = &comm.devices.queue;
    let host = (Weak::clone(queue.communicator()?), &comm.devices.graphs);
    if let Some(path) = &comm.devices.direct
        && let Some(pieces) = call.direct_pieces(comm, path)?
    {
        let given = stream.stream.stream;
        let (driver, context) = (path.driver, path.context);
        let stream = path.stream(|driver, context| queue.given_stream_in(driver, context, given))?;
        let pieces = CapturedPieces::new(path, pieces, comm.rank, touched.writes())?;
        return Capturing::direct(host, pieces, (capture, StreamInContext { driver, context, stream }));
    }
    let copies = CapturedCopies::of(touched, &stream)?;
    let ready = call.ready(comm, &|address| copies.host(address))?;
    let expected = match call {
        CallSpec::Receive(_, buffer) | CallSpec::ReceiveAll(_, buffer) => Some(buffer.count),
        _ => None,
    };
    let facts = (!call.is_message(), expected);
    Ok(Capturing::staged(host, copies, (capture, stream), ready, facts))
}

/// Whether the other engine for memory of devices makes this call, or refuses it. Equal on all ranks of a
/// call, if all of them have their buffers on devices.
fn leaves_to_engine(comm: &Communicator, call: &CallSpec) -> bool {
    if !comm.engines.serve_devices_unasked() {
        return true;
    }
    match call {
        CallSpec::Collective(operation, None) => {
            comm.engines.device_support(&operation.call) == Support::Native
        }
        _ => false,
    }
}

/// Whether calls on device memory can be made: the communicator has neither ended nor failed.
fn check_usable(comm: &Communicator) -> Result<()> {
    if comm.finalized.load(Ordering::Relaxed) {
        return Err(Error::InvalidUsage("the communicator is finalized".into()));
    }
    comm.driver.lock().report_failure(comm.id).map_or(Ok(()), Err)
}

impl CallSpec<'_> {
    /// The pieces of a call on the direct path. `None`: it is staged, on all ranks.
    fn direct_pieces(
        &self,
        comm: &Communicator,
        path: &DirectPath<Communicator>,
    ) -> Result<Option<DirectPieces>> {
        match self {
            CallSpec::Collective(operation, operator) => {
                let of_call = std::iter::once(**operation);
                let Some(pieces) = builtin_pieces(of_call, *operator, None, path) else { return Ok(None) };
                // Wrong arguments are refused as on host memory.
                comm.plan_with(operation, *operator)?;
                check_direct_buffers(comm, operation, sides_of(comm, operation))?;
                Ok(Some(pieces))
            }
            CallSpec::Unequal(call, operator) => {
                Placed::of(call, call.datatype.bytes(), comm.rank, comm.size())?;
                let Some((operation, blocks)) = UnequalBlocks::of(call) else { return Ok(None) };
                let of_call = std::iter::once(operation);
                let pieces = builtin_pieces(of_call, *operator, None, path);
                let Some(mut pieces) = pieces else { return Ok(None) };
                operator.map_or(Ok(()), |operator| operator.check(&operation.call))?;
                let used = blocks.input.used().chain(blocks.output.used());
                check_direct_buffers(comm, &operation, used.map(|(start, bytes)| (start as usize, bytes)))?;
                pieces.unequal = Some(Arc::new(blocks));
                Ok(Some(pieces))
            }
            CallSpec::List(list, operator) => {
                let calls = || list.parts.iter().map(|part| list.call_on(part));
                let pieces = builtin_pieces(calls(), *operator, Some(list.name()), path);
                let Some(pieces) = pieces else { return Ok(None) };
                coalesced::check(comm, list, *operator)?;
                calls().try_for_each(|call| check_direct_buffers(comm, &call, sides_of(comm, &call)))?;
                Ok(Some(pieces))
            }
            _ => Ok(None),
        }
    }

    /// The message on the direct path. `None`: the call is staged.
    fn direct_message(
        &self,
        comm: &Communicator,
        path: &DirectPath<Communicator>,
        is_grouped: bool,
    ) -> Result<Option<DirectMessage>> {
        if let CallSpec::Receive(selector, _) | CallSpec::ReceiveAll(selector, _) = self {
            comm.check_source(*selector)?;
        }
        let longest_staged = is_grouped.then_some(comm.devices.staged_message_bytes);
        Ok(longest_staged.and_then(|bytes| path.message(comm.rank, self, bytes)))
    }

    /// The checked call on the copies of its buffers. `host` gives the copy of an address.
    fn ready(&self, comm: &Communicator, host: &dyn Fn(usize) -> usize) -> Result<ReadyCall> {
        let send = |address: *const u8| with_exposed_provenance::<u8>(host(address.expose_provenance()));
        let recv = |address: *mut u8| with_exposed_provenance_mut::<u8>(host(address.expose_provenance()));
        let described = |call: CallSpec| ReadyCall::Described(call.owned());
        Ok(match self {
            CallSpec::Collective(operation, operator) => {
                let operation =
                    Operation { send: send(operation.send), recv: recv(operation.recv), ..**operation };
                let on_copy = factor_on_copy(*operator, host);
                let operator = on_copy.as_ref().or(*operator);
                comm.plan_with(&operation, operator)?;
                described(CallSpec::Collective(&operation, operator))
            }
            CallSpec::Unequal(operation, operator) => {
                let on_copy = factor_on_copy(*operator, host);
                let operator = on_copy.as_ref().or(*operator);
                let (sends, recvs): (Vec<_>, Vec<_>);
                let places = match operation.places {
                    Places::Buffers { send: from, recv: to } => {
                        Places::Buffers { send: send(from), recv: recv(to) }
                    }
                    Places::Lists { sends: from, recvs: to } => {
                        sends = from.iter().map(|start| send(*start)).collect();
                        recvs = to.iter().map(|start| recv(*start)).collect();
                        Places::Lists { sends: &sends, recvs: &recvs }
                    }
                };
                let call = Unequal { places, ..**operation };
                // SAFETY: the blocks lie in the copies, or are host memory for which the caller vouches.
                ReadyCall::Unequal(unsafe { PreparedUnequal::new(comm, &call, operator) }?)
            }
            CallSpec::List(list, operator) => {
                let on_copies = |part: &Part| Part { send: send(part.send), recv: recv(part.recv), ..*part };
                let parts: Vec<Part> = list.parts.iter().map(on_copies).collect();
                let list = List { parts: &parts, ..**list };
                let on_copy = factor_on_copy(*operator, host);
                let operator = on_copy.as_ref().or(*operator);
                coalesced::check_on_host(comm, &list, operator)?;
                described(CallSpec::List(&list, operator))
            }
            CallSpec::Send(what) => {
                let what = OutgoingMessage { data: send(what.data), ..**what };
                comm.check_ready_send(&what)?;
                described(CallSpec::Send(&what))
            }
            CallSpec::Receive(selector, buffer) | CallSpec::ReceiveAll(selector, buffer) => {
                let buffer = RecvBuffer { data: recv(buffer.data), ..*buffer };
                comm.check_source(*selector)?;
                comm.check_recv_buffer(&buffer)?;
                described(CallSpec::Receive(*selector, buffer))
            }
        })
    }
}

/// The pieces of collectives on the direct path, if their operator is builtin and the leader has kernels.
fn builtin_pieces(
    operations: impl Iterator<Item = Operation>,
    operator: Option<&Arc<Operator>>,
    list: Option<ListCount>,
    path: &DirectPath<Communicator>,
) -> Option<DirectPieces> {
    let is_builtin = operator.is_none_or(|operator| operator.scales());
    let operations = operations.filter(|operation| operation.call.count > 0);
    let pieces = DirectPieces::of(operations, operator, list, path.bundle_limits())?;
    (is_builtin && !pieces.is_at_end() && path.has_kernel(&pieces)).then_some(pieces)
}

/// Address and length of what a collective reads and writes on this rank.
fn sides_of(comm: &Communicator, operation: &Operation) -> impl Iterator<Item = (usize, usize)> {
    let extent = operation.extent(comm.rank, comm.size(), operation.call.datatype.bytes());
    let sides =
        extent.map(|extent| [(operation.send.addr(), extent.read), (operation.recv.addr(), extent.written)]);
    sides.into_iter().flatten()
}

/// Refuses buffers that streams cannot use.
fn check_direct_buffers(
    comm: &Communicator,
    operation: &Operation,
    buffers: impl Iterator<Item = (usize, usize)>,
) -> Result<()> {
    for (address, bytes) in buffers {
        if bytes > 0 && !comm.devices.kinds.is_known(address) {
            let text = format!(
                "{} with one buffer on a device and one in ordinary host memory: on this communicator both are on a device, \
                 or pinned ({DEVICE_PATH_VARIABLE}=staged allows it, on all ranks)",
                operation.call
            );
            return Err(Error::Unsupported(text));
        }
    }
    Ok(())
}

/// The operator of a call whose factor has a copy. `None`: it is used as it is.
fn factor_on_copy(operator: Option<&Arc<Operator>>, host: &dyn Fn(usize) -> usize) -> Option<Arc<Operator>> {
    let (address, _) = operator?.deferred_factor()?;
    let copy = host(address);
    // SAFETY: the call keeps its copies to its end, and begins when they are there.
    let on_copy = || unsafe { operator?.with_factor_at(with_exposed_provenance(copy)) };
    (copy != address).then(on_copy).flatten().map(Arc::new)
}
