//! Operators: NCCL's five, and sums of premultiplied inputs.

use std::ffi::c_void;

use anyccl_edge::check::{invalid, not_null};
use anyccl_edge::{FIRST_OPERATOR, Operators, Out, Resolved};
use anyccl_engine::base::{Datatype, ReduceOp, Result};
use anyccl_engine::comm::{Operator, Scalar};
use anyccl_engine::config::MemoryKind;

use crate::communicator::Comm;
use crate::datatype::datatype_of;
use crate::types::{ncclComm_t, ncclDataType_t, ncclRedOp_t, ncclScalarResidence_t};

/// The builtin operators, indexed by NCCL's numbers.
const BUILTIN: [ReduceOp; 5] =
    [ReduceOp::Sum, ReduceOp::Product, ReduceOp::Max, ReduceOp::Min, ReduceOp::Avg];

/// The scalar lies in memory, and every call reads it.
const ncclScalarDevice: ncclScalarResidence_t = 0;
/// The scalar is read once, when the operator is made.
const ncclScalarHostImmediate: ncclScalarResidence_t = 1;

/// Operators that the program has made. Each serves every communicator of the process, which NCCL does not
/// promise.
static OPERATORS: Operators = Operators::new();

/// The operator for a number from C, on `datatype`.
#[inline]
pub fn resolve(number: ncclRedOp_t, datatype: Datatype) -> Result<Resolved> {
    if let Some(op) = usize::try_from(number).ok().and_then(|number| BUILTIN.get(number)) {
        // All of them are defined on all datatypes of NCCL.
        return Ok(Resolved { op: *op, operator: None });
    }
    if number < FIRST_OPERATOR {
        return invalid("op", format!("{number}; accepted: 0 to 4, or one of ncclRedOpCreatePreMulSum"));
    }
    OPERATORS.resolve(number, datatype)
}

/// ncclRedOpCreatePreMulSum.
pub unsafe fn create_pre_mul_sum(
    op: *mut ncclRedOp_t,
    scalar: *mut c_void,
    datatype: ncclDataType_t,
    residence: ncclScalarResidence_t,
    comm: ncclComm_t,
) -> Result<()> {
    // SAFETY: the caller promises a writable number or NULL.
    let place = unsafe { Out::new(op, "op") }?;
    not_null(scalar, "scalar")?;
    let datatype = datatype_of(datatype)?;
    let comm = Comm::from_handle(comm)?;
    let scalar = scalar.cast::<u8>().cast_const();
    let is_on_gpu = comm.memory.of(scalar.addr()) == MemoryKind::Cuda;
    let scalar = match residence {
        ncclScalarHostImmediate if is_on_gpu => {
            return invalid("scalar", "GPU memory; ncclScalarHostImmediate says that it is host memory");
        }
        ncclScalarHostImmediate => {
            let mut bytes = [0; Scalar::BYTES];
            // SAFETY: the caller promises one element, and no datatype is longer than the array.
            unsafe { std::ptr::copy_nonoverlapping(scalar, bytes.as_mut_ptr(), datatype.bytes()) };
            Scalar::Immediate(bytes)
        }
        ncclScalarDevice => Scalar::Deferred(scalar),
        _ => return invalid("residence", format!("{residence}; accepted: 0 and 1")),
    };
    // SAFETY: the caller promises that an ncclScalarDevice scalar stays readable while the operator is in
    // use.
    place.set(OPERATORS.insert(unsafe { Operator::premul_sum(datatype, scalar) }?));
    Ok(())
}

/// ncclRedOpDestroy.
pub unsafe fn destroy(op: ncclRedOp_t, comm: ncclComm_t) -> Result<()> {
    Comm::from_handle(comm)?;
    if op < FIRST_OPERATOR {
        return invalid("op", format!("{op}, which ncclRedOpCreatePreMulSum has not made"));
    }
    OPERATORS.remove(op)
}
