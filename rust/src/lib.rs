//! Collective communication between processes and threads, in safe Rust.
//!
//! The ranks of a job call `all_reduce`, `broadcast`, `all_gather` and others, and send each other messages,
//! as with MPI or NCCL. On one host they use shared memory, between hosts TCP. The crate contains the whole
//! library: it needs no C compiler, no MPI and no NCCL, and it exports no C symbol.
//!
//! ```
//! use anyccl::{Communicator, Op};
//!
//! fn main() -> anyccl::Result<()> {
//!     let world = Communicator::world()?;
//!     let mut sum = [world.rank() as f32 + 1.0; 3];
//!     world.all_reduce_in_place(&mut sum, Op::Sum)?;
//!     println!("rank {} of {} has {sum:?}", world.rank(), world.size());
//!     world.close()
//! }
//! ```
//!
//! The program runs under `anyccl run -n 4`, torchrun, any mpiexec, or srun. Alone it is a world of one rank.
//! In tests, [`threads`] makes ranks of threads:
//!
//! ```
//! use anyccl::Op;
//!
//! let sums = anyccl::threads(4, |comm| {
//!     let mut sum = [comm.rank() as u32];
//!     comm.all_reduce_in_place(&mut sum, Op::Sum)?;
//!     Ok(sum[0])
//! })?;
//! assert_eq!(sums, [6; 4]);
//! # Ok::<(), anyccl::Error>(())
//! ```
//!
//! # Where to find what
//!
//! | to do | see |
//! | --- | --- |
//! | join a job, or make a communicator of another | [`Communicator`] |
//! | do something else during a call | [`Request`], which owns its buffers |
//! | the same, with borrowed buffers | [`Communicator::scope`] |
//! | make the same call again and again | [`Persistent`] |
//! | exchange with neighbours | [`Graph`] |
//! | reduce by a function of the program | [`Operator`] |
//! | learn what went wrong | [`Error`], [`ErrorKind`] |
//!
//! # Buffers
//!
//! Buffers are slices and vectors of an [`Element`] type. Lengths are numbers of elements, and each call
//! checks them before anything is sent. A call in place has one buffer instead of two.
//!
//! Memory of GPUs has no type here; the C API of anyccl takes it.
//!
//! # Safety
//!
//! All calls are safe, also if a request is forgotten, a function of an operator panics, or a rank dies in
//! the middle of a call. A call that has failed leaves its buffers alone. What other ranks send can only
//! become numbers in buffers, never a value that a type does not have.
//!
//! Only the library's own engine promises this. So `ANYCCL_BACKEND` may not name another one for memory of
//! the processor.
//!
//! # Features
//!
//! - `half`: `half::f16` and `half::bf16` as elements.
//! - `complex`: `num_complex::Complex` of `f32` and `f64` as elements.

mod buffers;
mod call;
mod coalesced;
mod collective;
mod collectives;
mod communicator;
mod config;
mod element;
mod error;
mod fixed;
mod formation;
mod graph;
mod join;
mod messages;
mod operator;
mod persistent;
mod request;
mod scope;
mod sides;
mod started;
mod threads;
mod unequal;

/// Formats in which sums of floats travel between hosts, for [`Config::wire`].
pub use anyccl_engine::base::WireFormat;
pub use buffers::Input;
pub use communicator::Communicator;
pub use config::Config;
pub use element::Element;
pub use error::{Error, ErrorKind, Result};
pub use graph::Graph;
pub use join::{Store, StoreError, UniqueId};
pub use messages::{ReceiveRequest, Source, Status, Tag};
pub use operator::{Op, Operator};
pub use persistent::Persistent;
pub use request::{Request, Waitable, wait_all, wait_any};
pub use scope::{Scope, Scoped};
pub use threads::{threads, threads_with};

/// The programs of docs/rust.md, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/rust.md")]
struct Tutorial;
