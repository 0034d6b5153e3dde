//! The direct path: rank 0, the *leader*, carries out each collective on device memory for all ranks, by one
//! kernel over all their buffers.
//!
//! A communicator has the direct path if all its ranks share a host and have a device when it is made, and if
//! rank 0 can address the memory of all of them. They exchange their introductions (`introduction`) and find
//! that out together (`setup`). Each rank then has a [`DirectPath`], and every collective with a builtin
//! operator takes it, with one count or with blocks of different lengths (`unequal`). Most other calls are
//! staged.
//!
//! 1. Each rank's stream reaches the call, and the rank's thread sees that.
//! 2. The ranks gather their records at rank 0 (`buffers`), with the lengths of blocks that differ
//!    (`block_report`). The gathering is a call of the engine. So deadlines, lost ranks, aborts and different
//!    calls are found out as for any other call.
//! 3. Rank 0 writes the addresses into a table (`table`), and lets its stream run the kernel.
//! 4. When the kernel has run, rank 0 tells the others by a broadcast, and each releases its stream.
//!
//! The receiver of a long message copies it out of the sender's buffer, without the leader (`message`).
//!
//! The leader addresses the buffers of its own process as they are. It maps the allocations of the others
//! when it may (`ipc_cache`). Until then, a rank in another process copies to and from a bounce buffer, which
//! the leader has mapped from the start, and which the communicators of a process share (`bounce`). Long
//! calls go in pieces, so that a piece fits into a slot of it (`pieces`), or as a whole if no rank needs one.
//! Calls in pieces, and calls for which nothing is free, run on the library's stream (`gated`).

mod block_report;
mod bounce;
mod buffers;
mod bundle;
mod bundle_run;
mod call;
mod captured;
mod direct_path;
mod exchange;
#[cfg(any(test, feature = "fuzzing"))]
pub(in crate::comm) mod foreign_bytes;
mod gated;
mod introduction;
mod ipc_cache;
mod kernels;
mod leases;
mod message;
mod message_by_host;
mod message_record;
mod piece;
mod pieces;
mod prepare;
mod setup;
mod side;
mod table;
mod unequal;

pub(super) use bounce::{BOUNCE_BYTES, COMMUNICATORS_IN_MORE, COMMUNICATORS_IN_ONE, bounce_bytes};
pub(super) use bundle_run::BundleRun;
pub(super) use call::{DirectCall, DirectTail};
pub(super) use captured::CapturedPieces;
pub(super) use direct_path::DirectPath;
pub(in crate::comm) use exchange::{DirectExchange, Next};
pub(in crate::comm) use gated::GatedCall;
pub(super) use message::{DirectMessage, MessageCall};
pub(super) use pieces::DirectPieces;
pub(super) use prepare::BundleMemory;
pub(in crate::comm) use setup::set_up_direct_path;
pub(super) use unequal::UnequalBlocks;
