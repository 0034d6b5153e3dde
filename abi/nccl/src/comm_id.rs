//! NCCL_COMM_ID: a host and a port that replace an id passed from rank to rank.
//!
//! If it is set, each rank asks for an id of its own and gets the same one: the variable's text behind a
//! magic word. Rank 0 then serves the store at that address. Any process that can reach the port can join, as
//! with NCCL; other ids contain a secret.

use std::time::Instant;

use anyccl_engine::base::{Error, Rank, Result};
use anyccl_engine::bootstrap::{self, Job, UNIQUE_ID_BYTES, UniqueId};
use anyccl_engine::config::Config;

use crate::variables;

const NAME: &str = "NCCL_COMM_ID";
const MAGIC: &[u8; 8] = b"ACncid\x01\0";

/// The id made of the variable, if it is set.
pub fn from_environment() -> Result<Option<UniqueId>> {
    variables::value(NAME).map(|text| encode(&text)).transpose()
}

fn encode(text: &str) -> Result<UniqueId> {
    let room = UNIQUE_ID_BYTES - MAGIC.len();
    if split(text).is_none() || text.len() > room {
        let got = format!("\"{text}\"; accepted: HOST:PORT, [ADDRESS]:PORT, {room} bytes at most");
        return Err(Error::InvalidArgument { what: NAME, got });
    }
    let mut id = [0; UNIQUE_ID_BYTES];
    id[..MAGIC.len()].copy_from_slice(MAGIC);
    id[MAGIC.len()..][..text.len()].copy_from_slice(text.as_bytes());
    Ok(UniqueId(id))
}

/// Host and port; a host with colons stands in brackets.
fn split(text: &str) -> Option<(&str, u16)> {
    let (host, port) = text.rsplit_once(':')?;
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let host = bare.unwrap_or(host);
    (!host.is_empty() && (bare.is_some() || !host.contains(':'))).then_some(())?;
    Some((host, port.parse().ok().filter(|port| *port != 0)?))
}

/// The job of such an id. `None`: the id is of another kind.
pub fn job(id: &UniqueId, size: u32, rank: Rank, config: &Config, deadline: Instant) -> Result<Option<Job>> {
    let Some(text) = id.0.strip_prefix(MAGIC) else { return Ok(None) };
    let text = std::str::from_utf8(text).unwrap_or_default().trim_end_matches('\0');
    let Some((host, port)) = split(text) else {
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
    fn a_place_is_a_host_and_a_port() {
        assert_eq!(split("node7:4000"), Some(("node7", 4000)));
        assert_eq!(split("[fe80::1]:80"), Some(("fe80::1", 80)));
        for wrong in ["node7", ":80", "node7:", "node7:0", "node7:70000", "fe80::1:80", "[]:80"] {
            assert_eq!(split(wrong), None, "{wrong}");
            assert!(encode(wrong).is_err());
        }
    }

    #[test]
    fn an_id_of_another_kind_is_left_to_the_engine() {
        let deadline = clock::now();
        let id = UniqueId([7; UNIQUE_ID_BYTES]);
        assert!(job(&id, 2, 0, &Config::default(), deadline).unwrap().is_none());
    }
}
