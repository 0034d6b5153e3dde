//! `cargo xtask wheels-on-debian [bullseye] [bookworm] [trixie]`: installs and runs on bare systems what lies
//! in target/dist.

use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::result::Result;
use crate::workspace;

/// Arguments of the task.
#[derive(clap::Args)]
pub struct WheelsOnDebian {
    /// Releases of Debian; all three if none is named
    suites: Vec<String>,
}

impl WheelsOnDebian {
    /// Replaces this process by the script, so that signals reach the script.
    pub fn run(&self) -> Result {
        let script = workspace::root().join("xtask/wheels-on-debian.sh");
        Err(format!("{}: {}", script.display(), Command::new(&script).args(&self.suites).exec()).into())
    }
}
