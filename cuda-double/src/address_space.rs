//! What lies at which address: device memory, and pinned, registered and managed host memory.
//!
//! All host memory that is in no range is pageable. Reading and writing happens under a lock for readers, so
//! that nothing is unmapped meanwhile; whoever unmaps takes the lock for writers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{RwLock, RwLockReadGuard};

use crate::arena::ARENA;
use crate::device::Ordinal;
use crate::memory_file::MemoryFile;
use crate::status::{Result, Status};

/// What a range of addresses is.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Memory of `cuMemAlloc`.
    Allocated(Arc<MemoryFile>),
    /// Memory of `cuMemAllocAsync`. It can be used once its stream has come to the allocation.
    AllocatedAsync {
        /// The memory.
        file: Arc<MemoryFile>,
        /// Whether the stream has come to the allocation.
        is_ready: bool,
        /// Whether `cuMemFreeAsync` was called.
        is_freed: bool,
    },
    /// Memory of another process, by `cuIpcOpenMemHandle`.
    Opened(Arc<MemoryFile>),
    /// Memory of `cuMemCreate`, by `cuMemMap`.
    Mapped {
        /// Handle of the physical memory.
        physical: u64,
        /// Devices that may read, and whether they may write.
        access: Vec<(Ordinal, bool)>,
    },
    /// Memory of `cuMemHostAlloc`, with its flags.
    Pinned(u32),
    /// Memory of `cuMemHostRegister`, with its flags.
    Registered(u32),
    /// Memory of `cuMemAllocManaged`, which host and devices use by one address.
    Managed,
}

/// A range of addresses.
#[derive(Clone, Debug)]
pub struct Range {
    /// Its first address.
    pub base: u64,
    /// Its bytes, as the program asked for them.
    pub size: u64,
    /// What it is.
    pub kind: Kind,
    /// The buffer id: never used again, unlike the address.
    pub id: u64,
    /// Handle of the context that it belongs to.
    pub context: usize,
    /// The device of that context, or the one that the memory lies on.
    pub device: Ordinal,
}

impl Range {
    /// Whether the host can use its addresses.
    pub fn is_host(&self) -> bool {
        matches!(self.kind, Kind::Pinned(_) | Kind::Registered(_) | Kind::Managed)
    }

    /// The address after its last one.
    pub fn end(&self) -> u64 {
        self.base + self.size
    }

    /// Where the host can read it.
    pub fn readable(&self, address: u64) -> u64 {
        if self.is_host() { address } else { address + ARENA.offset() }
    }

    /// Whether work of a stream may use it now.
    fn is_usable(&self) -> bool {
        match &self.kind {
            Kind::AllocatedAsync { is_ready, .. } => *is_ready,
            Kind::Mapped { access, .. } => !access.is_empty(),
            _ => true,
        }
    }
}

static RANGES: RwLock<BTreeMap<u64, Range>> = RwLock::new(BTreeMap::new());

/// A new buffer id.
pub fn fresh_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Adds a range.
pub fn insert(range: Range) {
    RANGES.write().insert(range.base, range);
}

/// Removes the range that begins at `base`, if `fits` holds for it; `then` runs before anybody sees the
/// change.
pub fn remove(base: u64, fits: impl Fn(&Range) -> bool, then: impl FnOnce(&Range)) -> Result<Range> {
    let mut ranges = RANGES.write();
    match ranges.get(&base) {
        Some(range) if fits(range) => then(range),
        _ => return Err(Status::INVALID_VALUE),
    }
    ranges.remove(&base).ok_or(Status::INVALID_VALUE)
}

/// Changes the range that begins at `base`.
pub fn change<T>(base: u64, change: impl FnOnce(&mut Range) -> Result<T>) -> Result<T> {
    RANGES.write().get_mut(&base).ok_or(Status::INVALID_VALUE).and_then(change)
}

/// The range that holds `address`.
pub fn find(address: u64) -> Option<Range> {
    at(&RANGES.read(), address).cloned()
}

/// The ranges for which `fits` holds.
pub fn select(fits: impl Fn(&Range) -> bool) -> Vec<Range> {
    RANGES.read().values().filter(|range| fits(range)).cloned().collect()
}

/// Whether any range has an address of these.
pub fn overlaps(base: u64, size: u64) -> bool {
    RANGES.read().range(..base.saturating_add(size)).next_back().is_some_and(|(_, range)| range.end() > base)
}

fn at(ranges: &BTreeMap<u64, Range>, address: u64) -> Option<&Range> {
    ranges.range(..=address).next_back().map(|(_, range)| range).filter(|range| address < range.end())
}

/// What the driver knows about `bytes` bytes at `address`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// Device memory of this device.
    Device(Ordinal),
    /// Pinned, registered or managed host memory.
    Pinned,
    /// Host memory that the driver does not know.
    Pageable,
}

/// Where `bytes` bytes at `address` lie. An error if they are in part outside of what holds the first one, or
/// if no device memory is there though the address is a device's.
pub fn place(address: u64, bytes: u64) -> Result<MemoryKind> {
    let ranges = RANGES.read();
    let Some(first) = at(&ranges, address) else {
        let end = address.checked_add(bytes).ok_or(Status::INVALID_VALUE)?;
        let runs_into = ranges.range(address..end).next().is_some();
        let is_wild = ARENA.contains(address) || address == 0 || runs_into;
        return if is_wild { Err(Status::INVALID_VALUE) } else { Ok(MemoryKind::Pageable) };
    };
    covers(&ranges, first, address, bytes, |_| true)?;
    Ok(if first.is_host() { MemoryKind::Pinned } else { MemoryKind::Device(first.device) })
}

/// Checks that `bytes` bytes from `address`, which lies in `first`, are there. Memory of `cuMemMap` may go on
/// in the next mapping.
fn covers(
    ranges: &BTreeMap<u64, Range>,
    first: &Range,
    address: u64,
    bytes: u64,
    fits: impl Fn(&Range) -> bool,
) -> Result {
    let end = address.checked_add(bytes).ok_or(Status::INVALID_VALUE)?;
    let mut range = first;
    while fits(range) {
        if end <= range.end() {
            return Ok(());
        }
        match ranges.get(&range.end()) {
            Some(next) if matches!((&range.kind, &next.kind), (Kind::Mapped { .. }, Kind::Mapped { .. })) => {
                range = next;
            }
            _ => return Err(Status::INVALID_VALUE),
        }
    }
    Err(Status::INVALID_VALUE)
}

/// Memory that stays mapped as long as this value lives.
pub struct Held<'a> {
    /// Where the host can read and write it.
    pub readable: *mut u8,
    _ranges: RwLockReadGuard<'a, BTreeMap<u64, Range>>,
}

/// Holds `bytes` bytes of device, pinned or registered memory. An error if they are not there any more, or
/// not yet.
pub fn hold(address: u64, bytes: u64) -> Result<Held<'static>> {
    let ranges = RANGES.read_recursive();
    let first = at(&ranges, address).ok_or(Status::ILLEGAL_ADDRESS)?;
    covers(&ranges, first, address, bytes, Range::is_usable).map_err(|_| Status::ILLEGAL_ADDRESS)?;
    let readable = std::ptr::with_exposed_provenance_mut(first.readable(address) as usize);
    Ok(Held { readable, _ranges: ranges })
}

/// Where the host can read `bytes` bytes of device, pinned or registered memory, if `fits` holds for their
/// range.
pub fn readable(address: u64, bytes: u64, fits: impl Fn(&Range) -> bool) -> Result<*mut u8> {
    let ranges = RANGES.read_recursive();
    let first = at(&ranges, address).ok_or(Status::ILLEGAL_ADDRESS)?;
    covers(&ranges, first, address, bytes, |range| range.is_usable() && fits(range))
        .map_err(|_| Status::ILLEGAL_ADDRESS)?;
    Ok(std::ptr::with_exposed_provenance_mut(first.readable(address) as usize))
}
