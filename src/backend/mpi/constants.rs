//! Constants of MPI's header files, for a library whose header was not compiled in.

use std::ffi::{c_int, c_void};

use crate::base::{Datatype, ReduceOp};

/// A handle of MPI as it is passed: an int or a pointer.
pub trait Handle: Copy + Send + Sync + 'static {
    /// Value for a handle that MPI will overwrite.
    const ROOM: Self;
}

impl Handle for c_int {
    const ROOM: c_int = 0;
}

/// A handle that is a pointer. It belongs to MPI and is never followed here.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Pointer(pub *mut c_void);

// SAFETY: an opaque value; MPI's thread level, not this type, decides what is allowed between threads.
unsafe impl Send for Pointer {}
// SAFETY: as above.
unsafe impl Sync for Pointer {}

impl Handle for Pointer {
    const ROOM: Pointer = Pointer(std::ptr::null_mut());
}

impl Pointer {
    /// A predefined handle that is a small number.
    pub const fn number(value: usize) -> Pointer {
        Pointer(std::ptr::without_provenance_mut(value))
    }
}

/// The constants of one binary interface.
pub struct Constants<H> {
    /// Name of the interface, as `anyccl info` shows it.
    pub interface: &'static str,
    pub comm_world: H,
    pub errors_return: H,
    pub types: Types<H>,
    pub operators: Operators<H>,
    pub in_place: usize,
    pub status_ignore: usize,
    pub any_source: c_int,
    pub any_tag: c_int,
    pub thread_multiple: c_int,
}

// SAFETY: handles that are only passed to MPI.
unsafe impl<H: Handle> Sync for Constants<H> {}

/// Predefined datatypes.
pub struct Types<H> {
    pub int8: H,
    pub uint8: H,
    pub int16: H,
    pub uint16: H,
    pub int32: H,
    pub uint32: H,
    pub int64: H,
    pub uint64: H,
    pub float: H,
    pub double: H,
    pub c_bool: H,
    pub c_float_complex: H,
    pub c_double_complex: H,
    pub byte: H,
}

/// Predefined operators.
pub struct Operators<H> {
    pub sum: H,
    pub prod: H,
    pub min: H,
    pub max: H,
    pub band: H,
    pub bor: H,
    pub bxor: H,
    pub land: H,
    pub lor: H,
    pub lxor: H,
}

impl<H: Handle> Types<H> {
    /// MPI's datatype of the same length. If MPI does not have the datatype, it is one on which an operator
    /// made by us works.
    pub fn of(&self, datatype: Datatype) -> H {
        match datatype {
            Datatype::Int8 => self.int8,
            Datatype::Uint8 | Datatype::Float8E4m3 | Datatype::Float8E5m2 => self.uint8,
            Datatype::Int16 => self.int16,
            Datatype::Uint16 | Datatype::Float16 | Datatype::Bfloat16 => self.uint16,
            Datatype::Int32 => self.int32,
            Datatype::Uint32 => self.uint32,
            Datatype::Int64 => self.int64,
            Datatype::Uint64 => self.uint64,
            Datatype::Float32 => self.float,
            Datatype::Float64 => self.double,
            Datatype::Bool => self.c_bool,
            Datatype::Complex64 => self.c_float_complex,
            Datatype::Complex128 => self.c_double_complex,
            Datatype::Byte => self.byte,
        }
    }
}

impl<H: Handle> Operators<H> {
    /// MPI's operator for a datatype that MPI has. An average begins as a sum.
    pub fn of(&self, datatype: Datatype, op: ReduceOp) -> H {
        let is_bool = datatype == Datatype::Bool;
        match op {
            ReduceOp::Sum | ReduceOp::Max | ReduceOp::Bor if is_bool => self.lor,
            ReduceOp::Product | ReduceOp::Min | ReduceOp::Band if is_bool => self.land,
            ReduceOp::Bxor if is_bool => self.lxor,
            ReduceOp::Sum | ReduceOp::Avg => self.sum,
            ReduceOp::Product => self.prod,
            ReduceOp::Min => self.min,
            ReduceOp::Max => self.max,
            ReduceOp::Band => self.band,
            ReduceOp::Bor => self.bor,
            ReduceOp::Bxor => self.bxor,
            ReduceOp::Land => self.land,
            ReduceOp::Lor => self.lor,
            ReduceOp::Lxor => self.lxor,
            ReduceOp::PremulSum | ReduceOp::Callback | ReduceOp::OrderedCallback => {
                unreachable!("an operator that the program has made")
            }
        }
    }
}
