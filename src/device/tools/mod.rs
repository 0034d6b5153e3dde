//! What the `anyccl` tool asks of the CUDA driver, and nothing else of the library does.
//!
//! - [`Inventory`] is a list of the devices of this process, and of what each pair can do.
//! - [`DeviceBuffer`] is memory of a device, with copies that wait for their end.
//! - [`CopyBench`] times copies between two memories.
//!
//! The functions are in a table of their own (`table`), so that the library does not need them.

mod buffer;
mod copies;
mod inventory;
mod table;

pub use buffer::DeviceBuffer;
pub use copies::{CopyBench, CopyEnd};
pub use inventory::{Device, DevicePair, Inventory};

use super::{CudaDriver, Ordinal};
use crate::base::Result;
use table::Table;

/// Number of devices that this process sees. Opens the driver.
pub fn device_count() -> Result<Ordinal> {
    CudaDriver::get()?.device_count()
}

/// Makes the shared context of a device current in this thread.
pub fn use_device(device: Ordinal) -> Result<()> {
    let driver = CudaDriver::get()?;
    driver.set_current(driver.primary(device)?)
}

/// Waits until the current device has done everything.
fn wait_for_device() -> Result<()> {
    let table = Table::get()?;
    // SAFETY: no condition; without a context it is an error.
    let result = unsafe { (table.synchronize)() };
    table.check("cuCtxSynchronize", result)
}
