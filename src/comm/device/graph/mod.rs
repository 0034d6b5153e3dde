//! Calls that streams capture into graphs.
//!
//! A call on a capturing stream is described once. If it is staged, it has copies in pinned memory that live
//! as long as the graph. What goes into the graph is:
//!
//! 1. copies of what the call reads, to the host,
//! 2. a host function, which adds a *launch* of the call to those of the communicator (`launches`),
//! 3. a wait for the word *final*, and a store that resets it,
//! 4. copies of what the call writes, back to the device.
//!
//! At each launch a thread of the communicator (`runner`) runs the call, with the checks of any other call,
//! and sets the word. The launch takes its place among the calls of the communicator when its stream comes to
//! it.
//!
//! The host function never waits: drivers run all host functions of a process on one thread. It takes no lock
//! under which others call the driver. Of a communicator that has ended, it sets the word itself.
//!
//! What the graph keeps of a call is a `CapturedCall`. A call that is put into a graph is a [`Capturing`];
//! those of a group go there together (`sequence`).
//!
//! A collective of a communicator with the direct path has no copies in its graph. Its launches run on a
//! stream of the library ([`super::direct::CapturedPieces`]). The ranks meet at each launch by the messages
//! of an eager call, so every launch is a call of its own on all ranks. Nothing at a capture waits for
//! another rank.
//!
//! A call that fails leaves bytes of `0xFF` on the device, and fails the communicator.

mod captured_call;
mod capturing;
mod launches;
mod order;
mod runner;
mod sequence;

pub(super) use captured_call::GraphLaunches;
pub(super) use capturing::{CapturedCopies, Capturing};
pub(super) use sequence::capture_together;
