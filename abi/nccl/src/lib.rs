//! NCCL's C functions, on the builtin engine and host memory: libnccl.so.2.
//!
//! A program that was built for NCCL runs on this library unchanged on a machine without a GPU: its buffers
//! are ordinary memory, its streams any value. [`functions`] is the one table of all names; the functions'
//! bodies lie in one file per kind of object. The contract is NCCL's; docs/nccl.md says what this library
//! decides beyond it.
//!
//! - [`call`] is the guard around each function, [`result`] the only place where an error becomes a number.
//!   [`last_error`] has the sentences of failures.
//! - [`communicator`] is the object behind a handle. [`creation`] and [`formation`] make communicators,
//!   [`pending_comm`] holds those that are not formed yet. [`resizing`] changes their ranks, [`leaving`] ends
//!   them. [`config`] reads their settings, [`variables`] the environment.
//! - [`collective`] and [`transfer`] check arguments and make a [`group::Action`]; [`group`] decides when it
//!   is started and waited for.
//! - [`windows`] has the one-sided calls, [`signals`] carries them out by messages.
//! - [`presence`] reports to a launcher that this library is in use.
//! - [`mark`] tells this library from NCCL.
//! - [`memory`] allocates memory that peers read in place, and registers it.

// Names and types are NCCL's.
#![allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]
// The lists of arguments are NCCL's.
#![allow(clippy::too_many_arguments)]
// The contract of each function is NCCL's documentation. `functions` says once why all of them are unsafe.
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
