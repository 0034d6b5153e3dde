//! Mappings of physical memory: `cuMemMap`, `cuMemUnmap`, `cuMemSetAccess`, `cuMemGetAccess`.

use super::reserve::is_reserved;
use super::{GRANULARITY, Location, PHYSICAL, change};
use crate::address_space::{self, Kind, Range};
use crate::arena::ARENA;
use crate::argument::{In, Out};
use crate::context;
use crate::counts::{self, Kind as Counted};
use crate::device;
use crate::entry::call;
use crate::status::{Result, Status, require};

/// A `CUmemAccessDesc`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Access {
    /// The device.
    pub location: Location,
    /// 0 nothing, 1 reading, 3 reading and writing.
    pub flags: u32,
}

/// `cuMemMap`. Nothing may use the memory before `cuMemSetAccess`.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemMap(address: u64, size: usize, offset: usize, handle: u64, flags: u64) -> Status {
    call("cuMemMap", || {
        let (size, offset) = (size as u64, offset as u64);
        require(flags == 0 && offset == 0 && size > 0)?;
        require(address.is_multiple_of(GRANULARITY) && size.is_multiple_of(GRANULARITY))?;
        require(is_reserved(address, size) && !address_space::overlaps(address, size))?;
        let mut device = 0;
        change(handle, |physical| {
            require(size <= physical.file.size)?;
            ARENA.map(address, &physical.file, offset, size)?;
            physical.mappings += 1;
            device = physical.device.ordinal;
            Ok(())
        })?;
        let kind = Kind::Mapped { physical: handle, access: Vec::new() };
        let (id, context) = (address_space::fresh_id(), context::current_handle());
        address_space::insert(Range { base: address, size, kind, id, context, device });
        counts::add(Counted::Mappings, 1);
        Ok(())
    })
}

/// The mappings that make up exactly these addresses.
fn mappings(address: u64, size: u64) -> Result<Vec<Range>> {
    let end = address.checked_add(size).ok_or(Status::INVALID_VALUE)?;
    let inside = |range: &Range| range.base >= address && range.end() <= end;
    let is_mapped = |range: &Range| matches!(range.kind, Kind::Mapped { .. });
    let found = address_space::select(|range| inside(range) && is_mapped(range));
    require(size > 0 && found.iter().map(|range| range.size).sum::<u64>() == size)?;
    Ok(found)
}

/// `cuMemUnmap`. It synchronises the device.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemUnmap(address: u64, size: usize) -> Status {
    call("cuMemUnmap", || {
        let found = mappings(address, size as u64)?;
        for range in &found {
            device::get(range.device)?.drain_always("cuMemUnmap");
        }
        for range in found {
            let Kind::Mapped { physical, .. } = range.kind else { continue };
            address_space::remove(range.base, |_| true, |range| ARENA.unmap(range.base, range.size))?;
            counts::add(Counted::Mappings, -1);
            change(physical, |physical| {
                physical.mappings -= 1;
                Ok(())
            })?;
        }
        Ok(())
    })
}

/// `cuMemSetAccess`.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemSetAccess(address: u64, size: usize, accesses: In<Access>, count: usize) -> Status {
    call("cuMemSetAccess", || {
        require(count > 0)?;
        let accesses: Vec<Access> = (0..count).map(|index| accesses.element(index)).collect::<Result<_>>()?;
        let found = mappings(address, size as u64)?;
        for access in &accesses {
            require(access.location.kind == 1 && matches!(access.flags, 0 | 1 | 3))?;
            let device = device::get(access.location.id)?;
            for range in &found {
                let owner = device::get(range.device)?;
                if device.ordinal != owner.ordinal && !device.can_access(owner) {
                    return Err(Status::INVALID_DEVICE);
                }
            }
        }
        found.iter().try_for_each(|range| address_space::change(range.base, |range| set(range, &accesses)))
    })
}

fn set(range: &mut Range, accesses: &[Access]) -> Result {
    let Kind::Mapped { access: known, .. } = &mut range.kind else { return Err(Status::INVALID_VALUE) };
    for access in accesses {
        known.retain(|(device, _)| *device != access.location.id);
        if access.flags != 0 {
            known.push((access.location.id, access.flags == 3));
        }
    }
    Ok(())
}

/// `cuMemGetAccess`.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemGetAccess(flags: Out<u64>, location: In<Location>, address: u64) -> Status {
    call("cuMemGetAccess", || {
        let device = location.get()?.id;
        match address_space::find(address).map(|range| range.kind) {
            Some(Kind::Mapped { access, .. }) => {
                let found = access.iter().find(|(known, _)| *known == device);
                flags.set(found.map_or(0, |(_, may_write)| if *may_write { 3 } else { 1 }))
            }
            _ => Err(Status::INVALID_VALUE),
        }
    })
}

/// `cuMemRetainAllocationHandle`: a handle for the physical memory that is mapped at `address`.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemRetainAllocationHandle(handle: Out<u64>, address: u64) -> Status {
    call("cuMemRetainAllocationHandle", || {
        require(!handle.is_null())?;
        let Some(Kind::Mapped { physical, .. }) = address_space::find(address).map(|range| range.kind) else {
            return Err(Status::INVALID_VALUE);
        };
        let mut all = PHYSICAL.lock();
        let found = all.get_mut(&physical).ok_or(Status::INVALID_VALUE)?;
        found.handles += 1;
        handle.set(physical)
    })
}
