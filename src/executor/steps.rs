//! The steps of a compiled plan, in bytes: local steps, sends and receives, and their hazards.

use crate::base::{Rank, WireFormat};
use crate::observe::trace::Activity;
use crate::plan::Buffer;
use crate::transport::SingleCopy;

/// A span of one of the three buffers, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes {
    pub buffer: Buffer,
    pub offset: usize,
    pub len: usize,
}

/// A step that involves no other rank.
#[derive(Clone, Copy, Debug)]
pub(super) enum LocalStep {
    Copy {
        src: Bytes,
        dst: Bytes,
        streamed: bool,
    },
    Reduce {
        a: Bytes,
        b: Bytes,
        dst: Bytes,
    },
    /// Float32 to their narrow form.
    Narrow {
        format: WireFormat,
        src: Bytes,
        dst: Bytes,
    },
    /// A narrow form to float32, or to their sums with `operand`.
    Widen {
        format: WireFormat,
        src: Bytes,
        operand: Option<Bytes>,
        dst: Bytes,
    },
}

impl LocalStep {
    /// The kind of the step and its bytes, for a trace.
    pub fn activity(&self) -> (Activity, usize) {
        match self {
            LocalStep::Copy { dst, .. } => (Activity::Copy, dst.len),
            LocalStep::Narrow { src, .. } => (Activity::Copy, src.len),
            LocalStep::Widen { operand: None, dst, .. } => (Activity::Copy, dst.len),
            LocalStep::Reduce { dst, .. } | LocalStep::Widen { dst, .. } => (Activity::Reduce, dst.len),
        }
    }
}

/// One round of one lane.
#[derive(Debug, Default)]
pub(super) struct RoundProgram {
    pub locals: Vec<LocalStep>,
    /// Number of sends (one per receiver) plus number of receives.
    pub transfers: u32,
}

/// One message to one peer.
#[derive(Debug)]
pub(super) struct SendStep {
    pub lane: u32,
    pub round: u32,
    pub span: Bytes,
    /// Count in the header, if each message has its own.
    pub count: u64,
    /// Policy for single copies. `Never` if a receive of this round waits for this send, because neither side
    /// of an exchange in place would begin.
    pub single_copy: SingleCopy,
}

/// A write-after-read hazard: a send that reads what a receive of the same round writes. The receive must not
/// overtake it. The send is at `position` in `queue` of the sends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hazard {
    pub queue: u32,
    pub position: u32,
}

/// One message from one peer.
#[derive(Debug)]
pub(super) struct RecvStep {
    pub lane: u32,
    pub round: u32,
    /// Left operand of the reduction. `None`: the bytes are stored as they come.
    pub operand: Option<Bytes>,
    pub dst: Bytes,
    /// Count in the header, if each message has its own.
    pub count: u64,
    pub hazards: Vec<Hazard>,
    /// Whether the bytes are stored past the caches.
    pub streamed: bool,
}

/// The messages to or from one peer, in posting order. In a program that runs, `peer` is the number of an
/// endpoint.
#[derive(Debug)]
pub(super) struct PeerQueue<S> {
    pub peer: Rank,
    pub steps: Vec<S>,
}
