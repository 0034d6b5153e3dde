//! What this rank does, and has done last, in memory that other processes of the same user can read: for
//! `anyccl status`.
//!
//! Each engine has a page in the `memfd` of its process, `anyccl-status`, which a reader finds in
//! `/proc/PID/fd`. So the process is not asked, and a reader learns as much of one that is stopped, or hangs.
//! The page has the calls that were made on each communicator, what each thread waits for that has waited
//! long, and the last operations with their times (`operations`, the flight recorder).
//!
//! A page ends with its process, unless another process of the job holds it (`held`). So a rank that is
//! killed leaves its last operations to the job, and a job leaves nothing behind. `dump` writes a page to a
//! file.
//!
//! A call on the fast path writes a dozen words and reads the time stamp counter once. Everything else is
//! written by waits, most of which sleep anyway.

mod dump;
mod failure;
mod held;
mod layout;
mod lease;
mod operations;
mod page;
mod page_copy;
mod page_file;
mod progress;
mod snapshot;
mod wait;

pub use dump::{FILE_PREFIX, write_dump};
pub use failure::FailureKind;
pub use held::HeldPage;
pub use operations::{MessageSide, OperationSnapshot, ShownEnd};
pub use page::{CallSlot, CommIdentity, Identity, StatusPage};
pub use page_copy::PageCopy;
pub use page_file::PageFile;
pub use progress::Progress;
pub use snapshot::{CommSnapshot, Snapshot};
pub use wait::{PeerLink, WaitSlot, WaitSnapshot};
