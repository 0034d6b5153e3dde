//! Discovery by a file that rank 0 writes.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use super::by_tcp::derived_key;
use super::listeners;
use super::meeting::{Discovery, KeyAndStore};
use crate::base::{Error, Result};
use crate::bootstrap::job::key::JobKey;
use crate::bootstrap::job::key::random_bytes;
use crate::bootstrap::store::file::{self, Announcement, FileContents, PublishedFile};
use crate::bootstrap::store::served::ServedStore;
use crate::bootstrap::store::tcp::client::{Client, Joined};
use crate::bootstrap::store::waiting::Waiting;
use crate::log_line;
use crate::sys::host::user_id;
use crate::sys::trusted_file::TrustPolicy;

impl Discovery<'_> {
    /// Discovery by the file at `path`.
    pub fn by_store_file(&self, path: &Path) -> Result<KeyAndStore> {
        if self.seat.rank == 0 {
            let (key, store) = self.announce(path)?;
            return Ok((key, Box::new(store)));
        }
        let (key, client) = self.find(path)?;
        Ok((key, Box::new(client)))
    }

    /// The key of a job whose ranks meet by a file. It is as secret as the file.
    fn file_key(&self, nonce: &JobKey) -> JobKey {
        self.key_or(|| JobKey::derived("file", &[&nonce.0]))
    }

    /// Rank 0's part: serves a store and writes its addresses to the file. The file is removed with the
    /// store.
    pub fn announce(&self, path: &Path) -> Result<(JobKey, ServedStore)> {
        let nonce = JobKey::random()?;
        let key = self.file_key(&nonce);
        let job = u64::from_le_bytes(random_bytes()?);
        let (world, created) = (self.seat.size, seconds_since_1970());
        let store = self.serve(&key, listeners::open(self.config)?, |addresses| {
            let announcement = Announcement { job, world, nonce, created, addresses: addresses.to_vec() };
            PublishedFile::publish(path, announcement).map(Some)
        })?;
        Ok((key, store))
    }

    /// The part of the other ranks: reads the file until a store at one of its addresses proves the key.
    pub fn find(&self, path: &Path) -> Result<(JobKey, Client)> {
        let (mut waiting, rank) = (Waiting::new(self.deadline), format!("rank {}", self.seat.rank));
        loop {
            let believed = TrustPolicy::from_setting(self.config.allow_other_users);
            let found = file::read(path, believed);
            let place = match &found {
                Ok(FileContents::Announcement(it)) => Some((self.file_key(&it.nonce), it.addresses.clone())),
                // Same key as with ANYCCL_STORE=tcp:// and this address, which is how rank 0 serves it.
                Ok(FileContents::PlainAddress(address)) => {
                    let derived = || derived_key(&address.ip().to_string(), address.port());
                    Some((self.key_or(derived), vec![*address]))
                }
                Ok(FileContents::Incomplete) | Err(_) => None,
            };
            if let Some((key, addresses)) = place
                && let Joined::Client(client) =
                    Client::try_join(&self.applicant(&key), &addresses, self.deadline)?
            {
                log_line!(Debug, "rank {}: found rank 0 by {}", self.seat.rank, path.display());
                return Ok((key, client));
            }
            let why = why(path, &found);
            if !waiting.pause(&rank, &format_args!("rank 0 to write the file {}", path.display()), &why) {
                let detail = format!("rank 0 was not found by the file {}: {why}", path.display());
                return Err(Error::Timeout { waited: waiting.waited(), detail });
            }
        }
    }
}

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
