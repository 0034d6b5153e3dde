//! `cargo xtask bare-machine [demo] [test]`: a clean clone, built and tested where there is nothing but what
//! README.md asks for.

use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::{Result, workspace};

/// Arguments of the task.
#[derive(clap::Args)]
pub struct BareMachine {
    /// What to make there
    #[arg(default_values = ["demo", "test"])]
    targets: Vec<String>,
}

impl BareMachine {
    /// Becomes the script, which then is the one that signals reach.
    pub fn run(&self) -> Result {
        let script = workspace::root().join("xtask/bare-machine.sh");
        Err(format!("{}: {}", script.display(), Command::new(&script).args(&self.targets).exec()).into())
    }
}
