//! Runs plans: one executor for every algorithm, every transport, blocking or not.
//!
//! - [`program`] compiles a plan for execution, `gates` says what must wait in a round; [`execution`] runs one, a little at a
//!   time, on its `buffers`.
//! - `widened` runs a call on 8-bit floats in float32.
//! - [`prepared`] is a call without its buffers; `straight` runs a small one without detours.
//! - `transfer` gives messages from rank to rank ([`crate::p2p`]) the links, `transfer_wait` makes them calls.
//! - [`inbox`] gives each execution the bytes that are its own.
//! - [`port`] is the way to one peer: its inbox and its control channel.
//! - [`engine`] holds all that goes on over the links of a rank and moves it forward; [`group`] is one of the
//!   communicators that share them, `consensus` how the survivors of one agree on the next.
//! - `heads` sorts out what stands in the way, `ahead` bounds what is kept of it.
//! - `lifecycle` begins and ends communicators, `departure` is how a rank gives one up by itself, `parting` how the ranks
//!   compare their calls at the end.
//! - `news` is what the ranks tell each other beside the data, `report` how errors are worded.
//! - [`wait`] is what a rank does when nothing moves: poll, yield, sleep, give up.
//! - [`disagreement`] and [`crate::transport::failure`] turn silence and surprises into errors that name who and what.

mod ahead;
mod buffers;
mod consensus;
mod departure;
pub mod disagreement;
pub mod engine;
pub mod execution;
mod fetching;
mod gates;
pub mod group;
mod heads;
pub mod inbox;
mod lifecycle;
mod news;
mod parting;
pub mod port;
pub mod prepared;
pub mod program;
mod report;
mod scratch;
mod stash_link;
mod straight;
mod transfer;
mod transfer_wait;
pub mod wait;
mod widened;

pub use buffers::Buffers;
pub use consensus::Survivors;
pub use engine::{Engine, Outcome, Ticket};
pub use group::GroupId;
pub use port::Port;
pub use prepared::{Division, Extent, Key, Prepared, Question};
pub use program::Program;
pub use transfer::MessageTicket;
pub use widened::{Stretch, Widened};

#[cfg(test)]
mod tests;
