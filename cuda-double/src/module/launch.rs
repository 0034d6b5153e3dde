//! Launches of kernels (`cuLaunchKernel`, `cuLaunchKernelEx`).

use cuda_double_kernels::{Fault, Memory, Range};

use super::{FUNCTIONS, Function};
use crate::address_space;
use crate::argument::In;
use crate::context;
use crate::launch::{DeviceView, enqueue_kernel};
use crate::loud;
use crate::status::{Result, Status, require};
use crate::stream::{Defaults, both_defaults};

/// `CU_LAUNCH_PARAM_END`.
const PARAM_END: usize = 0;
/// `CU_LAUNCH_PARAM_BUFFER_POINTER`.
const PARAM_POINTER: usize = 1;
/// `CU_LAUNCH_PARAM_BUFFER_SIZE`.
const PARAM_SIZE: usize = 2;
/// `CUDA_ERROR_MISALIGNED_ADDRESS`.
const MISALIGNED_ADDRESS: Status = Status(716);

/// Grid and block of a launch, and the shared memory of a block.
#[derive(Clone, Copy)]
struct Shape {
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
}

/// `CUlaunchConfig`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaunchConfig {
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    stream: usize,
    attributes: usize,
    attribute_count: u32,
}

impl Shape {
    fn check(&self, function: &Function) -> Result {
        let ([_, y, z], block) = (self.grid, self.block);
        require(self.grid.into_iter().chain(block).all(|size| size > 0))?;
        require(self.grid[0] <= i32::MAX as u32 && y <= 65_535 && z <= 65_535)?;
        let threads = block.into_iter().try_fold(1, u32::checked_mul).ok_or(Status::INVALID_VALUE)?;
        require(threads <= 1024 && block[2] <= 64 && self.shared <= 48 << 10)?;
        if threads > function.entry.most_threads {
            return Err(Status::LAUNCH_OUT_OF_RESOURCES);
        }
        Ok(())
    }
}

/// A copy of the parameters, aligned for every kernel.
fn parameters(function: &Function, each: In<usize>, extra: In<usize>) -> Result<Vec<u128>> {
    let bytes = function.entry.parameter_bytes();
    let mut buffer = vec![0u8; bytes];
    if !each.is_null() {
        require(extra.is_null())?;
        for (index, parameter) in function.entry.parameters.iter().enumerate() {
            let from = In::<u8>::at(each.element(index)?);
            for at in 0..parameter.bytes {
                buffer[parameter.offset + at] = from.element(at)?;
            }
        }
    } else if bytes > 0 {
        let (from, size) = extra_buffer(extra)?;
        require(size == bytes)?;
        for (at, byte) in buffer.iter_mut().enumerate() {
            *byte = from.element(at)?;
        }
    }
    let word = |bytes: &[u8]| {
        let mut word = [0; 16];
        word[..bytes.len()].copy_from_slice(bytes);
        u128::from_ne_bytes(word)
    };
    Ok(buffer.chunks(16).map(word).collect())
}

/// The buffer of parameters that `extra` names, and its size.
fn extra_buffer(extra: In<usize>) -> Result<(In<u8>, usize)> {
    let (mut buffer, mut size) = (0, 0);
    for at in (0..).step_by(2) {
        match extra.element(at)? {
            PARAM_END => break,
            PARAM_POINTER => buffer = extra.element(at + 1)?,
            PARAM_SIZE => size = In::<usize>::at(extra.element(at + 1)?).get()?,
            _ => return Err(Status::INVALID_VALUE),
        }
    }
    Ok((In::at(buffer), size))
}

/// Memory as a kernel sees it.
struct Seen<'a>(&'a DeviceView);

impl Memory for Seen<'_> {
    fn range(&self, address: u64) -> Option<Range> {
        let range = address_space::find(address)?;
        let host = self.0.readable(range.base, 1).ok()?;
        Some(Range { begin: range.base, end: range.end(), host })
    }
}

fn launch(
    function: usize,
    shape: Shape,
    stream: usize,
    defaults: Defaults,
    each: In<usize>,
    extra: In<usize>,
) -> Result {
    let context = context::current()?;
    let function = FUNCTIONS.get(function)?;
    if function.context != context.handle {
        return Err(Status::INVALID_HANDLE);
    }
    shape.check(&function)?;
    let parameters = parameters(&function, each, extra)?;
    function.load(&context, "cuLaunchKernel");
    let work = move |view: &DeviceView| {
        let place = parameters.as_ptr().cast();
        // SAFETY: the buffer is aligned to 16 bytes and has the size in the PTX, which is that of the
        // kernel's structure. What unmaps memory waits for all work of the device first, so ranges stay.
        let ran = unsafe { function.kernel.run(place, shape.grid, shape.block, &Seen(view)) };
        ran.map_err(|fault| complain(&function, fault))
    };
    enqueue_kernel(stream, defaults, work)
}

fn complain(function: &Function, fault: Fault) -> Status {
    let (address, what, status) = match fault {
        Fault::Address(address) => (address, "that it may not access", Status::ILLEGAL_ADDRESS),
        Fault::Alignment(address) => (address, "misaligned for its access", MISALIGNED_ADDRESS),
    };
    loud::say(&format!("{} touched address {address:#x}, {what}", function.entry.name));
    status
}

both_defaults! {
    /// `cuLaunchKernel`.
    cuLaunchKernel, cuLaunchKernel_ptsz, "cuLaunchKernel",
    (
        function: usize,
        grid_x: u32,
        grid_y: u32,
        grid_z: u32,
        block_x: u32,
        block_y: u32,
        block_z: u32,
        shared: u32,
        stream: usize,
        parameters: In<usize>,
        extra: In<usize>,
    ), defaults => {
        let shape = Shape { grid: [grid_x, grid_y, grid_z], block: [block_x, block_y, block_z], shared };
        launch(function, shape, stream, defaults, parameters, extra)
    }
}

both_defaults! {
    /// `cuLaunchKernelEx`. Attributes have no effect.
    cuLaunchKernelEx, cuLaunchKernelEx_ptsz, "cuLaunchKernelEx",
    (config: In<LaunchConfig>, function: usize, parameters: In<usize>, extra: In<usize>), defaults => {
        let config = config.get()?;
        let shape = Shape { grid: config.grid, block: config.block, shared: config.shared };
        launch(function, shape, config.stream, defaults, parameters, extra)
    }
}
