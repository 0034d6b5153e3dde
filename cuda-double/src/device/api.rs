//! The functions `cuDevice*` and `cuDriverGetVersion`.

use std::ffi::{c_char, c_int};

use super::{Ordinal, attributes, count, get};
use crate::argument::{In, Out};
use crate::entry::{before_init, call};
use crate::settings::settings;
use crate::status::{Status, require};

/// `cuDriverGetVersion`; works before `cuInit`.
#[unsafe(no_mangle)]
pub extern "C" fn cuDriverGetVersion(version: Out<c_int>) -> Status {
    before_init("cuDriverGetVersion", || version.set(settings().version))
}

/// `cuDeviceGetCount`.
#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceGetCount(number: Out<c_int>) -> Status {
    call("cuDeviceGetCount", || number.set(count() as c_int))
}

/// `cuDeviceGet`.
#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceGet(device: Out<Ordinal>, ordinal: c_int) -> Status {
    call("cuDeviceGet", || device.set(get(ordinal)?.ordinal))
}

/// `cuDeviceGetName`.
#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceGetName(name: Out<c_char>, size: c_int, device: Ordinal) -> Status {
    call("cuDeviceGetName", || {
        get(device)?;
        name.write_text("anyccl CUDA double", usize::try_from(size).unwrap_or(0))
    })
}

/// `cuDeviceGetUuid`.
#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceGetUuid(uuid: Out<[u8; 16]>, device: Ordinal) -> Status {
    call("cuDeviceGetUuid", || uuid.set(get(device)?.uuid()))
}

/// `cuDeviceGetUuid_v2`.
#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceGetUuid_v2(uuid: Out<[u8; 16]>, device: Ordinal) -> Status {
    cuDeviceGetUuid(uuid, device)
}

/// `cuDeviceGetAttribute`.
#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceGetAttribute(value: Out<c_int>, attribute: c_int, device: Ordinal) -> Status {
    call("cuDeviceGetAttribute", || value.set(attributes::value(attribute, get(device)?.physical)?))
}

/// `cuDeviceTotalMem_v2`.
#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceTotalMem_v2(bytes: Out<usize>, device: Ordinal) -> Status {
    call("cuDeviceTotalMem", || {
        get(device)?;
        bytes.set(settings().memory as usize)
    })
}

/// `cuDeviceComputeCapability`.
#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceComputeCapability(major: Out<c_int>, minor: Out<c_int>, device: Ordinal) -> Status {
    call("cuDeviceComputeCapability", || {
        let physical = get(device)?.physical;
        major.set(attributes::value(75, physical)?)?;
        minor.set(attributes::value(76, physical)?)
    })
}

/// `cuDeviceCanAccessPeer`.
#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceCanAccessPeer(can: Out<c_int>, device: Ordinal, peer: Ordinal) -> Status {
    call("cuDeviceCanAccessPeer", || can.set(c_int::from(get(device)?.can_access(get(peer)?))))
}

/// `cuDeviceGetP2PAttribute`.
#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceGetP2PAttribute(
    value: Out<c_int>,
    attribute: c_int,
    source: Ordinal,
    destination: Ordinal,
) -> Status {
    call("cuDeviceGetP2PAttribute", || {
        let (source, destination) = (get(source)?, get(destination)?);
        // The driver refuses a device and itself.
        require(source.ordinal != destination.ordinal).map_err(|_| Status::INVALID_DEVICE)?;
        value.set(attributes::between(attribute, source.can_access(destination))?)
    })
}

fn bus_id(physical: usize) -> String {
    format!("0000:{:02X}:00.0", physical + 1)
}

/// `cuDeviceGetPCIBusId`.
#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceGetPCIBusId(id: Out<c_char>, size: c_int, device: Ordinal) -> Status {
    call("cuDeviceGetPCIBusId", || {
        let text = bus_id(get(device)?.physical);
        require(size as usize > text.len())?;
        id.write_text(&text, size as usize)
    })
}

/// `cuDeviceGetByPCIBusId`.
#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceGetByPCIBusId(device: Out<Ordinal>, id: In<c_char>) -> Status {
    call("cuDeviceGetByPCIBusId", || {
        let wanted = id.text()?;
        let fits = |ordinal: &c_int| get(*ordinal).is_ok_and(|found| bus_id(found.physical) == wanted);
        device.set((0..count() as c_int).find(fits).ok_or(Status::INVALID_DEVICE)?)
    })
}
