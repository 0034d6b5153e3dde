//! NCCL's C functions, on the builtin engine: libnccl.so.2.
//!
//! A program that was built for NCCL runs on this library unchanged. Calls on memory of a GPU become part of
//! their streams ([`group`]). Without a GPU, buffers are ordinary memory, and streams may have any value
//! and are ignored. [`functions`] is the one table of all names; the functions' bodies lie in one file per
//! kind of object. The contract is NCCL's; docs/nccl.md says what this library decides beyond it.
//!
//! - [`call`] is the guard around each function, [`result`] the only place where an error becomes a number.
//!   [`last_error`] has the sentences of failures, [`failure_log`] the latest one of the process.
//! - [`communicator`] is the object behind a handle. [`creation`] and [`formation`] make communicators,
//!   [`pending_comm`] holds those that are not formed yet. [`resizing`] changes their ranks, [`leaving`] ends
//!   them; [`departures`] counts those that leave, because the last one waits for all.
//!   [`properties`] answers questions about them.
//! - [`config`] reads the settings that a program passes, [`variables`] the environment. [`parameters`] gives
//!   a program the variables by their keys. [`comm_id`] is NCCL_COMM_ID, a variable in place of an id.
//! - [`collective`] and [`transfer`] check arguments and make a [`action::Action`]. [`group`] decides when it
//!   is started, and when [`completion`] waits for it. [`configured`] has the collectives with settings of
//!   their own. [`operators`] and [`datatype`] translate NCCL's numbers.
//! - [`windows`] has the one-sided calls, [`window_table`] the memory that they write to. [`signals`] carries
//!   them out by messages.
//! - [`presence`] reports to a launcher that this library is in use.
//! - [`mark`] tells this library from NCCL.
//! - [`memory`] allocates memory that peers read in place. It also registers memory, which changes nothing;
//!   [`registrations`] remembers the handles.
//! - [`types`] has NCCL's types in C, [`version`] the NCCL version that programs are told.

// Names and types are NCCL's.
#![allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]
// The lists of arguments are NCCL's.
#![allow(clippy::too_many_arguments)]
// The contract of each function is NCCL's documentation. `functions` says once why all of them are unsafe.
#![allow(clippy::missing_safety_doc)]

mod action;
mod call;
mod collective;
mod comm_id;
mod communicator;
mod completion;
mod config;
mod configured;
mod creation;
mod datatype;
mod departures;
mod failure_log;
mod formation;
mod functions;
mod group;
mod in_streams;
mod last_error;
mod leaving;
mod mark;
mod memory;
mod operators;
mod parameters;
mod pending_comm;
mod presence;
mod profiler;
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
