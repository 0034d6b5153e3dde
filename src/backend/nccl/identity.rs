//! Checks that a library opened as NCCL is NCCL, and not anyccl.
//!
//! It asks three questions. Does the file carry the mark of our door? Is it the file that contains this code?
//! Do the functions lie in that very file, and not in a dependency or in a library that was loaded before it?

use std::ffi::{CStr, c_void};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::sys::foreign_library::{ForeignLibrary, file_of};

/// Symbol that only our own `libnccl.so.2` exports.
pub const MARK: &CStr = c"anyccl_is_behind_this_nccl";
const OURS: &str = "it is anyccl itself, not NCCL";

/// Refuses a library that is not NCCL's own file.
pub fn check(library: &ForeignLibrary, file: &Path) -> Result<(), String> {
    if library.symbol(MARK).is_some() {
        return Err(OURS.into());
    }
    let here = file_of(check as *const () as *mut c_void).and_then(|path| node(Path::new(&path)));
    if here.is_some() && here == node(file) {
        return Err(OURS.into());
    }
    let Some(function) = library.symbol(c"pncclGetVersion") else {
        return Err("it has no pncclGetVersion, so it is no NCCL".into());
    };
    let found_in = file_of(function).unwrap_or_default();
    if node(Path::new(&found_in)) != node(file) {
        return Err(format!("its pncclGetVersion is another library's: {found_in}"));
    }
    Ok(())
}

/// The identity of a file, whatever its name.
fn node(file: &Path) -> Option<(u64, u64)> {
    fs::metadata(file).ok().map(|data| (data.dev(), data.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_without_nccls_functions_is_no_nccl() {
        let library = ForeignLibrary::loaded("libc.so.6").expect("this program uses it");
        let file = library.path(c"malloc");
        assert_eq!(
            check(&library, Path::new(&file)).unwrap_err(),
            "it has no pncclGetVersion, so it is no NCCL"
        );
    }

    #[test]
    fn the_file_that_this_code_is_in_is_anyccl() {
        let library = ForeignLibrary::loaded("libc.so.6").expect("this program uses it");
        let this = std::env::current_exe().unwrap();
        assert_eq!(check(&library, &this).unwrap_err(), OURS);
    }
}
