//! The file by which ranks on a shared file system find rank 0, as it is written, read and removed.
//!
//! The file appears whole or not at all: it is written under another name, synced, renamed. Only its owner
//! can read it, because the job key comes from the nonce. It is believed only if it belongs to this user, and
//! a process at one of the addresses proves that key. So a file that a dead job left behind is harmless.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::announcement::{Announcement, FileContents, parse};
use super::private_folder;
use crate::base::{Error, Result};
use crate::sys::trusted_file::{TrustPolicy, open_trusted};

/// Limit of bytes that are read; a whole file has fewer.
const LONGEST: u64 = 16 << 10;

/// Reads the file at the path now. Every call opens it anew, because another host may have replaced it.
pub(crate) fn read(path: &Path, believed: TrustPolicy) -> io::Result<FileContents> {
    let mut bytes = Vec::new();
    open_trusted(path, believed)?.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(parse(&String::from_utf8_lossy(&bytes)))
}

/// A file that this process has published. Dropping it removes the file, unless another process has replaced
/// it.
#[derive(Debug)]
pub(crate) struct PublishedFile {
    path: PathBuf,
    announcement: Announcement,
    /// Tells other jobs, in a private folder, that this process lives.
    _held: Option<File>,
    /// Whether the file is left behind when this is dropped.
    is_left: bool,
}

impl PublishedFile {
    /// Writes the announcement to `path` as a whole, and replaces whatever was there.
    pub fn publish(path: &Path, announcement: Announcement) -> Result<PublishedFile> {
        let name = path.file_name().ok_or_else(|| Error::InvalidArgument {
            what: "ANYCCL_STORE",
            got: format!("\"{}\" names a folder; name a file in it", path.display()),
        })?;
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{:016x}", announcement.job));
        let temporary = path.with_file_name(hidden);
        let written = write_where_gone(&temporary, &announcement.to_text())
            .map(|file| private_folder::hold(file, path))
            .and_then(|held| fs::rename(&temporary, path).map(|()| held))
            .map_err(|e| Error::system(format!("cannot write the store file {}", path.display()), e));
        let held = written.inspect_err(|_| drop(fs::remove_file(&temporary)))?;
        Ok(PublishedFile { path: path.into(), announcement, _held: held, is_left: false })
    }

    /// Leaves the file for the next process that writes there.
    pub fn leave(mut self) {
        self.is_left = true;
    }
}

impl Drop for PublishedFile {
    fn drop(&mut self) {
        // Between the check and the removal another job could replace the file; its ranks would then wait
        // until their deadline. This takes two jobs on one path at one time, which is a mistake of their
        // user.
        let is_ours = || {
            read(&self.path, TrustPolicy::Own)
                .is_ok_and(|found| found == FileContents::Announcement(self.announcement.clone()))
        };
        if !self.is_left && is_ours() {
            let _ = fs::remove_file(&self.path);
            private_folder::leave(&self.path);
        }
    }
}

/// Writes a file and keeps it open. Retries if its private folder disappears meanwhile, with the last file
/// of other jobs.
fn write_where_gone(path: &Path, text: &str) -> io::Result<File> {
    const ATTEMPTS: usize = 100;
    for _ in 1..ATTEMPTS {
        match write_synced(path, text) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && private_folder::make_again(path)? => {}
            written => return written,
        }
    }
    write_synced(path, text)
}

fn write_synced(path: &Path, text: &str) -> io::Result<File> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    Ok(file)
}
