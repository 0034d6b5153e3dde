//! Reduction operators.

use std::ffi::{c_char, c_int};

use anyccl_edge::{FIRST_OPERATOR, Out, check};
use anyccl_engine::base::ReduceOp;

use crate::datatype::anyccl_datatype_t;
use crate::operator_table::OPERATORS;
use crate::status::{anyccl_status_t, edge};

/// Operator of a reduction: one of enum anyccl_reduce_op, or an operator of anyccl_op_create() or
/// anyccl_op_create_premul_sum().
pub type anyccl_reduce_op_t = c_int;

/// Values of anyccl_reduce_op_t. They never change.
///
/// Integers accept all operators. Floats accept sum, product, min, max and avg; complex numbers accept sum,
/// product and avg. bool accepts all but avg: sum, max and bor mean "or", and product, min and band mean
/// "and". byte accepts band, bor and bxor.
// Numbers from C are integers until checked, so Rust uses this only to compare it with the engine's.
#[allow(dead_code)]
#[repr(C)]
pub enum anyccl_reduce_op {
    /// Sum. Integers wrap around.
    ANYCCL_SUM = 0,
    /// Product. Integers wrap around.
    ANYCCL_PRODUCT = 1,
    /// Smallest contribution.
    ANYCCL_MIN = 2,
    /// Largest contribution.
    ANYCCL_MAX = 3,
    /// Sum divided by the number of ranks. Integers truncate towards zero. The sum of float16 and 8-bit
    /// floats is one of float32, which does not overflow.
    ANYCCL_AVG = 4,
    /// Bitwise and.
    ANYCCL_BAND = 5,
    /// Bitwise or.
    ANYCCL_BOR = 6,
    /// Bitwise exclusive or.
    ANYCCL_BXOR = 7,
    /// Logical and: 1 where no contribution is 0, else 0. With a single rank, elements stay as they are.
    ANYCCL_LAND = 8,
    /// Logical or: 1 where some contribution is not 0, else 0. With a single rank, elements stay as they are.
    ANYCCL_LOR = 9,
    /// Logical exclusive or: 1 where an odd number of contributions is not 0, else 0. With a single rank,
    /// elements stay as they are.
    ANYCCL_LXOR = 10,
}

/// Gives the name of an operator, such as "sum".
///
/// \param[in] op  Any number. One that is not an operator is named "unknown". Operators of the program are
///                named "premul_sum", "commutative callback" or "ordered callback".
/// \returns A string that is always valid and never NULL. Do not free it.
///
/// Local.
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

/// Asks whether an operator accepts a datatype.
///
/// \param[in]  op         Builtin operator or operator of the program.
/// \param[in]  datatype   Datatype.
/// \param[out] supported  1 or 0.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when a number is out of range or supported is NULL.
///
/// Local.
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
