//! `cargo xtask bare-machine [demo] [test]`: builds and tests a clean clone on a system with nothing but what
//! README.md requires.

use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::result::Result;
use crate::workspace;

/// Arguments of the task.
#[derive(clap::Args)]
pub struct BareMachine {
    /// Targets of the Makefile to run there
    #[arg(default_values = ["demo", "test"])]
    targets: Vec<String>,
}

impl BareMachine {
    /// Replaces this process by the script, so that signals reach the script.
    pub fn run(&self) -> Result {
        let script = workspace::root().join("xtask/bare-machine.sh");
        Err(format!("{}: {}", script.display(), Command::new(&script).args(&self.targets).exec()).into())
    }
}
