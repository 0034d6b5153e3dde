//! What the engine keeps of the control channels of all peers.

use std::time::Instant;

use crate::base::Rank;
use crate::transport::control::ControlMessage;

/// State of the control channels, as far as it concerns all peers.
pub(super) struct ControlState {
    /// When the channels were last read.
    pub read_at: Instant,
    /// When a rank was first seen to be gone.
    pub first_departure: Option<Instant>,
    /// Whether all ranks have met. Until then, a notice of failure is kept back.
    pub joining: Joining,
    /// Messages about communicators that this rank has not made yet, each with the endpoint that it came
    /// through.
    pub early: Vec<(u32, ControlMessage)>,
}

impl ControlState {
    pub fn new() -> ControlState {
        ControlState {
            read_at: Instant::now(),
            first_departure: None,
            joining: Joining::Over,
            early: Vec::new(),
        }
    }
}

/// Whether all ranks have met. A rank that has met all others goes on, and may fail, while others still join:
/// its notice of failure belongs to their first call, not to their joining.
#[derive(Default)]
pub(super) enum Joining {
    /// All have met.
    #[default]
    Over,
    /// The ranks are about to meet. Holds the first notice that came meanwhile, and its sender.
    UnderWay(Option<(Rank, ControlMessage)>),
}
