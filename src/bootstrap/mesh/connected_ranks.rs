//! The ranks that this rank has connected with, for as long as it may still fail to join. It tells them its
//! failure, and receives theirs.
//!
//! A failure notice travels over the control socket, as it does later between engines. So a rank that has
//! joined already receives it in its engine.

use crate::base::{Error, Rank};
use crate::transport::control::{ControlChannel, ControlMessage};
use crate::transport::{FIRST_CONTEXT, failure};

/// The ranks that this rank has connected with; see the module head.
pub struct ConnectedRanks {
    rank: Rank,
    labels: Vec<String>,
    /// Control channels by rank; `None` where there is no connection.
    controls: Vec<Option<ControlChannel>>,
    /// A failure notice that one of them has sent.
    heard: Option<ControlMessage>,
}

impl ConnectedRanks {
    /// The ranks that `rank` is connected with: its sockets, and each rank's name in messages, by rank.
    pub fn new(rank: Rank, labels: Vec<String>, controls: Vec<Option<ControlChannel>>) -> ConnectedRanks {
        ConnectedRanks { rank, labels, controls, heard: None }
    }

    /// No ranks: none is connected, or the engine informs them.
    pub fn none() -> ConnectedRanks {
        ConnectedRanks::new(0, Vec::new(), Vec::new())
    }

    /// The failure that one of them has reported, if any has arrived. Must not be called again after it
    /// returned one.
    pub(super) fn ask(&mut self) -> Option<Error> {
        let (at, notice) = self
            .controls
            .iter_mut()
            .enumerate()
            .find_map(|(at, c)| Some((at, c.as_mut()?.take_failure_notice()?)))?;
        let ControlMessage::Notice { kind, origin, subject, text, .. } = &notice else { return None };
        let label = self.labels.get(*origin as usize).unwrap_or(&self.labels[at]);
        let error = failure::from_notice(*kind, *subject, text, label);
        self.heard = Some(notice);
        Some(error)
    }

    /// Tells all of them why this rank fails: the reason it has received, else `own`.
    pub(super) fn tell(&mut self, own: &Error) {
        let notice = self.heard.clone().unwrap_or_else(|| failure::notice(own, FIRST_CONTEXT, self.rank));
        self.controls.iter_mut().flatten().for_each(|control| control.send(&notice));
    }
}
