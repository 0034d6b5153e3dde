//! Packing into and out of the program's memory.

use std::sync::Arc;

use super::host_memory::check_host;
use super::{Typed, committed};
use crate::arguments::{CommHandle, DatatypeHandle, InputOutput, Output, RecvAddress, SendAddress};
use crate::comm::Comm;
use crate::error::{Class, Error, Result};

/// Elements in the program's memory.
pub(super) fn elements(base: *mut u8, count: i64, datatype: DatatypeHandle) -> Result<Typed> {
    if count < 0 {
        return Err(Error::new(Class::COUNT, format!("the count is {count}")));
    }
    let datatype = Arc::clone(&*committed(datatype)?);
    if count.checked_mul(datatype.size()).is_none() {
        return Err(Error::new(Class::COUNT, format!("{count} elements exceed memory")));
    }
    Ok(Typed { base, count, datatype })
}

/// Refuses to pack or unpack in memory of a GPU.
pub(super) fn check_packing(elements: &Typed, packed: *const u8, bytes: usize) -> Result<()> {
    const WHAT: &str = "packing or unpacking, which the processor does";
    check_host(elements.first(), elements.bytes(), WHAT)?;
    check_host(packed, bytes, WHAT)
}

/// The start of the part of a packed buffer that `bytes` bytes from `position` on need.
pub(super) fn part(position: i64, bytes: usize, size: i64) -> Result<usize> {
    match usize::try_from(position) {
        Ok(start) if position.checked_add(bytes as i64).is_some_and(|end| end <= size) => Ok(start),
        _ => {
            let text = format!("{bytes} bytes from position {position} on do not fit into {size} bytes");
            Err(Error::new(Class::ARG, text))
        }
    }
}

/// `MPI_Pack`.
pub unsafe fn pack(
    inbuf: SendAddress,
    incount: i64,
    datatype: DatatypeHandle,
    outbuf: RecvAddress,
    outsize: i64,
    position: InputOutput<i64>,
    comm: CommHandle,
) -> Result<()> {
    Comm::from_handle(comm)?;
    let typed = elements(inbuf.pointer().cast_mut(), incount, datatype)?;
    let (bytes, start) = (typed.bytes(), position.get());
    let target = outbuf.pointer().wrapping_add(part(start, bytes, outsize)?);
    check_packing(&typed, target, bytes)?;
    // SAFETY: the program passes readable elements, and an output of that many bytes, which was checked.
    unsafe { typed.datatype.gather(typed.count, typed.base, 0, target, bytes) };
    position.set(start + bytes as i64);
    Ok(())
}

/// `MPI_Unpack`.
pub unsafe fn unpack(
    inbuf: SendAddress,
    insize: i64,
    position: InputOutput<i64>,
    outbuf: RecvAddress,
    outcount: i64,
    datatype: DatatypeHandle,
    comm: CommHandle,
) -> Result<()> {
    Comm::from_handle(comm)?;
    let typed = elements(outbuf.pointer(), outcount, datatype)?;
    let (bytes, start) = (typed.bytes(), position.get());
    let source = inbuf.pointer().wrapping_add(part(start, bytes, insize)?);
    check_packing(&typed, source, bytes)?;
    // SAFETY: the program passes writable elements, and an input of that many bytes, which was checked.
    unsafe { typed.datatype.scatter(typed.count, typed.base, 0, source, bytes) };
    position.set(start + bytes as i64);
    Ok(())
}

/// `MPI_Pack_size`.
pub unsafe fn pack_size(
    incount: i64,
    datatype: DatatypeHandle,
    comm: CommHandle,
    size: Output<i64>,
) -> Result<()> {
    Comm::from_handle(comm)?;
    size.set(elements(std::ptr::null_mut(), incount, datatype)?.bytes() as i64);
    Ok(())
}
