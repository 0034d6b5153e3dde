//! A CUDA runtime for tests: `libcudart.so.12` on top of the driver that the program finds, usually the
//! driver double.
//!
//! It does what CUDA's own runtime does around the driver. It opens `libcuda.so.1` at the first call and
//! retains the primary context of each device in use. It makes that context current in each thread, and it
//! remembers the last error of the thread. Memory, streams, events and their faults are the driver's.
//!
//! From the bottom up:
//!
//! - [`driver`] is the table of the driver's functions. [`error`] has the codes, and the last error.
//! - [`context`] knows the device of a thread and makes its primary context current.
//! - [`entry`] is what every exported function does first. The other files are one kind of function each.
//!
//! It leaves out kernels: a program that nvcc compiled starts, and its launches fail with
//! `cudaErrorNoKernelImageForDevice`. Arrays, textures and the names ending in `_ptsz` and `_ptds` are not
//! there either.

#![allow(non_snake_case)]

mod arguments;
pub mod context;
pub mod copy;
pub mod device;
pub mod driver;
pub mod entry;
pub mod error;
pub mod event;
pub mod fill;
pub mod graph;
pub mod ipc;
pub mod kernel;
pub mod lacking;
pub mod lookup;
pub mod memory;
pub mod peer;
pub mod pinned;
pub mod pointer;
pub mod properties;
pub mod stream;
