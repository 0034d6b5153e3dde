//! NCCL's C functions, on the builtin engine and host memory: libnccl.so.2.
//!
//! A program that was built for NCCL runs on this library unchanged, where there is no GPU: its buffers are
//! ordinary memory, its streams any value. [`functions`] is the one table of all names; what they do lies in
//! one file per kind of object. The contract is NCCL's; what had to be decided beyond it stands in
//! docs/nccl.md.
//!
//! - [`call`] is the guard around each function, [`result`] the only place where an error becomes a number.
//! - [`communicator`] is what a handle stands for; [`creation`], [`formation`], [`resizing`] and [`leaving`]
//!   are its life, [`pending_comm`] its birth; [`config`] reads its settings, [`variables`] the environment.
//! - [`collective`] and [`transfer`] check arguments and give a [`group::Started`] thing; [`group`] decides
//!   when that is begun and waited for.
//! - [`windows`] makes messages of one-sided calls.
//! - [`presence`] tells a launcher that asks that this library is in use.
//! - [`mark`]: by what this library is told from NCCL.
//! - [`memory`]: what is allocated for peers to read in place, and registration.

// Names and types are NCCL's.
#![allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]
// The lists of arguments are NCCL's.
#![allow(clippy::too_many_arguments)]
// The contract of each function is NCCL's documentation; what is unsafe about all of them is said once, in
// `functions`.
#![allow(clippy::missing_safety_doc)]

mod call;
mod clique;
mod collective;
mod comm_id;
mod communicator;
mod completion;
mod config;
mod configured;
mod creation;
mod datatype;
mod failure_log;
mod formation;
mod functions;
mod group;
mod last_error;
mod leaving;
mod mark;
mod memory;
mod operators;
mod parameters;
mod pending_comm;
mod presence;
mod properties;
mod registrations;
mod resizing;
mod result;
mod signals;
mod transfer;
mod types;
mod variables;
mod version;
mod window_table;
mod windows;
