//! Shortage: errors of the kernel that say that there is no descriptor or no memory left.
//!
//! No peer is at fault, and another try seldom helps. So a caller fails at once, with this error.

use std::io;

/// Whether a system call has failed because this process or this machine has no descriptor or no memory left.
pub fn is_shortage(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE | libc::ENOBUFS | libc::ENOMEM))
}
