//! Trusted files: regular files that only this user or root can have written.
//!
//! A path in a folder that others can write to may lead anywhere: through a link to another user's file, or
//! to a FIFO that blocks its reader. So the file is first opened, without waiting and without following a
//! link at the end of the path, and then checked. The checked file is the file that is read.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};

use super::host::user_id;

const ROOT: u32 = 0;
/// The bits of a mode that let group and others write.
const OTHERS_WRITE: u32 = 0o022;

/// Policy: the owners whose files are trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrustPolicy {
    /// Files of this process's user and of root that no one else may write.
    Own,
    /// Files of any user.
    AnyUser,
}

impl TrustPolicy {
    /// The policy that the setting `ANYCCL_ALLOW_OTHER_USERS` asks for.
    pub fn from_setting(allow_other_users: bool) -> TrustPolicy {
        if allow_other_users { TrustPolicy::AnyUser } else { TrustPolicy::Own }
    }
}

/// Opens a file for reading, if the policy trusts it. Never waits.
pub fn open_trusted(path: impl AsRef<std::path::Path>, policy: TrustPolicy) -> io::Result<File> {
    let flags = libc::O_NONBLOCK | libc::O_NOFOLLOW | libc::O_NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path);
    let file = file.map_err(|error| match error.raw_os_error() {
        Some(libc::ELOOP) => {
            refused("it is a symbolic link; give the path of the file to which it leads".into())
        }
        // A socket, or a device that does not exist.
        Some(libc::ENXIO) => refused("it is not a regular file".into()),
        _ => error,
    })?;
    let found = file.metadata()?;
    match objection(found.is_file(), found.uid(), found.mode(), user_id(), policy) {
        Some(why) => Err(refused(why)),
        None => Ok(file),
    }
}

fn objection(is_file: bool, owner: u32, mode: u32, user: u32, policy: TrustPolicy) -> Option<String> {
    if !is_file {
        return Some("it is not a regular file".into());
    }
    if policy == TrustPolicy::AnyUser {
        return None;
    }
    if owner != user && owner != ROOT {
        return Some(format!(
            "it belongs to user {owner}, not to user {user}; set ANYCCL_ALLOW_OTHER_USERS=1 to trust it"
        ));
    }
    (mode & OTHERS_WRITE != 0).then(|| {
        format!(
            "others may write it (mode {:o}); run chmod go-w, or set ANYCCL_ALLOW_OTHER_USERS=1 to trust it",
            mode & 0o777
        )
    })
}

fn refused(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::net::UnixListener;

    fn why(path: &std::path::Path, policy: TrustPolicy) -> Option<String> {
        open_trusted(path, policy).err().map(|error| error.to_string())
    }

    #[test]
    fn only_a_regular_file_that_no_one_else_may_write_is_opened_and_a_fifo_blocks_no_one() {
        let folder = std::env::temp_dir().join(format!("anyccl-trusted-file-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        let [file, link, fifo, socket] = ["file", "link", "fifo", "socket"].map(|name| folder.join(name));
        fs::write(&file, "text").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(why(&file, TrustPolicy::Own), None);
        for mode in [0o664, 0o646] {
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
            assert!(why(&file, TrustPolicy::Own).unwrap().contains("others may write it"));
            assert_eq!(why(&file, TrustPolicy::AnyUser), None);
        }
        symlink(&file, &link).unwrap();
        let name = std::ffi::CString::new(fifo.to_str().unwrap()).unwrap();
        // SAFETY: the path is a C string that outlives the call.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
        let _listener = UnixListener::bind(&socket).unwrap();
        for believed in [TrustPolicy::Own, TrustPolicy::AnyUser] {
            assert!(why(&link, believed).unwrap().contains("symbolic link"));
            for other in [&fifo, &socket, &folder] {
                assert!(why(other, believed).unwrap().contains("not a regular file"), "{other:?}");
            }
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_file_of_another_user_is_refused_unless_asked_for_and_roots_is_not() {
        assert!(objection(true, 7, 0o100_600, 8, TrustPolicy::Own).unwrap().contains("belongs to user 7"));
        assert_eq!(objection(true, 7, 0o100_600, 8, TrustPolicy::AnyUser), None);
        assert_eq!(objection(true, ROOT, 0o100_644, 8, TrustPolicy::Own), None);
        assert_eq!(objection(true, 8, 0o100_600, 8, TrustPolicy::Own), None);
    }
}
