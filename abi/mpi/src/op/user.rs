//! Operators of the program.
//!
//! The engine moves elements packed, without gaps. A function of the program expects an array of its
//! datatype. If that datatype has gaps, or does not begin at its address, both operands are first laid out in
//! temporary memory.

use std::collections::VecDeque;
use std::ffi::{c_int, c_void};
use std::sync::Arc;

use anyccl_engine::comm::Operator;
use parking_lot::Mutex;

use crate::arguments::ReduceFunction;
use crate::datatype::Datatype;
use crate::error::Result;

/// Number of datatypes for which an operator is kept.
const KEPT: usize = 16;
/// Approximate length of an operand in temporary memory.
const LAID_OUT_BYTES: usize = 64 << 10;

/// An operator of the program.
pub struct UserOp {
    function: ReduceFunction,
    /// Whether operands may be swapped.
    pub is_commutative: bool,
    /// The datatypes on which it was used last.
    bound: Mutex<VecDeque<Arc<OnDatatype>>>,
}

/// An operator of the program on one datatype.
pub struct OnDatatype {
    // Declared before the context, because the operator has a pointer to it.
    /// The engine's operator.
    pub operator: Arc<Operator>,
    context: Box<Context>,
}

/// The data that the function needs.
struct Context {
    function: ReduceFunction,
    /// Number of the datatype, for its handle.
    id: u32,
    datatype: Arc<Datatype>,
}

impl UserOp {
    /// An operator of this function.
    pub fn new(function: ReduceFunction, is_commutative: bool) -> UserOp {
        UserOp { function, is_commutative, bound: Mutex::default() }
    }

    /// The operator on packed elements of a datatype that has data; `id` is the number of its handle.
    pub fn on(&self, id: u32, datatype: &Arc<Datatype>) -> Result<Arc<OnDatatype>> {
        let mut bound = self.bound.lock();
        let is_it =
            |on: &&Arc<OnDatatype>| on.context.id == id && Arc::ptr_eq(&on.context.datatype, datatype);
        if let Some(found) = bound.iter().find(is_it) {
            return Ok(Arc::clone(found));
        }
        let context = Box::new(Context { function: self.function, id, datatype: Arc::clone(datatype) });
        let pointer = std::ptr::from_ref(&*context).cast_mut().cast();
        let bytes = datatype.size() as usize;
        // SAFETY: the function is the program's, which has promised what MPI requires. The context lives as
        // long as the operator, in one struct, which every call with it keeps.
        let operator = unsafe { Operator::opaque(combine, pointer, self.is_commutative, bytes) }?;
        let made = Arc::new(OnDatatype { operator: Arc::new(operator), context });
        if bound.len() == KEPT {
            bound.pop_front();
        }
        bound.push_back(Arc::clone(&made));
        Ok(made)
    }

    /// Computes `inout[i] = input[i] op inout[i]` for elements in the program's memory.
    ///
    /// # Safety
    /// Both hold `count` elements of the datatype.
    pub unsafe fn combine_local(
        &self,
        id: u32,
        datatype: &Datatype,
        input: *const u8,
        inout: *mut u8,
        count: i64,
    ) {
        // The most elements that a call with an int count can take.
        let step = i64::from(c_int::MAX);
        let mut done = 0;
        while done < count {
            let n = step.min(count - done);
            let at = done.wrapping_mul(datatype.extent()) as isize;
            let (from, to) = (input.wrapping_offset(at).cast_mut(), inout.wrapping_offset(at));
            // SAFETY: promised by the caller, and by the program for its function.
            unsafe { self.function.call(from.cast(), to.cast(), n, id) };
            done += n;
        }
    }
}

/// The function that the engine calls; its operands are packed.
///
/// # Safety
/// `context` is a [`Context`], and the operands hold `count` packed elements of its datatype.
unsafe extern "C-unwind" fn combine(
    input: *const c_void,
    inout: *mut c_void,
    count: usize,
    _: c_int,
    context: *mut c_void,
) {
    // SAFETY: promised by the caller.
    let Context { function, id, datatype } = unsafe { &*context.cast::<Context>() };
    let lb = datatype.true_lb() as isize;
    if datatype.is_contiguous() {
        let (from, to) = (input.cast_mut().wrapping_byte_offset(-lb), inout.wrapping_byte_offset(-lb));
        // SAFETY: without gaps, packed elements have the program's layout. Pieces of the engine have far
        // fewer elements than an int can count.
        unsafe { function.call(from, to, count as i64, *id) };
        return;
    }
    let (size, extent) = (datatype.size() as usize, datatype.extent());
    let step = (LAID_OUT_BYTES / extent.unsigned_abs().max(1) as usize).clamp(1, count.max(1));
    let (mut left, mut right) = (LaidOut::new(datatype, step), LaidOut::new(datatype, step));
    let mut done = 0;
    while done < count {
        let n = step.min(count - done);
        let from = input.cast::<u8>().wrapping_add(done * size);
        let to = inout.cast::<u8>().wrapping_add(done * size);
        // SAFETY: both have room for `step` elements of the datatype; the operands have these.
        unsafe { datatype.scatter(n as i64, left.base(), 0, from, n * size) };
        // SAFETY: as above.
        unsafe { datatype.scatter(n as i64, right.base(), 0, to, n * size) };
        // SAFETY: both are as the datatype says.
        unsafe { function.call(left.base().cast(), right.base().cast(), n as i64, *id) };
        // SAFETY: as above.
        unsafe { datatype.gather(n as i64, right.base(), 0, to, n * size) };
        done += n;
    }
}

/// Memory for elements in the program's layout, aligned for any type.
struct LaidOut {
    memory: Vec<u128>,
    /// Distance from the start of the memory to the address that the program gets.
    offset: isize,
}

impl LaidOut {
    fn new(datatype: &Datatype, elements: usize) -> LaidOut {
        let steps = (elements as i64 - 1) * datatype.extent();
        let lowest = datatype.true_lb() + steps.min(0);
        let bytes = datatype.true_extent() as usize + steps.unsigned_abs() as usize;
        let offset = lowest.rem_euclid(16) - lowest;
        LaidOut { memory: vec![0; (bytes + 16).div_ceil(16)], offset: offset as isize }
    }

    fn base(&mut self) -> *mut u8 {
        self.memory.as_mut_ptr().cast::<u8>().wrapping_offset(self.offset)
    }
}
