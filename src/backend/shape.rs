//! The shape of a call: what decides who serves it.

use crate::base::{Collective, Datatype, ReduceOp};
use crate::config::MemoryKind;

/// The part of a call that decides which engine serves it, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The collective.
    pub collective: Collective,
    /// Element type.
    pub datatype: Datatype,
    /// Operator, where the collective reduces: a builtin one.
    pub op: Option<ReduceOp>,
    /// The memory of the buffers.
    pub memory: MemoryKind,
}
