//! From a call to its reservation: checks, the choice of the path, and the memory.
//!
//! A call goes by the direct path if the communicator has it, and `on_direct_path` finds that the call may.
//! The others are staged, on copies of their buffers (`on_copies`).

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use super::call_streams::CallStream;
use super::completion::{DeviceCompletion, StreamedCall, captured_completion};
use super::direct::CapturedPieces;
use super::graph::{CapturedCopies, Capturing, capture_together};
use super::reserved::{ReservedCall, failed};
use super::staged::ranges::Touched;
use super::staged::{StagedCall, in_pieces};
use super::stream_order::StreamInContext;
use crate::backend::Support;
use crate::base::{Error, Result};
use crate::comm::call::spec::CallSpec;
use crate::comm::communicator::Communicator;
use crate::comm::request::Request;
use crate::device::{Capture, CudaContext, CudaDriver, CudaStream, Entered};

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
