//! What this rank does, in memory that other processes of the same user can read: for `anyccl status`.
//!
//! Each engine has a page in the `memfd` of its process, `anyccl-status`, which a reader finds in
//! `/proc/PID/fd`. So the process is not asked, and a reader learns as much of one that is stopped, or hangs.
//! The page has the calls that were made on each communicator, and what each thread waits for that has waited
//! long. It ends with its process, and leaves nothing behind.
//!
//! A call writes three words; everything else is written by waits that sleep anyway.

mod layout;
mod page;
mod snapshot;

pub use page::{CallSlot, CommIdentity, Identity, StatusPage, WaitSlot};
pub use snapshot::{CommSnapshot, Snapshot, WaitSnapshot};
