//! A double of the CUDA driver for tests: `libcuda.so.1` without a GPU, and less forgiving than one.
//!
//! Programs find it in the place of the driver, by `LD_LIBRARY_PATH` or by a path. README.md says what it
//! models, which variables it reads and what it cannot show.
//!
//! How it works, from the bottom up:
//!
//! - [`arena`] holds the addresses of device memory: unreadable for the program, readable at a fixed distance
//!   for copies and kernels. [`memory_file`] is the memory behind them, and [`address_space`] knows what lies
//!   where.
//! - [`stream`] runs work: a thread per stream, with random delays from [`delays`]. Nothing orders two
//!   streams but what CUDA orders.
//! - [`device`], [`context`], [`event`], [`copy`], [`value`] and the others are one file or folder per kind
//!   of function. Each exported function runs its body by [`entry::call`], which also lets calls fail on
//!   purpose ([`faults`]).
//! - [`capture`] lets streams record their work, and [`graph`] runs what was recorded.
//! - [`counts`] counts live objects for tests that look for leaks.
//! - [`module`] reads PTX, and launches kernels that `cuda-double-kernels` compiled for the host. A launch
//!   is a closure in a stream ([`launch::enqueue_kernel`]) that sees a [`launch::DeviceView`].
//!
//! For those who add a function: the body runs by [`entry::call`], under the name without suffixes. A
//! function with a `_ptsz` or `_ptds` form is declared by `stream::both_defaults`. Each exported name stands
//! in `lookup/names.rs`.

#![allow(non_snake_case)]

pub mod address_space;
pub mod allocation;
pub mod arena;
pub mod argument;
pub mod capture;
pub mod context;
pub mod control;
pub mod copy;
pub mod counts;
pub mod delays;
pub mod device;
pub mod entry;
pub mod event;
mod exported;
pub mod faults;
pub mod graph;
pub mod handles;
pub mod host_function;
mod host_thread;
pub mod init;
pub mod ipc;
pub mod launch;
pub mod lookup;
pub mod loud;
pub mod managed;
pub mod memory_file;
pub mod module;
pub mod pinned;
pub mod pointer;
pub mod pool;
pub mod settings;
pub mod status;
pub mod status_text;
pub mod stream;
pub mod value;
pub mod vmm;
