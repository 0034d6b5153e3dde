//! Finds out whether a program gets more rights than the process that starts it. The loader then ignores its
//! variables.

use std::ffi::CString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::ptr;

/// Whether starting this file changes the user, the group, or the capabilities of this process.
pub fn gives_rights(program: &Path) -> bool {
    let Ok(metadata) = fs::metadata(program) else { return false };
    let has = |bit: libc::mode_t| metadata.mode() & bit != 0;
    // SAFETY: asks the kernel; touches no memory.
    let (user, group) = (unsafe { libc::geteuid() }, unsafe { libc::getegid() });
    let other_user = has(libc::S_ISUID) && metadata.uid() != user;
    let other_group = has(libc::S_ISGID) && metadata.gid() != group;
    // Root has all capabilities anyway.
    other_user || other_group || (user != 0 && has_capabilities(program))
}

fn has_capabilities(program: &Path) -> bool {
    let Ok(path) = CString::new(program.as_os_str().as_bytes()) else { return false };
    let name = c"security.capability";
    // SAFETY: both are strings that outlive the call; with a length of 0 the kernel writes nothing.
    unsafe { libc::getxattr(path.as_ptr(), name.as_ptr(), ptr::null_mut(), 0) > 0 }
}
