//! What the integration tests share.
//!
//! - [`case`] names one call; [`values`] gives the input of every rank; [`oracle`] the output, from the
//!   definition of the collective, and [`numbers`] the arithmetic of every datatype. None of the four uses
//!   anything of the engine but the words of its `base` room.
//! - [`attempt`] makes a call on a communicator, with guarded memory, and compares; [`unequal`] does so where
//!   blocks differ in length.
//! - [`ranks`] runs ranks as threads of this process, [`processes`] as processes; [`network`] gives those
//!   hosts with wires between them; [`watchdog`] ends a test that hangs; [`proc_fs`] says what the kernel
//!   knows about a process; [`orphan`] is a child that a rank leaves behind.
//!
//! Each test file compiles its own copy and uses a part of it.
#![allow(dead_code)]

pub mod attempt;
pub mod case;
pub mod network;
pub mod numbers;
pub mod oracle;
pub mod orphan;
pub mod proc_fs;
pub mod processes;
pub mod ranks;
pub mod temp_dir;
pub mod unequal;
pub mod values;
pub mod watchdog;
