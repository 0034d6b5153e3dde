//! Exchange of a unique id between ranks that have nothing but a path in common (SAR's `nfs_ip_init`).
//!
//! Rank 0 makes a unique id and passes it on through the store to which the file leads. Afterwards every rank
//! has the id, for a communicator, and an address of rank 0 that this rank has reached.
//!
//! When the number of ranks is known, rank 0 waits until all have come and removes the file. When it is not,
//! rank 0 returns at once and its process answers until the deadline. The file stays then, and is harmless:
//! no rank believes a file whose writer does not answer.

use std::net::IpAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use super::discovery::Discovery;
use super::seat::Seat;
use super::{Store, UNIQUE_ID_BYTES, UniqueId};
use crate::base::{Error, Rank, Result};
use crate::config::Config;

/// Size that the ranks state in their hello when they do not know it.
const UNKNOWN: u32 = u32::MAX;
const ID: &str = "id";

/// What a rank knows after the exchange.
pub struct ExchangedId {
    /// Names a communicator to be. Whoever has it may join.
    pub id: UniqueId,
    /// Where rank 0 is: an address of its own for rank 0, for the others the one that answered.
    pub address: IpAddr,
}

/// Meets by the file at `path`. `size`: `None` when this rank was not told.
pub fn exchange_id_by_file(
    path: &Path,
    size: Option<u32>,
    rank: Rank,
    config: &Config,
    deadline: Instant,
) -> Result<ExchangedId> {
    let seat = Seat { rank, size: size.unwrap_or(UNKNOWN) };
    let discovery = Discovery { seat, given: None, config, deadline };
    if rank != 0 {
        let (_, mut store) = discovery.find(path)?;
        let bytes = store.get(ID, deadline)?;
        let bytes: [u8; UNIQUE_ID_BYTES] = bytes
            .try_into()
            .map_err(|_| Error::Bootstrap("what rank 0 passes on is not a unique id".into()))?;
        store.set(&come(rank), &[], deadline)?;
        return Ok(ExchangedId { id: UniqueId(bytes), address: store.peer()? });
    }
    let id = UniqueId::create(config)?;
    let (_, mut store) = discovery.announce(path)?;
    let address = store.address()?;
    store.set(ID, &id.0, deadline)?;
    match size {
        Some(size) => {
            for other in 1..size {
                store.get(&come(other), deadline).map_err(|e| missing(e, other, size))?;
            }
        }
        None => store.detach(),
    }
    Ok(ExchangedId { id, address })
}

fn come(rank: Rank) -> String {
    format!("come/{rank}")
}

fn missing(error: Error, rank: Rank, size: u32) -> Error {
    match error {
        Error::Timeout { waited, .. } => Error::Timeout {
            waited,
            detail: format!("of {size} ranks, rank {rank} has not come to the file"),
        },
        other => other,
    }
}

/// How long a rank 0 that does not know how many ranks there are answers them, without a timeout.
pub const LONGEST_EXCHANGE: Duration = Duration::from_secs(86_400);
