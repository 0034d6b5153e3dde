//! Integers and pointers from C, turned into the engine's types.
//!
//! An enumeration that comes from C is an integer until it is checked: any value may arrive.

use std::ffi::{CStr, c_char, c_int};

use anyccl_engine::base::{Datatype, Error, Rank, ReduceOp, Result};

/// Fails with an argument that the call never accepts.
pub fn invalid<T>(what: &'static str, got: impl Into<String>) -> Result<T> {
    Err(Error::InvalidArgument { what, got: got.into() })
}

/// Refuses NULL.
pub fn not_null<T>(ptr: *const T, what: &'static str) -> Result<()> {
    if ptr.is_null() { invalid(what, "NULL") } else { Ok(()) }
}

/// The datatype with this number, if there is one.
// Always inlined: it is part of each small call.
#[inline(always)]
pub fn known_datatype(number: c_int) -> Option<Datatype> {
    Datatype::from_number(u32::try_from(number).ok()?)
}

/// The builtin operator with this number, if there is one.
// Always inlined: it is part of each small call.
#[inline(always)]
pub fn known_reduce_op(number: c_int) -> Option<ReduceOp> {
    ReduceOp::from_number(u32::try_from(number).ok()?)
}

/// The datatype with this number.
#[inline]
pub fn datatype(number: c_int) -> Result<Datatype> {
    match known_datatype(number) {
        Some(datatype) => Ok(datatype),
        None => invalid("datatype", format!("{number}; accepted: 0 to {}", Datatype::ALL.len() - 1)),
    }
}

/// The operator with this number.
#[inline]
pub fn reduce_op(number: c_int) -> Result<ReduceOp> {
    match known_reduce_op(number) {
        Some(op) => Ok(op),
        None => invalid("op", format!("{number}; accepted: 0 to {}", ReduceOp::ALL.len() - 1)),
    }
}

/// The operator with this number, if it is defined on `datatype`.
// Always inlined: it is part of each small call.
#[inline(always)]
pub fn reduce_op_on(number: c_int, datatype: Datatype) -> Result<ReduceOp> {
    let op = reduce_op(number)?;
    if op.accepts(datatype) {
        return Ok(op);
    }
    refuse(op, datatype)
}

#[cold]
fn refuse<T>(op: ReduceOp, datatype: Datatype) -> Result<T> {
    let accepted = ReduceOp::ALL.into_iter().filter(|op| op.accepts(datatype));
    let accepted: Vec<&str> = accepted.map(ReduceOp::name).collect();
    let datatype = datatype.name();
    invalid("op", format!("{} on {datatype}; accepted on {datatype}: {}", op.name(), accepted.join(", ")))
}

/// A rank of a communicator of `size` ranks.
#[inline]
pub fn rank(number: c_int, size: u32, what: &'static str) -> Result<Rank> {
    match u32::try_from(number) {
        Ok(rank) if rank < size => Ok(rank),
        _ => invalid(what, format!("{number}; accepted: 0 to {}", size.saturating_sub(1))),
    }
}

/// A number of ranks.
pub fn size(number: c_int) -> Result<u32> {
    match u32::try_from(number) {
        Ok(size) if size > 0 => Ok(size),
        _ => invalid("size", format!("{number}; accepted: 1 and more")),
    }
}

/// A rank, count or size of the engine as C's int.
pub fn int(number: u32) -> Result<c_int> {
    c_int::try_from(number).map_err(|_| Error::Internal(format!("{number} does not fit an int")))
}

/// A C string as text; NULL is `None`.
///
/// # Safety
/// A `text` that is not NULL is terminated and stays unchanged during the call.
pub unsafe fn text(text: *const c_char, what: &'static str) -> Result<Option<String>> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: not NULL; the caller promises the rest.
    match unsafe { CStr::from_ptr(text) }.to_str() {
        Ok(text) => Ok(Some(text.to_owned())),
        Err(_) => invalid(what, "not UTF-8"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_outside_the_enumerations_are_refused() {
        for number in [-1, 18, c_int::MIN, c_int::MAX] {
            assert!(matches!(datatype(number), Err(Error::InvalidArgument { what: "datatype", .. })));
            assert!(matches!(reduce_op(number), Err(Error::InvalidArgument { what: "op", .. })));
        }
        assert!(reduce_op(11).is_err());
        for known in Datatype::ALL {
            assert_eq!(datatype(known as c_int).unwrap(), known);
        }
        for known in ReduceOp::ALL {
            assert_eq!(reduce_op(known as c_int).unwrap(), known);
        }
    }

    #[test]
    fn a_refused_operator_is_told_which_ones_the_datatype_accepts() {
        let error = reduce_op_on(ReduceOp::Sum as c_int, Datatype::Byte).unwrap_err();
        assert_eq!(error.to_string(), "invalid op: sum on byte; accepted on byte: band, bor, bxor");
    }

    #[test]
    fn ranks_and_sizes_end_where_the_communicator_does() {
        assert_eq!(rank(2, 3, "root").unwrap(), 2);
        for outside in [-1, 3, c_int::MIN, c_int::MAX] {
            assert!(matches!(rank(outside, 3, "root"), Err(Error::InvalidArgument { what: "root", .. })));
        }
        assert!(size(0).is_err() && size(-4).is_err());
        assert_eq!(size(1).unwrap(), 1);
    }
}
