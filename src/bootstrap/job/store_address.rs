//! The address of a job's store: where the ranks find each other.

use std::path::PathBuf;

use super::variable::invalid;
use crate::base::Result;

/// Where the ranks find the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StoreAddress {
    /// There is no store: a world of one.
    Alone,
    /// At a TCP store.
    Tcp {
        /// Name or address of its host.
        host: String,
        /// Its port.
        port: u16,
        /// Whether another process serves it, not rank 0.
        served: bool,
    },
    /// At the address that rank 0 writes to a file.
    File(PathBuf),
    /// At the address that rank 0 writes to a file in a private folder of this user on this host.
    Private {
        /// Name of the job, distinct among those of the user on the host.
        name: String,
    },
    /// At one of several ports that every rank computes.
    Ports {
        /// Launcher, in the derivation of the job key.
        launcher: &'static str,
        /// Host of rank 0.
        host: String,
        /// A port of that host that belongs to another program, or 0.
        taken: u16,
        /// Name of the job.
        job: String,
    },
    /// At the address that rank 0 tells the process manager.
    Pmi(ManagerAddress),
    /// At the address that rank 0 puts into the launcher's store, by PMIx.
    Pmix,
}

/// Where the process manager is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ManagerAddress {
    /// A socket that this process has inherited (`PMI_FD`).
    Descriptor {
        /// Its number.
        number: i32,
        /// Whether all ranks are on this host.
        one_host: bool,
    },
    /// The TCP address of the process manager (`PMI_PORT`, `PMI_ID`).
    Address { host: String, port: u16, id: String },
}

/// Parses `tcp://HOST:PORT`, `tcp://[V6]:PORT`, `...?served=1`, `file:PATH`, `file:///PATH`.
pub(crate) fn parse_store(text: &str) -> Result<StoreAddress> {
    let bad = |why: &str| {
        let accepted = "accepted: tcp://HOST:PORT, tcp://HOST:PORT?served=1, file:PATH";
        invalid("ANYCCL_STORE", format!("\"{text}\": {why}; {accepted}"))
    };
    if let Some(path) = text.strip_prefix("file:") {
        let path = path.strip_prefix("//").unwrap_or(path);
        return if path.is_empty() { Err(bad("no path")) } else { Ok(StoreAddress::File(path.into())) };
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
            Ok(StoreAddress::Tcp { host, port, served })
        }
        _ => Err(bad("the port is not a number from 1 to 65535")),
    }
}
