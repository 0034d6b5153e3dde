//! The devices that this process sees, and what each pair of them can do.

use std::ffi::c_int;

use super::table::Table;
use crate::base::Result;
use crate::device::{CudaDriver, Ordinal, Uuid};

/// Numbers of `CUdevice_attribute`.
const CAPABILITY: [c_int; 2] = [75, 76];
/// Numbers of `CUdevice_P2PAttribute`.
const PERFORMANCE_RANK: c_int = 1;
const NATIVE_ATOMICS: c_int = 3;

/// The devices and their pairs.
#[derive(Clone, Debug)]
pub struct Inventory {
    /// Version of CUDA that the driver serves, such as (12, 8).
    pub driver: (c_int, c_int),
    /// The devices, by their number.
    pub devices: Vec<Device>,
    /// Each ordered pair of different devices.
    pub pairs: Vec<DevicePair>,
}

/// One device.
#[derive(Clone, Debug)]
pub struct Device {
    /// Its number in this process.
    pub ordinal: Ordinal,
    /// Its name.
    pub name: String,
    /// Bytes of its memory.
    pub memory: usize,
    /// Compute capability, such as (9, 0).
    pub capability: (c_int, c_int),
    /// Its address on the PCI bus, such as `0000:01:00.0`, in small letters as in /sys.
    pub bus_id: String,
    /// Its identity on all machines.
    pub uuid: Uuid,
}

/// What a device can do with the memory of another one.
#[derive(Clone, Copy, Debug)]
pub struct DevicePair {
    /// The device that accesses.
    pub from: Ordinal,
    /// The device whose memory is accessed.
    pub to: Ordinal,
    /// Whether kernels and copies can access it without the host.
    pub can_access: bool,
    /// Whether atomic operations work over the link, which NVLink has and PCIe has not.
    pub native_atomics: bool,
    /// The driver's order of links: 0 is the best.
    pub performance_rank: c_int,
}

impl Inventory {
    /// Asks the driver, which is opened. An error says why there is none.
    pub fn make() -> Result<Inventory> {
        let (driver, table) = (CudaDriver::get()?, Table::get()?);
        let mut version = 0;
        // SAFETY: writes one number.
        let result = unsafe { (table.version)(&mut version) };
        table.check("cuDriverGetVersion", result)?;
        let count = driver.device_count()?;
        let devices = (0..count).map(|ordinal| device(driver, table, ordinal)).collect::<Result<_>>()?;
        let others = |from| (0..count).filter(move |to| *to != from).map(move |to| (from, to));
        let pairs = (0..count).flat_map(others).map(|(from, to)| pair(table, from, to));
        let pairs = pairs.collect::<Result<_>>()?;
        Ok(Inventory { driver: (version / 1000, version % 1000 / 10), devices, pairs })
    }
}

fn device(driver: &CudaDriver, table: &Table, ordinal: Ordinal) -> Result<Device> {
    let mut name = [0u8; 256];
    // SAFETY: writes at most that many bytes, with a zero at the end.
    let result = unsafe { (table.name)(name.as_mut_ptr().cast(), name.len() as c_int, ordinal) };
    table.check("cuDeviceGetName", result)?;
    let mut bus_id = [0u8; 64];
    // SAFETY: as above.
    let result = unsafe { (table.bus_id)(bus_id.as_mut_ptr().cast(), bus_id.len() as c_int, ordinal) };
    table.check("cuDeviceGetPCIBusId", result)?;
    let mut memory = 0;
    // SAFETY: writes one number.
    let result = unsafe { (table.total_memory)(&mut memory, ordinal) };
    table.check("cuDeviceTotalMem", result)?;
    let attribute = |number| {
        let mut value = 0;
        // SAFETY: writes one number.
        let result = unsafe { (table.attribute)(&mut value, number, ordinal) };
        table.check("cuDeviceGetAttribute", result).map(|()| value)
    };
    Ok(Device {
        ordinal,
        name: Table::text_of(&name),
        memory,
        capability: (attribute(CAPABILITY[0])?, attribute(CAPABILITY[1])?),
        bus_id: Table::text_of(&bus_id).to_ascii_lowercase(),
        uuid: driver.uuid(ordinal)?,
    })
}

fn pair(table: &Table, from: Ordinal, to: Ordinal) -> Result<DevicePair> {
    let mut can_access = 0;
    // SAFETY: writes one number.
    let result = unsafe { (table.can_access)(&mut can_access, from, to) };
    table.check("cuDeviceCanAccessPeer", result)?;
    // An older driver may not know an attribute, which then counts as 0.
    let attribute = |number| {
        let mut value = 0;
        // SAFETY: writes one number.
        let result = unsafe { (table.peer_attribute)(&mut value, number, from, to) };
        if result == 0 { value } else { 0 }
    };
    Ok(DevicePair {
        from,
        to,
        can_access: can_access != 0,
        native_atomics: can_access != 0 && attribute(NATIVE_ATOMICS) != 0,
        performance_rank: attribute(PERFORMANCE_RANK),
    })
}
