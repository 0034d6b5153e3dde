//! Engines of others behind our communicators: a real MPI, oneCCL, NCCL, each opened at run time if it is
//! there.
//!
//! - [`engine`] has the traits: a [`ForeignEngine`] is opened once per process; a [`ForeignComm`] is its
//!   communicator for the ranks of one of ours.
//! - [`capability`]: what an engine does itself, what is composed from that, what is left to the builtin
//!   engine.
//! - [`registry`] knows how each engine is opened, and keeps it.
//! - [`packing`] brings blocks into the shape that foreign calls want: one buffer, with counts and
//!   displacements.
//! - [`compose`] makes of an engine's messages and collectives what it does not have.
//! - [`library`] finds and opens shared libraries, and says what it tried.
//! - [`mpi`], [`oneccl`], [`nccl`]: the engines. The last two have [`nccl_shaped`] in common.
//! - [`prefixes`]: where Python packages put libraries; [`inside`]: whether a thread is in an engine of
//!   somebody else.
//!
//! The builtin engine always stays below: the ranks find each other, agree and tell of failures over it,
//! messages with tags are its own, and so is every call that nobody else can serve.
//!
//! A foreign library is loaded apart from the program's symbols (`RTLD_LOCAL`, `RTLD_DEEPBIND`): it must find
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

pub use crate::config::{BackendChoice, BackendName, MemoryKind};
pub use capability::{CapabilityTable, Support};
pub use engine::{Exchange, ForeignComm, ForeignEngine, OobExchange, Started, UnequalCall, UniformCall};
pub use shape::Shape;
