//! Allocations of a program that another process maps: how they are found and exported at one end, and mapped
//! and unmapped at the other.
//!
//! Memory of `cuMemAlloc` goes by a handle of CUDA's interprocess functions. Memory of virtual address ranges
//! goes by a descriptor, if it was made with that kind of handle. Other memory, such as that of pools, cannot
//! be exported.
//!
//! To map and to unmap may make the driver wait for all work of the device. So both happen only while no call
//! is queued ([`super::when_quiet`]). A [`Mapped`] that is dropped earlier stays mapped until then.

use std::os::fd::{AsFd, OwnedFd};

use super::ended::give_back_later;
use super::interprocess::{IpcHandle, Mapping, handle_of, range_of};
use crate::base::Result;
use crate::device::driver::{CudaDriver, Ordinal, PointerAttribute};
use crate::device::exportable::Exportable;
use crate::device::handles::CudaContext;

/// An allocation of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// Its number, which no other allocation of this process ever has.
    pub id: u64,
    pub start: u64,
    pub bytes: u64,
}

/// What another process needs to map an allocation.
pub enum Export {
    /// A handle of the interprocess functions.
    Handle(IpcHandle),
    /// A descriptor of the physical memory.
    Descriptor(OwnedFd),
}

impl Allocation {
    /// The allocation at an address. This thread has a context.
    pub fn at(driver: &CudaDriver, address: u64) -> Result<Option<Allocation>> {
        let Some(id) = driver.buffer_id(address) else { return Ok(None) };
        let (start, bytes) = range_of(driver, address)?;
        // The address may have been freed and given out again between the two questions.
        Ok((driver.buffer_id(start) == Some(id)).then_some(Allocation { id, start, bytes: bytes as u64 }))
    }

    /// What another process needs to map it. `None`: memory of this kind cannot be exported.
    pub fn export(&self, driver: &CudaDriver) -> Result<Option<Export>> {
        const DESCRIPTOR: u64 = 1;
        let at = self.start as usize;
        if driver.is_plain_memory(at) {
            return handle_of(driver, self.start).map(|handle| Some(Export::Handle(handle)));
        }
        let kinds = driver.pointer_attribute(PointerAttribute::HandleTypes, at).unwrap_or(0);
        if kinds & DESCRIPTOR == 0 {
            return Ok(None);
        }
        Exportable::descriptor_at(self.start).map(|descriptor| Some(Export::Descriptor(descriptor)))
    }
}

/// An allocation of another process, mapped into this one.
pub struct Mapped {
    /// Unset when it is dropped.
    opened: Option<Opened>,
    address: u64,
    bytes: u64,
}

/// Dropping it unmaps the memory.
enum Opened {
    Handle(#[allow(dead_code)] Mapping),
    Descriptor(#[allow(dead_code)] Exportable),
}

impl Mapped {
    /// Maps an allocation of `bytes` bytes, so that a context and its device may access it.
    pub fn import(
        driver: &'static CudaDriver,
        (context, device): (CudaContext, Ordinal),
        export: &Export,
        bytes: u64,
    ) -> Result<Mapped> {
        let _ignored = driver.ignore_captures();
        driver.push(context)?;
        let opened = match export {
            Export::Handle(handle) => Mapping::open(driver, context, *handle, bytes as usize)
                .map(|mapping| (mapping.address(), Opened::Handle(mapping))),
            Export::Descriptor(descriptor) => Exportable::import(device, descriptor.as_fd(), bytes as usize)
                .map(|memory| (memory.address(), Opened::Descriptor(memory))),
        };
        driver.pop();
        let (address, opened) = opened?;
        Ok(Mapped { opened: Some(opened), address, bytes })
    }

    /// The address of `bytes` bytes from `offset` on. `None`: the allocation has not so many.
    pub fn address(&self, offset: u64, bytes: u64) -> Option<u64> {
        let end = offset.checked_add(bytes)?;
        (end <= self.bytes).then_some(self.address + offset)
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        self.opened.take().into_iter().for_each(give_back_later);
    }
}
