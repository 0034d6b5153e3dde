//! Waiting: what a rank does when nothing moves (`idle`).
//!
//! 1. It *polls*, if there is a processor for each rank: a cache line from another core arrives in well under
//!    a microsecond.
//! 2. It *yields* the processor between polls. With more ranks than processors another rank must run first,
//!    and a yield costs less than a wake-up. If each look is a system call, naps follow soon: `poll` on the
//!    sockets that are needed.
//! 3. It *sleeps* in `poll`, on the control channels, the data sockets and the doorbell of this thread
//!    (`sleep`). A peer that has sent something to a sleeper rings its doorbell. A rank that waits long costs
//!    nothing.
//!
//! After a tenth of a second without any progress, the rank tells the others what it waits for. So ranks in
//! different calls find out, and a timeout can say who is missing. The deadline counts time *without progress
//! of the call*. A large transfer over a slow link does not fail because it is large, and progress of other
//! calls does not postpone the deadline.
//!
//! A wait also makes progress outside of the engine: in another engine ([`CoProgress`]), and on staged work
//! of the layer above ([`ProgressHook`]).
//!
//! [`wait_for_first`] waits for the first of several calls, of one or several engines.

mod abort_requests;
mod co_progress;
mod driver;
mod hook;
mod idle;
mod one_call;
mod run;
mod several;
mod silence;
mod sleep;
mod start_and_end;

pub use co_progress::CoProgress;
pub use driver::Driver;
pub use hook::ProgressHook;
pub use run::LateCall;
pub use several::{Clock, PendingCall, wait_for_first, wait_for_first_until};
