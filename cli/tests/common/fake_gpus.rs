//! The CUDA driver and runtime for tests, in folders of their own.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// A new folder of this test run.
pub fn fresh_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fake-gpu-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("cargo's folder for tests is writable");
    folder
}

/// A folder with the libraries, which cargo builds beside this test.
pub fn double(name: &str) -> PathBuf {
    let folder = fresh_folder(name);
    let own = std::env::current_exe().expect("a test has a file");
    for (file, wanted) in [("libcuda.so", "libcuda.so.1"), ("libcuda_double_cudart.so", "libcudart.so.12")] {
        let built = own.with_file_name(file);
        assert!(built.is_file(), "{} is missing", built.display());
        symlink(built, folder.join(wanted)).expect("the folder is new");
    }
    folder
}
