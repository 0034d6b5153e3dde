//! Code that the integration tests share.
//!
//! - [`case`] describes one call. [`values`] makes the input of every rank.
//! - [`oracle`] computes the output from the definition of the collective, with the arithmetic of
//!   [`numbers`]. These four modules use only the engine's `base` module, so that they check the rest of it
//!   independently.
//! - [`attempt`] makes a call on a communicator in guarded memory and compares the output. [`unequal`] does
//!   the same for blocks of different lengths.
//! - [`sample`] chooses the calls that a test makes out of all that it could make.
//! - [`ranks`] runs ranks as threads of this process, [`processes`] runs them as processes. [`network`] puts
//!   such processes on hosts with wires between them.
//! - [`device`] is memory of a pretended GPU. [`graphs`] are graphs that its streams record.
//!   [`direct_ranks`] are ranks whose calls one of them carries out on it.
//! - [`watchdog`] ends a test that hangs. [`clock`] turns the clock of the library, [`lateness`] checks
//!   limits of real time. [`proc_fs`] reads what the kernel knows about a process. [`orphan`] is a child
//!   process that a rank leaves behind. [`temp_dir`] makes a directory for one test. [`fabric`] finds
//!   libfabric.
//!
//! Each test program compiles its own copy and uses a part of it.
#![allow(dead_code)]

pub mod attempt;
pub mod case;
pub mod clock;
pub mod device;
pub mod direct_ranks;
pub mod fabric;
pub mod graphs;
pub mod lateness;
pub mod network;
pub mod numbers;
pub mod oracle;
pub mod orphan;
pub mod proc_fs;
pub mod processes;
pub mod ranks;
pub mod sample;
pub mod temp_dir;
pub mod unequal;
pub mod values;
pub mod watchdog;
