//! A Plan: what one rank does in one collective, as data.
//!
//! An algorithm is a pure function from a [`PlanRequest`] to the [`Plan`] of one rank. A plan has
//! lanes that run side by side; a lane is a list of rounds; a round is a list of steps.
//!
//! # Meaning of a round
//!
//! 1. The local steps (`Copy`, `Reduce`) run first, in the order listed.
//! 2. Then all transfers of the round run concurrently, as a parallel assignment: every send
//!    reads its span, and every receive reads its operand, as they were when the transfers began.
//!    A span may therefore be sent and received into in the same round (an exchange in place);
//!    the two spans must then be identical, start and length. No element is written twice by
//!    the transfers of one round, in any lane that may be running at the time.
//! 3. The round ends on this rank when its own steps are complete: sent spans may be overwritten,
//!    received spans are readable. Other ranks may be rounds ahead or behind.
//!
//! Lanes are independent: what one lane writes no other lane reads or writes.
//!
//! # Matching
//!
//! There are no tags. Between an ordered pair of ranks, messages match in *posting order*: sorted by
//! (round, lane, position in round). The k-th send of a to b in a's plan meets the k-th receive
//! from a in b's plan, and must have the same length. An empty span is not sent and not
//! received: builders skip it on both sides, except in collectives that count their messages
//! ([`Collective::counts_messages`]). A plan never sends to its own rank.
//!
//! The verifier ([`verify`]) proves all of this for all ranks together.

mod blocks;
pub mod cache;
mod print;
mod unfused;
pub mod verify;

pub use blocks::{Block, BlockLayout, extent};

use crate::base::{Collective, Rank};
use crate::topology::Topology;

/// The three memories that a plan speaks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Buffer {
    /// The caller's send buffer. Read only, except where it is also the output (in place).
    Input,
    /// The caller's receive buffer.
    Output,
    /// Memory of the engine, `Plan::scratch` elements, undefined at the start.
    Scratch,
}

/// `len` elements of `buffer`, from element `offset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// The memory.
    pub buffer: Buffer,
    /// First element.
    pub offset: usize,
    /// Number of elements.
    pub len: usize,
}

impl Span {
    /// `len` elements of this span, from its element `start`.
    pub fn part(self, start: usize, len: usize) -> Span {
        debug_assert!(start + len <= self.len, "a part is inside");
        Span { offset: self.offset + start, len, ..self }
    }
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// `dst = src`, locally. Spans of equal length, disjoint.
    Copy {
        /// Read.
        src: Span,
        /// Written.
        dst: Span,
    },
    /// `dst = a op b`, locally. `dst` may be identical to `a` or `b`, else disjoint.
    Reduce {
        /// Left operand.
        a: Span,
        /// Right operand.
        b: Span,
        /// Written.
        dst: Span,
    },
    /// Send `span` to each rank of `to`; the transport may do it with one write.
    Send {
        /// Receivers, not empty, without this rank.
        to: Vec<Rank>,
        /// Read.
        span: Span,
    },
    /// Receive from `from` into `dst`.
    Recv {
        /// Sender.
        from: Rank,
        /// Written.
        dst: Span,
    },
    /// `dst = operand op (what from sends)`, reduced while it arrives.
    RecvReduce {
        /// Sender.
        from: Rank,
        /// Left operand: identical to `dst`, or disjoint from it.
        operand: Span,
        /// Written.
        dst: Span,
    },
}

/// Steps that may run concurrently. See the module head for the exact meaning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// Local steps first in effect, then transfers, whatever their order here.
    pub steps: Vec<Step>,
}

/// Rounds in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lane {
    /// Executed one after the other.
    pub rounds: Vec<Round>,
}

/// The steps of one rank in one collective.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Elements of scratch memory that the plan needs.
    pub scratch: usize,
    /// Whether receivers should read in scratch what is sent from there: several ranks of the host want it,
    /// or it is large.
    pub shared_scratch: bool,
    /// Run side by side.
    pub lanes: Vec<Lane>,
}

/// Everything that a plan may depend on. Equal on all ranks except `rank`.
#[derive(Clone, Copy, Debug)]
pub struct PlanRequest<'a> {
    /// The collective.
    pub collective: Collective,
    /// Ranks in the communicator.
    pub size: u32,
    /// The rank whose plan this is.
    pub rank: Rank,
    /// Root, 0 where the collective has none.
    pub root: Rank,
    /// Elements, in the sense of [`Collective::input_elements`]. With a layout: the elements of a block, on
    /// average, where all ranks know that; else 0. Plans do not depend on it then, but predictions do.
    pub count: usize,
    /// Bytes of one element.
    pub element_bytes: usize,
    /// Send and receive buffer coincide as NCCL defines it: all_reduce, reduce and broadcast at
    /// the root, all_to_all: `send == recv`; all_gather: `send == recv + rank*count`;
    /// gather, at the root: `send == recv + root*count`; reduce_scatter: `recv == send +
    /// rank*count`; scatter, at the root: `recv == send + root*count`. The plans of the other ranks
    /// must meet such a plan: in place or not is each rank's own business. With a layout: the own block is
    /// where the other buffer has it; all_to_all_v: `send == recv`, and both have the same blocks.
    pub in_place: bool,
    /// Preferred bytes of one chunk of a pipelined algorithm, at least one element.
    pub chunk_bytes: usize,
    /// The hosts of the ranks: which ranks share memory.
    pub topology: &'a Topology,
    /// Blocks of this rank, where the collective has a layout.
    pub layout: BlockLayout<'a>,
}
