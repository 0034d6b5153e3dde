//! The functions `cuCtx*`.

use std::ffi::c_int;
use std::sync::atomic::Ordering;

use super::{Context, current, current_device, current_handle, get, pop, primary_of, push, set_current};
use crate::argument::Out;
use crate::device::{self, Ordinal};
use crate::entry::call;
use crate::status::{Result, Status, require};

/// The most urgent priority of a stream; the least urgent is 0.
pub const GREATEST_PRIORITY: c_int = -5;

fn create(place: Out<usize>, flags: u32, device: Ordinal) -> Result {
    let device = device::get(device)?;
    require(!place.is_null())?;
    let handle = Context::create(device, flags).handle;
    push(handle);
    place.set(handle)
}

/// `cuCtxCreate_v2`. The new context is current.
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxCreate_v2(context: Out<usize>, flags: u32, device: Ordinal) -> Status {
    call("cuCtxCreate", || create(context, flags, device))
}

/// `cuCtxCreate_v3`; the parameters of an execution affinity are not supported.
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxCreate_v3(
    context: Out<usize>,
    _affinity: usize,
    count: c_int,
    flags: u32,
    device: Ordinal,
) -> Status {
    call(
        "cuCtxCreate",
        || {
            if count > 0 { Err(Status::NOT_SUPPORTED) } else { create(context, flags, device) }
        },
    )
}

/// `cuCtxCreate_v4`; its parameters are not supported.
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxCreate_v4(
    context: Out<usize>,
    parameters: usize,
    flags: u32,
    device: Ordinal,
) -> Status {
    call("cuCtxCreate", || {
        if parameters != 0 { Err(Status::NOT_SUPPORTED) } else { create(context, flags, device) }
    })
}

/// `cuCtxDestroy_v2`.
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxDestroy_v2(context: usize) -> Status {
    call("cuCtxDestroy", || {
        let context = get(context)?;
        // A primary context is released, never destroyed.
        if primary_of(context.device.ordinal).is_some_and(|primary| primary.handle == context.handle) {
            return Err(Status::INVALID_CONTEXT);
        }
        if current_handle() == context.handle {
            pop()?;
        }
        context.destroy("cuCtxDestroy");
        Ok(())
    })
}

/// `cuCtxPushCurrent_v2`.
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxPushCurrent_v2(context: usize) -> Status {
    call("cuCtxPushCurrent", || {
        push(get(context)?.handle);
        Ok(())
    })
}

/// `cuCtxPopCurrent_v2`.
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxPopCurrent_v2(context: Out<usize>) -> Status {
    call("cuCtxPopCurrent", || {
        context.set_if_asked(pop()?);
        Ok(())
    })
}

/// `cuCtxSetCurrent`; NULL leaves the thread without the context that was current.
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxSetCurrent(context: usize) -> Status {
    call("cuCtxSetCurrent", || {
        if context != 0 {
            get(context)?;
        }
        set_current(context);
        Ok(())
    })
}

/// `cuCtxGetCurrent`; NULL if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxGetCurrent(context: Out<usize>) -> Status {
    call("cuCtxGetCurrent", || context.set(current_handle()))
}

/// `cuCtxGetDevice`.
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxGetDevice(device: Out<Ordinal>) -> Status {
    call("cuCtxGetDevice", || device.set(current_device()?.ordinal))
}

/// `cuCtxGetFlags`.
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxGetFlags(flags: Out<u32>) -> Status {
    call("cuCtxGetFlags", || flags.set(current()?.flags.load(Ordering::Relaxed)))
}

/// `cuCtxGetApiVersion`.
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxGetApiVersion(context: usize, version: Out<u32>) -> Status {
    call("cuCtxGetApiVersion", || {
        if context == 0 {
            current()?
        } else {
            get(context)?
        };
        version.set(3020)
    })
}

/// `cuCtxGetId`.
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxGetId(context: usize, id: Out<u64>) -> Status {
    call("cuCtxGetId", || {
        let context = if context == 0 { current()? } else { get(context)? };
        id.set(context.handle as u64)
    })
}

/// `cuCtxSynchronize`.
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxSynchronize() -> Status {
    call("cuCtxSynchronize", || current()?.synchronize())
}

/// `cuCtxGetStreamPriorityRange`.
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxGetStreamPriorityRange(least: Out<c_int>, greatest: Out<c_int>) -> Status {
    call("cuCtxGetStreamPriorityRange", || {
        current()?;
        least.set_if_asked(0);
        greatest.set_if_asked(GREATEST_PRIORITY);
        Ok(())
    })
}

/// `cuCtxEnablePeerAccess`.
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxEnablePeerAccess(peer: usize, flags: u32) -> Status {
    call("cuCtxEnablePeerAccess", || {
        let (context, peer) = (current()?, get(peer)?);
        require(flags == 0)?;
        if context.device.ordinal == peer.device.ordinal {
            return Err(Status::INVALID_CONTEXT);
        }
        if !context.device.can_access(peer.device) {
            return Err(Status::PEER_ACCESS_UNSUPPORTED);
        }
        let is_new = context.peers.lock().insert(peer.device.ordinal);
        if is_new { Ok(()) } else { Err(Status::PEER_ACCESS_ALREADY_ENABLED) }
    })
}

/// `cuCtxDisablePeerAccess`.
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxDisablePeerAccess(peer: usize) -> Status {
    call("cuCtxDisablePeerAccess", || {
        let (context, peer) = (current()?, get(peer)?);
        context.device.drain_always("cuCtxDisablePeerAccess");
        let was_enabled = context.peers.lock().remove(&peer.device.ordinal);
        if was_enabled { Ok(()) } else { Err(Status::PEER_ACCESS_NOT_ENABLED) }
    })
}
