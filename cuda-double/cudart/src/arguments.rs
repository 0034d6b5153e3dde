//! Structures that functions of the driver take.

/// One side of a `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct PlaneSide {
    x_bytes: usize,
    y: usize,
    memory_type: u32,
    host: usize,
    device: usize,
    array: usize,
    pitch: usize,
}

/// A `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Plane {
    pub from: PlaneSide,
    pub to: PlaneSide,
    pub width_bytes: usize,
    pub height: usize,
}

impl PlaneSide {
    pub fn of(address: usize, pitch: usize, memory_type: u32) -> PlaneSide {
        PlaneSide { memory_type, host: address, device: address, pitch, ..PlaneSide::default() }
    }
}

/// A `cudaIpcMemHandle_t` or a `cudaIpcEventHandle_t`: bytes that another process may open.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Handle {
    reserved: [u8; 64],
}
