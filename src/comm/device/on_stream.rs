//! Calls that bring their stream along, alone and in groups.
//!
//! A group is put into the streams in three steps, each for all its calls: the memory is reserved, the
//! copies to the host are enqueued, and then the waits and the copies back. So no wait stands before what
//! another call of the group needs, although they may share a stream, and be calls of several ranks.

use std::sync::Arc;

use super::{DeviceCompletion, ReservedCall};
use crate::base::Result;
use crate::p2p::Status;

/// A call in a stream. Dropping it leaves the call to the stream.
pub struct StreamedCall(Arc<DeviceCompletion>);

impl StreamedCall {
    /// The call that was reserved.
    pub fn of(reserved: &ReservedCall) -> StreamedCall {
        StreamedCall(Arc::clone(&reserved.completion))
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
