//! Features of a library of NCCL's shape.

use crate::config::MemoryKind;

/// Differences between libraries and versions, beyond the functions that are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features {
    /// The memory that it works on.
    pub memory: MemoryKind,
    /// Whether there are 8-bit floats.
    pub float8: bool,
    /// An average of the library's own; without one, its sum is divided here.
    pub averages: bool,
    /// Sends and receives work, in a bracket.
    pub messages: bool,
    /// A stuck call can be ended.
    pub aborts: bool,
}
