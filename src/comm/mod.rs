//! Communicators: what the doors call.
//!
//! A [`Communicator`] is shared (`&self` everywhere, any thread). Buffers are raw pointers: the
//! caller keeps them valid until the call or its [`Request`] is complete.

mod agreement;
mod by_store;
mod communicator;
mod formation;
mod join;
mod messages;
mod operation;
mod programs;
mod request;
mod wait_all;
mod world;

pub use communicator::{CommConfig, Communicator};
pub use operation::Operation;
pub use request::Request;
pub use wait_all::wait_all;
pub use world::{world, world_finalize, world_init};

#[cfg(test)]
mod tests;
