//! Virtual memory management: addresses, physical memory, and mappings, each on its own.
//!
//! Sizes are multiples of 2 MiB. Physical memory lives until its handle is released and its last mapping is
//! gone.

pub mod export;
pub mod map;
pub mod reserve;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;

use crate::argument::{In, Out};
use crate::counts::{self, Kind};
use crate::device::{self, Device};
use crate::entry::call;
use crate::memory_file::{FREED, MemoryFile};
use crate::status::{Result, Status, require};

/// Sizes and addresses are multiples of this.
pub const GRANULARITY: u64 = 2 << 20;
/// `CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR`.
const DESCRIPTOR: u32 = 1;

/// A `CUmemLocation`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// 1 for a device.
    pub kind: u32,
    /// Its ordinal.
    pub id: i32,
}

/// A `CUmemAllocationProp`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Properties {
    /// 1 for pinned memory.
    pub kind: u32,
    /// `CUmemAllocationHandleType`s.
    pub handle_types: u32,
    /// Where the memory lies.
    pub location: Location,
    /// Only for another system.
    pub metadata: usize,
    /// Compression, GPUDirect RDMA, usage.
    pub flags: [u8; 8],
}

/// Physical memory.
struct Physical {
    file: Arc<MemoryFile>,
    /// The device that it lies on.
    device: &'static Arc<Device>,
    /// Whether it was made here; imported memory is another process's account.
    is_own: bool,
    /// How many handles the program holds, and how many mappings there are.
    handles: usize,
    mappings: usize,
}

static PHYSICAL: LazyLock<Mutex<HashMap<u64, Physical>>> = LazyLock::new(Mutex::default);

fn add(file: MemoryFile, device: &'static Arc<Device>, is_own: bool) -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0x5cde_0000_0000_0000);
    let handle = NEXT.fetch_add(0x40, Ordering::Relaxed);
    let physical = Physical { file: Arc::new(file), device, is_own, handles: 1, mappings: 0 };
    PHYSICAL.lock().insert(handle, physical);
    counts::add(Kind::Physical, 1);
    handle
}

/// Changes the counts of physical memory; it ends when both are zero.
fn change(handle: u64, change: impl FnOnce(&mut Physical) -> Result) -> Result {
    let mut all = PHYSICAL.lock();
    let physical = all.get_mut(&handle).ok_or(Status::INVALID_VALUE)?;
    change(physical)?;
    if physical.handles > 0 || physical.mappings > 0 {
        return Ok(());
    }
    let Some(ended) = all.remove(&handle) else { return Ok(()) };
    counts::add(Kind::Physical, -1);
    if ended.is_own {
        ended.device.release(ended.file.size);
        // Others that imported the memory still own it; only memory that was never exportable is poisoned.
        if ended.file.handle_types == 0 {
            ended.file.fill(FREED)?;
        }
    }
    Ok(())
}

/// Handle types for which the physical memory may be exported.
pub fn handle_types(handle: u64) -> u64 {
    PHYSICAL.lock().get(&handle).map_or(0, |physical| physical.file.handle_types)
}

impl Properties {
    /// The device, if the double has such memory.
    fn device(&self) -> Result<&'static Arc<Device>> {
        require(self.kind == 1 && self.location.kind == 1)?;
        if self.handle_types & !DESCRIPTOR != 0 {
            return Err(Status::NOT_SUPPORTED);
        }
        device::get(self.location.id)
    }
}

/// `cuMemGetAllocationGranularity`: 2 MiB, the least and the best.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemGetAllocationGranularity(
    granularity: Out<usize>,
    properties: In<Properties>,
    option: u32,
) -> Status {
    call("cuMemGetAllocationGranularity", || {
        properties.get()?.device()?;
        require(option <= 1)?;
        granularity.set(GRANULARITY as usize)
    })
}

/// `cuMemCreate`.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemCreate(
    handle: Out<u64>,
    size: usize,
    properties: In<Properties>,
    flags: u64,
) -> Status {
    call("cuMemCreate", || {
        let properties = properties.get()?;
        let device = properties.device()?;
        let size = size as u64;
        require(!handle.is_null() && flags == 0 && size > 0 && size.is_multiple_of(GRANULARITY))?;
        device.drain("cuMemCreate");
        device.take(size)?;
        let file = MemoryFile::create(size, device.physical, u64::from(properties.handle_types));
        handle.set(add(file.inspect_err(|_| device.release(size))?, device, true))
    })
}

/// `cuMemRelease`. Mappings keep the memory.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemRelease(handle: u64) -> Status {
    call("cuMemRelease", || {
        change(handle, |physical| {
            physical.handles = physical.handles.checked_sub(1).ok_or(Status::INVALID_VALUE)?;
            Ok(())
        })
    })
}

/// `cuMemGetAllocationPropertiesFromHandle`.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemGetAllocationPropertiesFromHandle(properties: Out<Properties>, handle: u64) -> Status {
    call("cuMemGetAllocationPropertiesFromHandle", || {
        let all = PHYSICAL.lock();
        let physical = all.get(&handle).ok_or(Status::INVALID_VALUE)?;
        properties.set(Properties {
            kind: 1,
            handle_types: physical.file.handle_types as u32,
            location: Location { kind: 1, id: physical.device.ordinal },
            ..Properties::default()
        })
    })
}
