//! What the driver knows about an address (`cuPointerGetAttribute`).

use std::ffi::c_int;

use crate::address_space::{self, Kind, Range};
use crate::argument::{In, Out};
use crate::context;
use crate::entry::call;
use crate::status::{Result, Status, require};
use crate::vmm;

/// An attribute (`CUpointer_attribute`).
fn write(place: usize, attribute: c_int, address: u64, range: Option<&Range>) -> Result {
    require(place != 0)?;
    // The attributes that have an answer for any address.
    match attribute {
        9 if range.is_none() => return Out::at(place).set(-2i32),
        10 | 15 if range.is_none() => return Out::at(place).set(0u8),
        8 => return Out::at(place).set(u8::from(range.is_some_and(is_managed))),
        13 => return Out::at(place).set(u8::from(range.is_some_and(is_mapped))),
        _ => {}
    }
    let range = range.ok_or(Status::INVALID_VALUE)?;
    match attribute {
        // Memory of `cuMemMap` belongs to no context.
        1 if matches!(range.kind, Kind::Mapped { .. }) => Out::at(place).set(0usize),
        1 => Out::at(place).set(range.context),
        2 => Out::at(place).set(if range.is_host() && !is_managed(range) { 1u32 } else { 2 }),
        3 => Out::at(place).set(address),
        4 if range.is_host() => Out::at(place).set(address),
        4 => Err(Status::INVALID_VALUE),
        6 => Out::at(place).set(0u8),
        7 => Out::at(place).set(range.id),
        9 => Out::at(place).set(range.device),
        10 => Out::at(place).set(u8::from(matches!(range.kind, Kind::Allocated(_)))),
        11 => Out::at(place).set(range.base),
        12 => Out::at(place).set(range.size as usize),
        14 => Out::at(place).set(handle_types(range) as u32),
        15 => Out::at(place).set(0u8),
        16 => Out::at(place).set(access(range)),
        17 => Out::at(place).set(0usize),
        18 => Out::at(place).set(range.size as usize),
        19 => Out::at(place).set(range.base),
        20 => Out::at(place).set(range.id),
        _ => Err(Status::INVALID_VALUE),
    }
}

fn is_managed(range: &Range) -> bool {
    matches!(range.kind, Kind::Managed)
}

fn is_mapped(range: &Range) -> bool {
    !matches!(&range.kind, Kind::Mapped { access, .. } if access.is_empty())
}

/// Bits of `CUmemAllocationHandleType`: descriptors for memory of `cuMemCreate` that asked for them.
fn handle_types(range: &Range) -> u64 {
    match range.kind {
        Kind::Mapped { physical, .. } => vmm::handle_types(physical),
        _ => 0,
    }
}

/// `CUmemAccess_flags` for the current device.
fn access(range: &Range) -> u32 {
    let device = context::current_device().map_or(range.device, |device| device.ordinal);
    match &range.kind {
        Kind::Mapped { access, .. } => {
            let found = access.iter().find(|(ordinal, _)| *ordinal == device);
            found.map_or(0, |(_, may_write)| if *may_write { 3 } else { 1 })
        }
        _ => 3,
    }
}

/// `cuPointerGetAttribute`; an address that the driver does not know is an invalid value.
#[unsafe(no_mangle)]
pub extern "C" fn cuPointerGetAttribute(value: usize, attribute: c_int, address: u64) -> Status {
    call("cuPointerGetAttribute", || {
        let range = address_space::find(address);
        if range.is_none() {
            return Err(Status::INVALID_VALUE);
        }
        write(value, attribute, address, range.as_ref())
    })
}

/// `cuPointerGetAttributes`; it succeeds for any address and writes zeros for what is not known.
#[unsafe(no_mangle)]
pub extern "C" fn cuPointerGetAttributes(
    count: u32,
    attributes: In<c_int>,
    values: In<usize>,
    address: u64,
) -> Status {
    call("cuPointerGetAttributes", || {
        let range = address_space::find(address);
        for index in 0..count as usize {
            let (attribute, place) = (attributes.element(index)?, values.element(index)?);
            require((1..=20).contains(&attribute))?;
            if write(place, attribute, address, range.as_ref()).is_err() {
                match attribute {
                    2 | 9 | 14 | 16 => Out::at(place).set(0u32)?,
                    6 | 8 | 10 | 13 | 15 => Out::at(place).set(0u8)?,
                    _ => Out::at(place).set(0u64)?,
                }
            }
        }
        Ok(())
    })
}

/// `cuPointerSetAttribute`: only `CU_POINTER_ATTRIBUTE_SYNC_MEMOPS`, which the double accepts without effect.
#[unsafe(no_mangle)]
pub extern "C" fn cuPointerSetAttribute(value: usize, attribute: c_int, address: u64) -> Status {
    call("cuPointerSetAttribute", || {
        require(value != 0 && attribute == 6 && address_space::find(address).is_some())
    })
}

/// `cuMemGetHandleForAddressRange`: the double has no DMA buffers, and says so by its attribute.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemGetHandleForAddressRange(
    _handle: usize,
    _address: u64,
    _size: usize,
    _kind: c_int,
    _flags: u64,
) -> Status {
    call("cuMemGetHandleForAddressRange", || Err(Status::NOT_SUPPORTED))
}
