//! What is reduced: datatype and operator, and the addresses at which the engine reads and writes elements.

use anyccl_engine::base::{Call, CallKind, Collective, Rank};
use anyccl_engine::comm::Operation;

use super::script::Script;
use super::typed::{Elements, bytes_of, check_address, check_count, exceeds_memory};
use crate::arguments::{DatatypeHandle, OpHandle};
use crate::error::Result;
use crate::op::{Bound, Form, Op};
use crate::types::{self, TypeRef};

/// Datatype and operator of a reduction.
pub(super) struct Reduction {
    pub datatype: TypeRef,
    /// The operator on the datatype; `None` if elements have no bytes, because then there is nothing to
    /// reduce.
    pub bound: Option<Bound>,
}

impl Reduction {
    /// Checks datatype and operator.
    pub fn new(datatype: DatatypeHandle, op: OpHandle) -> Result<Reduction> {
        let handle = datatype;
        let op = Op::from_handle(op)?;
        let datatype = types::committed(handle)?;
        let bound = match (&op, datatype.size()) {
            (Op::User(_), 0) => None,
            _ => Some(Bound::new(&op, handle, &datatype)?),
        };
        Ok(Reduction { datatype, bound })
    }

    /// Elements at an address.
    pub fn elements(&self, base: *mut u8, count: i64) -> Elements<'_> {
        Elements::written(base, count, &self.datatype)
    }

    /// Length of elements in bytes, as the engine counts them.
    pub fn bytes(&self, count: i64) -> Result<usize> {
        let unit = self.bound.as_ref().map_or(0, |bound| bound.unit);
        (count as usize).checked_mul(unit).ok_or_else(exceeds_memory)
    }

    /// The address at which the engine reads elements.
    pub fn input(
        &self,
        script: &mut Script,
        base: *mut u8,
        count: i64,
        name: &'static str,
    ) -> Result<*mut u8> {
        if let Some(start) = self.in_place(base, count, name)? {
            return Ok(start);
        }
        let memory = script.scratch(bytes_of(count, &self.datatype)?)?;
        script.pack(self.elements(base, count).typed(), memory);
        Ok(memory)
    }

    /// The address at which the engine writes elements.
    pub fn output(
        &self,
        script: &mut Script,
        base: *mut u8,
        count: i64,
        name: &'static str,
    ) -> Result<*mut u8> {
        if let Some(start) = self.in_place(base, count, name)? {
            return Ok(start);
        }
        let memory = script.scratch(bytes_of(count, &self.datatype)?)?;
        script.unpack(memory.cast_const(), self.elements(base, count).typed());
        Ok(memory)
    }

    /// Scratch memory for elements. The call's result is stored from there after the call of this stage.
    pub fn output_apart(&self, script: &mut Script, base: *mut u8, count: i64) -> Result<*mut u8> {
        let bytes = self.bytes(count)?;
        let memory = script.scratch(bytes)?;
        match self.in_place(base, count, "recvbuf")? {
            Some(start) => script.copy_after(memory.cast_const(), start, bytes),
            None => script.unpack(memory.cast_const(), self.elements(base, count).typed()),
        }
        Ok(memory)
    }

    pub fn in_place(&self, base: *mut u8, count: i64, name: &'static str) -> Result<Option<*mut u8>> {
        check_count(count)?;
        check_address(base.cast_const(), count, &self.datatype, name)?;
        Ok(match self.bound.as_ref().map(|bound| bound.form) {
            Some(Form::InPlace(offset)) => Some(base.wrapping_offset(offset as isize)),
            Some(Form::Packed) | None => None,
        })
    }

    /// The engine's call on `count` elements, in the sense of the collective.
    pub fn operation(
        &self,
        collective: Collective,
        root: Rank,
        count: i64,
        send: *const u8,
        recv: *mut u8,
    ) -> Option<Operation> {
        let bound = self.bound.as_ref()?;
        let kind = CallKind::Collective(collective);
        let call =
            Call { kind, datatype: bound.element, op: Some(bound.op), root, count: count.cast_unsigned() };
        Some(Operation { call, send, recv })
    }
}
