//! The ends of the two connections of a peer. Why the data connection has ended comes over the control
//! channel, and the end of the control channel may come before the last data.

use std::io::ErrorKind;
use std::time::Duration;

use super::engine::Engine;
use crate::endpoint::Presence;
use crate::executor::LinkFailure;
use crate::sys::clock;

/// Longest wait for the other connection after one has ended. A packet that was lost twice has come by then.
const OTHER_END_TIME: Duration = Duration::from_secs(3);

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
        endpoint.presence == Presence::Here && clock::since(since) < OTHER_END_TIME
    }

    /// Notes of which peers that are gone something has come since.
    pub(super) fn note_late_data(&mut self) {
        for endpoint in &mut self.endpoints {
            let arrivals = endpoint.inbox.link.arrivals();
            if let Some(gone) = endpoint.gone.as_mut().filter(|gone| gone.1 != arrivals) {
                *gone = (clock::now(), arrivals);
            }
        }
    }

    /// Whether data of a peer that is gone may still come: the process has ended without a word, and its data
    /// connection has not.
    pub(super) fn may_have_data(&self, at: u32) -> bool {
        let endpoint = &self.endpoints[at as usize];
        let has_end = endpoint.inbox.link.notices_its_end();
        let is_recent = endpoint.gone.is_some_and(|(at, _)| clock::since(at) < OTHER_END_TIME);
        has_end && is_recent && endpoint.link_ended_at.is_none()
    }
}
