//! The direct way: rank 0, the *executor*, carries out each collective on device memory for all ranks, by one
//! kernel over all their buffers.
//!
//! A communicator has the direct way if all its ranks share a host and have a device when it is made, and if
//! rank 0 can address the memory of all of them. They tell each other of themselves (`introduction`) and find
//! that out together (`setup`). Each rank then has a [`DirectWay`], and every collective with one count and a
//! builtin operator takes it. The other calls are staged.
//!
//! 1. Each rank's stream comes to the call, and its processor learns of it.
//! 2. The ranks gather at rank 0 where their buffers are (`place`). The gathering is a call of the engine. So
//!    deadlines, lost ranks, aborts and different calls are found out as for any other call.
//! 3. Rank 0 writes the addresses into a table (`table`), and lets its stream run the kernel.
//! 4. When the kernel has run, rank 0 tells the others by a broadcast, and each lets its stream go on.
//!
//! The executor addresses the buffers of its own process as they are. It maps the allocations of the others
//! when it may (`mappings`). Until then, a rank in another process copies to and from a bounce buffer, which
//! the executor has mapped from the start. Long calls go in pieces, so that a piece fits into a slot of the
//! bounce buffer (`pieces`), or as a whole if no rank needs one (`cut`).

mod cut;
mod direct_way;
mod exchange;
#[cfg(any(test, feature = "fuzzing"))]
pub(in crate::comm) mod foreign_bytes;
mod introduction;
mod kernels;
mod make;
mod mappings;
mod pieces;
mod place;
mod setup;
mod table;

pub(super) use cut::{Cut, Share};
pub(super) use direct_way::DirectWay;
pub(in crate::comm) use exchange::{DirectExchange, Next};
pub(super) use pieces::DirectPieces;
pub(in crate::comm) use setup::set_up_direct_way;
