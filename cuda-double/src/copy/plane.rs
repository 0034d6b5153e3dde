//! The functions `cuMemcpy2D*`: rows of bytes with a pitch.

use super::Side::{Any, Device, Host};
use super::{Manner, NO_ARRAYS, Request, Side, copy};
use crate::argument::In;
use crate::status::{Result, Status, require};
use crate::stream::{both_defaults, of_call};

/// One side of a `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct PlaneSide {
    /// First byte of a row.
    pub x_bytes: usize,
    /// First row.
    pub y: usize,
    /// `CUmemorytype`.
    pub memory_type: u32,
    /// Address, if it is host memory.
    pub host: u64,
    /// Address, if it is device memory or of any kind.
    pub device: u64,
    /// Array, if it is one.
    pub array: usize,
    /// Bytes from row to row.
    pub pitch: usize,
}

/// A `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Plane {
    /// What is read.
    pub from: PlaneSide,
    /// What is written.
    pub to: PlaneSide,
    /// Bytes of a row.
    pub width_bytes: usize,
    /// Number of rows.
    pub height: usize,
}

impl PlaneSide {
    fn start(&self) -> Result<(u64, Side)> {
        let (address, side) = match self.memory_type {
            1 => (self.host, Host),
            2 => (self.device, Device),
            3 => return Err(NO_ARRAYS),
            4 => (self.device, Any),
            _ => return Err(Status::INVALID_VALUE),
        };
        Ok((address + (self.y * self.pitch + self.x_bytes) as u64, side))
    }
}

impl Plane {
    fn rows(&self) -> Result<Vec<Request>> {
        let ((from, from_side), (to, to_side)) = (self.from.start()?, self.to.start()?);
        let bytes = self.width_bytes;
        let fits = |side: &PlaneSide| self.height <= 1 || side.pitch >= side.x_bytes + bytes;
        require(fits(&self.from) && fits(&self.to))?;
        let row = |row: usize| Request {
            to: to + (row * self.to.pitch) as u64,
            to_side,
            from: from + (row * self.from.pitch) as u64,
            from_side,
            bytes,
        };
        Ok((0..self.height).map(row).collect())
    }
}

both_defaults! {
    /// `cuMemcpy2D_v2`.
    cuMemcpy2D_v2, cuMemcpy2D_v2_ptds, "cuMemcpy2D", (plane: In<Plane>), defaults => {
        copy(&of_call(0, defaults)?.1, Manner::Sync, &plane.get()?.rows()?)
    }
}

both_defaults! {
    /// `cuMemcpy2DUnaligned_v2`.
    cuMemcpy2DUnaligned_v2, cuMemcpy2DUnaligned_v2_ptds, "cuMemcpy2DUnaligned",
    (plane: In<Plane>), defaults => {
        copy(&of_call(0, defaults)?.1, Manner::Sync, &plane.get()?.rows()?)
    }
}

both_defaults! {
    /// `cuMemcpy2DAsync_v2`.
    cuMemcpy2DAsync_v2, cuMemcpy2DAsync_v2_ptsz, "cuMemcpy2DAsync",
    (plane: In<Plane>, stream: usize), defaults => {
        copy(&of_call(stream, defaults)?.1, Manner::Async, &plane.get()?.rows()?)
    }
}
