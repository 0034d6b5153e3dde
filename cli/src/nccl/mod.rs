//! What it takes to put libnccl.so.2 of anyccl in NCCL's place, for `anyccl run --as nccl` and `anyccl info
//! --nccl-of`.
//!
//! [`files`] is where the files are; [`program`] finds out what kind of program a command starts; [`method`]
//! chooses how to get in there, and makes the variables for it; [`usage`] receives the reports of
//! the processes (`anyccl_launch_report`). What a job makes of that is in `run::nccl`.

pub mod files;
pub mod method;
pub mod program;
pub mod usage;
