//! The 128 bytes that name a communicator to be, and the job that they name.
//!
//! ```text
//! 0   magic "ACid"        4   layout version     5   number of addresses
//! 6   zero, zero          8   job secret (32)    40  addresses, best first (80)
//! 120 checksum: the first 8 bytes of SHA-256 of all before
//! ```
//!
//! The id is a secret: whoever has it can join.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

use super::address;
use super::key::JobKey;
use super::wire::{Reader, Writer};
use crate::base::{Error, Rank, Result};
use crate::bootstrap::discovery::id_server;
use crate::bootstrap::discovery::job::Job;
use crate::bootstrap::store::key_value::SLACK;
use crate::bootstrap::store::tcp::client::{Applicant, Client};
use crate::config::Config;
use crate::sys::clock;

/// Length of an id in bytes, equal to that of NCCL's id.
pub const UNIQUE_ID_BYTES: usize = 128;

const MAGIC: [u8; 4] = *b"ACid";
const LAYOUT: u8 = 2;
const ADDRESSES_AT: usize = 40;
pub(crate) const CHECKSUM_AT: usize = 120;

/// How long an unused id is served when there is no timeout.
const LONGEST_SERVICE: Duration = Duration::from_secs(86_400);
/// How long to look for the store of an id. It is served before the id exists, so after this time nobody will
/// answer.
const PATIENCE: Duration = Duration::from_secs(15);

/// The 128 bytes that name a communicator to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct UniqueId(pub [u8; UNIQUE_ID_BYTES]);

impl UniqueId {
    /// Makes a new id and starts serving its store from this process. The store is served until every rank
    /// has come, or until the deadline of `config`. All ids share one thread and its ports.
    pub fn create(config: &Config) -> Result<UniqueId> {
        let key = JobKey::random()?;
        let deadline = clock::now() + config.timeout.unwrap_or(LONGEST_SERVICE).min(LONGEST_SERVICE) + SLACK;
        let addresses = id_server::serve(&key, config, deadline)?;
        Ok(UniqueId::encode(&key, &addresses))
    }

    /// Writes as many of `addresses` as there is room for. The last one, loopback, is always written.
    pub(crate) fn encode(key: &JobKey, addresses: &[SocketAddr]) -> UniqueId {
        let mut room = CHECKSUM_AT - ADDRESSES_AT;
        let (last, others) = addresses.split_last().map_or((None, addresses), |(l, o)| (Some(l), o));
        room -= last.map_or(0, address::encoded_bytes);
        let mut chosen: Vec<&SocketAddr> = Vec::new();
        for candidate in others {
            if let Some(left) = room.checked_sub(address::encoded_bytes(candidate)) {
                room = left;
                chosen.push(candidate);
            }
        }
        chosen.extend(last);
        let mut w = Writer::default();
        w.0.extend(MAGIC);
        w.0.extend([LAYOUT, chosen.len() as u8, 0, 0]);
        w.0.extend(key.0);
        chosen.iter().for_each(|a| address::write(&mut w, a));
        w.0.resize(CHECKSUM_AT, 0);
        let sum = checksum(&w.0);
        w.0.extend(sum);
        let mut id = [0; UNIQUE_ID_BYTES];
        id.copy_from_slice(&w.0);
        UniqueId(id)
    }

    pub(crate) fn decode(&self) -> Result<(JobKey, Vec<SocketAddr>)> {
        if self.0.iter().all(|byte| *byte == 0) {
            return Err(invalid("it is all zero: pass on the id that one rank got from anyccl_unique_id"));
        }
        if self.0[..4] != MAGIC {
            return Err(invalid("it was not made by anyccl; every rank needs the same library"));
        }
        if checksum(&self.0[..CHECKSUM_AT]) != self.0[CHECKSUM_AT..] {
            return Err(invalid("its checksum is wrong: it was damaged on its way; pass on all 128 bytes"));
        }
        if self.0[4] != LAYOUT {
            return Err(invalid("it was made by another version of anyccl; every rank needs the same"));
        }
        let mut r = Reader(&self.0[8..CHECKSUM_AT]);
        let key = r.array().map(JobKey);
        let addresses: Option<Vec<_>> = (0..self.0[5]).map(|_| address::read(&mut r)).collect();
        match (key, addresses) {
            (Some(key), Some(addresses)) if !addresses.is_empty() => Ok((key, addresses)),
            _ => Err(invalid("its addresses cannot be understood")),
        }
    }
}

/// The job named by a unique id. The caller has checked that `rank < size`.
pub fn job_from_id(id: &UniqueId, size: u32, rank: Rank, deadline: Instant) -> Result<Job> {
    let (key, addresses) = id.decode()?;
    let mut job = Job { rank, size, key, store: None, source: "unique id" };
    let start = clock::now();
    let patience = deadline.min(start + PATIENCE);
    let who = Applicant { key: &job.key, rank, size };
    let places: Vec<String> = addresses.iter().map(SocketAddr::to_string).collect();
    let what = places.join(", ");
    match Client::join(&who, || addresses.clone(), &what, patience) {
        Ok(client) => job.store = Some(Box::new(client)),
        Err(Error::Timeout { waited, .. }) => {
            let why = "either the process that made it has ended, or all its ranks have come before, or this host cannot \
                       reach that one";
            return Err(match clock::now() < deadline {
                true => Error::Bootstrap(format!(
                    "nobody has answered for this unique id at {what} for {:.0} s: {why}",
                    waited.as_secs_f64()
                )),
                false => Error::Timeout {
                    waited,
                    detail: format!("nobody answers for this unique id at {what}: {why}"),
                },
            });
        }
        Err(error) => return Err(error),
    }
    Ok(job)
}

pub(crate) fn checksum(bytes: &[u8]) -> [u8; UNIQUE_ID_BYTES - CHECKSUM_AT] {
    let hash: [u8; 32] = Sha256::digest(bytes).into();
    let mut sum = [0; UNIQUE_ID_BYTES - CHECKSUM_AT];
    sum.copy_from_slice(&hash[..UNIQUE_ID_BYTES - CHECKSUM_AT]);
    sum
}

fn invalid(why: &str) -> Error {
    Error::InvalidArgument { what: "unique id", got: why.into() }
}
