//! The files of the kernel that the checks read, below a root that tests replace.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cgroup;

/// The root of the files.
pub struct Files {
    root: PathBuf,
}

impl Files {
    /// The files of this machine.
    pub fn of_this_machine() -> Files {
        Files { root: "/".into() }
    }

    /// The files in a folder.
    #[cfg(test)]
    pub fn in_folder(root: &Path) -> Files {
        Files { root: root.into() }
    }

    /// The trimmed text of a file; `None` if it cannot be read.
    pub fn text(&self, path: &str) -> Option<String> {
        let text = fs::read_to_string(self.path(path)).ok()?;
        Some(text.trim().to_string())
    }

    /// The number in a file.
    pub fn number(&self, path: &str) -> Option<u64> {
        self.text(path)?.parse().ok()
    }

    /// The names in a folder, in order; none if it cannot be read.
    pub fn names(&self, path: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(path)).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    }

    /// The tightest number that a file of this process's control group (version 2) and of those above holds.
    pub fn tightest_limit(&self, file: &str) -> Option<u64> {
        let groups = self.text("/proc/self/cgroup")?;
        cgroup::paths(&groups, file).iter().filter_map(|path| self.number(path)).min()
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.join(Path::new(path).strip_prefix("/").unwrap_or(Path::new(path)))
    }
}

/// A folder with the files of a pretended machine.
#[cfg(test)]
pub struct PretendedFiles(PathBuf);

#[cfg(test)]
impl PretendedFiles {
    /// Makes the files.
    pub fn new(files: &[(&str, &str)]) -> PretendedFiles {
        use std::sync::atomic::{AtomicU32, Ordering};
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("anyccl-doctor-{}-{number}", std::process::id()));
        for (path, text) in files {
            let path = root.join(path.trim_start_matches('/'));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        PretendedFiles(root)
    }

    /// The view of the checks.
    pub fn files(&self) -> Files {
        Files::in_folder(&self.0)
    }
}

#[cfg(test)]
impl Drop for PretendedFiles {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tightest_limit_of_all_groups_above_counts() {
        let machine = PretendedFiles::new(&[
            ("/proc/self/cgroup", "0::/a/b\n"),
            ("/sys/fs/cgroup/a/b/pids.max", "max\n"),
            ("/sys/fs/cgroup/a/pids.max", "100\n"),
            ("/sys/fs/cgroup/pids.max", "500\n"),
        ]);
        assert_eq!(machine.files().tightest_limit("pids.max"), Some(100));
        assert_eq!(machine.files().tightest_limit("memory.max"), None);
    }
}
