//! Features of a library of NCCL's shape.

use crate::config::MemoryKind;

/// Differences between libraries and versions, other than missing functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features {
    /// Kind of memory that the library works on.
    pub memory: MemoryKind,
    /// Whether the library has 8-bit floats.
    pub float8: bool,
    /// Whether the library has an average. Without one, its sum is divided here.
    pub averages: bool,
    /// Whether sends and receives work inside a group.
    pub messages: bool,
    /// Whether a stuck call can be ended.
    pub aborts: bool,
}
