//! Packing in external32, the portable representation (MPI 5.0, section 14.5.2).

use std::ffi::CString;

use super::packing::{check_packing, elements, part};
use crate::arguments::{DatatypeHandle, InputOutput, Output, RecvAddress, SendAddress};
use crate::error::{Class, Error, Result};

fn check_representation(datarep: &CString) -> Result<()> {
    if datarep.as_bytes() == b"external32" {
        return Ok(());
    }
    let text = format!("the representation {datarep:?} is not known: it is \"external32\"");
    Err(Error::new(Class::ARG, text))
}

/// `MPI_Pack_external_size`.
pub unsafe fn pack_external_size(
    datarep: CString,
    incount: i64,
    datatype: DatatypeHandle,
    size: Output<i64>,
) -> Result<()> {
    check_representation(&datarep)?;
    let typed = elements(std::ptr::null_mut(), incount, datatype)?;
    size.set(typed.datatype.external32_size(typed.count)?);
    Ok(())
}

/// `MPI_Pack_external`.
pub unsafe fn pack_external(
    datarep: CString,
    inbuf: SendAddress,
    incount: i64,
    datatype: DatatypeHandle,
    outbuf: RecvAddress,
    outsize: i64,
    position: InputOutput<i64>,
) -> Result<()> {
    check_representation(&datarep)?;
    let typed = elements(inbuf.pointer().cast_mut(), incount, datatype)?;
    let bytes = typed.datatype.external32_size(typed.count)? as usize;
    let start = position.get();
    let target = outbuf.pointer().wrapping_add(part(start, bytes, outsize)?);
    check_packing(&typed, target, bytes)?;
    // SAFETY: the program passes readable elements, and an output of that many bytes, which was checked.
    unsafe { typed.datatype.pack_external(typed.count, typed.base, target) }?;
    position.set(start + bytes as i64);
    Ok(())
}

/// `MPI_Unpack_external`.
pub unsafe fn unpack_external(
    datarep: CString,
    inbuf: SendAddress,
    insize: i64,
    position: InputOutput<i64>,
    outbuf: RecvAddress,
    outcount: i64,
    datatype: DatatypeHandle,
) -> Result<()> {
    check_representation(&datarep)?;
    let typed = elements(outbuf.pointer(), outcount, datatype)?;
    let bytes = typed.datatype.external32_size(typed.count)? as usize;
    let start = position.get();
    let source = inbuf.pointer().wrapping_add(part(start, bytes, insize)?);
    check_packing(&typed, source, bytes)?;
    // SAFETY: the program passes writable elements, and an input of that many bytes, which was checked.
    unsafe { typed.datatype.unpack_external(typed.count, typed.base, source) }?;
    position.set(start + bytes as i64);
    Ok(())
}
