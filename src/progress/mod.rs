//! Moves all calls of a rank forward, and finds out when they cannot move.
//!
//! - [`engine`] holds everything that goes on over the links of a rank. `engine_comm` is one of the
//!   communicators that share them, `comm_table` finds it by its `context`, `lifecycle` begins and ends it.
//! - `calls`, `messaging`, `control_state` and `left_comms` are the parts of its state. `collectives` starts
//!   calls, `fast_path` runs small ones at once.
//! - `messages` gives messages from rank to rank ([`crate::p2p`]) the links, `message_wait` and `pieces` make
//!   them calls.
//! - `unmatched` takes away what lies at the head of a link and belongs to no running call; `backpressure`
//!   bounds how much of it is kept.
//! - `control` handles what the ranks tell each other outside of the data.
//! - `quit` is how a rank gives a communicator up by itself; `final_check` compares the calls of the ranks
//!   when they leave one; `consensus` is how the survivors of one agree on the next.
//! - [`disagreement`] compares the calls of ranks; `report` words the errors.
//! - [`wait`] is what a rank does when nothing moves: poll, yield, sleep, give up.
//!
//! Calls run in [`crate::executor`], over [`crate::endpoint`].

mod backpressure;
mod calls;
mod collectives;
mod comm_table;
mod consensus;
mod context;
mod control;
mod control_state;
pub mod disagreement;
pub mod engine;
mod engine_comm;
mod fast_path;
mod final_check;
mod left_comms;
mod lifecycle;
mod message_wait;
mod messages;
mod messaging;
mod pieces;
mod quit;
mod report;
mod unmatched;
pub mod wait;

pub use consensus::Survivors;
pub use context::CommId;
pub use engine::{CallOutcome, Engine, Ticket};
pub use message_wait::Started;
pub use messaging::MessageTicket;

#[cfg(test)]
mod tests;
