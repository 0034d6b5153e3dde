//! Shortage: errors of the kernel that say that there is no descriptor or no memory left.
//!
//! They are no fault of a peer, and trying again seldom helps. So they are told at once, as what they are.

use std::io;

/// Whether a system call has failed because this process or this machine has no descriptor or no memory left.
pub fn is_shortage(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE | libc::ENOBUFS | libc::ENOMEM))
}
