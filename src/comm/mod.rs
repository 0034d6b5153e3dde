//! Communicators: what the doors call.
//!
//! A [`Communicator`] is shared (`&self` everywhere, any thread). Buffers are raw pointers: the
//! caller keeps them valid until the call or its [`Request`] is complete.

mod communicator;
mod request;
mod world;

pub use communicator::{CommConfig, Communicator};
pub use request::{Request, wait_all};
pub use world::{world, world_finalize, world_init};

use crate::base::Call;

/// One call with its buffers.
///
/// For a transfer (`CallKind::Transfer`), `call.root` is the sender, `peer` the other side; the
/// sender uses `send`, the receiver `recv`. In place is recognised from the pointers.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// What is asked for.
    pub call: Call,
    /// Read: [`crate::base::Collective::input_elements`] elements.
    pub send: *const u8,
    /// Written: [`crate::base::Collective::output_elements`] elements.
    pub recv: *mut u8,
    /// The other side of a transfer; 0 otherwise.
    pub peer: crate::base::Rank,
}
