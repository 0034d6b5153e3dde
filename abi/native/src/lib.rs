//! The `anyccl_*` C functions: libanyccl.so.0 and libanyccl.a.
//!
//! A thin translation: each function checks what came from C, calls the engine inside [`status::edge`], and
//! writes its out-parameters at the very end. One file per C object, one per collective; what the
//! collectives share is in [`collective`]. The header is made from these files by `cargo xtask header`, in
//! the order of the modules below, and the comments here are its documentation: types and functions are
//! spelled as C spells them, and a contract is told by `\param` and `\returns`.
//!
//! Nothing is decided here that another door would have to repeat: that lives in `anyccl-edge` or below.

// Names and types are C's.
#![allow(non_camel_case_types)]
// The contract of each function is written for its C callers, in \param and \returns; a Rust "# Safety"
// section would be copied into the header.
#![allow(clippy::missing_safety_doc)]

mod invocation;
mod status;

mod version;

mod log;

mod config;

mod world;

mod unique_id;

mod comm;
mod communicator;

mod formation;

mod store;

mod id_exchange;

mod datatype;
mod operator_table;
mod operators;
mod reduce_op;

mod graph;

mod collective;
mod message_status;

mod message;
mod transfer;

mod coalesced;
mod training;

mod batch;
mod persistent;

mod request;
mod several;

mod memory;

#[cfg(test)]
mod tests;
