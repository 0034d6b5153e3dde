//! Who is in the job: its key, the seat of a rank, unique ids, and what launchers say about them.
//!
//! Apart from random bytes, it is pure: variables are looked up through a closure, and nothing is opened.

pub(super) mod address;
pub(super) mod environment;
#[cfg(any(test, feature = "fuzzing"))]
pub(super) mod foreign_bytes;
pub(super) mod host_list;
pub(super) mod key;
pub(super) mod launcher;
pub(super) mod seat;
pub(super) mod store_address;
pub(super) mod unique_id;
pub(super) mod variable;
pub(super) mod wire;
