//! The context in which the work on a piece of device memory is enqueued.
//!
//! If the calling thread has a context of the memory's device, it stays: the program's streams belong to it.
//! Otherwise the context of the memory is current for the time of an [`Entered`]. If the driver knows none,
//! which is so for memory of pools and of virtual address ranges, it is the primary context of the device.

use super::driver::{CudaDriver, Ordinal, PointerAttribute};
use super::handles::CudaContext;
use crate::base::Result;

/// A context that is current in this thread while this value lives.
pub struct Entered {
    driver: &'static CudaDriver,
    context: CudaContext,
    is_pushed: bool,
}

impl Entered {
    /// Enters a context for memory of a device.
    pub fn for_memory(driver: &'static CudaDriver, address: usize) -> Result<Entered> {
        let device = driver.pointer_attribute(PointerAttribute::Device, address).unwrap_or(0) as Ordinal;
        if let Some((context, _)) = driver.current()?.filter(|(_, current)| *current == device) {
            return Ok(Entered { driver, context, is_pushed: false });
        }
        let context = match driver.pointer_attribute(PointerAttribute::Context, address) {
            Some(context) if context != 0 => CudaContext::from_address(context),
            _ => driver.primary(device)?,
        };
        driver.push(context)?;
        Ok(Entered { driver, context, is_pushed: true })
    }

    /// Enters the primary context of a device, unless this thread has a context of that device.
    pub fn for_device(driver: &'static CudaDriver, device: Ordinal) -> Result<Entered> {
        if let Some((context, _)) = driver.current()?.filter(|(_, current)| *current == device) {
            return Ok(Entered { driver, context, is_pushed: false });
        }
        let context = driver.primary(device)?;
        driver.push(context)?;
        Ok(Entered { driver, context, is_pushed: true })
    }

    /// Enters a context, unless it is current in this thread.
    pub fn in_context(driver: &'static CudaDriver, context: CudaContext) -> Result<Entered> {
        let is_pushed = driver.current()?.is_none_or(|(current, _)| current != context);
        if is_pushed {
            driver.push(context)?;
        }
        Ok(Entered { driver, context, is_pushed })
    }

    /// The context.
    pub fn context(&self) -> CudaContext {
        self.context
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        if self.is_pushed {
            self.driver.pop();
        }
    }
}
