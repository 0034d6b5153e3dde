//! Target of fuzzing: what ranks tell each other about buffers on devices.

pub(in crate::comm) use super::direct::foreign_bytes::{records, seeds};
