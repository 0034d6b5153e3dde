//! `cuIpcGetMemHandle`, `cuIpcOpenMemHandle`, `cuIpcCloseMemHandle`.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;

use super::foreign::{Object, hold};
use super::{Handle, MEMORY};
use crate::address_space::{self, Kind, Range};
use crate::arena::ARENA;
use crate::argument::Out;
use crate::context::{self, Context};
use crate::counts::{self, Kind as Counted};
use crate::device::{self, Ordinal};
use crate::entry::call;
use crate::memory_file::{MemoryFile, PAGE};
use crate::settings::settings;
use crate::status::{Result, Status, require};

/// Memory of another process that is open here.
struct Open {
    base: u64,
    times: usize,
    context: usize,
}

/// Device and object of an opening.
type Key = (Ordinal, Object);

/// What is open.
static OPEN: LazyLock<Mutex<HashMap<Key, Open>>> = LazyLock::new(Mutex::default);

/// `cuIpcGetMemHandle`: a handle for the whole allocation that holds `address`.
#[unsafe(no_mangle)]
pub extern "C" fn cuIpcGetMemHandle(handle: Out<Handle>, address: u64) -> Status {
    call("cuIpcGetMemHandle", || {
        context::current()?;
        let range = address_space::find(address).ok_or(Status::INVALID_VALUE)?;
        let Kind::Allocated(file) = &range.kind else { return Err(Status::INVALID_VALUE) };
        handle.set(Handle::of(MEMORY, file, range.size))
    })
}

/// `cuIpcOpenMemHandle_v2`. Opening again adds to a count and gives the same address.
#[unsafe(no_mangle)]
pub extern "C" fn cuIpcOpenMemHandle_v2(address: Out<u64>, handle: Handle, flags: u32) -> Status {
    call("cuIpcOpenMemHandle", || {
        let context = context::current()?;
        require(!address.is_null() && flags == 1)?;
        let (object, size) = handle.parse(MEMORY)?;
        context.device.drain("cuIpcOpenMemHandle");
        let mut open = OPEN.lock();
        let key = (context.device.ordinal, object);
        let base = match open.get_mut(&key) {
            // One context of a device may open it, not two.
            Some(known) if known.context != context.handle => return Err(Status::INVALID_CONTEXT),
            Some(known) => {
                known.times += 1;
                known.base
            }
            None => {
                let file = object.open()?;
                hold(&file)?;
                let base = map(&context, MemoryFile::from_descriptor(file.into())?, size)?;
                open.insert(key, Open { base, times: 1, context: context.handle });
                base
            }
        };
        counts::add(Counted::IpcOpenings, 1);
        address.set(base)
    })
}

/// Maps the memory, if the device of the context can access it.
fn map(context: &Context, file: MemoryFile, size: u64) -> Result<u64> {
    let owner = file.device as usize;
    if owner != context.device.physical && !settings().peers.may_access(context.device.physical, owner) {
        return Err(Status::PEER_ACCESS_UNSUPPORTED);
    }
    require(size <= file.size)?;
    let device = device::by_position(owner).map_or(context.device.ordinal, |device| device.ordinal);
    if device != context.device.ordinal {
        context.peers.lock().insert(device);
    }
    let base = ARENA.take(file.size, PAGE, 0)?;
    ARENA.map(base, &file, 0, file.size).inspect_err(|_| ARENA.give_back(base, file.size))?;
    let (id, kind) = (address_space::fresh_id(), Kind::Opened(Arc::new(file)));
    address_space::insert(Range { base, size, kind, id, context: context.handle, device });
    Ok(base)
}

/// `cuIpcCloseMemHandle`. The last close of an address unmaps it.
#[unsafe(no_mangle)]
pub extern "C" fn cuIpcCloseMemHandle(address: u64) -> Status {
    call("cuIpcCloseMemHandle", || {
        let context = context::current()?;
        context.device.drain_always("cuIpcCloseMemHandle");
        let mut open = OPEN.lock();
        let found = open.iter().find(|(_, open)| open.base == address).map(|(key, _)| *key);
        let key = found.ok_or(Status::INVALID_VALUE)?;
        counts::add(Counted::IpcOpenings, -1);
        let is_last = open.get_mut(&key).is_some_and(|open| {
            open.times -= 1;
            open.times == 0
        });
        if !is_last {
            return Ok(());
        }
        open.remove(&key);
        drop(open);
        unmap(address)
    })
}

/// Closes what a context that ends still has open.
pub fn close_all_of(context: usize) {
    let ended: Vec<Open> =
        OPEN.lock().extract_if(|_, open| open.context == context).map(|(_, open)| open).collect();
    for open in ended {
        counts::add(Counted::IpcOpenings, -(open.times as i64));
        let _ = unmap(open.base);
    }
}

fn unmap(address: u64) -> Result {
    let is_opened = |range: &Range| matches!(range.kind, Kind::Opened(_));
    let length = |range: &Range| range.size.next_multiple_of(PAGE);
    let range = address_space::remove(address, is_opened, |range| ARENA.unmap(range.base, length(range)))?;
    ARENA.give_back(range.base, length(&range));
    Ok(())
}
