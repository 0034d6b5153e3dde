//! Calls with buffers in memory of a device, served by the builtin engine.
//!
//! A *staged* call runs on copies in host memory (`crate::device::StagedCall`), so every collective,
//! datatype, operator and transport works, and ranks with and without a GPU share a communicator. On the wire
//! the call is the same as one on host memory. A *direct* call is carried out by one rank for all (`direct`).
//!
//! 1. The caller's thread checks the call and chooses its way (`described`), makes room, and enqueues
//!    everything on the stream (`room`).
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
mod queue;
mod room;
mod touched;
mod way;
mod worker;

use std::sync::Arc;
use std::sync::atomic::Ordering;

pub(super) use completion::DeviceCompletion;
pub(super) use direct::DirectWay;
pub use on_stream::StreamedCall;
pub(super) use queue::DeviceQueue;
pub use room::{PARTS_AHEAD, RoomyCall, StreamTail};
pub use way::DeviceWay;

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
        shared.device.set_communicator(Arc::downgrade(&shared));
        shared
    }

    /// Whether calls with buffers on a device are put into a stream of the program.
    pub fn has_stream(&self) -> bool {
        self.device.stream().is_some()
    }

    /// Orders the calls of this communicator that have buffers on a device: from now on each is enqueued on
    /// `stream`, and is part of its order. `None`: the library uses a stream of its own, and blocking calls
    /// wait for their end. Local.
    pub fn set_stream(&self, stream: Option<CudaStream>) {
        self.device.set_stream(stream);
    }

    /// Runs a call with device buffers: until it is enqueued, if the communicator has a stream; otherwise to
    /// its end. `None`: no buffer is on a device, or another engine serves such calls, and nothing was done.
    ///
    /// # Safety
    /// The buffers are valid for what the call reads and writes until its end, which is when the stream has
    /// passed it.
    pub(super) unsafe fn run_on_device(&self, call: &CallSpec) -> Option<Result<()>> {
        // SAFETY: passed on from our caller.
        let started = unsafe { self.start_on_device(call) }?;
        Some(match (started, self.device.stream()) {
            (Ok(request), Some(_)) => {
                request.detach();
                Ok(())
            }
            (Ok(mut request), None) => request.wait(),
            (Err(error), _) => Err(error),
        })
    }

    /// Starts a call with device buffers. `None` as for [`Communicator::run_on_device`].
    ///
    /// # Safety
    /// See [`Communicator::run_on_device`].
    #[inline]
    pub(super) unsafe fn start_on_device(&self, call: &CallSpec) -> Option<Result<Request>> {
        let room = self.make_room_in(call, |driver, context| self.device.stream_in(driver, context))?;
        let started = room.and_then(|room| {
            let completion = Arc::clone(&room.completion);
            // SAFETY: passed on from our caller.
            unsafe { self.enqueue_all(room) }?;
            Ok(Request::on_device(Arc::clone(&self.driver), completion))
        });
        Some(started)
    }

    /// Checks a call that is to be started later. Returns whether it has device buffers that the builtin
    /// engine serves; if not, nothing was checked. The page-locked pool has room for the call afterwards.
    pub(super) fn takes_on_device(&self, call: &CallSpec) -> Result<bool> {
        let room = self.make_room_in(call, |driver, context| self.device.own_stream_in(driver, context));
        room.map_or(Ok(false), |room| room.map(|_| true))
    }

    /// Checks a call with device buffers, chooses its way, and makes room for the copies of a staged call.
    /// `None` as for [`Communicator::run_on_device`].
    #[inline]
    fn make_room_in(
        &self,
        call: &CallSpec,
        stream: impl FnOnce(&'static CudaDriver, CudaContext) -> Result<CallStream>,
    ) -> Option<Result<RoomyCall>> {
        if !self.kinds.may_differ() {
            return None;
        }
        let touched = call.touched(&self.kinds, self.rank, self.size());
        if touched.is_empty() || self.has_device_engine() && self.leaves_to_engine(call) {
            return None;
        }
        let room = self.check_device_usable().and_then(|()| {
            if let Some(way) = &self.direct
                && let Some(pieces) = call.direct_pieces(self, way)?
            {
                return RoomyCall::direct(way, pieces, stream);
            }
            let mut staged = StagedCall::new(&touched, stream)?;
            let ready = call.ready(self, &staged)?;
            Ok(RoomyCall::staged(self.in_pieces(ready, &mut staged)?, staged))
        });
        Some(room.inspect_err(|error| self.note_device_failure(error)))
    }

    /// Whether the other engine for memory of devices makes this call, or refuses it. Equal on all ranks of a
    /// call, if all of them have their buffers on devices.
    fn leaves_to_engine(&self, call: &CallSpec) -> bool {
        if !self.has_chosen_device_engine() {
            return true;
        }
        match call {
            CallSpec::Collective(operation, None) => self.device_support(&operation.call) == Support::Native,
            _ => false,
        }
    }

    /// Whether calls on device memory can be made: the communicator has neither ended nor failed.
    fn check_device_usable(&self) -> Result<()> {
        if self.finalized.load(Ordering::Relaxed) {
            return Err(Error::InvalidUsage("the communicator is finalized".into()));
        }
        self.driver.lock().report_failure(self.id).map_or(Ok(()), Err)
    }
}
