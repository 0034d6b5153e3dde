//! The end of a device call, as a request or the caller of a call in a stream sees it.

use std::sync::Arc;

use super::outcome_cell::OutcomeCell;
use crate::base::Result;
use crate::p2p::Status;
use crate::progress::CallOutcome;

/// The outcome of a call, once its stream has passed it.
pub(in crate::comm) type DeviceCompletion = OutcomeCell<CallOutcome>;

/// The completion of a call that is in its graph. The communicator reports what becomes of its launches.
pub(super) fn captured_completion() -> Arc<DeviceCompletion> {
    let completion = DeviceCompletion::default();
    completion.set(Ok(None));
    Arc::new(completion)
}

/// A call in a stream. Dropping it leaves the call to the stream.
pub struct StreamedCall(Arc<DeviceCompletion>);

impl StreamedCall {
    /// The call with this completion.
    pub(super) fn of(completion: &Arc<DeviceCompletion>) -> StreamedCall {
        StreamedCall(Arc::clone(completion))
    }

    /// The outcome, once the stream has passed the call. A message has a status.
    pub fn outcome(&self) -> Option<Result<Option<Status>>> {
        Some(self.0.get()?.map(|ended| ended.map(|ended| ended.status)))
    }

    /// Waits until the stream has passed the call.
    pub fn wait(&self) -> Result<Option<Status>> {
        self.0.wait().map(|ended| ended.map(|ended| ended.status))
    }
}
