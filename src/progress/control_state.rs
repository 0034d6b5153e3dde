//! State of the control channels of all peers.

use std::time::Instant;

use crate::base::Rank;
use crate::sys::clock;
use crate::transport::control::ControlMessage;

/// The state of the control channels that concerns all peers.
pub(super) struct ControlState {
    /// Time when the channels were last read.
    pub read_at: Instant,
    /// Time when those of ranks that have not talked were last read.
    pub heard_at: Instant,
    /// Time when a rank was first seen to be gone.
    pub first_departure: Option<Instant>,
    /// Whether all ranks have met. Until then, a notice of failure is kept back.
    pub joining: Joining,
    /// Messages about communicators that this rank has not made yet, each with the endpoint through which it
    /// came.
    pub early: Vec<(u32, ControlMessage)>,
}

impl ControlState {
    pub fn new() -> ControlState {
        ControlState {
            read_at: clock::now(),
            heard_at: clock::now(),
            first_departure: None,
            joining: Joining::Over,
            early: Vec::new(),
        }
    }
}

/// Whether all ranks have met. A rank that has met all others goes on, and may fail, while others still join.
/// Its notice of failure concerns their first call, not their joining.
#[derive(Default)]
pub(super) enum Joining {
    /// All ranks have met.
    #[default]
    Over,
    /// The ranks are still meeting. Holds the first notice that has come meanwhile, and its sender.
    UnderWay(Option<(Rank, ControlMessage)>),
}
