//! Operators of reductions: the predefined ones, and those that the program makes.
//!
//! `kernel` says which operator is defined on which datatype. [`Bound`] is an operator on one datatype, in
//! the form that the engine takes. That is a kernel of the engine, or a function on opaque elements. The
//! function is a loop of this crate (`pair`, `wide`, `floating`), or the program's (`user`).

mod bound;
mod floating;
mod functions;
mod kernel;
mod kind;
#[cfg(target_arch = "x86_64")]
mod long_double;
mod loops;
mod pair;
mod quad;
mod user;
mod wide;

use std::sync::Arc;

use crate::arguments::OpHandle;
use crate::constants::{NO_OP, OP_NULL, REPLACE};
use crate::error::{Class, Error, Result};
use crate::table::{FIRST, Table};

#[cfg(target_arch = "x86_64")]
use long_double::LongDouble;
#[cfg(not(target_arch = "x86_64"))]
use quad::Quad as LongDouble;

pub use bound::{Bound, Form};
pub use functions::{commutative, create, free, reduce_local};
pub use kernel::{Kernel, kernel, name};
pub use user::UserOp;

/// An operator.
#[derive(Clone)]
pub enum Op {
    /// A predefined operator, by its number.
    Predefined(u32),
    /// An operator of the program.
    User(Arc<UserOp>),
}

/// All operators that the program has made.
static OPS: Table<UserOp> = Table::new("operator", Class::OP);

impl Op {
    /// The operator of a handle.
    pub fn from_handle(handle: OpHandle) -> Result<Op> {
        match handle.0 {
            OP_NULL => Err(Error::new(Class::OP, "the operator is MPI_OP_NULL")),
            code if code < FIRST && name(code) != name(OP_NULL) => Ok(Op::Predefined(code)),
            id => OPS.get(id).map(|op| Op::User(op.share())),
        }
    }

    /// Whether operands may be swapped.
    pub fn is_commutative(&self) -> bool {
        match self {
            Op::Predefined(code) => !matches!(*code, REPLACE | NO_OP),
            Op::User(op) => op.is_commutative,
        }
    }
}
