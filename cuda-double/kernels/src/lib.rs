//! The kernels of the engine as functions of the host, found by name: what the CUDA double runs at a launch.
//!
//! The sources are those of `src/device/kernels`, with `host.h` in the place of what a GPU offers. A launch
//! runs all threads of all blocks, one after the other, on the calling thread. The kernels use neither shared
//! memory nor barriers.
//!
//! A kernel sees addresses of the device. The caller's [`Memory`] says which memory of the host lies behind
//! each. An access elsewhere, or to a misaligned address, ends the launch with a [`Fault`], as it does on a
//! GPU.

use std::ffi::c_void;

type Function = unsafe extern "C" fn(*const c_void);

include!(concat!(env!("OUT_DIR"), "/registry.rs"));

/// Addresses of the device that follow one another in memory of the host.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// First address of the device.
    pub begin: u64,
    /// Address behind the last one.
    pub end: u64,
    /// Where the host finds the first one.
    pub host: *mut u8,
}

/// The memory of a device.
pub trait Memory {
    /// The range that an address lies in. It stays as it is until the launch has ended.
    fn range(&self, address: u64) -> Option<Range>;
}

/// Why a launch ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// No memory lies behind this address: CUDA_ERROR_ILLEGAL_ADDRESS.
    Address(u64),
    /// The address is no multiple of the size of the access: CUDA_ERROR_MISALIGNED_ADDRESS.
    Alignment(u64),
}

/// A kernel.
#[derive(Clone, Copy)]
pub struct Kernel(Function);

/// The kernel of this name.
pub fn find(name: &str) -> Option<Kernel> {
    let found = REGISTRY.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
    Some(Kernel(REGISTRY[found].1))
}

/// The names of all kernels, sorted.
pub fn names() -> impl Iterator<Item = &'static str> {
    REGISTRY.iter().map(|(name, _)| *name)
}

#[repr(C)]
struct Dimensions([u32; 3]);

type FindRange = unsafe extern "C" fn(*mut c_void, u64, *mut Range) -> i32;

unsafe extern "C" {
    fn anyccl_host_run(
        kernel: Function,
        parameters: *const c_void,
        grid: *const Dimensions,
        block: *const Dimensions,
        find: FindRange,
        memory: *mut c_void,
        fault_address: *mut u64,
    ) -> i32;
    static anyccl_host_layout: [u64; 0];
    static anyccl_host_layout_length: u64;
}

impl Kernel {
    /// Runs all threads of a launch.
    ///
    /// # Safety
    /// `parameters` points to the structure that the kernel takes, aligned to 16 bytes. Each range of
    /// `memory` is readable and writable for the whole launch. Other threads and processes may use it
    /// meanwhile, as those of a GPU may.
    pub unsafe fn run(
        self,
        parameters: *const c_void,
        grid: [u32; 3],
        block: [u32; 3],
        memory: &dyn Memory,
    ) -> Result<(), Fault> {
        let (grid, block, mut address) = (Dimensions(grid), Dimensions(block), 0);
        let memory = (&raw const memory).cast_mut().cast();
        // SAFETY: the caller vouches for the parameters and the memory. `memory` is the reference that
        // `find_range` expects, and everything outlives the call. The function throws nothing: it catches
        // what the kernels throw.
        let fault = unsafe {
            anyccl_host_run(
                self.0,
                parameters,
                &raw const grid,
                &raw const block,
                find_range,
                memory,
                &raw mut address,
            )
        };
        match fault {
            0 => Ok(()),
            1 => Err(Fault::Address(address)),
            _ => Err(Fault::Alignment(address)),
        }
    }
}

/// # Safety
/// `memory` points to a `&dyn Memory`, `range` to room for a range.
unsafe extern "C" fn find_range(memory: *mut c_void, address: u64, range: *mut Range) -> i32 {
    // SAFETY: the caller's promise; `run` passes it on from its own argument.
    let memory = unsafe { *memory.cast::<&dyn Memory>() };
    let Some(found) = memory.range(address) else { return 0 };
    // SAFETY: the caller's promise.
    unsafe { range.write(found) };
    1
}

/// Sizes and offsets of the structures of the parameters, as the C++ compiler lays them out.
pub fn layout() -> &'static [u64] {
    // SAFETY: a constant of run.cpp.
    let length = unsafe { anyccl_host_layout_length } as usize;
    let first = (&raw const anyccl_host_layout).cast::<u64>();
    // SAFETY: run.cpp defines so many constants there.
    unsafe { std::slice::from_raw_parts(first, length) }
}
