//! The primary context of each device (`cuDevicePrimaryCtx*`).

use std::collections::HashMap;
use std::ffi::c_int;
use std::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;

use super::Context;
use crate::argument::Out;
use crate::device::{self, Ordinal};
use crate::entry::call;
use crate::status::{Result, Status};

/// A primary context in use, and how often it is retained.
struct Primary {
    context: Arc<Context>,
    retained: usize,
}

static PRIMARIES: LazyLock<Mutex<HashMap<Ordinal, Primary>>> = LazyLock::new(Mutex::default);
static FLAGS: LazyLock<Mutex<HashMap<Ordinal, u32>>> = LazyLock::new(Mutex::default);

/// The active primary context of a device, if there is one.
pub fn primary_of(device: Ordinal) -> Option<Arc<Context>> {
    PRIMARIES.lock().get(&device).map(|primary| Arc::clone(&primary.context))
}

fn retain(ordinal: Ordinal) -> Result<usize> {
    let device = device::get(ordinal)?;
    let mut primaries = PRIMARIES.lock();
    let primary = primaries.entry(ordinal).or_insert_with(|| {
        let flags = FLAGS.lock().get(&ordinal).copied().unwrap_or(0);
        Primary { context: Context::create(device, flags), retained: 0 }
    });
    primary.retained += 1;
    Ok(primary.context.handle)
}

/// Gives one reference back, or all with `all`, for the function `call`. The last one ends the context.
fn release(call: &str, ordinal: Ordinal, all: bool) -> Result {
    device::get(ordinal)?;
    let ended = {
        let mut primaries = PRIMARIES.lock();
        match primaries.get_mut(&ordinal) {
            None if all => return Ok(()),
            None => return Err(Status::INVALID_CONTEXT),
            Some(primary) if !all && primary.retained > 1 => {
                primary.retained -= 1;
                None
            }
            Some(_) => primaries.remove(&ordinal),
        }
    };
    if let Some(primary) = ended {
        primary.context.destroy(call);
    }
    Ok(())
}

/// `cuDevicePrimaryCtxRetain`.
#[unsafe(no_mangle)]
pub extern "C" fn cuDevicePrimaryCtxRetain(context: Out<usize>, device: Ordinal) -> Status {
    call("cuDevicePrimaryCtxRetain", || {
        if context.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        context.set(retain(device)?)
    })
}

/// `cuDevicePrimaryCtxRelease_v2`.
#[unsafe(no_mangle)]
pub extern "C" fn cuDevicePrimaryCtxRelease_v2(device: Ordinal) -> Status {
    call("cuDevicePrimaryCtxRelease", || release("cuDevicePrimaryCtxRelease", device, false))
}

/// `cuDevicePrimaryCtxReset_v2`.
#[unsafe(no_mangle)]
pub extern "C" fn cuDevicePrimaryCtxReset_v2(device: Ordinal) -> Status {
    call("cuDevicePrimaryCtxReset", || release("cuDevicePrimaryCtxReset", device, true))
}

/// `cuDevicePrimaryCtxGetState`.
#[unsafe(no_mangle)]
pub extern "C" fn cuDevicePrimaryCtxGetState(device: Ordinal, flags: Out<u32>, active: Out<c_int>) -> Status {
    call("cuDevicePrimaryCtxGetState", || {
        device::get(device)?;
        let primary = primary_of(device);
        let otherwise = || FLAGS.lock().get(&device).copied().unwrap_or(0);
        flags
            .set(primary.as_ref().map_or_else(otherwise, |context| context.flags.load(Ordering::Relaxed)))?;
        active.set(c_int::from(primary.is_some()))
    })
}

/// `cuDevicePrimaryCtxSetFlags_v2`.
#[unsafe(no_mangle)]
pub extern "C" fn cuDevicePrimaryCtxSetFlags_v2(device: Ordinal, flags: u32) -> Status {
    call("cuDevicePrimaryCtxSetFlags", || {
        device::get(device)?;
        FLAGS.lock().insert(device, flags);
        if let Some(context) = primary_of(device) {
            context.flags.store(flags, Ordering::Relaxed);
        }
        Ok(())
    })
}
