//! Reduction operators.

use std::ffi::{c_char, c_int};

use anyccl_edge::{FIRST_OPERATOR, Out, check};
use anyccl_engine::base::ReduceOp;

use crate::datatype::anyccl_datatype_t;
use crate::operator_table::OPERATORS;
use crate::status::{anyccl_status_t, edge};

/// How contributions are combined: one of enum anyccl_reduce_op, or what anyccl_op_create or
/// anyccl_op_create_premul_sum gave.
pub type anyccl_reduce_op_t = c_int;

/// The values of anyccl_reduce_op_t. They never change.
///
/// Integers take all of them. Floats take sum, product, min, max, avg. Complex numbers take sum, product,
/// avg. bool takes all but avg; sum, max and bor are "or" there, product, min and band are "and". byte takes
/// band, bor, bxor.
// Numbers from C are integers until checked, so Rust uses this only to compare it with the engine's.
#[allow(dead_code)]
#[repr(C)]
pub enum anyccl_reduce_op {
    /// Integers wrap around.
    ANYCCL_SUM = 0,
    /// Integers wrap around.
    ANYCCL_PRODUCT = 1,
    /// The least contribution.
    ANYCCL_MIN = 2,
    /// The greatest contribution.
    ANYCCL_MAX = 3,
    /// The sum divided by the number of ranks; integers truncate towards zero.
    ANYCCL_AVG = 4,
    /// Bitwise and.
    ANYCCL_BAND = 5,
    /// Bitwise or.
    ANYCCL_BOR = 6,
    /// Bitwise exclusive or.
    ANYCCL_BXOR = 7,
    /// Logical and: 1 where every contribution is not 0, else 0. A single rank keeps its elements as they
    /// are.
    ANYCCL_LAND = 8,
    /// Logical or: 1 where some contribution is not 0, else 0. As above for a single rank.
    ANYCCL_LOR = 9,
    /// Logical exclusive or: 1 where an odd number of contributions is not 0, else 0. As above.
    ANYCCL_LXOR = 10,
}

/// Names an operator as messages do: "sum".
///
/// \param op  [in] Any number; one that is no operator is named "unknown". One that the program has made is
///            named "premul_sum", "commutative callback" or "ordered callback".
/// \returns A text that is always valid and never NULL. Not to be freed.
///
/// Local. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn anyccl_reduce_op_name(op: anyccl_reduce_op_t) -> *const c_char {
    const NAMES: [&std::ffi::CStr; 11] =
        [c"sum", c"product", c"min", c"max", c"avg", c"band", c"bor", c"bxor", c"land", c"lor", c"lxor"];
    if op >= FIRST_OPERATOR {
        return made_op_name(op).as_ptr();
    }
    let name = usize::try_from(op).ok().and_then(|number| NAMES.get(number));
    name.unwrap_or(&c"unknown").as_ptr()
}

fn made_op_name(op: anyccl_reduce_op_t) -> &'static std::ffi::CStr {
    match OPERATORS.get(op).map(|operator| operator.op()) {
        Ok(ReduceOp::PremulSum) => c"premul_sum",
        Ok(ReduceOp::Callback) => c"commutative callback",
        Ok(ReduceOp::OrderedCallback) => c"ordered callback",
        _ => c"unknown",
    }
}

/// Says whether an operator is defined on a datatype.
///
/// \param op         [in] One of enum anyccl_reduce_op, or one that the program has made.
/// \param datatype   [in] One of enum anyccl_datatype.
/// \param supported  [out] 1 or 0. Written only on ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when a number is out of range or supported is NULL.
///
/// Local. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_is_supported(
    op: anyccl_reduce_op_t,
    datatype: anyccl_datatype_t,
    supported: *mut c_int,
) -> anyccl_status_t {
    edge("anyccl_is_supported", || {
        // SAFETY: the caller promises a writable int or NULL.
        let supported = unsafe { Out::new(supported, "supported") }?;
        let datatype = check::datatype(datatype)?;
        let accepts = if op >= FIRST_OPERATOR {
            OPERATORS.get(op)?.accepts(datatype)
        } else {
            check::reduce_op(op)?.accepts(datatype)
        };
        supported.set(c_int::from(accepts));
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::anyccl_reduce_op::*;
    use super::*;

    #[test]
    fn the_numbers_and_names_of_c_are_those_of_the_engine() {
        for op in ReduceOp::ALL {
            let number = match op {
                ReduceOp::Sum => ANYCCL_SUM,
                ReduceOp::Product => ANYCCL_PRODUCT,
                ReduceOp::Min => ANYCCL_MIN,
                ReduceOp::Max => ANYCCL_MAX,
                ReduceOp::Avg => ANYCCL_AVG,
                ReduceOp::Band => ANYCCL_BAND,
                ReduceOp::Bor => ANYCCL_BOR,
                ReduceOp::Bxor => ANYCCL_BXOR,
                ReduceOp::Land => ANYCCL_LAND,
                ReduceOp::Lor => ANYCCL_LOR,
                ReduceOp::Lxor => ANYCCL_LXOR,
                _ => unreachable!("not builtin"),
            } as c_int;
            assert_eq!(number, op as c_int);
            // SAFETY: always a terminated text.
            assert_eq!(unsafe { CStr::from_ptr(anyccl_reduce_op_name(number)) }.to_str(), Ok(op.name()));
        }
        // SAFETY: as above.
        assert_eq!(unsafe { CStr::from_ptr(anyccl_reduce_op_name(11)) }, c"unknown");
    }
}
