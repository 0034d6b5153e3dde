//! Fuzzing of the parsers of bytes that others have written. Each program of `fuzz_targets` runs one row of a
//! table. The tables are those of the engine (`src/foreign_bytes`), of the tool and of
//! `anyccl-launch-report`. docs/testing.md tells how to run them.
//!
//! The tool is no library, so this crate compiles the few files of it again that hold parsers. Their modules
//! stand where the files expect them.

#![allow(dead_code)]

use std::sync::OnceLock;

use anyccl_engine::foreign_bytes::harness::memory::Counting;
use anyccl_engine::foreign_bytes::{Target, harness};

pub use libfuzzer_sys;

#[path = "../../cli/src/mpiexec"]
mod mpiexec {
    pub mod placement;
}

#[path = "../../cli/src/run"]
mod run {
    pub mod foreign_bytes;
    #[path = "hosts"]
    mod hosts {
        pub mod foreign_bytes;
        mod frame;
        mod host_list;
    }
    mod lines;
    mod repeats;
}

#[path = "../../cli/src/sys"]
mod sys {
    pub mod process;

    fn check(answer: libc::c_int) -> std::io::Result<libc::c_int> {
        if answer < 0 { Err(std::io::Error::last_os_error()) } else { Ok(answer) }
    }
}

#[path = "../../abi/launch_report/src"]
mod launch_report {
    pub mod foreign_bytes;
    mod report;
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Gives the bytes to the target of this name. A process runs one target.
pub fn run_target(name: &str, bytes: &[u8]) {
    static TARGET: OnceLock<Target> = OnceLock::new();
    let find = || {
        let others = [run::foreign_bytes::TARGETS, launch_report::foreign_bytes::TARGETS].concat();
        let all = anyccl_engine::foreign_bytes::targets().into_iter().chain(others);
        all.into_iter().find(|target| target.name == name)
    };
    TARGET.get_or_init(|| find().expect("a row of a table")).run(bytes);
}

/// The program of one target.
#[macro_export]
macro_rules! target {
    ($name:literal) => {
        $crate::libfuzzer_sys::fuzz_target!(|bytes: &[u8]| $crate::run_target($name, bytes));
    };
}
