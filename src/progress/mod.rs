//! Progress: moves all calls of a rank forward, and finds out when they cannot move.
//!
//! - [`engine`] holds everything that goes on over the links of a rank. `engine_comm` is one of the
//!   communicators that share them, `comm_table` finds it by its `context`, and `lifecycle` begins and ends
//!   it.
//! - `calls`, `messaging`, `control_state` and `left_comms` are the parts of the engine's state.
//!   `collectives` starts calls, and `fast_path` runs small ones at once.
//! - `messages` gives messages from rank to rank ([`crate::p2p`]) the links. `message_wait` and
//!   `noncontiguous` make them calls, and `message_fast_path` runs small ones at once.
//! - `unmatched` removes fragments at the head of a link that belong to no running call. `backpressure`
//!   bounds how much of them is kept.
//! - `control` handles what the ranks tell each other outside of the data.
//! - `quit` lets a rank leave a communicator on its own. `final_check` compares the calls of the ranks when
//!   they leave a communicator. `consensus` is the agreement of survivors.
//!   `unformed` ends communicators that some rank has not made.
//! - [`disagreement`] compares the calls of ranks, and `report` words the errors. `ended_call` finds those
//!   that are not remembered any more.
//! - `shown` is what other processes can read. `observed` has calls counted and recorded, if that
//!   is wanted, by an `observer`.
//! - [`wait`] is what a rank does when nothing moves: poll, yield, sleep, give up. `sleepers` are the threads
//!   that sleep, which the engine wakes.
//!
//! Calls run in [`crate::executor`], over [`crate::endpoint`].

mod arrivals;
mod backpressure;
mod call_details;
mod calls;
mod collectives;
mod comm_table;
mod consensus;
mod context;
mod control;
mod control_state;
pub mod disagreement;
mod ended_call;
mod ended_link;
pub mod engine;
mod engine_comm;
mod fast_path;
mod final_check;
mod kept_messages;
mod left_comms;
mod lifecycle;
mod message_fast_path;
mod message_wait;
mod messages;
mod messaging;
mod noncontiguous;
mod observed;
mod observer;
mod on_demand;
mod opening;
mod opening_pause;
mod quit;
mod recorded;
mod references;
mod report;
mod shown;
mod sleepers;
mod unformed;
mod unmatched;
pub mod wait;

pub use arrivals::{Arrivals, Connected};
pub use consensus::{Agreement, Subject, Survivors};
pub use context::CommId;
pub use control::GONE;
pub use engine::{CallOutcome, Engine, Ticket};
pub use engine_comm::FormedBy;
pub use message_wait::Started;
pub use messaging::MessageTicket;

#[cfg(test)]
mod tests;
