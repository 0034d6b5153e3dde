//! The functions `cudaMemcpy*`.
//!
//! A direction becomes the driver's function for it, so that an address of another kind is an error.

use std::ffi::c_int;

use crate::arguments::{Plane, PlaneSide};
use crate::context;
use crate::driver::Driver;
use crate::entry::call_in_context;
use crate::error::{Error, Result};

/// Kinds of memory of one side of a [`Plane`].
const HOST: u32 = 1;
const DEVICE: u32 = 2;
const ANY: u32 = 4;

/// A `cudaMemcpyKind`.
#[derive(Clone, Copy)]
enum Direction {
    HostToDevice,
    DeviceToHost,
    DeviceToDevice,
    /// Within host memory, or as the addresses say.
    ByAddress,
}

impl Direction {
    fn of(kind: c_int) -> Result<Direction> {
        match kind {
            1 => Ok(Direction::HostToDevice),
            2 => Ok(Direction::DeviceToHost),
            3 => Ok(Direction::DeviceToDevice),
            0 | 4 => Ok(Direction::ByAddress),
            _ => Err(Error::INVALID_DIRECTION),
        }
    }

    /// Kinds of memory: from, to.
    fn sides(self) -> (u32, u32) {
        match self {
            Direction::HostToDevice => (HOST, DEVICE),
            Direction::DeviceToHost => (DEVICE, HOST),
            Direction::DeviceToDevice => (DEVICE, DEVICE),
            Direction::ByAddress => (ANY, ANY),
        }
    }
}

fn copy(driver: &Driver, to: usize, from: usize, bytes: usize, kind: c_int) -> Result {
    let function = match Direction::of(kind)? {
        Direction::HostToDevice => driver.cuMemcpyHtoD_v2,
        Direction::DeviceToHost => driver.cuMemcpyDtoH_v2,
        Direction::DeviceToDevice => driver.cuMemcpyDtoD_v2,
        Direction::ByAddress => driver.cuMemcpy,
    };
    if bytes == 0 { Ok(()) } else { function(to, from, bytes).check() }
}

fn copy_async(driver: &Driver, to: usize, from: usize, bytes: usize, kind: c_int, stream: usize) -> Result {
    let function = match Direction::of(kind)? {
        Direction::HostToDevice => driver.cuMemcpyHtoDAsync_v2,
        Direction::DeviceToHost => driver.cuMemcpyDtoHAsync_v2,
        Direction::DeviceToDevice => driver.cuMemcpyDtoDAsync_v2,
        Direction::ByAddress => driver.cuMemcpyAsync,
    };
    if bytes == 0 { Ok(()) } else { function(to, from, bytes, stream).check() }
}

/// The description of a copy of rows: addresses and pitches, bytes of a row, rows.
fn plane(
    to: (usize, usize),
    from: (usize, usize),
    width: usize,
    height: usize,
    kind: c_int,
) -> Result<Plane> {
    let (from_side, to_side) = Direction::of(kind)?.sides();
    if width > to.1 || width > from.1 {
        return Err(Error::INVALID_PITCH);
    }
    let (from, to) = (PlaneSide::of(from.0, from.1, from_side), PlaneSide::of(to.0, to.1, to_side));
    Ok(Plane { from, to, width_bytes: width, height })
}

/// `cudaMemcpy`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy(to: usize, from: usize, bytes: usize, kind: c_int) -> Error {
    call_in_context(|driver| copy(driver, to, from, bytes, kind))
}

/// `cudaMemcpyAsync`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyAsync(to: usize, from: usize, bytes: usize, kind: c_int, stream: usize) -> Error {
    call_in_context(|driver| copy_async(driver, to, from, bytes, kind, stream))
}

/// `cudaMemcpyPeer`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyPeer(
    to: usize,
    to_device: c_int,
    from: usize,
    from_device: c_int,
    bytes: usize,
) -> Error {
    call_in_context(|driver| {
        let to_context = context::primary(driver, to_device)?;
        let from_context = context::primary(driver, from_device)?;
        (driver.cuMemcpyPeer)(to, to_context, from, from_context, bytes).check()
    })
}

/// `cudaMemcpyPeerAsync`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyPeerAsync(
    to: usize,
    to_device: c_int,
    from: usize,
    from_device: c_int,
    bytes: usize,
    stream: usize,
) -> Error {
    call_in_context(|driver| {
        let to_context = context::primary(driver, to_device)?;
        let from_context = context::primary(driver, from_device)?;
        (driver.cuMemcpyPeerAsync)(to, to_context, from, from_context, bytes, stream).check()
    })
}

/// `cudaMemcpy2D`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy2D(
    to: usize,
    to_pitch: usize,
    from: usize,
    from_pitch: usize,
    width: usize,
    height: usize,
    kind: c_int,
) -> Error {
    call_in_context(|driver| {
        let plane = plane((to, to_pitch), (from, from_pitch), width, height, kind)?;
        (driver.cuMemcpy2DUnaligned_v2)(&raw const plane).check()
    })
}

/// `cudaMemcpy2DAsync`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy2DAsync(
    to: usize,
    to_pitch: usize,
    from: usize,
    from_pitch: usize,
    width: usize,
    height: usize,
    kind: c_int,
    stream: usize,
) -> Error {
    call_in_context(|driver| {
        let plane = plane((to, to_pitch), (from, from_pitch), width, height, kind)?;
        (driver.cuMemcpy2DAsync_v2)(&raw const plane, stream).check()
    })
}
