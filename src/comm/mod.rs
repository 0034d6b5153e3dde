//! Communicators: what the doors call.
//!
//! A [`Communicator`] is shared (`&self` everywhere, any thread). Buffers are raw pointers: the
//! caller keeps them valid until the call or its [`Request`] is complete.

mod agreement;
mod asking;
mod backends;
mod beside;
mod by_store;
mod coalesced;
mod communicator;
mod foreign;
mod formation;
mod graph;
mod join;
mod known_layouts;
mod messages;
mod operation;
mod operator;
mod persistent;
mod programs;
mod request;
mod sar;
mod timeout;
mod unequal;
mod wait_all;
mod work;
mod world;

pub use coalesced::{Coalesced, List, Part};
pub use communicator::{CommConfig, Communicator};
pub use graph::Graph;
pub use operation::Operation;
pub use operator::{Operator, Scalar};
pub use persistent::Persistent;
pub use request::Request;
pub use unequal::{Places, Unequal};
pub use wait_all::{Pending, settle, wait_all};
pub use work::{Work, wait_some};
pub use world::{world, world_finalize, world_init};

#[cfg(test)]
mod tests;
