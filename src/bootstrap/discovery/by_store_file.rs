//! Discovery by a file that rank 0 writes.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use super::by_tcp::derived_key;
use super::listeners;
use super::meeting::{Discovery, KeyAndStore};
use crate::base::Result;
use crate::bootstrap::auth::absence::{Absence, Found};
use crate::bootstrap::job::key::JobKey;
use crate::bootstrap::job::key::random_bytes;
use crate::bootstrap::store::beacon::Beacon;
use crate::bootstrap::store::file::announcement::{Announcement, FileContents};
use crate::bootstrap::store::file::published::{self, PublishedFile};
use crate::bootstrap::store::lookup::Lookup;
use crate::log_line;
use crate::sys::host::user_id;
use crate::sys::trusted_file::TrustPolicy;

impl Discovery<'_> {
    /// Discovery by the file at `path`. Rank 0 writes the addresses of its store to it; the others read it
    /// until a store at one of its addresses proves the key. The file is removed with the store.
    pub fn by_store_file(&self, path: &Path) -> Result<KeyAndStore> {
        if self.seat.rank != 0 {
            let found = self.find(&mut StoreFile::new(self, path))?;
            log_line!(Debug, "rank {}: found rank 0 by {}", self.seat.rank, path.display());
            return Ok(found);
        }
        let nonce = JobKey::random()?;
        let key = self.file_key(&nonce);
        let job = u64::from_le_bytes(random_bytes()?);
        let (world, created) = (self.seat.size, seconds_since_1970());
        self.serve(key, listeners::open(self.config)?, |addresses| {
            let announcement = Announcement { job, world, nonce, created, addresses: addresses.to_vec() };
            PublishedFile::publish(path, announcement).map(Some)
        })
    }

    /// The key of a job whose ranks meet by a file. It is as secret as the file.
    fn file_key(&self, nonce: &JobKey) -> JobKey {
        self.key_or(|| JobKey::derived("file", &[&nonce.0]))
    }
}

/// The file, as a rank other than 0 reads it.
struct StoreFile<'a> {
    discovery: &'a Discovery<'a>,
    path: &'a Path,
    /// What was read last.
    found: io::Result<FileContents>,
}

impl<'a> StoreFile<'a> {
    fn new(discovery: &'a Discovery<'a>, path: &'a Path) -> StoreFile<'a> {
        StoreFile { discovery, path, found: Ok(FileContents::Incomplete) }
    }
}

impl Lookup for StoreFile<'_> {
    fn look_up(&mut self) -> Result<Found<Beacon>> {
        let believed = TrustPolicy::from_setting(self.discovery.config.allow_other_users);
        self.found = published::read(self.path, believed);
        Ok(match &self.found {
            Ok(FileContents::Announcement(it)) => {
                Ok(Beacon { key: self.discovery.file_key(&it.nonce), addresses: it.addresses.clone() })
            }
            // Same key as with ANYCCL_STORE=tcp:// and this address, which is how rank 0 serves it.
            Ok(FileContents::PlainAddress(address)) => {
                let derived = || derived_key(&address.ip().to_string(), address.port());
                Ok(Beacon { key: self.discovery.key_or(derived), addresses: vec![*address] })
            }
            Ok(FileContents::Incomplete) | Err(_) => Err(Absence::Unannounced),
        })
    }

    fn waits_for(&self, _absence: &Absence) -> (String, String) {
        (format!("rank 0 to write the file {}", self.path.display()), why(self.path, &self.found))
    }

    fn sentence(&self, _absence: &Absence) -> String {
        let why = why(self.path, &self.found);
        format!("rank 0 was not found by the file {}: {why}", self.path.display())
    }
}

/// Why the file does not lead to a store.
fn why(path: &Path, found: &io::Result<FileContents>) -> String {
    match found {
        // The system refuses, and not the check of who may have written the file.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_some() => {
            let owner = fs::metadata(path).ok().map(|file| file.uid());
            format!("it cannot be read: {error}; {}", advice(owner, user_id()))
        }
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            format!("it is not believed: {error}")
        }
        Err(error) => format!("it cannot be read: {error}"),
        Ok(FileContents::Incomplete) => "it holds no address".into(),
        Ok(FileContents::PlainAddress(address)) => {
            format!("nobody who knows the job key answers at {address}")
        }
        Ok(FileContents::Announcement(it)) => format!(
            "it was written {} s ago by job {:016x} of {} ranks, which does not answer; rank 0 has not replaced it",
            seconds_since_1970().saturating_sub(it.created),
            it.job,
            it.world,
        ),
    }
}

/// What to do about a file that this user may not read. Rank 0 writes it for its own user alone.
fn advice(owner: Option<u32>, user: u32) -> String {
    match owner {
        Some(owner) if owner != user => format!(
            "it belongs to user {owner}, and this rank runs as user {user}. Ranks of several users need \
             ANYCCL_STORE=tcp://HOST:PORT, one ANYCCL_JOB_KEY, and ANYCCL_ALLOW_OTHER_USERS=1"
        ),
        _ => format!("user {user} must be able to read the file and to search its folder"),
    }
}

fn seconds_since_1970() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_this_user_may_not_read_is_told_with_its_owner_and_what_to_do() {
        let text = advice(Some(7), 8);
        for part in ["belongs to user 7", "runs as user 8", "tcp://", "ANYCCL_ALLOW_OTHER_USERS=1"] {
            assert!(text.contains(part), "{text}");
        }
        for owner in [Some(8), None] {
            assert!(advice(owner, 8).contains("user 8 must be able to read the file"));
        }
    }
}
