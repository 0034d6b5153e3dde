//! MPI's functions on operators.

use anyccl_engine::reduce::reduce_fn;

use super::bound::{predefined_code, undefined};
use super::kernel::{Kernel, kernel};
use super::{OPS, Op, UserOp};
use crate::arguments::{
    DatatypeHandle, InputOutput, OpHandle, Output, RecvAddress, ReduceFunction, SendAddress,
};
use crate::collective::typed;
use crate::error::{Class, Error, Result};
use crate::table::FIRST;
use crate::types;

/// `MPI_Op_create`, `MPI_Op_create_c`.
pub unsafe fn create(function: ReduceFunction, commute: i32, op: Output<OpHandle>) -> Result<()> {
    op.set(OpHandle(OPS.insert_with(|_| UserOp::new(function, commute != 0))));
    Ok(())
}

/// `MPI_Op_free`. Calls under way keep the operator.
pub unsafe fn free(op: InputOutput<OpHandle>) -> Result<()> {
    let handle = op.get();
    if handle.0 < FIRST {
        Op::from_handle(handle)?;
        return Err(Error::new(Class::OP, "a predefined operator cannot be freed"));
    }
    OPS.remove(handle.0)?;
    op.set(OpHandle::NULL);
    Ok(())
}

/// `MPI_Op_commutative`.
pub unsafe fn commutative(op: OpHandle, commute: Output<bool>) -> Result<()> {
    commute.set(Op::from_handle(op)?.is_commutative());
    Ok(())
}

/// `MPI_Reduce_local`, `MPI_Reduce_local_c`.
pub unsafe fn reduce_local(
    inbuf: SendAddress,
    inoutbuf: RecvAddress,
    count: i64,
    datatype: DatatypeHandle,
    op: OpHandle,
) -> Result<()> {
    let operator = Op::from_handle(op)?;
    let kind = types::committed(datatype)?;
    typed::check_count(count)?;
    if inbuf.is_in_place() || inoutbuf.is_in_place() {
        return Err(Error::new(Class::BUFFER, "MPI_IN_PLACE has no meaning in MPI_Reduce_local"));
    }
    let (from, to) = (inbuf.pointer(), inoutbuf.pointer());
    let kernel = match &operator {
        Op::User(_) => None,
        Op::Predefined(op) => {
            let code = predefined_code(*op, &kind)?;
            Some(kernel(*op, code).ok_or_else(|| undefined(*op, &kind))?)
        }
    };
    if count == 0 || kind.size() == 0 {
        return Ok(());
    }
    typed::check_address(from, count, &kind, "inbuf")?;
    typed::check_address(to, count, &kind, "inoutbuf")?;
    if from == to.cast_const() {
        return Err(Error::new(Class::BUFFER, "inbuf and inoutbuf are the same memory"));
    }
    let function = match (kernel, &operator) {
        (Some(Kernel::Own(function)), _) => function,
        (Some(Kernel::Engine(op, element)), _) => reduce_fn(element, op).expect("the kinds were checked"),
        (None, Op::User(op)) => {
            // SAFETY: the program passes such buffers.
            unsafe { op.combine_local(datatype.0, &kind, from, to, count) };
            return Ok(());
        }
        (None, Op::Predefined(_)) => unreachable!("it has a kernel"),
    };
    // SAFETY: the program passes such buffers, which are apart.
    unsafe { function(to, from, to.cast_const(), count as usize) };
    Ok(())
}
