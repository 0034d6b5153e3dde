//! Kernels that run on a GPU: their code, and what a launch of them needs. This module calls no driver.
//!
//! **The code.** The `.cu` and `.h` files of this folder are CUDA C without CUDA's headers. `cargo xtask ptx`
//! compiles them by NVRTC 11.8 to [`ptx`], which is committed, so that building needs no CUDA. It is made for
//! compute_60: every driver since CUDA 11.8 compiles it for the GPUs that it knows, Pascal or newer. The same
//! files compile as C++ for the double (`cuda-double/kernels`).
//!
//! **Tables.** What a launch does stands in a table in memory that the GPU reads; the launch itself takes
//! only its address ([`TableArgument`]). So a kernel can be enqueued before the addresses of buffers are
//! known, behind an operation that copies the table there. A table of zeros means that there is
//! nothing to do.
//!
//! **Reductions** ([`reduction`]). One launch reads up to 64 inputs and writes up to 64 outputs
//! ([`ReduceArguments`]). Each element is reduced in the order of ranks, rank 0 first, by one thread. So its
//! bits do not depend on the count, the launch, or where buffers lie. [`Form`] says which result goes where;
//! scans are a form of the same entries. 8-bit floats saturate where the arguments say so.
//!
//! **Results** are those of the engine on host memory (`reduce`), reduced from rank 0 on. They differ in
//! two cases:
//! - float16 and bfloat16 are accumulated in float32 and rounded once; the host rounds each combination. So
//!   results may differ for three ranks and more, and for averages of two.
//! - An algorithm on the host may reduce in another order. Floats differ then as among these algorithms.
//!
//! **Copies** ([`COPY`]). One launch copies segments, each to several destinations ([`CopyArguments`]). So a
//! broadcast or an all_gather reads each byte once. A segment whose only destination is itself costs no
//! access to its bytes.
//!
//! **Waits** ([`WAIT`]). A launch of one thread waits for a word, where a value wait of the stream would
//! hold up other streams.
//!
//! **Speed.** Buffers whose addresses are equal modulo 16 take the fast loop. A thread has 4 to 8 loads of 16
//! bytes in flight there, 3 to 6 where elements have 2 bytes, 2 to 4 where they have one. So accumulators and
//! loads fit into 64 registers, and two blocks of 512 threads into a multiprocessor. Other buffers are read
//! and written in pieces as large as their alignment allows.

mod arguments;
mod entries;
mod launch;

use std::ffi::CString;
use std::io::Read;

use lzma_rust2::LzmaReader;

use crate::base::{Error, Result};

pub use arguments::{
    CopyArguments, CopySegment, CounterArguments, Form, MOST_RANKS, PremulSumArguments, ReduceArguments,
    Scalar, TableArgument, WaitArguments,
};
pub use entries::{COPY, COUNTER_ADD, Reduction, WAIT, reduction};
pub use launch::{Shape, THREADS, copy_shape, reduce_shape, tile_bytes};

/// The PTX, compressed by `cargo xtask ptx`.
const COMPRESSED: &[u8] = include_bytes!("anyccl.ptx.lzma");

/// The code of all kernels, for the driver's cuModuleLoadData.
pub fn ptx() -> Result<CString> {
    let mut text = Vec::new();
    let read = LzmaReader::new_mem_limit(COMPRESSED, u32::MAX, None)
        .and_then(|mut reader| reader.read_to_end(&mut text));
    read.map_err(|error| Error::Internal(format!("the kernels cannot be decompressed: {error}")))?;
    CString::new(text).map_err(|_| Error::Internal("kernels with a zero byte".into()))
}
