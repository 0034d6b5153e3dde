//! Which calls an engine serves itself, which are composed from its calls, and which the builtin engine
//! serves.
//!
//! A [`CapabilityTable`] is made once per communicator, so that a call costs one look-up. It depends on the
//! engine alone: ranks with the same engine have the same table.

use std::fmt;

use super::compose;
use super::engine::ForeignEngine;
use super::shape::Shape;
use crate::base::{Collective, Datatype, ReduceOp};
use crate::config::MemoryKind;

/// How a call is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// One call of the engine serves it.
    Native,
    /// Several calls of the engine serve it.
    Composed(compose::Recipe),
    /// The builtin engine serves it.
    Builtin,
}

impl fmt::Display for Support {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Support::Native => f.write_str("native"),
            Support::Composed(recipe) => write!(f, "composed: {recipe}"),
            Support::Builtin => f.write_str("builtin"),
        }
    }
}

/// How a call of this shape is served on a communicator with `engine`.
pub fn support(engine: &dyn ForeignEngine, shape: &Shape) -> Support {
    if engine.does(shape) {
        return Support::Native;
    }
    compose::recipe(engine, shape).map_or(Support::Builtin, Support::Composed)
}

const OPERATORS: usize = ReduceOp::ALL.len() + 1;
const SHAPES: usize = Collective::ALL.len() * Datatype::ALL.len() * OPERATORS;

/// The answers for one engine and one kind of memory.
pub struct CapabilityTable {
    answers: Box<[Support; SHAPES]>,
}

impl CapabilityTable {
    /// Asks the engine about every shape.
    pub fn new(engine: &dyn ForeignEngine, memory: MemoryKind) -> CapabilityTable {
        let mut answers = vec![Support::Builtin; SHAPES];
        for collective in Collective::ALL {
            for datatype in Datatype::ALL {
                for op in operators_of(collective, datatype) {
                    let shape = Shape { collective, datatype, op, memory };
                    answers[place(collective, datatype, op)] = support(engine, &shape);
                }
            }
        }
        let answers = answers.into_boxed_slice().try_into().expect("as many as were made");
        CapabilityTable { answers }
    }

    /// How a call is served. `op` is a builtin operator, or `None` where the collective does not reduce.
    #[inline]
    pub fn of(&self, collective: Collective, datatype: Datatype, op: Option<ReduceOp>) -> Support {
        self.answers[place(collective, datatype, op)]
    }
}

/// The operators that a collective accepts on elements of a datatype.
pub fn operators_of(collective: Collective, datatype: Datatype) -> Vec<Option<ReduceOp>> {
    if !collective.reduces() {
        return vec![None];
    }
    ReduceOp::ALL.into_iter().filter(|op| op.accepts(datatype)).map(Some).collect()
}

#[inline]
fn place(collective: Collective, datatype: Datatype, op: Option<ReduceOp>) -> usize {
    let op = op.map_or(0, |op| op as usize + 1);
    debug_assert!(op < OPERATORS, "a builtin operator");
    (collective as usize * Datatype::ALL.len() + datatype as usize) * OPERATORS + op
}
