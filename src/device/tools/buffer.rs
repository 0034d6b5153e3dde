//! Memory of a device, and copies that have ended when they return.

use super::table::Table;
use super::{use_device, wait_for_device};
use crate::base::{Error, Result};
use crate::device::Ordinal;

/// Memory of one device.
#[derive(Debug)]
pub struct DeviceBuffer {
    device: Ordinal,
    address: u64,
    bytes: usize,
}

impl DeviceBuffer {
    /// Allocates memory. The device is current in this thread afterwards.
    pub fn new(device: Ordinal, bytes: usize) -> Result<DeviceBuffer> {
        use_device(device)?;
        let table = Table::get()?;
        let mut address = 0;
        // SAFETY: writes one address. The driver refuses 0 bytes.
        let result = unsafe { (table.alloc)(&mut address, bytes.max(1)) };
        table.check("cuMemAlloc", result)?;
        Ok(DeviceBuffer { device, address, bytes })
    }

    /// The address, for calls that take memory of a device. Only the device can read or write there.
    pub fn address(&self) -> usize {
        self.address as usize
    }

    /// The device.
    pub fn device(&self) -> Ordinal {
        self.device
    }

    /// Number of bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Copies `from` to the device, `at` bytes behind the start.
    pub fn write(&mut self, at: usize, from: &[u8]) -> Result<()> {
        let place = self.place(at, from.len())?;
        if from.is_empty() {
            return Ok(());
        }
        let table = Table::get()?;
        // SAFETY: a part of this buffer, and a slice of that length.
        let result = unsafe { (table.write)(place, from.as_ptr().cast(), from.len()) };
        table.check("cuMemcpyHtoD", result)?;
        // The copy out of pageable memory may go on after its return.
        wait_for_device()
    }

    /// Copies to `to`, from `at` bytes behind the start.
    pub fn read(&self, at: usize, to: &mut [u8]) -> Result<()> {
        let place = self.place(at, to.len())?;
        if to.is_empty() {
            return Ok(());
        }
        let table = Table::get()?;
        // SAFETY: a part of this buffer, and a slice of that length.
        let result = unsafe { (table.read)(to.as_mut_ptr().cast(), place, to.len()) };
        table.check("cuMemcpyDtoH", result)
    }

    /// Sets each byte.
    pub fn fill(&mut self, byte: u8) -> Result<()> {
        use_device(self.device)?;
        let table = Table::get()?;
        // SAFETY: all of this buffer.
        let result = unsafe { (table.fill)(self.address, byte, self.bytes) };
        table.check("cuMemsetD8", result)?;
        wait_for_device()
    }

    /// The address of a part, whose device becomes current.
    fn place(&self, at: usize, bytes: usize) -> Result<u64> {
        if at.checked_add(bytes).is_none_or(|end| end > self.bytes) {
            return Err(Error::Internal(format!("{bytes} bytes at {at} of {} on a device", self.bytes)));
        }
        use_device(self.device)?;
        Ok(self.address + at as u64)
    }
}

impl Drop for DeviceBuffer {
    fn drop(&mut self) {
        if let (Ok(()), Ok(table)) = (use_device(self.device), Table::get()) {
            // SAFETY: memory of `alloc`, which nobody else has. An error means that it has gone.
            unsafe { (table.free)(self.address) };
        }
    }
}
