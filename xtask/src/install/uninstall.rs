//! `cargo xtask uninstall --prefix P`: removes what `cargo xtask install` has put there, and nothing else.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::under;
use super::writer::{LIST, remove};
use crate::result::Result;

/// Arguments of the task.
#[derive(clap::Args)]
pub struct Uninstall {
    /// Folder to which anyccl was installed
    #[arg(long)]
    prefix: PathBuf,
    /// Folder before the prefix
    #[arg(long, default_value = "")]
    destdir: OsString,
}

impl Uninstall {
    /// Removes the files that the list names, and the folders that are empty then.
    pub fn run(&self) -> Result {
        let prefix = under(&self.destdir, &self.prefix);
        let list = prefix.join(LIST);
        let text = fs::read_to_string(&list).map_err(|error| {
            format!("{}: {error}. Is anyccl installed in {}?", list.display(), prefix.display())
        })?;
        let files: Vec<&Path> = text.lines().map(Path::new).collect();
        if let Some(outside) = files.iter().find(|file| !is_below(file)) {
            return Err(format!("{}: {} is not below the prefix", list.display(), outside.display()).into());
        }
        for file in &files {
            remove(&prefix.join(file))?;
        }
        for folder in folders(&files).iter().rev() {
            // Folders that still have other files stay.
            let _ = fs::remove_dir(prefix.join(folder));
        }
        println!("removed {} files from {}", files.len(), prefix.display());
        Ok(())
    }
}

/// Whether a path of the list stays below the prefix.
fn is_below(file: &Path) -> bool {
    file.components().all(|part| matches!(part, std::path::Component::Normal(_)))
}

/// All folders of the files, below the prefix; a folder stands before those in it.
fn folders<'a>(files: &[&'a Path]) -> BTreeSet<&'a Path> {
    let ancestors = files.iter().flat_map(|file| file.ancestors().skip(1));
    ancestors.filter(|folder| !folder.as_os_str().is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uninstall_removes_what_the_list_names_and_leaves_other_files() {
        let prefix = std::env::temp_dir().join(format!("anyccl-uninstall-{}", std::process::id()));
        for file in ["bin/anyccl", "lib/a/b", "lib/other"] {
            fs::create_dir_all(prefix.join(file).parent().unwrap()).unwrap();
            fs::write(prefix.join(file), "").unwrap();
        }
        fs::create_dir_all(prefix.join(LIST).parent().unwrap()).unwrap();
        fs::write(prefix.join(LIST), format!("bin/anyccl\nlib/a/b\n{LIST}\n")).unwrap();
        Uninstall { prefix: prefix.clone(), destdir: OsString::new() }.run().unwrap();
        assert!(prefix.join("lib/other").exists());
        assert!(!prefix.join("bin").exists() && !prefix.join("lib/a").exists());
        fs::write(prefix.join("lib/other"), "").unwrap();
        fs::create_dir_all(prefix.join(LIST).parent().unwrap()).unwrap();
        fs::write(prefix.join(LIST), "../outside\n").unwrap();
        assert!(Uninstall { prefix: prefix.clone(), destdir: OsString::new() }.run().is_err());
        fs::remove_dir_all(prefix).unwrap();
    }
}
