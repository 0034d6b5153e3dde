//! Target of fuzzing: the records that ranks exchange about buffers on devices.

pub(in crate::comm) use super::direct::foreign_bytes::{records, seeds};
