//! What the environment says about the job. Pure: asks through a closure, opens nothing.
//!
//! Settings that are there but incomplete are errors, never ignored: a rank that quietly makes a
//! world of its own leaves the others waiting for it.

use std::path::PathBuf;

use super::JobKey;
use crate::base::{Error, Rank, Result};

/// Where the ranks meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Nowhere: a world of one.
    Alone,
    /// At a TCP store.
    Tcp {
        /// Name or address of its host.
        host: String,
        /// Its port.
        port: u16,
        /// Somebody else serves it, not rank 0.
        served: bool,
    },
    /// At the address that rank 0 writes to a file.
    File(PathBuf),
    /// At a port near torchrun's own store.
    Torchrun {
        /// `MASTER_ADDR`.
        host: String,
        /// `MASTER_PORT`: torch's own, not ours to use.
        port: u16,
        /// `TORCHELASTIC_RUN_ID`, or empty.
        run_id: String,
    },
}

/// Rank, size and place of a job, and where that was learnt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Description {
    pub rank: Rank,
    pub size: u32,
    pub place: Place,
    /// `ANYCCL_JOB_KEY`.
    pub key: Option<JobKey>,
    pub source: &'static str,
}

/// Asks for a variable; unset and empty are both `None`.
pub(crate) type Lookup<'a> = &'a dyn Fn(&'static str) -> Option<String>;

/// Reads the description: `ANYCCL_*` first, then torchrun's variables.
pub(crate) fn describe(lookup: Lookup<'_>) -> Result<Description> {
    let key = lookup("ANYCCL_JOB_KEY").map(|text| {
        // The value is a secret: it does not go into the message.
        JobKey::from_hex(&text).ok_or_else(|| invalid("ANYCCL_JOB_KEY", "not 64 hexadecimal digits"))
    });
    let key = key.transpose()?;
    let is_set = |name: &&'static str| lookup(name).is_some();
    if ["ANYCCL_RANK", "ANYCCL_WORLD_SIZE", "ANYCCL_STORE"].iter().any(is_set) {
        let (rank, size) = rank_and_size(lookup, "ANYCCL_RANK", "ANYCCL_WORLD_SIZE")?;
        let place = match lookup("ANYCCL_STORE") {
            _ if size == 1 => Place::Alone,
            Some(text) => parse_store(&text)?,
            None => {
                let got = "unset, but ANYCCL_RANK and ANYCCL_WORLD_SIZE are set; set it to tcp://HOST:PORT (rank 0's \
                           host, a free port) or file:PATH";
                return Err(invalid("ANYCCL_STORE", got));
            }
        };
        return Ok(Description { rank, size, place, key, source: "ANYCCL_RANK" });
    }
    if ["RANK", "WORLD_SIZE"].iter().any(is_set) {
        let (rank, size) = rank_and_size(lookup, "RANK", "WORLD_SIZE")?;
        let place = if size == 1 { Place::Alone } else { torchrun(lookup)? };
        return Ok(Description { rank, size, place, key, source: "torchrun" });
    }
    Ok(Description { rank: 0, size: 1, place: Place::Alone, key, source: "alone" })
}

fn rank_and_size(
    lookup: Lookup<'_>,
    rank_name: &'static str,
    size_name: &'static str,
) -> Result<(Rank, u32)> {
    let number = |name: &'static str, other: &'static str| -> Result<u32> {
        let Some(text) = lookup(name) else {
            let got = format!(
                "unset, but {other} or a variable that goes with it is set; set both, or unset all for a world of one"
            );
            return Err(invalid(name, got));
        };
        text.trim().parse().map_err(|_| invalid(name, format!("\"{text}\"; accepted: a whole number")))
    };
    let rank = number(rank_name, size_name)?;
    let size = number(size_name, rank_name)?;
    if size == 0 {
        return Err(invalid(size_name, "0; a world has at least one rank"));
    }
    if rank >= size {
        return Err(invalid(
            rank_name,
            format!("{rank}; with {size_name}={size} ranks go from 0 to {}", size - 1),
        ));
    }
    Ok((rank, size))
}

fn torchrun(lookup: Lookup<'_>) -> Result<Place> {
    let needed = |name: &'static str| {
        lookup(name).ok_or_else(|| {
            let got = "unset, but RANK and WORLD_SIZE are set as torchrun does; start with torchrun or `anyccl run`, or \
                       set ANYCCL_RANK, ANYCCL_WORLD_SIZE and ANYCCL_STORE";
            invalid(name, got)
        })
    };
    let host = needed("MASTER_ADDR")?;
    let text = needed("MASTER_PORT")?;
    let port =
        text.trim().parse().map_err(|_| invalid("MASTER_PORT", format!("\"{text}\"; accepted: a port")))?;
    Ok(Place::Torchrun { host, port, run_id: lookup("TORCHELASTIC_RUN_ID").unwrap_or_default() })
}

/// `tcp://HOST:PORT`, `tcp://[V6]:PORT`, `...?served=1`, `file:PATH`, `file:///PATH`.
fn parse_store(text: &str) -> Result<Place> {
    let bad = |why: &str| {
        let accepted = "accepted: tcp://HOST:PORT, tcp://HOST:PORT?served=1, file:PATH";
        invalid("ANYCCL_STORE", format!("\"{text}\": {why}; {accepted}"))
    };
    if let Some(path) = text.strip_prefix("file:") {
        let path = path.strip_prefix("//").unwrap_or(path);
        return if path.is_empty() { Err(bad("no path")) } else { Ok(Place::File(path.into())) };
    }
    let Some(rest) = text.strip_prefix("tcp://") else { return Err(bad("unknown scheme")) };
    let (place, query) = rest.split_once('?').unwrap_or((rest, "served=0"));
    let served = match query {
        "served=0" => false,
        "served=1" => true,
        _ => return Err(bad("unknown option")),
    };
    let (host, port) = place.rsplit_once(':').ok_or_else(|| bad("no port"))?;
    let bracketed = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    if host.is_empty() || bracketed.is_none() && host.contains(['[', ']', ':', '/']) {
        return Err(bad("no host, or an IPv6 address without brackets"));
    }
    match port.parse() {
        Ok(port) if port != 0 => {
            let host = bracketed.unwrap_or(host).to_owned();
            Ok(Place::Tcp { host, port, served })
        }
        _ => Err(bad("the port is not a number from 1 to 65535")),
    }
}

fn invalid(what: &'static str, got: impl Into<String>) -> Error {
    Error::InvalidArgument { what, got: got.into() }
}
