//! What the environment says about the job. Pure: asks through a closure, opens nothing.
//!
//! `ANYCCL_RANK` and what goes with it come first; then the launchers of [`super::launcher`] in their order;
//! where none has left a trace, the process is a world of one. `ANYCCL_STORE` alone says where the
//! ranks of a launcher meet, instead of what the launcher offers.
//!
//! Settings that are there but incomplete are errors, never ignored: a rank that quietly makes a
//! world of its own leaves the others waiting for it.

use std::path::PathBuf;

use super::JobKey;
use super::launcher::LAUNCHERS;
use super::pmi;
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
    /// The same, in a folder of this user on this host that nobody else can enter.
    Private {
        /// Names the job among those of the user on the host.
        name: String,
    },
    /// At a port that every rank works out.
    Ports {
        /// Launcher, in the derivation of the job key.
        launcher: &'static str,
        /// Rank 0's.
        host: String,
        /// A port of that host that belongs to somebody else, or 0.
        taken: u16,
        /// Names the job.
        job: String,
    },
    /// At the address that rank 0 tells the process manager.
    Pmi(pmi::Door),
}

/// Which rank of how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seat {
    pub rank: Rank,
    pub size: u32,
}

/// Seat and place in a job, and where that was learnt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Description {
    /// `None`: only the process manager knows.
    pub seat: Option<Seat>,
    pub place: Place,
    /// `ANYCCL_JOB_KEY`.
    pub key: Option<JobKey>,
    pub source: &'static str,
}

/// Asks for a variable; unset and empty are both `None`.
pub(crate) type Lookup<'a> = &'a dyn Fn(&'static str) -> Option<String>;

/// Reads the description.
pub(crate) fn describe(lookup: Lookup<'_>) -> Result<Description> {
    let key = lookup("ANYCCL_JOB_KEY").map(|text| {
        // The value is a secret: it does not go into the message.
        JobKey::from_hex(&text).ok_or_else(|| invalid("ANYCCL_JOB_KEY", "not 64 hexadecimal digits"))
    });
    let key = key.transpose()?;
    let store = lookup("ANYCCL_STORE");
    let own = lookup("ANYCCL_RANK").or_else(|| lookup("ANYCCL_WORLD_SIZE")).is_some();
    let launcher = LAUNCHERS.iter().filter(|_| !own).find(|launcher| (launcher.is_here)(lookup));
    if let Some(launcher) = launcher {
        let seat = (launcher.seat)(lookup)?;
        let place = match (seat, store) {
            (Some(Seat { size: 1, .. }), _) => Place::Alone,
            (None, Some(_)) => {
                let got = format!(
                    "set, but only {} knows this process's rank; set ANYCCL_RANK and ANYCCL_WORLD_SIZE as well",
                    launcher.name
                );
                return Err(invalid("ANYCCL_STORE", got));
            }
            (_, Some(text)) => parse_store(&text)?,
            (_, None) => (launcher.place)(lookup)?,
        };
        return Ok(Description { seat, place, key, source: launcher.name });
    }
    if !own && store.is_none() {
        return Ok(Description {
            seat: Some(Seat { rank: 0, size: 1 }),
            place: Place::Alone,
            key,
            source: "alone",
        });
    }
    let seat = seat_of(lookup, "ANYCCL_RANK", "ANYCCL_WORLD_SIZE")?;
    let place = match store {
        _ if seat.size == 1 => Place::Alone,
        Some(text) => parse_store(&text)?,
        None => {
            let got = "unset, but ANYCCL_RANK and ANYCCL_WORLD_SIZE are set; set it to tcp://HOST:PORT (rank 0's host, \
                       a free port) or file:PATH";
            return Err(invalid("ANYCCL_STORE", got));
        }
    };
    Ok(Description { seat: Some(seat), place, key, source: "ANYCCL_RANK" })
}

/// The seat that two variables tell.
pub(crate) fn seat_of(lookup: Lookup<'_>, rank_name: &'static str, size_name: &'static str) -> Result<Seat> {
    let rank = number(lookup, rank_name, size_name)?;
    let size = number(lookup, size_name, rank_name)?;
    if size == 0 {
        return Err(invalid(size_name, "0; a world has at least one rank"));
    }
    if rank >= size {
        return Err(invalid(
            rank_name,
            format!("{rank}; with {size_name}={size} ranks go from 0 to {}", size - 1),
        ));
    }
    Ok(Seat { rank, size })
}

/// The number in the variable `name`, which goes with `other`.
pub(crate) fn number(lookup: Lookup<'_>, name: &'static str, other: &'static str) -> Result<u32> {
    let Some(text) = lookup(name) else {
        let got = format!(
            "unset, but {other} or a variable that goes with it is set; set both, or unset all for a world of one"
        );
        return Err(invalid(name, got));
    };
    text.trim().parse().map_err(|_| invalid(name, format!("\"{text}\"; accepted: a whole number")))
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

pub(crate) fn invalid(what: &'static str, got: impl Into<String>) -> Error {
    Error::InvalidArgument { what, got: got.into() }
}
