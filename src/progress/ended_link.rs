//! The end of a data connection. Why it has ended is told over another one, the control channel, whose
//! packets may come later.

use std::io::ErrorKind;
use std::time::Duration;

use super::engine::Engine;
use crate::endpoint::Presence;
use crate::executor::LinkFailure;
use crate::sys::clock;

/// Longest wait for the reason. A packet that was lost twice has come by then.
const REASON_TIME: Duration = Duration::from_secs(3);

impl Engine {
    /// Whether the reason of a failure may still come: the peer has closed its data connection, and its
    /// control channel is open.
    pub(super) fn may_hear_why(&mut self, failure: &LinkFailure) -> bool {
        use ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
        if !matches!(failure.source.kind(), BrokenPipe | ConnectionReset | UnexpectedEof) {
            return false;
        }
        // The reason itself is taken in where nothing else is under way.
        let endpoint = &mut self.endpoints[failure.peer as usize];
        let since = *endpoint.link_ended_at.get_or_insert_with(clock::now);
        endpoint.presence == Presence::Here && clock::since(since) < REASON_TIME
    }
}
