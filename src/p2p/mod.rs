//! Point to point: messages with tags from one rank to another.
//!
//! - [`matching`] decides which message goes to which receive.

pub mod matching;
