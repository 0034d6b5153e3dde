//! An operator on one datatype, in the form that the engine takes.

use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::sync::{Arc, LazyLock};

use anyccl_engine::base::{Datatype as Element, ReduceOp};
use anyccl_engine::comm::Operator;
use anyccl_engine::reduce::ReduceFn;
use parking_lot::Mutex;

use super::kernel::{Kernel, kernel, name};
use super::user::OnDatatype;
use super::{Op, UserOp};
use crate::arguments::DatatypeHandle;
use crate::datatype::Datatype;
use crate::error::{Class, Error, Result};

/// The place of a reduction's elements, for the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The elements lie in the program's memory, one after the other from this offset on.
    InPlace(i64),
    /// The elements are packed.
    Packed,
}

/// An operator on a datatype.
#[derive(Clone)]
pub struct Bound {
    /// The kind of operator, on which ranks agree.
    pub op: ReduceOp,
    /// The engine's datatype; byte for opaque elements.
    pub element: Element,
    /// Bytes from one element to the next.
    pub unit: usize,
    /// RequestEntry of the elements.
    pub form: Form,
    keeper: Option<Keeper>,
}

/// An operator on opaque elements.
#[derive(Clone)]
enum Keeper {
    Own(Arc<Operator>),
    User(Arc<OnDatatype>),
}

impl Bound {
    /// `op` on elements of `datatype`, whose handle is `handle`.
    pub fn new(op: &Op, handle: DatatypeHandle, datatype: &Arc<Datatype>) -> Result<Bound> {
        match op {
            Op::Predefined(op) => Bound::predefined(*op, datatype),
            Op::User(op) => Bound::user(op, handle, datatype),
        }
    }

    fn predefined(op: u32, datatype: &Datatype) -> Result<Bound> {
        let code = predefined_code(op, datatype)?;
        Ok(match kernel(op, code).ok_or_else(|| undefined(op, datatype))? {
            Kernel::Engine(op, element) => {
                Bound { op, element, unit: element.bytes(), form: Form::InPlace(0), keeper: None }
            }
            Kernel::Own(function) => {
                let unit = datatype.extent() as usize;
                let operator = own_operator(op, code, function, unit)?;
                let keeper = Some(Keeper::Own(operator));
                Bound { op: ReduceOp::Callback, element: Element::Byte, unit, form: Form::InPlace(0), keeper }
            }
        })
    }

    fn user(op: &UserOp, handle: DatatypeHandle, datatype: &Arc<Datatype>) -> Result<Bound> {
        let on = op.on(handle.0, datatype)?;
        let form = if datatype.is_contiguous() { Form::InPlace(datatype.true_lb()) } else { Form::Packed };
        Ok(Bound {
            op: on.operator.op(),
            element: Element::Byte,
            unit: datatype.size() as usize,
            form,
            keeper: Some(Keeper::User(on)),
        })
    }

    /// Whether the operator belongs to the program, which may free it while a call with it is under way.
    pub fn is_of_program(&self) -> bool {
        matches!(self.keeper, Some(Keeper::User(_)))
    }

    /// The operator to pass to the engine, if the engine has no builtin one.
    pub fn operator(&self) -> Option<&Arc<Operator>> {
        match self.keeper.as_ref()? {
            Keeper::Own(operator) => Some(operator),
            Keeper::User(on) => Some(&on.operator),
        }
    }
}

/// The code of the predefined datatype that this one is or consists of.
pub(super) fn predefined_code(op: u32, datatype: &Datatype) -> Result<u32> {
    if let Some(code) = datatype.code() {
        return Ok(code);
    }
    let same = datatype.basic().filter(|(_, elements)| *elements == 1).and_then(|(code, _)| {
        let basic = Datatype::predefined(code)?;
        let as_it = (basic.lb(), basic.extent()) == (datatype.lb(), datatype.extent());
        (as_it && datatype.true_lb() == 0).then_some(code)
    });
    same.ok_or_else(|| undefined(op, datatype))
}

#[cold]
pub(super) fn undefined(op: u32, datatype: &Datatype) -> Error {
    let (op, datatype) = (name(op), datatype.name().unwrap_or("a derived datatype"));
    let text = match op {
        "MPI_REPLACE" | "MPI_NO_OP" => format!("{op} is an operator of windows only"),
        _ => format!("{op} is not defined on {datatype}; MPI_Op_create makes an operator that is"),
    };
    Error::new(Class::OP, text)
}

/// The operator for a loop of this crate.
fn own_operator(op: u32, code: u32, function: ReduceFn, unit: usize) -> Result<Arc<Operator>> {
    type Operators = Mutex<HashMap<(u32, u32), Arc<Operator>>>;
    static MADE: LazyLock<Operators> = LazyLock::new(Mutex::default);
    let mut made = MADE.lock();
    if let Some(operator) = made.get(&(op, code)) {
        return Ok(Arc::clone(operator));
    }
    // SAFETY: the context is the function, and `combine` knows it.
    let operator = Arc::new(unsafe { Operator::opaque(combine, function as *mut c_void, true, unit) }?);
    made.insert((op, code), Arc::clone(&operator));
    Ok(operator)
}

/// The function that the engine calls.
///
/// # Safety
/// `context` is a [`ReduceFn`], for whose elements this is called.
unsafe extern "C-unwind" fn combine(
    input: *const c_void,
    inout: *mut c_void,
    count: usize,
    _: c_int,
    context: *mut c_void,
) {
    // SAFETY: promised by the caller.
    let function = unsafe { std::mem::transmute::<*mut c_void, ReduceFn>(context) };
    // SAFETY: the operands are apart and hold that many elements.
    unsafe { function(inout.cast(), input.cast(), inout.cast_const().cast(), count) };
}
