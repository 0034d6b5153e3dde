//! `cargo xtask abi`: what programs rely on in the installed libraries, compared with the last release.
//!
//! abi/releases has a file for each release, and its lines are the promises: exported names, declarations,
//! constants, and the layout of structures. [`record`] makes them of the header and of abi/symbols. A promise
//! that is gone or has changed breaks programs, and `cargo xtask check` refuses it; new ones are welcome.
//!
//! A release writes its file with `--write` (docs/releasing.md). So does a change that breaks programs on
//! purpose, as long as the version of the file is not released.

mod difference;
mod record;

use std::fs;
use std::path::PathBuf;

use crate::glibc;
use crate::result::Result;
use crate::workspace::{self, VERSION};

/// Arguments of the task.
#[derive(clap::Args)]
pub struct Abi {
    /// Write abi/releases/VERSION.txt, for this version
    #[arg(long)]
    write: bool,
}

impl Abi {
    /// Compares, or writes.
    pub fn run(&self) -> Result {
        if !self.write {
            return check();
        }
        let path = folder().join(format!("{VERSION}.txt"));
        fs::create_dir_all(folder())?;
        fs::write(&path, record::fresh()?)?;
        println!("wrote {}", path.display());
        Ok(())
    }
}

/// Fails when the tree breaks a promise of the last release.
pub fn check() -> Result {
    let Some((version, path)) = recorded()?.pop() else {
        println!("no release has a record in abi/releases");
        return Ok(());
    };
    let promised = fs::read_to_string(&path)?;
    let difference = difference::between(&promised, &record::fresh()?);
    println!("new since {version}: {}", difference.added.len());
    if difference.broken.is_empty() {
        return Ok(());
    }
    let advice = match version == VERSION {
        true => {
            format!("if {version} is not released yet: cargo xtask abi --write, and say it in CHANGELOG.md")
        }
        false => "a release that breaks programs needs a new soname and a new minor version".to_owned(),
    };
    Err(format!("programs built with {version} may break:\n  {}\n{advice}", difference.broken.join("\n  "))
        .into())
}

/// The names that libanyccl exports in each release, oldest first, with its version.
pub fn releases() -> Result<Vec<(String, Vec<String>)>> {
    let read = |(version, path): (String, PathBuf)| {
        let text = fs::read_to_string(path)?;
        let names = text.lines().filter_map(|line| line.strip_prefix("export libanyccl "));
        Ok((version, names.map(|name| name.trim_end_matches(':').to_owned()).collect()))
    };
    recorded()?.into_iter().map(read).collect()
}

/// The releases that have a record, oldest first.
fn recorded() -> Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    let Ok(files) = fs::read_dir(folder()) else { return Ok(found) };
    for file in files {
        let path = file?.path();
        if path.extension().is_some_and(|extension| extension == "txt") {
            let version = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            found.push((version, path));
        }
    }
    // Versions of glibc have the same form.
    found.sort_by_key(|(version, _)| version.parse::<glibc::Version>().ok());
    Ok(found)
}

fn folder() -> PathBuf {
    workspace::root().join("abi/releases")
}
