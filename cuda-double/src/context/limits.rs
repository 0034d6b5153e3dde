//! Limits and cache preferences of a context: kept and given back, without effect.

use std::ffi::c_int;

use super::{LIMITS, current};
use crate::argument::Out;
use crate::entry::call;
use crate::status::{Status, require};

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
