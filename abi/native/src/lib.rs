//! The `anyccl_*` C functions: libanyccl.so.0 and libanyccl.a.
//!
//! A thin translation: each function checks what came from C, calls the engine inside [`status::edge`], and
//! writes its out-parameters at the very end. One file per C object. A call that has a blocking, a
//! nonblocking and a persistent form is a row of [`forms`]. What the collectives share is in [`collective`].
//!
//! `cargo xtask header` generates the C header from these files. The comments here are its documentation:
//! types and functions are spelled as in C, and `\param` and `\returns` give the contract. The order, the
//! sections and the introductions of its chapters are in the folder `header` beside `src`.
//!
//! Nothing is decided here that another door would have to repeat: that lives in `anyccl-edge` or below.

// Names and types are C's.
#![allow(non_camel_case_types)]
// The contract of each function is written for its C callers, in \param and \returns; a Rust "# Safety"
// section would be copied into the header.
#![allow(clippy::missing_safety_doc)]

mod forms;
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
mod blocking_limit;
mod estimate;

mod request;
mod several;

mod memory;

#[cfg(test)]
mod tests;
