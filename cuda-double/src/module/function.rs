//! Functions on functions of modules (`cuFunc*`, `cuOccupancy*`).

use std::ffi::c_int;
use std::sync::atomic::Ordering;

use super::FUNCTIONS;
use crate::argument::Out;
use crate::context;
use crate::entry::call;
use crate::status::{Status, require};

/// Registers of a thread, in every function.
const REGISTERS: c_int = 64;
/// Threads that a multiprocessor has registers for.
const RESIDENT_THREADS: c_int = 1024;
/// Bytes of shared memory that a block may have without being asked for more.
const SHARED_BYTES: c_int = 48 << 10;
/// `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`.
const MAX_DYNAMIC_SHARED: c_int = 8;
/// `CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT`.
const CARVEOUT: c_int = 9;

/// `cuFuncGetAttribute`.
#[unsafe(no_mangle)]
pub extern "C" fn cuFuncGetAttribute(value: Out<c_int>, attribute: c_int, function: usize) -> Status {
    call("cuFuncGetAttribute", || {
        context::current()?;
        let function = FUNCTIONS.get(function)?;
        value.set(match attribute {
            0 => function.entry.most_threads as c_int,
            // Bytes of shared, constant and local memory.
            1..=3 => 0,
            4 => REGISTERS,
            // Versions of the PTX and of the code: compute_60, and what the device is.
            5 => 60,
            6 => 90,
            7 => 0,
            MAX_DYNAMIC_SHARED => SHARED_BYTES,
            CARVEOUT => -1,
            _ => return Err(Status::INVALID_VALUE),
        })
    })
}

/// `cuFuncSetAttribute`. The value has no effect.
#[unsafe(no_mangle)]
pub extern "C" fn cuFuncSetAttribute(function: usize, attribute: c_int, value: c_int) -> Status {
    call("cuFuncSetAttribute", || {
        context::current()?;
        FUNCTIONS.get(function)?;
        match attribute {
            MAX_DYNAMIC_SHARED => require((0..=227 << 10).contains(&value)),
            CARVEOUT => require((-1..=100).contains(&value)),
            _ => Err(Status::INVALID_VALUE),
        }
    })
}

/// `cuFuncSetCacheConfig`. The value has no effect.
#[unsafe(no_mangle)]
pub extern "C" fn cuFuncSetCacheConfig(function: usize, config: c_int) -> Status {
    call("cuFuncSetCacheConfig", || {
        context::current()?;
        FUNCTIONS.get(function)?;
        require((0..=3).contains(&config))
    })
}

/// `cuFuncLoad`.
#[unsafe(no_mangle)]
pub extern "C" fn cuFuncLoad(function: usize) -> Status {
    call("cuFuncLoad", || {
        let context = context::current()?;
        FUNCTIONS.get(function)?.load(&context, "cuFuncLoad");
        Ok(())
    })
}

/// `cuFuncIsLoaded`.
#[unsafe(no_mangle)]
pub extern "C" fn cuFuncIsLoaded(state: Out<u32>, function: usize) -> Status {
    call("cuFuncIsLoaded", || {
        context::current()?;
        state.set(u32::from(FUNCTIONS.get(function)?.is_loaded.load(Ordering::Acquire)))
    })
}

/// `cuFuncGetParamInfo`.
#[unsafe(no_mangle)]
pub extern "C" fn cuFuncGetParamInfo(
    function: usize,
    index: usize,
    offset: Out<usize>,
    size: Out<usize>,
) -> Status {
    call("cuFuncGetParamInfo", || {
        context::current()?;
        let function = FUNCTIONS.get(function)?;
        let parameter = function.entry.parameters.get(index).ok_or(Status::INVALID_VALUE)?;
        size.set_if_asked(parameter.bytes);
        offset.set(parameter.offset)
    })
}

/// `cuOccupancyMaxActiveBlocksPerMultiprocessor`.
#[unsafe(no_mangle)]
pub extern "C" fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
    blocks: Out<c_int>,
    function: usize,
    threads: c_int,
    shared: usize,
) -> Status {
    call("cuOccupancyMaxActiveBlocksPerMultiprocessor", || {
        context::current()?;
        let function = FUNCTIONS.get(function)?;
        require(threads > 0)?;
        let fits = threads <= function.entry.most_threads as c_int && shared <= SHARED_BYTES as usize;
        blocks.set(if fits { (RESIDENT_THREADS / threads).min(32) } else { 0 })
    })
}
