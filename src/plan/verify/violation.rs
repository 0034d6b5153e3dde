//! Violations: the errors that the verifier finds in plans.

use std::fmt;

use crate::base::Rank;
use crate::plan::{Buffer, Span};

/// A step of the plan of one rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// The rank whose plan it is.
    pub rank: Rank,
    /// Index into `Plan::lanes`.
    pub lane: u32,
    /// Index into `Lane::rounds`.
    pub round: u32,
    /// Index into `Round::steps`.
    pub step: u32,
}

/// Why a set of plans is not the collective it claims to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// A span reaches beyond its buffer.
    OutOfBounds {
        /// The step.
        site: Site,
        /// Its span.
        span: Span,
        /// Elements that the buffer has on this rank.
        available: usize,
    },
    /// A step writes the caller's send buffer. In place, plans write `Output`.
    InputWritten {
        /// The step.
        site: Site,
        /// Its span.
        span: Span,
    },
    /// A step without elements: builders leave it out.
    EmptySpan {
        /// The step.
        site: Site,
    },
    /// A transfer has no peer, this rank as its peer, a rank that does not exist, or the same rank twice.
    BadPeer {
        /// The step.
        site: Site,
        /// The peer, if there is one.
        peer: Option<Rank>,
    },
    /// The spans of one step differ in length.
    LengthsDiffer {
        /// The step.
        site: Site,
        /// Length of one span.
        one: usize,
        /// Length of the other.
        other: usize,
    },
    /// The spans of one step overlap where they must not.
    StepOverlaps {
        /// The step.
        site: Site,
        /// The span that is read.
        read: Span,
        /// The span that is written.
        written: Span,
    },
    /// Two receives of one round write the same element.
    WrittenTwice {
        /// The later of the two steps.
        site: Site,
        /// Index of the other step in the same round.
        other: u32,
        /// The buffer of the element.
        buffer: Buffer,
        /// The element.
        element: usize,
    },
    /// A receive writes part of what another step of the same round still reads.
    WrittenWhileRead {
        /// The step that reads.
        site: Site,
        /// Index of the step that writes, in the same round.
        other: u32,
        /// The buffer of the element.
        buffer: Buffer,
        /// The element.
        element: usize,
    },
    /// A lane touches an element that another lane writes.
    LanesCollide {
        /// The step of the lane that was found later.
        site: Site,
        /// The other lane.
        other: u32,
        /// The buffer of the element.
        buffer: Buffer,
        /// The element.
        element: usize,
    },
    /// A send without a receive.
    UnmatchedSend {
        /// The send.
        site: Site,
        /// The rank that does not receive.
        peer: Rank,
    },
    /// A receive without a send.
    UnmatchedReceive {
        /// The receive.
        site: Site,
        /// The rank that does not send.
        peer: Rank,
    },
    /// A send meets a receive of another length.
    LengthMismatch {
        /// The send.
        send: Site,
        /// The receive that it meets.
        receive: Site,
        /// Elements sent.
        sent: usize,
        /// Elements expected.
        expected: usize,
    },
    /// No message can complete any more.
    Deadlock {
        /// A transfer that waits for ever.
        site: Site,
        /// The rank that it waits for.
        peer: Rank,
        /// The peer's side of the message.
        peer_site: Site,
        /// Round that the peer's lane has reached.
        peer_round: u32,
    },
    /// A step reads an element that nobody has written.
    UndefinedRead {
        /// The step.
        site: Site,
        /// The buffer of the element.
        buffer: Buffer,
        /// The element.
        element: usize,
    },
    /// A step widens what is no whole narrow form of its format.
    NotNarrow {
        /// The step.
        site: Site,
    },
    /// A contribution is rounded too often on its way to a result.
    RoundedTooOften {
        /// The rank whose output it is.
        rank: Rank,
        /// Element of the output.
        element: usize,
        /// Most roundings of one contribution.
        found: u32,
        /// The limit.
        most: u32,
    },
    /// An element of the output is not what the collective defines.
    WrongResult {
        /// The rank whose output it is.
        rank: Rank,
        /// Element of the output.
        element: usize,
        /// The value that is there, in words.
        found: String,
        /// The value that should be there, in words.
        expected: String,
    },
    /// Two ranks reduce the same element in different orders: their bits may differ.
    NotIdentical {
        /// One rank.
        rank: Rank,
        /// The other.
        other: Rank,
        /// Element of the output.
        element: usize,
        /// Reduction tree of the one.
        found: String,
        /// Reduction tree of the other.
        other_found: String,
    },
    /// A result that is not `0 op 1 op 2 ...`, for an operator that does not commute.
    OutOfOrder {
        /// The rank whose output it is.
        rank: Rank,
        /// Element of the output.
        element: usize,
        /// Its reduction tree.
        found: String,
    },
    /// A rank can leave the barrier before another has entered it.
    BarrierLeaks {
        /// The rank that can leave.
        rank: Rank,
        /// The rank whose arrival it does not know of.
        missing: Rank,
    },
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {}, lane {}, round {}, step {}", self.rank, self.lane, self.round, self.step)
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Violation::*;
        match self {
            OutOfBounds { site, span, available } => {
                write!(f, "{site}: {span} does not fit, the buffer has {available} elements here")
            }
            InputWritten { site, span } => write!(f, "{site}: writes {span}, which belongs to the caller"),
            EmptySpan { site } => write!(f, "{site}: has no elements"),
            BadPeer { site, peer: Some(peer) } => write!(f, "{site}: rank {peer} cannot be the peer"),
            BadPeer { site, peer: None } => write!(f, "{site}: sends to nobody"),
            LengthsDiffer { site, one, other } => write!(f, "{site}: joins {one} and {other} elements"),
            StepOverlaps { site, read, written } => {
                write!(f, "{site}: writes {written} over its own operand {read}")
            }
            WrittenTwice { site, other, buffer, element } => {
                write!(f, "{site}: writes {buffer} element {element}, and so does step {other}")
            }
            WrittenWhileRead { site, other, buffer, element } => {
                write!(f, "{site}: reads {buffer} element {element} while step {other} writes it")
            }
            LanesCollide { site, other, buffer, element } => {
                write!(f, "{site}: shares {buffer} element {element} with lane {other}, and one writes it")
            }
            UnmatchedSend { site, peer } => write!(f, "{site}: rank {peer} has no receive for this send"),
            UnmatchedReceive { site, peer } => {
                write!(f, "{site}: rank {peer} has no send for this receive")
            }
            LengthMismatch { send, receive, sent, expected } => {
                write!(f, "{send}: sends {sent} elements, but {receive} receives {expected}")
            }
            Deadlock { site, peer, peer_site, peer_round } => write!(
                f,
                "{site}: waits for ever for rank {peer}, whose side ({peer_site}) is not reached or not \
                 next: its lane is in round {peer_round}"
            ),
            UndefinedRead { site, buffer, element } => {
                write!(f, "{site}: reads {buffer} element {element}, which nobody has written")
            }
            NotNarrow { site } => write!(f, "{site}: widens what is no whole narrow form of its format"),
            RoundedTooOften { rank, element, found, most } => {
                write!(f, "rank {rank}: Output element {element} was rounded {found} times, not {most}")
            }
            WrongResult { rank, element, found, expected } => {
                write!(f, "rank {rank}: Output element {element} is {found}; defined is {expected}")
            }
            NotIdentical { rank, other, element, found, other_found } => write!(
                f,
                "Output element {element} is {found} on rank {rank}, but {other_found} on rank {other}: \
                 the bits may differ"
            ),
            OutOfOrder { rank, element, found } => {
                write!(f, "rank {rank}: Output element {element} is {found}: the ranks are out of order")
            }
            BarrierLeaks { rank, missing } => {
                write!(f, "rank {rank} can leave the barrier before rank {missing} has entered")
            }
        }
    }
}

impl std::error::Error for Violation {}
