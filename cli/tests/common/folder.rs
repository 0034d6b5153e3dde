//! Folders for files of a test.

use std::fs;
use std::path::PathBuf;

/// A folder that goes with the test.
pub struct Folder(pub PathBuf);

impl Folder {
    /// A new folder of this test run.
    pub fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("anyccl-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).unwrap();
        Folder(folder)
    }

    /// The path of a file there.
    pub fn at(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().into()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
