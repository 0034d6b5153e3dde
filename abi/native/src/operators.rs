//! Operators that the program makes: scaled sums, and functions of its own.

use std::ffi::{c_int, c_void};

use anyccl_edge::Out;
use anyccl_edge::check::{self, invalid, not_null};
use anyccl_engine::comm::{Operator, Scalar};

use crate::datatype::anyccl_datatype_t;
use crate::operator_table::OPERATORS;
use crate::reduce_op::anyccl_reduce_op_t;
use crate::status::{anyccl_status_t, edge};

/// When the scalar of a premultiplied sum is read: one of enum anyccl_scalar.
pub type anyccl_scalar_t = c_int;

/// The values of anyccl_scalar_t. They never change.
#[repr(C)]
pub enum anyccl_scalar {
    /// When the operator is made.
    ANYCCL_SCALAR_IMMEDIATE = 0,
    /// At the beginning of each call that uses the operator.
    ANYCCL_SCALAR_DEFERRED = 1,
}

/// Makes an operator that multiplies this rank's contribution by a scalar and then sums.
///
///     rank 0  scalar 2, send a0 a1
///     rank 1  scalar 3, send b0 b1     =>     2*a0+3*b0  2*a1+3*b1
///
/// \param scalar    [in] One element. Read now, or in each call: then it stays valid and unchanged as long as
///                  the operator is in use. Ranks may have different ones.
/// \param datatype  [in] One of enum anyccl_datatype, but bool and byte. The operator serves only this one.
/// \param when      [in] One of enum anyccl_scalar.
/// \param op        [out] A number of this process, 1024 or more, for the calls that take an
///                  anyccl_reduce_op_t, on any communicator. Owned by the caller; release with
///                  anyccl_op_destroy(). Written only on ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT for NULL, a number out of range, or a datatype that
///          has no sum; ANYCCL_ERR_UNSUPPORTED after a billion operators.
///
/// Local. Any thread. Products are rounded to the datatype before they are summed; integers wrap around. The
/// send buffer is not changed, except in place. In a call, all ranks use such an operator, each its own: a
/// sum on one rank and a premultiplied sum on another are ANYCCL_ERR_MISMATCH. Replacement for
/// ncclRedOpCreatePreMulSum.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_op_create_premul_sum(
    scalar: *const c_void,
    datatype: anyccl_datatype_t,
    when: anyccl_scalar_t,
    op: *mut anyccl_reduce_op_t,
) -> anyccl_status_t {
    edge("anyccl_op_create_premul_sum", || {
        not_null(scalar, "scalar")?;
        // SAFETY: the caller promises a writable number or NULL.
        let place = unsafe { Out::new(op, "op") }?;
        let datatype = check::datatype(datatype)?;
        let scalar = scalar.cast::<u8>();
        let scalar = if when == anyccl_scalar::ANYCCL_SCALAR_IMMEDIATE as c_int {
            let mut bytes = [0; Scalar::BYTES];
            // SAFETY: the caller promises one element, and no datatype is longer than the array.
            unsafe { std::ptr::copy_nonoverlapping(scalar, bytes.as_mut_ptr(), datatype.bytes()) };
            Scalar::Immediate(bytes)
        } else if when == anyccl_scalar::ANYCCL_SCALAR_DEFERRED as c_int {
            Scalar::Deferred(scalar)
        } else {
            return invalid("when", format!("{when}; accepted: 0 and 1"));
        };
        // SAFETY: the caller promises that a deferred scalar stays valid while the operator is in use.
        place.set(OPERATORS.insert(unsafe { Operator::premul_sum(datatype, scalar) }?));
        Ok(())
    })
}

/// Combines elements: inout[i] = in[i] op inout[i].
///
/// \param in        [in] count elements, the left operands. Not to be changed.
/// \param inout     [in,out] count elements, the right operands, then the results. Apart from in.
/// \param count     [in] Elements: those of the call, or some of them. At least 1.
/// \param datatype  [in] That of the call.
/// \param context   [in] What was given to anyccl_op_create.
///
/// Both arrays are aligned for the datatype and used by nobody else during the call. Called on a thread that
/// is inside an anyccl call on a communicator in which the operator is used, not always the one that made the
/// call; several threads may be in it at once when several communicators use it. It must be associative.
/// While it runs, other threads wait for the communicator. It must return: one that never does blocks its
/// rank for ever, an exception that leaves it ends the process, longjmp out of it is undefined. It must not
/// call anyccl: such a call returns ANYCCL_ERR_INVALID_USAGE.
pub type anyccl_reduce_function_t = Option<
    unsafe extern "C-unwind" fn(
        r#in: *const c_void,
        inout: *mut c_void,
        count: usize,
        datatype: anyccl_datatype_t,
        context: *mut c_void,
    ),
>;

/// Makes an operator of a function.
///
/// \param function     [in] Combines elements; see anyccl_reduce_function_t. Every rank gives its own, to the
///                     same effect.
/// \param context      [in] Handed to the function. May be NULL; stays valid as long as the operator is in
///                     use.
/// \param commutative  [in] Not 0: a op b and b op a are the same, bit by bit, if ranks are to get the same
///                     bits. 0: the contributions are combined in the order of the ranks, rank 0 leftmost;
///                     the call is slower.
/// \param op           [out] A number of this process, 1024 or more, for the calls that take an
///                     anyccl_reduce_op_t, on any communicator and with any datatype. Owned by the caller;
///                     release with anyccl_op_destroy(). Written only on ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when function or op is NULL; ANYCCL_ERR_UNSUPPORTED
///          after a billion operators.
///
/// Local. Any thread. In a call, all ranks use such an operator, all with the same word on commutativity;
/// else they get ANYCCL_ERR_MISMATCH. That their functions do the same cannot be seen. Replacement for
/// MPI_Op_create.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_op_create(
    function: anyccl_reduce_function_t,
    context: *mut c_void,
    commutative: c_int,
    op: *mut anyccl_reduce_op_t,
) -> anyccl_status_t {
    edge("anyccl_op_create", || {
        // SAFETY: the caller promises a writable number or NULL.
        let place = unsafe { Out::new(op, "op") }?;
        let Some(function) = function else { return invalid("function", "NULL") };
        // SAFETY: the caller promises a function that keeps to the contract of its type, and a context that
        // lives as long.
        let operator = unsafe { Operator::callback(function, context, commutative != 0) }?;
        place.set(OPERATORS.insert(operator));
        Ok(())
    })
}

/// Gives up an operator.
///
/// \param op  [in] Taken: from anyccl_op_create or anyccl_op_create_premul_sum. The number is not used again.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when op is builtin, destroyed, or made by a parent
///          before a fork.
///
/// Local. Any thread. Operations that were started with it still use it, and what it was made of, until they
/// have ended; persistent ones until they are freed. Replacement for ncclRedOpDestroy and MPI_Op_free.
#[unsafe(no_mangle)]
pub extern "C" fn anyccl_op_destroy(op: anyccl_reduce_op_t) -> anyccl_status_t {
    edge("anyccl_op_destroy", || OPERATORS.remove(op))
}
