//! Tests of the tool. One program, because each one is linked with the engine.

mod command_line;
mod common;
mod completions;
mod doctor;
mod gpus;
mod info;
#[allow(dead_code, reason = "a part is enough here")]
#[path = "../../tests/common/network.rs"]
mod network;
mod page;

mod perf;
mod replay;
mod run_as_nccl;
mod run_environment;
mod run_failure;
mod run_fake_gpu;
mod run_hosts;
mod run_output;
mod run_signals;
mod simulate;
mod status;
mod timeline;
