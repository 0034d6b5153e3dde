//! Handles of the tool information interface: pointers in every ABI, which hold a number.

use std::ffi::c_void;

use super::{Element, Kind};
use crate::abi::Abi;
use crate::error::Result;

/// A handle of an enumeration, a variable, a session or an event, or what stands for all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolHandle(pub usize);

impl ToolHandle {
    /// The handle that names no object.
    pub const NULL: ToolHandle = ToolHandle(0);
    /// `MPI_T_PVAR_ALL_HANDLES`.
    pub const ALL: ToolHandle = ToolHandle(1);

    /// The number of the object, or one that no object has.
    pub fn number(self) -> u32 {
        u32::try_from(self.0).unwrap_or(0)
    }
}

impl<A: Abi> Element<A> for ToolHandle {
    type C = *mut c_void;
    type Value = ToolHandle;

    fn value(raw: *mut c_void) -> ToolHandle {
        if A::is_all_tool_handles(raw) { ToolHandle::ALL } else { ToolHandle(raw.addr()) }
    }

    fn raw(value: ToolHandle) -> *mut c_void {
        std::ptr::without_provenance_mut(value.0)
    }
}

impl<A: Abi> Kind<A> for ToolHandle {
    type C = *mut c_void;
    type Value = ToolHandle;

    unsafe fn value(raw: *mut c_void, _: &'static str) -> Result<ToolHandle> {
        Ok(<ToolHandle as Element<A>>::value(raw))
    }
}
