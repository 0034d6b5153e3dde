//! A fast program: the operations of a program of small messages, as one list.

use super::steps::{Bytes, LocalStep};
use crate::base::Rank;
use crate::transport::fast_path::FragmentSize;

/// One operation. `queue` is the number of its queue in the [`Program`]. `peer` is a rank, and the number of
/// an endpoint once the program runs.
#[derive(Clone, Copy, Debug)]
pub(super) enum FastOp {
    Local(LocalStep),
    /// Sends a message. `may_zero_copy`: the message is long enough for a zero copy, and its bytes may stay
    /// in place until they are read.
    Send {
        queue: u32,
        peer: Rank,
        span: Bytes,
        /// Count in the header, if each message has its own.
        count: u64,
        may_zero_copy: bool,
        cut: FragmentSize,
    },
    Recv {
        queue: u32,
        peer: Rank,
        operand: Option<Bytes>,
        dst: Bytes,
        /// Count in the header, if each message has its own.
        count: u64,
    },
}

/// A program that the fast path can run.
#[derive(Debug)]
pub(crate) struct FastProgram {
    pub(super) ops: Vec<FastOp>,
    /// The lane with the transfers.
    pub(super) lane: usize,
    /// Number of operations after which the lanes without transfers have run.
    pub(super) others_done: usize,
}
