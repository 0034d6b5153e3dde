//! The shape of a call: the part that decides which engine serves it.

use crate::base::{Collective, Datatype, ReduceOp};
use crate::config::MemoryKind;

/// The part of a call that decides which engine serves it, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The collective.
    pub collective: Collective,
    /// Element type.
    pub datatype: Datatype,
    /// Operator, a builtin one, if the collective reduces.
    pub op: Option<ReduceOp>,
    /// Kind of memory of the buffers.
    pub memory: MemoryKind,
}
