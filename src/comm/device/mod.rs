//! Calls with buffers in memory of a device, served by the builtin engine.
//!
//! A *staged* call runs on copies in host memory (`crate::device::StagedCall`), so every collective,
//! datatype, operator and transport works, and ranks with and without a GPU share a communicator. On the wire
//! the call is the same as one on host memory. A *direct* call is carried out by one rank for all (`direct`).
//!
//! 1. The caller's thread checks the call, chooses its path (`described`), reserves its memory, and enqueues
//!    everything on the stream (`reserved`).
//! 2. The call joins the `queue` of its communicator. A thread of the library starts the calls in their
//!    order, each when its stream has come to it, and lets the stream go on when the call has ended
//!    (`worker`).
//! 3. The request completes when the stream has passed the call (`completion`).
//!
//! A call on host memory first waits until all earlier calls have been started, so that all ranks start the
//! calls of a communicator in the same order.
//!
//! With a stream ([`Communicator::set_stream`]), a blocking call returns when it is enqueued. Without one,
//! the library enqueues on a stream of its own, and a blocking call waits for its end.

mod call_queue;
mod completion;
mod described;
mod device_call;
mod direct;
#[cfg(any(test, feature = "fuzzing"))]
pub(super) mod foreign_bytes;
mod in_pieces;
mod on_stream;
mod outcome_cell;
pub(super) mod part;
pub(super) mod path;
mod queue;
mod reserved;
mod touched;
mod worker;

use std::sync::Arc;
use std::sync::atomic::Ordering;

pub(super) use completion::DeviceCompletion;
pub(super) use direct::set_up_direct_path;
pub use on_stream::StreamedCall;
pub(super) use part::DevicePart;
pub use path::DevicePath;
pub use reserved::{PARTS_AHEAD, ReservedCall, StreamTail};

use self::in_pieces::in_pieces;
use self::reserved::note_failure;
use super::call::spec::CallSpec;
use super::communicator::Communicator;
use super::request::Request;
use crate::backend::Support;
use crate::base::{Error, Result};
use crate::device::{CallStream, CudaContext, CudaDriver, CudaStream, StagedCall};

impl Communicator {
    /// Makes the communicator one that can take calls in memory of a device: the library's thread for them
    /// must be able to reach it.
    pub fn shared(self) -> Arc<Communicator> {
        let shared = Arc::new(self);
        shared.devices.queue.set_communicator(Arc::downgrade(&shared));
        shared
    }

    /// Whether calls with buffers on a device are put into a stream of the program.
    pub fn has_stream(&self) -> bool {
        self.devices.queue.stream().is_some()
    }

    /// Orders the calls of this communicator that have buffers on a device: from now on each is enqueued on
    /// `stream`, and is part of its order. `None`: the library uses a stream of its own, and blocking calls
    /// wait for their end. Local.
    pub fn set_stream(&self, stream: Option<CudaStream>) {
        self.devices.queue.set_stream(stream);
    }

    /// The path of calls on device memory. Local, and equal on all ranks that have the driver.
    pub fn device_path(&self) -> DevicePath {
        path::path_of(self)
    }

    /// Buffer counts of direct calls on this rank, (in place, copied): those used where they are, and those
    /// copied to or from other memory of the device. A call in pieces counts once for each.
    pub fn direct_buffers(&self) -> (u64, u64) {
        self.devices.direct_buffers()
    }

    /// Number of records that this rank has sent about direct calls: one for each call, or for
    /// each piece of it.
    pub fn direct_exchanges(&self) -> u64 {
        self.devices.direct.as_ref().map_or(0, |path| path.begun())
    }

    /// Reserves the memory of a call on `stream`. `None`: streams cannot use any of its buffers, or another engine
    /// serves such calls, and nothing was done. Pinned, registered and managed host memory counts as memory
    /// that streams use.
    #[inline]
    pub fn reserve(&self, call: &CallSpec, stream: CudaStream) -> Option<Result<ReservedCall>> {
        let queue = &self.devices.queue;
        let stream = |driver, context| Ok(queue.given_stream_in(driver, context, stream));
        reserve_in(self, call, WithHost::InStreams, stream)
    }
}

/// Runs a call with device buffers: until it is enqueued, if the communicator has a stream; otherwise to its
/// end. `None`: no buffer is on a device, or another engine serves such calls, and nothing was done.
///
/// # Safety
/// The buffers are valid for what the call reads and writes until its end, which is when the stream has
/// passed it.
pub(super) unsafe fn run(comm: &Communicator, call: &CallSpec) -> Option<Result<()>> {
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
pub(super) unsafe fn start(comm: &Communicator, call: &CallSpec) -> Option<Result<Request>> {
    let queue = &comm.devices.queue;
    let reserved = reserve_in(comm, call, WithHost::None, |driver, context| queue.stream_in(driver, context))?;
    let started = reserved.and_then(|reserved| {
        let completion = Arc::clone(&reserved.completion);
        // SAFETY: passed on from our caller.
        unsafe { reserved.enqueue_all(comm) }?;
        Ok(Request::on_device(Arc::clone(&comm.driver), completion))
    });
    Some(started)
}

/// Whether a buffer of a call is memory of a device.
pub(super) fn touches(comm: &Communicator, call: &CallSpec) -> bool {
    let kinds = &comm.devices.kinds;
    kinds.may_differ() && !call.touched(kinds, comm.rank, comm.size()).is_empty()
}

/// Checks a call that is to be started later. Returns whether it has device buffers that the builtin engine
/// serves; if not, nothing was checked. The pool of pinned memory is large enough for the call afterwards.
pub(super) fn takes(comm: &Communicator, call: &CallSpec) -> Result<bool> {
    let queue = &comm.devices.queue;
    let reserved =
        reserve_in(comm, call, WithHost::None, |driver, context| queue.own_stream_in(driver, context));
    reserved.map_or(Ok(false), |reserved| reserved.map(|_| true))
}

/// Which calls on host memory alone are part of a stream.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WithHost {
    None,
    /// Calls on memory that streams may use.
    InStreams,
}

/// Checks a call with device buffers, chooses its path, and reserves memory for its copies. `None`
/// as for [`run`].
#[inline]
fn reserve_in(
    comm: &Communicator,
    call: &CallSpec,
    with_host: WithHost,
    stream: impl FnOnce(&'static CudaDriver, CudaContext) -> Result<CallStream>,
) -> Option<Result<ReservedCall>> {
    if !comm.devices.kinds.may_differ() {
        return None;
    }
    if let Err(error) = comm.check_shape(call) {
        return Some(Err(error));
    }
    let touched = call.touched(&comm.devices.kinds, comm.rank, comm.size());
    let is_in_stream = !touched.is_empty() || with_host == WithHost::InStreams && touched.has_host();
    if !is_in_stream || comm.engines.serve_devices() && leaves_to_engine(comm, call) {
        return None;
    }
    let reserved = check_usable(comm).and_then(|()| {
        if let Some(path) = &comm.devices.direct
            && let Some(pieces) = call.direct_pieces(comm, path)?
        {
            return ReservedCall::direct(path, pieces, stream);
        }
        let mut staged = StagedCall::new(&touched, stream)?;
        let ready = call.ready(comm, &staged)?;
        Ok(ReservedCall::staged(in_pieces(comm, ready, &mut staged)?, staged))
    });
    Some(reserved.inspect_err(|error| note_failure(comm, error)))
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
