//! Foreign engines behind our communicators: a real MPI, oneCCL or NCCL, each opened at run time if it is
//! installed.
//!
//! - [`engine`] has the traits. A [`ForeignEngine`] is opened once per process; a [`ForeignComm`] is its
//!   communicator for the ranks of one of ours.
//! - [`capability`] says which calls an engine serves itself, which are composed, and which are left to the
//!   builtin engine.
//! - [`registry`] opens each engine once and keeps it.
//! - [`packing`] brings blocks into the form that foreign calls require: one buffer, with counts and
//!   displacements.
//! - [`compose`] builds calls that an engine lacks from its messages and collectives.
//! - [`library`] finds and opens shared libraries, and reports what it tried.
//! - [`mpi`], [`oneccl`], [`nccl`] are the engines. The last two share [`nccl_shaped`].
//! - [`prefixes`] knows where Python packages put libraries; [`inside`] knows whether a thread is inside a
//!   foreign engine.
//!
//! The builtin engine always stays below. The ranks find each other, agree and report failures over it. It
//! also serves messages with tags, and every call that no other engine can serve.
//!
//! A foreign library is loaded apart from the program's symbols (`RTLD_LOCAL`, `RTLD_DEEPBIND`). It must find
//! its own functions, even where one of our doors exports the same names.

pub mod capability;
pub mod compose;
pub mod engine;
pub mod inside;
pub mod library;
pub mod mpi;
pub mod nccl;
pub mod nccl_shaped;
pub mod oneccl;
pub mod packing;
pub mod prefixes;
pub mod registry;
mod shape;
mod zeros;

pub use crate::config::{BackendChoice, BackendName, MemoryKind};
pub use capability::{CapabilityTable, Support};
pub use engine::{
    Exchange, ForeignComm, ForeignEngine, OobExchange, Started, StreamPosition, UnequalCall, UniformCall,
};
pub use shape::Shape;
