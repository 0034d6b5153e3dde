//! Operators of the program: scaled sums, and functions.

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

/// Values of anyccl_scalar_t. They never change.
#[repr(C)]
pub enum anyccl_scalar {
    /// The scalar is read when the operator is made.
    ANYCCL_SCALAR_IMMEDIATE = 0,
    /// The scalar is read at the beginning of each call that uses the operator.
    ANYCCL_SCALAR_DEFERRED = 1,
}

/// Makes an operator that multiplies the contribution of this rank by a scalar and then sums.
///
///     rank 0  scalar 2, send a0 a1
///     rank 1  scalar 3, send b0 b1     =>     2*a0+3*b0  2*a1+3*b1
///
/// \param[in]  scalar    One element. With ANYCCL_SCALAR_DEFERRED it must stay valid and unchanged while the
///                       operator is in use. Ranks may have different scalars.
/// \param[in]  datatype  Datatype of the scalar and of the calls; not bool or byte.
/// \param[in]  when      One of enum anyccl_scalar.
/// \param[out] op        Number of the operator, 1024 or more, for calls on any communicator of this process.
///                       Owned by the caller; release with anyccl_op_destroy().
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT for NULL, a number out of range, or a datatype
///          without a sum; ANYCCL_ERR_UNSUPPORTED after a billion operators.
///
/// Local. Products are rounded to the datatype before they are summed; integers wrap around. The send buffer
/// does not change, except in place. In a call, every rank uses an operator of this kind: a plain sum on one
/// rank and a premultiplied sum on another are ANYCCL_ERR_MISMATCH. Replacement for ncclRedOpCreatePreMulSum.
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

/// Function of the program that combines elements: inout[i] = in[i] op inout[i].
///
/// \param[in]     in        Left operands, count elements.
/// \param[in,out] inout     Right operands, then the results, count elements. Does not overlap in.
/// \param[in]     count     Number of elements, at least 1: those of the call, or a part of them.
/// \param[in]     datatype  Datatype of the call.
/// \param[in]     context   Pointer that was given to anyccl_op_create().
///
/// The function must be associative. Both arrays are aligned for the datatype, and nobody else uses them
/// during the call.
///
/// The function runs in a thread that is inside an anyccl call on a communicator that uses the operator. This
/// is not always the thread that started the operation. Several threads may run it at once, for several
/// communicators. While it runs, other threads wait for the communicator.
///
/// It must not call anyccl: such a call returns ANYCCL_ERR_INVALID_USAGE. It must return: an exception that
/// leaves it ends the process, and a longjmp out of it is undefined.
pub type anyccl_reduce_function_t = Option<
    unsafe extern "C-unwind" fn(
        r#in: *const c_void,
        inout: *mut c_void,
        count: usize,
        datatype: anyccl_datatype_t,
        context: *mut c_void,
    ),
>;

/// Makes an operator from a function of the program.
///
/// \param[in]  function     Combines elements; see anyccl_reduce_function_t. Every rank gives its own
///                          function, with the same effect.
/// \param[in]  context      Pointer that is passed to the function. It must stay valid while the operator is
///                          in use. May be NULL.
/// \param[in]  commutative  Not 0: `a op b` and `b op a` are equal, bit by bit if all ranks are to get the
///                          same bits. 0: contributions are combined in the order of the ranks, with rank 0
///                          leftmost, which is slower.
/// \param[out] op           Number of the operator, 1024 or more, for calls with any datatype on any
///                          communicator of this process. Owned by the caller; release with
///                          anyccl_op_destroy().
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when function or op is NULL; ANYCCL_ERR_UNSUPPORTED
///          after a billion operators.
///
/// Local. In a call, every rank uses an operator of this kind with the same value of commutative; otherwise
/// the ranks get ANYCCL_ERR_MISMATCH. The library cannot check that the functions have the same effect.
/// Replacement for MPI_Op_create.
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

/// Releases an operator.
///
/// \param[in] op  Taken: an operator of anyccl_op_create() or anyccl_op_create_premul_sum(). Its number is
///                not used again.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when op is builtin, destroyed already, or made by a
///          parent before a fork.
///
/// Local. Operations that were started with the operator still use it, its function and its context until
/// they have ended; persistent requests until they are freed. Replacement for ncclRedOpDestroy and
/// MPI_Op_free.
#[unsafe(no_mangle)]
pub extern "C" fn anyccl_op_destroy(op: anyccl_reduce_op_t) -> anyccl_status_t {
    edge("anyccl_op_destroy", || OPERATORS.remove(op))
}
