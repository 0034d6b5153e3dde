//! Man pages of the tool and completions for shells.
//!
//! The tool that was built writes them itself, so they fit it. Nothing of them is committed.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::Writer;
use crate::cargo;
use crate::result::Result;

/// The shells, and where each of them looks for completions of all users.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/anyccl"),
    ("zsh", "share/zsh/site-functions/_anyccl"),
    ("fish", "share/fish/vendor_completions.d/anyccl.fish"),
];

/// Installs what the tool in the folder `built` says about its command line.
pub fn install(built: &Path, to: &mut Writer) -> Result {
    let tool = || {
        let mut tool = Command::new(built.join("anyccl"));
        // A page must not depend on who makes it.
        tool.env_remove("CLICOLOR_FORCE");
        tool
    };
    for (shell, target) in COMPLETIONS {
        to.text(&cargo::output(tool().args(["completions", shell]))?, target)?;
    }
    let pages = built.join("man-pages");
    if pages.exists() {
        fs::remove_dir_all(&pages)?;
    }
    cargo::run(tool().arg("man-pages").arg(&pages))?;
    for page in fs::read_dir(&pages)? {
        let page = page?;
        to.put(&page.path(), Path::new("share/man/man1").join(page.file_name()))?;
    }
    Ok(())
}
