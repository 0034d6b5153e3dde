//! Operators on integers and truth values of 16 bytes.

use anyccl_engine::reduce::ReduceFn;

use super::loops::{operators, run};
use crate::constants as c;

operators! {
    Sum: i128, |a, b| a.wrapping_add(b);
    Product: i128, |a, b| a.wrapping_mul(b);
    Min: i128, |a, b| a.min(b);
    Max: i128, |a, b| a.max(b);
    BitAnd: i128, |a, b| a & b;
    BitOr: i128, |a, b| a | b;
    BitXor: i128, |a, b| a ^ b;
    And: i128, |a, b| i128::from(a != 0 && b != 0);
    Or: i128, |a, b| i128::from(a != 0 || b != 0);
    Xor: i128, |a, b| i128::from((a != 0) != (b != 0));
}

/// The loop of an operator on integers.
pub(super) fn integer(op: u32) -> Option<ReduceFn> {
    Some(match op {
        c::SUM => run::<Sum>,
        c::PROD => run::<Product>,
        c::MIN => run::<Min>,
        c::MAX => run::<Max>,
        c::BAND => run::<BitAnd>,
        c::BOR => run::<BitOr>,
        c::BXOR => run::<BitXor>,
        _ => return None,
    })
}

/// The loop of an operator on truth values.
pub(super) fn logical(op: u32) -> Option<ReduceFn> {
    Some(match op {
        c::LAND => run::<And>,
        c::LOR => run::<Or>,
        c::LXOR => run::<Xor>,
        _ => return None,
    })
}
