//! MPI operators for our operators.
//!
//! MPI has no floating-point datatypes of 8 or 16 bits. For those an MPI operator is created whose function
//! is our kernel. It works on MPI's integers of the same length, without regard to their values. All other
//! operators are MPI's own.

use std::ffi::{c_int, c_void};

use super::constants::{Constants, Handle};
use super::functions::{Core, UserFunction};
use crate::base::{Datatype, ReduceOp};
use crate::reduce::reduce_fn;

const DATATYPES: usize = Datatype::ALL.len();
const OPERATORS: usize = ReduceOp::ALL.len();

/// Handles of operators, by datatype and operator.
pub struct OperatorTable<H>(Box<[[Option<H>; OPERATORS]; DATATYPES]>);

impl<H: Handle> OperatorTable<H> {
    /// Creates the operators that MPI lacks. The error is MPI's code.
    pub fn new(core: &Core<H>, constants: &Constants<H>) -> Result<OperatorTable<H>, c_int> {
        let mut table = Box::new([[None; OPERATORS]; DATATYPES]);
        for datatype in Datatype::ALL {
            for op in ReduceOp::ALL.into_iter().filter(|op| op.accepts(datatype)) {
                let handle = match function(datatype, op) {
                    None => constants.operators.of(datatype, op),
                    Some(function) => {
                        let (mut made, commutes) = (H::ROOM, 1);
                        // SAFETY: MPI is initialised, the function has the type that MPI requires, and there
                        // is room for a handle.
                        let status = unsafe { (core.op_create)(function, commutes, &mut made) };
                        if status != 0 {
                            return Err(status);
                        }
                        made
                    }
                };
                table[datatype as usize][op as usize] = Some(handle);
            }
        }
        Ok(OperatorTable(table))
    }

    /// MPI's operator; for an average, that of the sum with which it begins. `None`: the call has no
    /// operator.
    #[inline]
    pub fn of(&self, datatype: Datatype, op: Option<ReduceOp>) -> Option<H> {
        self.0[datatype as usize][op? as usize]
    }
}

/// Whether the operators on this datatype are created here, with functions of ours.
pub fn is_made(datatype: Datatype) -> bool {
    use Datatype::*;
    matches!(datatype, Float16 | Bfloat16 | Float8E4m3 | Float8E5m2)
}

/// The function of an operator that MPI lacks.
fn function(datatype: Datatype, op: ReduceOp) -> Option<UserFunction> {
    macro_rules! of {
        ($datatype:ident) => {
            match op {
                ReduceOp::Sum | ReduceOp::Avg => {
                    Some(combine::<{ Datatype::$datatype as u8 }, { ReduceOp::Sum as u8 }>)
                }
                ReduceOp::Product => {
                    Some(combine::<{ Datatype::$datatype as u8 }, { ReduceOp::Product as u8 }>)
                }
                ReduceOp::Min => Some(combine::<{ Datatype::$datatype as u8 }, { ReduceOp::Min as u8 }>),
                ReduceOp::Max => Some(combine::<{ Datatype::$datatype as u8 }, { ReduceOp::Max as u8 }>),
                _ => None,
            }
        };
    }
    match datatype {
        Datatype::Float16 => of!(Float16),
        Datatype::Bfloat16 => of!(Bfloat16),
        Datatype::Float8E4m3 => of!(Float8E4m3),
        Datatype::Float8E5m2 => of!(Float8E5m2),
        _ => None,
    }
}

/// The function that MPI calls: `both = left op both`. MPI passes no context, so there is one function for
/// each pair of datatype and operator.
///
/// # Safety
/// MPI promises two vectors of as many elements as `elements` points to. The second one may be written.
unsafe extern "C" fn combine<const DATATYPE: u8, const OP: u8>(
    left: *mut c_void,
    both: *mut c_void,
    elements: *mut c_int,
    _datatype: *mut c_void,
) {
    let pair = (Datatype::from_number(DATATYPE.into()), ReduceOp::from_number(OP.into()));
    let (Some(datatype), Some(op)) = pair else { return };
    // SAFETY: MPI passes the address of a count.
    let elements = unsafe { elements.read() };
    if let (Some(reduce), Ok(elements)) = (reduce_fn(datatype, op), usize::try_from(elements)) {
        // SAFETY: by MPI's promise; `dst` is the right operand itself, and MPI's vectors are apart.
        unsafe { reduce(both.cast(), left.cast_const().cast(), both.cast_const().cast(), elements) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operator_on_a_type_that_mpi_does_not_have_is_a_function_and_no_other_is() {
        for datatype in Datatype::ALL {
            for op in ReduceOp::ALL.into_iter().filter(|op| op.accepts(datatype)) {
                assert_eq!(function(datatype, op).is_some(), is_made(datatype), "{datatype:?} {op:?}");
            }
        }
    }

    #[test]
    fn the_function_combines_as_our_kernel_does() {
        let (mut left, mut both) = ([0x3c00u16, 0x4000], [0x4200u16, 0x3c00]);
        let mut elements = 2;
        let function = function(Datatype::Float16, ReduceOp::Sum).unwrap();
        // SAFETY: two vectors of two elements of 16 bits.
        unsafe {
            function(left.as_mut_ptr().cast(), both.as_mut_ptr().cast(), &mut elements, std::ptr::null_mut());
        }
        assert_eq!(both, [0x4400, 0x4200], "1 + 3 and 2 + 1");
    }
}
