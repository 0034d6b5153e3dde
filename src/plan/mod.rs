//! A Plan: what one rank does in one collective, as data.
//!
//! An algorithm is a pure function from a [`PlanRequest`] to the [`Plan`] of one rank. A plan has lanes that
//! run side by side; a lane is a list of rounds; a round is a list of steps.
//!
//! # Meaning of a round
//!
//! 1. The local steps (`Copy`, `Reduce`, `Narrow`, `Widen`) run first, in the order listed.
//! 2. Then all transfers of the round run concurrently, as a parallel assignment: every send reads its span,
//!    and every receive reads its operand, as they were when the transfers began. A span may therefore be
//!    sent and received into in the same round (an exchange in place); the two spans must then be identical
//!    in start and length. The transfers of one round write no element twice, counting all lanes that may run
//!    at the same time.
//! 3. The round ends on this rank when its own steps are complete: sent spans may then be overwritten,
//!    received spans can be read. Other ranks may be rounds ahead or behind.
//!
//! Lanes are independent: no lane reads or writes an element that another lane writes.
//!
//! # Matching
//!
//! There are no tags. Between an ordered pair of ranks, messages match in *posting order*: sorted by (round,
//! lane, position in round). The k-th send of a to b in a's plan meets the k-th receive from a in b's plan,
//! and must have the same length. An empty span is not sent and not received: builders skip it on both sides,
//! except in collectives that count their messages ([`Collective::counts_messages`]). A plan never sends to
//! its own rank.
//!
//! # Narrow forms
//!
//! Sums of float32 may travel in a narrow form ([`WireFormat`]). It is made in scratch by `Narrow`, takes
//! fewer elements there, and is sent like any span. `Widen` makes numbers of it again. Nothing else reads or
//! writes a part of it.
//!
//! The verifier ([`verify`]) proves all of this for all ranks together.

mod blocks;
pub mod cache;
pub mod fixed_tree;
mod print;
mod unfused;
pub mod verify;

pub use blocks::{Block, BlockLayout, BlockLengths, extent};

use crate::base::{Collective, Rank, WireFormat};
use crate::topology::Topology;

/// The three memories that a plan speaks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Buffer {
    /// The caller's send buffer. Read only, unless it is also the output (in place).
    Input,
    /// The caller's receive buffer.
    Output,
    /// Memory of the engine, `Plan::scratch` elements long, undefined at the start.
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
        /// Span that is read.
        src: Span,
        /// Span that is written.
        dst: Span,
    },
    /// `dst = a op b`, locally. `dst` may be identical to `a` or `b`, else disjoint.
    Reduce {
        /// Left operand.
        a: Span,
        /// Right operand.
        b: Span,
        /// Span that is written.
        dst: Span,
    },
    /// `dst` = the narrow form of `src`, locally: its length is [`WireFormat::narrow_len`]. Elements are
    /// float32. Spans are disjoint.
    Narrow {
        /// The form.
        format: WireFormat,
        /// Numbers that are read.
        src: Span,
        /// Span that is written.
        dst: Span,
    },
    /// `dst` = the numbers of the narrow form in `src`, or their sums with `operand`, locally.
    Widen {
        /// The form.
        format: WireFormat,
        /// A whole narrow form of as many numbers as `dst` has.
        src: Span,
        /// Other summand: identical to `dst`, or disjoint from it.
        operand: Option<Span>,
        /// Span that is written. Disjoint from `src`.
        dst: Span,
    },
    /// Send `span` to each rank of `to`; the transport may do it with one write.
    Send {
        /// Receivers: at least one, and never this rank.
        to: Vec<Rank>,
        /// Span that is sent.
        span: Span,
    },
    /// Receive from `from` into `dst`.
    Recv {
        /// Sender.
        from: Rank,
        /// Span that is written.
        dst: Span,
    },
    /// `dst = operand op received`, reduced while the message arrives.
    RecvReduce {
        /// Sender.
        from: Rank,
        /// Left operand: identical to `dst`, or disjoint from it.
        operand: Span,
        /// Span that is written.
        dst: Span,
    },
}

/// Steps that may run concurrently. See the module head for the exact meaning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// Steps in any order: the local ones take effect first, then the transfers.
    pub steps: Vec<Step>,
}

/// Rounds in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lane {
    /// Rounds, executed one after the other.
    pub rounds: Vec<Round>,
}

/// The steps of one rank in one collective.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Length of the scratch memory that the plan needs, in elements.
    pub scratch: usize,
    /// Whether receivers should read directly in scratch what is sent from there: several ranks of the host
    /// need it, or it is large.
    pub shared_scratch: bool,
    /// Lanes that run side by side.
    pub lanes: Vec<Lane>,
}

/// The inputs of an algorithm. Equal on all ranks except `rank` and what belongs to that rank.
#[derive(Clone, Copy, Debug)]
pub struct PlanRequest<'a> {
    /// The collective.
    pub collective: Collective,
    /// Ranks in the communicator.
    pub size: u32,
    /// The rank whose plan this is.
    pub rank: Rank,
    /// Root; 0 if the collective has none.
    pub root: Rank,
    /// Number of elements, in the sense of [`Collective::input_elements`]. With a layout it is the average
    /// length of a block, or 0 if not all ranks know that. Plans then do not depend on it, but predictions
    /// do.
    pub count: usize,
    /// Bytes of one element.
    pub element_bytes: usize,
    /// Whether send and receive buffer coincide, as NCCL defines it. all_reduce, all_to_all, and reduce and
    /// broadcast at the root: `send == recv`. all_gather: `send == recv + rank*count`. gather, at the root:
    /// `send == recv + root*count`. reduce_scatter: `recv == send + rank*count`. scatter, at the root: `recv
    /// == send + root*count`. With a layout, the own block lies where the other buffer has it; all_to_all_v:
    /// `send == recv`, and both have the same blocks. Each rank decides this for itself, and the plans of the
    /// other ranks must fit.
    pub in_place: bool,
    /// Preferred bytes of one chunk of a pipelined algorithm, at least one element.
    pub chunk_bytes: usize,
    /// The hosts of the ranks: which ranks share memory.
    pub topology: &'a Topology,
    /// Blocks of this rank, if the collective has a layout.
    pub layout: BlockLayout<'a>,
}
