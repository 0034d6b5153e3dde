//! What the runtime says about an address (`cudaPointerGetAttributes`).

use std::ffi::c_int;

use crate::driver::Driver;
use crate::entry::{call_in_context, write};
use crate::error::{Error, Result};

/// The driver's attributes of an address.
const MEMORY_TYPE: c_int = 2;
const DEVICE_POINTER: c_int = 3;
const HOST_POINTER: c_int = 4;
const IS_MANAGED: c_int = 8;
const ORDINAL: c_int = 9;

/// The `cudaMemoryType` of managed memory.
const MANAGED: c_int = 3;

/// The device of memory that belongs to none.
const NO_DEVICE: c_int = -2;

/// A `cudaPointerAttributes`. That of CUDA 13 has reserved words behind it, which stay as they are.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attributes {
    /// `cudaMemoryType`: 0 not registered, 1 host, 2 device, 3 managed.
    pub kind: c_int,
    /// The device.
    pub device: c_int,
    /// The address for the device, or 0.
    pub device_pointer: usize,
    /// The address for the host, or 0.
    pub host_pointer: usize,
}

/// One attribute; `None` if the driver does not know the address, or has no such attribute for it.
fn attribute<T: Copy + Default>(driver: &Driver, attribute: c_int, address: usize) -> Result<Option<T>> {
    let mut value = T::default();
    match (driver.cuPointerGetAttribute)((&raw mut value).cast(), attribute, address) {
        Error::SUCCESS => Ok(Some(value)),
        Error::INVALID_VALUE => Ok(None),
        error => Err(error),
    }
}

/// `cudaPointerGetAttributes`. An address that the driver does not know is no error.
#[unsafe(no_mangle)]
pub extern "C" fn cudaPointerGetAttributes(place: *mut Attributes, address: usize) -> Error {
    call_in_context(|driver| {
        let Some(kind) = attribute::<u32>(driver, MEMORY_TYPE, address)? else {
            let unknown = Attributes { kind: 0, device: NO_DEVICE, device_pointer: 0, host_pointer: 0 };
            return write(place, unknown);
        };
        let found = Attributes {
            kind: if attribute(driver, IS_MANAGED, address)?.unwrap_or(0u8) != 0 {
                MANAGED
            } else {
                kind as c_int
            },
            device: attribute(driver, ORDINAL, address)?.unwrap_or(NO_DEVICE),
            device_pointer: attribute(driver, DEVICE_POINTER, address)?.unwrap_or(0),
            host_pointer: attribute(driver, HOST_POINTER, address)?.unwrap_or(0),
        };
        write(place, found)
    })
}
