//! Operators that the program makes, by the numbers under which C knows them.
//!
//! In C, one integer names any operator. Numbers below [`FIRST_OPERATOR`] are for builtin operators. The
//! program's operators get the numbers from there on, in the order in which this process makes them.
//!
//! No number is given twice, so the number of a destroyed operator is refused for ever. Numbers are
//! local: no rank tells them another. A child of fork does not know the operators of its parent.

use std::collections::HashMap;
use std::ffi::c_int;
use std::sync::Arc;

use anyccl_engine::base::{Datatype, ReduceOp, Result};
use anyccl_engine::comm::Operator;
use anyccl_engine::sys::per_process::PerProcess;
use parking_lot::RwLock;

use crate::check::{self, invalid};

/// The lowest number that no builtin operator has, now or later.
pub const FIRST_OPERATOR: c_int = 1024;

/// All operators that the program has made and not destroyed yet.
pub struct Operators {
    table: PerProcess<RwLock<HashMap<c_int, Arc<Operator>>>>,
}

/// An operator that C passed as a number.
pub struct Resolved {
    /// The kind of operator, on which the ranks agree.
    pub op: ReduceOp,
    /// The operator itself, if it is not builtin.
    pub operator: Option<Arc<Operator>>,
}

impl Operators {
    /// A table without operators.
    #[expect(clippy::new_without_default, reason = "only ever a static")]
    pub const fn new() -> Operators {
        Operators { table: PerProcess::new() }
    }

    fn table(&self) -> &RwLock<HashMap<c_int, Arc<Operator>>> {
        &self.table.get_or(RwLock::default).value
    }

    /// Adds an operator and returns its number.
    pub fn insert(&self, operator: Operator) -> c_int {
        let number = FIRST_OPERATOR - 1 + operator.number() as c_int;
        self.table().write().insert(number, Arc::new(operator));
        number
    }

    /// The operator that the program has made and that has this number.
    pub fn get(&self, number: c_int) -> Result<Arc<Operator>> {
        match self.table().read().get(&number) {
            Some(operator) => Ok(Arc::clone(operator)),
            None => unknown(number),
        }
    }

    /// Removes an operator. Calls that use it go on.
    pub fn remove(&self, number: c_int) -> Result<()> {
        if number < FIRST_OPERATOR {
            return invalid("op", format!("{number}; builtin operators are nobody's to destroy"));
        }
        if self.table().write().remove(&number).is_none() { unknown(number) } else { Ok(()) }
    }

    /// The operator for a number from C, if it is defined on `datatype`. A number below [`FIRST_OPERATOR`] is
    /// a builtin operator of anyccl.h. A door whose C header has other numbers translates them first.
    // Always inlined: it is part of each small call.
    #[inline(always)]
    pub fn resolve(&self, number: c_int, datatype: Datatype) -> Result<Resolved> {
        if number < FIRST_OPERATOR {
            return Ok(Resolved { op: check::reduce_op_on(number, datatype)?, operator: None });
        }
        self.resolve_made(number, datatype)
    }

    #[cold]
    fn resolve_made(&self, number: c_int, datatype: Datatype) -> Result<Resolved> {
        let operator = self.get(number)?;
        if !operator.accepts(datatype) {
            let got = format!("{} made for another datatype than {}", operator.op().name(), datatype.name());
            return invalid("op", got);
        }
        Ok(Resolved { op: operator.op(), operator: Some(operator) })
    }
}

fn unknown<T>(number: c_int) -> Result<T> {
    invalid("op", format!("{number}; it was destroyed, or never made by this process"))
}

#[cfg(test)]
mod tests {
    use anyccl_engine::base::Error;
    use anyccl_engine::comm::Scalar;

    use super::*;

    fn scaled(datatype: Datatype) -> Operator {
        // SAFETY: the contract concerns deferred scalars, and this one is immediate.
        unsafe { Operator::premul_sum(datatype, Scalar::Immediate([1; Scalar::BYTES])) }.unwrap()
    }

    #[test]
    fn builtin_and_made_operators_are_found_by_their_numbers() {
        let operators = Operators::new();
        let number = operators.insert(scaled(Datatype::Int32));
        assert!(number >= FIRST_OPERATOR);
        let Resolved { op, operator } = operators.resolve(number, Datatype::Int32).unwrap();
        assert_eq!((op, operator.is_some()), (ReduceOp::PremulSum, true));
        let Resolved { op, operator } = operators.resolve(2, Datatype::Int32).unwrap();
        assert_eq!((op, operator.is_none()), (ReduceOp::Min, true));
        assert!(operators.resolve(number, Datatype::Int64).is_err());
        assert!(operators.resolve(11, Datatype::Int32).is_err());
    }

    #[test]
    fn a_destroyed_number_is_unknown_and_not_given_again() {
        let operators = Operators::new();
        let first = operators.insert(scaled(Datatype::Int32));
        operators.remove(first).unwrap();
        let second = operators.insert(scaled(Datatype::Int32));
        assert_ne!(first, second);
        for number in [first, second + 1, FIRST_OPERATOR - 1, 0, -1] {
            assert!(matches!(operators.remove(number), Err(Error::InvalidArgument { what: "op", .. })));
        }
        assert!(operators.get(first).is_err());
    }
}
