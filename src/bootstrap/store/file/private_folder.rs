//! A folder of this user on this host that no other user can read.
//!
//! Ranks of one host that share only their user and the name of their job meet by a file in it. Only
//! processes of the same user, or of root, can read the file. The folder is removed with the last file in it.
//!
//! A process that is killed while the ranks meet leaves its file. The next job of the user removes it: the
//! file is locked while its process lives ([`hold`]), so a file without a lock has none ([`sweep`]).

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::base::{Error, Result};
use crate::bootstrap::job::key::hex;
use crate::sys::host::user_id;

/// Candidates for the parent folder. One in memory comes first: it ends with the machine, and is never on
/// another machine's disk, as `/tmp` of a diskless host may be.
const PARENTS: [&str; 2] = ["/dev/shm", "/tmp"];

/// Age from which a file without a lock counts as left behind. A younger one may be about to be locked.
const LEFT_BEHIND: Duration = Duration::from_secs(60);

/// The path at which the ranks of the job `name` meet. Creates the folder, or checks the one that exists.
/// Removes what dead processes have left there.
pub(crate) fn meeting_file(name: &str) -> Result<PathBuf> {
    let parent = PARENTS.iter().map(Path::new).find(|parent| parent.is_dir());
    let parent = parent
        .ok_or_else(|| Error::Bootstrap(format!("there is neither {} nor {}", PARENTS[0], PARENTS[1])))?;
    let folder = parent.join(folder_name());
    ensure(&folder, user_id()).map_err(|e| {
        Error::system(format!("the folder {} cannot be used to meet in", folder.display()), e)
    })?;
    // What cannot be removed stays, and harms nobody.
    let _ = sweep(&folder, LEFT_BEHIND);
    // Any text may name a job, but not every text may name a file.
    Ok(folder.join(hex(&Sha256::digest(name))))
}

fn folder_name() -> String {
    format!("anyccl-{}", user_id())
}

/// The folder of `file`, if it is the private folder and not one of the caller's.
fn folder_of(file: &Path) -> Option<&Path> {
    let folder = file.parent()?;
    PARENTS.iter().any(|parent| folder == Path::new(parent).join(folder_name())).then_some(folder)
}

/// Creates the folder of `file` again: another job, the last one in it, may have removed it. `false`: the
/// folder is not a private one.
pub(crate) fn make_again(file: &Path) -> io::Result<bool> {
    folder_of(file).map_or(Ok(false), |folder| ensure(folder, user_id()).map(|()| true))
}

/// Removes the folder of a file that was removed, unless other jobs have files in it.
pub(crate) fn leave(file: &Path) {
    if let Some(folder) = folder_of(file) {
        let _ = fs::remove_dir(folder);
    }
}

/// Locks a file that this process is about to publish in a private folder, for as long as it is open.
/// Elsewhere nobody sweeps, and a lock may be slow.
pub(crate) fn hold(file: File, path: &Path) -> Option<File> {
    folder_of(path)?;
    file.try_lock().is_ok().then_some(file)
}

/// Removes the files of dead processes from a private folder.
fn sweep(folder: &Path, age: Duration) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let Ok(file) = File::open(&path) else { continue };
        let found = file.metadata()?;
        let is_old = found.modified()?.elapsed().is_ok_and(|since| since >= age);
        if is_old && file.try_lock().is_ok() {
            remove_if_same(&path, found.ino())?;
        }
    }
    Ok(())
}

/// Removes the file at a path if it is still this one. A job of the same name may be replacing it.
fn remove_if_same(path: &Path, inode: u64) -> io::Result<()> {
    let aside = path.with_extension(format!("swept-{}", std::process::id()));
    fs::rename(path, &aside)?;
    if fs::metadata(&aside)?.ino() != inode {
        // It is the new one. If there is a newer one by now, that stays.
        let _ = fs::hard_link(&aside, path);
    }
    fs::remove_file(&aside)
}

fn ensure(folder: &Path, owner: u32) -> io::Result<()> {
    let found = loop {
        match DirBuilder::new().mode(0o700).create(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        // Links are not followed: a link that another user has put there must not lead anywhere.
        match fs::symlink_metadata(folder) {
            // Another job has just removed it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            found => break found?,
        }
    };
    let why = if !found.is_dir() {
        "it is not a folder"
    } else if found.uid() != owner {
        "it belongs to another user"
    } else if found.mode() & 0o077 != 0 {
        "others may enter it; chmod it to 700"
    } else {
        return Ok(());
    };
    Err(io::Error::new(io::ErrorKind::PermissionDenied, why))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bootstrap::store::file::announcement::sample;
    use crate::bootstrap::store::file::published::PublishedFile;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::time::{Duration, Instant};

    #[test]
    fn only_a_folder_of_ones_own_that_nobody_else_may_enter_will_do() {
        let parent = std::env::temp_dir().join(format!("anyccl-private-folder-{}", std::process::id()));
        fs::create_dir(&parent).unwrap();
        let (folder, link, file) = (parent.join("a"), parent.join("b"), parent.join("c"));
        ensure(&folder, user_id()).unwrap();
        ensure(&folder, user_id()).unwrap();
        assert_eq!(fs::metadata(&folder).unwrap().mode() & 0o777, 0o700);
        assert!(ensure(&folder, user_id() + 1).is_err());
        symlink(&folder, &link).unwrap();
        assert!(ensure(&link, user_id()).is_err());
        fs::write(&file, "").unwrap();
        assert!(ensure(&file, user_id()).is_err());
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o750)).unwrap();
        assert!(ensure(&folder, user_id()).is_err());
        fs::remove_dir_all(&parent).unwrap();
    }

    #[test]
    fn the_folder_is_made_again_where_it_is_gone_and_goes_with_the_last_file() {
        let file = meeting_file(&format!("private folder {}", std::process::id())).unwrap();
        let folder = file.parent().unwrap();
        leave(&file);
        let published = PublishedFile::publish(&file, sample(&["10.0.0.1:1"])).unwrap();
        assert!(file.exists());
        drop(published);
        assert!(!file.exists());
        // Other jobs of this user have files in it while they meet, and may be about to leave it.
        let deadline = Instant::now() + Duration::from_secs(10);
        while fs::read_dir(folder).is_ok_and(|mut files| files.next().is_none()) {
            assert!(Instant::now() < deadline, "{} is empty, and there", folder.display());
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_file_is_swept_when_its_process_has_died_and_not_before() {
        let folder = std::env::temp_dir().join(format!("anyccl-swept-{}", std::process::id()));
        ensure(&folder, user_id()).unwrap();
        let (held, left) = (folder.join("held"), folder.join("left"));
        let owner = File::create(&held).unwrap();
        owner.try_lock().unwrap();
        fs::write(&left, "").unwrap();
        sweep(&folder, LEFT_BEHIND).unwrap();
        assert!(left.exists(), "it is young");
        sweep(&folder, Duration::ZERO).unwrap();
        assert!(held.exists() && !left.exists());
        // The kernel takes the lock off when the process ends, and so does closing the file.
        drop(owner);
        sweep(&folder, Duration::ZERO).unwrap();
        fs::remove_dir(&folder).expect("it is empty");
    }

    #[test]
    fn a_file_that_replaces_a_swept_one_stays() {
        let folder = std::env::temp_dir().join(format!("anyccl-replaced-{}", std::process::id()));
        ensure(&folder, user_id()).unwrap();
        let (path, other) = (folder.join("file"), folder.join("other"));
        fs::write(&path, "old").unwrap();
        let inode = fs::metadata(&path).unwrap().ino();
        fs::write(&other, "new").unwrap();
        fs::rename(&other, &path).unwrap();
        remove_if_same(&path, inode).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn different_jobs_meet_at_different_files_of_one_folder() {
        let (one, other) = (meeting_file("a/../b").unwrap(), meeting_file("c").unwrap());
        assert!(one != other && one.parent() == other.parent());
        leave(&one);
    }
}
