//! Communicators: what the doors call.
//!
//! A [`Communicator`] is shared (`&self` everywhere, any thread). Buffers are raw pointers: the
//! caller keeps them valid until the call or its [`Request`] is complete.

mod agreement;
mod by_store;
mod coalesced;
mod communicator;
mod formation;
mod join;
mod messages;
mod operation;
mod operator;
mod persistent;
mod programs;
mod request;
mod sar;
mod wait_all;
mod work;
mod world;

pub use coalesced::{Coalesced, List, Part};
pub use communicator::{CommConfig, Communicator};
pub use operation::Operation;
pub use operator::{Operator, Scalar};
pub use persistent::Persistent;
pub use request::Request;
pub use wait_all::wait_all;
pub use work::{Work, settle, wait_some};
pub use world::{world, world_finalize, world_init};

#[cfg(test)]
mod tests;
