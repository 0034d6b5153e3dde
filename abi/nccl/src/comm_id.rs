//! NCCL_COMM_ID: a host and a port that replace an id passed from rank to rank.
//!
//! If it is set, each rank asks for an id of its own and gets the same one: the variable's text behind a
//! magic word. Rank 0 then serves the store at that address. Any process that can reach the port can join, as
//! with NCCL; other ids contain a secret.

use std::time::Instant;

use anyccl_engine::base::{Error, Rank, Result};
use anyccl_engine::bootstrap::{self, Job, UNIQUE_ID_BYTES, UniqueId};
use anyccl_engine::config::{Config, host_and_port};

use crate::variables;

const NAME: &str = "NCCL_COMM_ID";
const MAGIC: &[u8; 8] = b"ACncid\x01\0";

/// The id made of the variable, if it is set.
pub fn from_environment() -> Result<Option<UniqueId>> {
    variables::value(NAME).map(|text| encode(&text)).transpose()
}

fn encode(text: &str) -> Result<UniqueId> {
    let room = UNIQUE_ID_BYTES - MAGIC.len();
    if host_and_port(text).is_none() || text.len() > room {
        let got = format!("\"{text}\"; accepted: HOST:PORT, [ADDRESS]:PORT, {room} bytes at most");
        return Err(Error::InvalidArgument { what: NAME, got });
    }
    let mut id = [0; UNIQUE_ID_BYTES];
    id[..MAGIC.len()].copy_from_slice(MAGIC);
    id[MAGIC.len()..][..text.len()].copy_from_slice(text.as_bytes());
    Ok(UniqueId(id))
}

/// The job of such an id. `None`: the id is of another kind.
pub fn job(id: &UniqueId, size: u32, rank: Rank, config: &Config, deadline: Instant) -> Result<Option<Job>> {
    let Some(text) = id.0.strip_prefix(MAGIC) else { return Ok(None) };
    let text = std::str::from_utf8(text).unwrap_or_default().trim_end_matches('\0');
    let Some((host, port)) = host_and_port(text) else {
        let got = "it was damaged on its way; pass on all 128 bytes".into();
        return Err(Error::InvalidArgument { what: "unique id", got });
    };
    bootstrap::job_from_address(host, port, size, rank, config, deadline, NAME).map(Some)
}

#[cfg(test)]
mod tests {
    use anyccl_engine::sys::clock;

    use super::*;

    #[test]
    fn what_is_no_place_gives_no_id() {
        assert!(encode("node7:4000").is_ok() && encode("node7").is_err());
    }

    #[test]
    fn an_id_of_another_kind_is_left_to_the_engine() {
        let deadline = clock::now();
        let id = UniqueId([7; UNIQUE_ID_BYTES]);
        assert!(job(&id, 2, 0, &Config::default(), deadline).unwrap().is_none());
    }
}
