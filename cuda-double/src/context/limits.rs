//! Limits and cache preferences of a context: kept and given back, without effect.

use std::ffi::c_int;

use super::current;
use crate::argument::Out;
use crate::entry::call;
use crate::status::{Status, require};

/// Number of limits (`CUlimit`).
pub const LIMITS: usize = 7;

/// What a limit is at first: stack, buffer of printf, heap, depth, pending launches, L2 fetch, persisting L2.
pub const INITIAL: [usize; LIMITS] = [1024, 1 << 20, 8 << 20, 2, 2048, 64, 0];

/// `cuCtxSetLimit`.
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxSetLimit(limit: c_int, value: usize) -> Status {
    call("cuCtxSetLimit", || {
        let context = current()?;
        require((0..LIMITS as c_int).contains(&limit))?;
        context.limits.lock()[limit as usize] = value;
        Ok(())
    })
}

/// `cuCtxGetLimit`.
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxGetLimit(value: Out<usize>, limit: c_int) -> Status {
    call("cuCtxGetLimit", || {
        let context = current()?;
        require((0..LIMITS as c_int).contains(&limit))?;
        let found = context.limits.lock()[limit as usize];
        value.set(found)
    })
}

/// `cuCtxGetCacheConfig`: no preference.
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxGetCacheConfig(preference: Out<c_int>) -> Status {
    call("cuCtxGetCacheConfig", || {
        current()?;
        preference.set(0)
    })
}

/// `cuCtxSetCacheConfig`: accepted, without effect.
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxSetCacheConfig(preference: c_int) -> Status {
    call("cuCtxSetCacheConfig", || {
        current()?;
        require((0..=3).contains(&preference))
    })
}
