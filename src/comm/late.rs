//! A call that has begun on the fast path, and then had to wait for another rank.

use super::communicator::Communicator;
use super::request::Request;
use crate::base::BoxedResult;
use crate::p2p::Status;
use crate::progress::wait::LateCall;

/// A call under way. It is either waited for at once, or becomes a request.
pub struct Late<'a> {
    pub(super) comm: &'a Communicator,
    pub(super) call: LateCall<'a>,
}

impl Late<'_> {
    /// Waits for the end. A message has a status.
    #[cold]
    pub fn wait(self) -> BoxedResult<Option<Status>> {
        let ended = self.call.wait(self.comm.timeout.get()).map_err(Box::new)?;
        Ok(ended.map(|completion| completion.status))
    }

    /// The call as a request. Its buffers are in use until that has ended.
    #[cold]
    pub fn into_request(self) -> Request {
        self.comm.request(self.call.into_ticket())
    }
}
