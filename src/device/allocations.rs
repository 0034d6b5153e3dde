//! Memory of devices that the library allocates for the program: `anyccl_mem_alloc_kind`.
//!
//! The memory is of the device that is current in the calling thread, or of the first device if none is. The
//! process keeps it until it is freed, or until the process ends, whatever communicators come and go. Like
//! the driver's own functions, both directions may wait for all work of the device.

use std::collections::HashMap;
use std::sync::LazyLock;

use parking_lot::Mutex;

use super::context::Entered;
use super::driver::{CudaDriver, Ordinal};
use super::exportable::Exportable;
use crate::base::Result;

/// A kind of memory of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceMemory {
    /// What the driver allocates for any program.
    Plain,
    /// Memory that other processes can map, by a descriptor.
    Exportable,
}

/// What is behind an address of the table.
enum Allocation {
    Plain(Ordinal),
    /// Kept only to be dropped.
    Exportable(#[allow(dead_code)] Exportable),
}

static LIVE: LazyLock<Mutex<HashMap<usize, Allocation>>> = LazyLock::new(Mutex::default);

/// Allocates memory of a device: `bytes` bytes of undefined content, aligned to 256 bytes or more. The first
/// call opens the driver.
pub fn allocate(kind: DeviceMemory, bytes: usize) -> Result<usize> {
    let driver = CudaDriver::get()?;
    let device = driver.current()?.map_or(0, |(_, device)| device);
    let (address, allocation) = match kind {
        DeviceMemory::Plain => {
            let _ignored = driver.ignore_captures();
            let _entered = Entered::for_device(driver, device)?;
            (driver.allocate(bytes)?, Allocation::Plain(device))
        }
        DeviceMemory::Exportable => {
            let memory = Exportable::allocate(device, bytes)?;
            (memory.address(), Allocation::Exportable(memory))
        }
    };
    LIVE.lock().insert(address as usize, allocation);
    Ok(address as usize)
}

/// Frees memory of [`allocate`]. `false`: it is none, or no longer, and nothing was done.
pub fn free(address: usize) -> Result<bool> {
    let Some(allocation) = LIVE.lock().remove(&address) else { return Ok(false) };
    if let Allocation::Plain(device) = allocation {
        let driver = CudaDriver::get()?;
        let _ignored = driver.ignore_captures();
        let _entered = Entered::for_device(driver, device)?;
        driver.free(address as u64)?;
    }
    Ok(true)
}
