//! Memory of a device that the library has for itself.
//!
//! Memory that another process may map is passed on as a descriptor where the device has such memory
//! ([`Exportable`]): it lives until all processes have dropped it, so it may be given back at any time.
//! Elsewhere it goes by CUDA's interprocess handles. CUDA leaves undefined what happens if such memory is
//! freed while another process has it mapped, so it is kept ([`DeviceMemory::is_kept`]).
//!
//! To allocate may make the driver wait for all work of the device. So it happens when a communicator is
//! made, and never while one of its calls is in a stream.

use super::ended::{give_back_ended, give_back_later};
use crate::base::Result;
use crate::device::context::Entered;
use crate::device::context_key::ContextKey;
use crate::device::driver::{CudaDriver, Ordinal};
use crate::device::exportable::Exportable;
use crate::device::handles::CudaContext;

/// Memory of a device. It is given back when it was dropped and no call is queued.
pub struct DeviceMemory {
    address: u64,
    /// Unset when it is dropped.
    held: Option<Held>,
}

enum Held {
    Exportable(Exportable),
    Plain { memory: Plain, is_shared: bool },
}

/// Memory of `cuMemAlloc`. Dropping it frees it.
struct Plain {
    driver: &'static CudaDriver,
    context: ContextKey,
    address: u64,
}

impl Plain {
    fn allocate(driver: &'static CudaDriver, context: CudaContext, bytes: usize) -> Result<Plain> {
        let key = ContextKey::of(driver, context)?;
        let _entered = Entered::in_context(driver, context)?;
        Ok(Plain { driver, context: key, address: driver.allocate(bytes)? })
    }
}

impl Drop for Plain {
    fn drop(&mut self) {
        if self.context.has_gone() {
            return;
        }
        // This thread may have another context, or none. Without any, the driver may refuse.
        let is_pushed = self.driver.push(self.context.context()).is_ok();
        // An error means that the device has failed, and nothing is left to do.
        let _ = self.driver.free(self.address);
        if is_pushed {
            self.driver.pop();
        }
    }
}

impl DeviceMemory {
    /// Allocates memory for this process alone, in a context.
    pub fn private(driver: &'static CudaDriver, context: CudaContext, bytes: usize) -> Result<DeviceMemory> {
        let memory = Plain::allocate(driver, context, bytes)?;
        Ok(DeviceMemory { address: memory.address, held: Some(Held::Plain { memory, is_shared: false }) })
    }

    /// Allocates memory that other processes can map, in a context of a device.
    pub fn shareable(
        driver: &'static CudaDriver,
        (context, device): (CudaContext, Ordinal),
        bytes: usize,
    ) -> Result<DeviceMemory> {
        if Exportable::is_supported(device).unwrap_or(false) {
            // Some systems have such memory, and give no descriptors of it.
            let memory = Exportable::allocate(device, bytes);
            if let Ok(memory) = memory.and_then(|memory| memory.export().map(|_| memory)) {
                return Ok(DeviceMemory { address: memory.address(), held: Some(Held::Exportable(memory)) });
            }
        }
        let memory = Plain::allocate(driver, context, bytes)?;
        Ok(DeviceMemory { address: memory.address, held: Some(Held::Plain { memory, is_shared: true }) })
    }

    /// Its first byte, in every context of this process that may address the device.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Whether it must stay, because another process may have it mapped.
    pub fn is_kept(&self) -> bool {
        matches!(self.held, Some(Held::Plain { is_shared: true, .. }))
    }

    /// Lets the device of another context of this process address it, if that has peer access to plain memory
    /// of this device.
    pub fn let_access(&self, driver: &'static CudaDriver, other: CudaContext) -> Result<()> {
        let Some(Held::Exportable(memory)) = &self.held else { return Ok(()) };
        let _entered = Entered::in_context(driver, other)?;
        driver.current()?.map_or(Ok(()), |(_, device)| memory.let_access(device))
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        match self.held.take() {
            Some(Held::Exportable(memory)) => give_back_later(memory),
            Some(Held::Plain { memory, is_shared: false }) => give_back_later(memory),
            // It stays allocated: another process may have it mapped.
            Some(Held::Plain { memory, is_shared: true }) => std::mem::forget(memory),
            None => {}
        }
        give_back_ended();
    }
}
