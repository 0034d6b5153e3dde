//! Partitioned messages (MPI 5.0, chapter 4): one message whose parts are sent as they become ready.
//!
//! A sender describes its message when it prepares it: number and length of its partitions, and the tags of
//! its parts (`description`). The description has a tag that is made from the program's. A receiver posts a
//! receive for it when it prepares its side (`expected`), so the n-th send that is prepared meets the n-th
//! receive, as MPI requires.
//!
//! Each partition of the sender is a message with a tag of its own. It leaves when it is marked as ready. The
//! receiver, whose partitions may be others, receives each into its place in the whole. A partition of the
//! receiver has arrived once all parts have arrived that it overlaps.
//!
//! All tags are negative: no receive or probe of the program sees these messages.

pub mod calls;
mod description;
mod expected;
mod parts;
mod receiving;
mod sending;
mod tags;
mod whole;

pub use self::expected::{forget, forget_all};
