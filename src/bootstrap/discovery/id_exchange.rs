//! Exchange of a unique id between ranks that share only a path (SAR's `nfs_ip_init`).
//!
//! Rank 0 makes a unique id and passes it on through the store to which the file leads. Afterwards every rank
//! has the id, for a communicator, and an address of rank 0 that this rank has reached.
//!
//! If the number of ranks is known, rank 0 waits until all have come and removes the file. If it is unknown,
//! rank 0 returns at once, and its process answers until the deadline. The file then stays and is harmless:
//! no rank believes a file whose writer does not answer.

use std::net::IpAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use super::meeting::Discovery;
use crate::base::{Error, Rank, Result};
use crate::bootstrap::job::seat::Seat;
use crate::bootstrap::job::unique_id::{UNIQUE_ID_BYTES, UniqueId};
use crate::bootstrap::store::key_value::Store;
use crate::config::Config;

/// Size that the ranks state in their hello when they do not know the real one.
const UNKNOWN: u32 = u32::MAX;
const ID: &str = "id";

/// What a rank knows after the exchange.
pub struct ExchangedId {
    /// Names a communicator to be. Any process that has it may join.
    pub id: UniqueId,
    /// An address of rank 0. On rank 0 it is one of its own, on the others the one that answered.
    pub address: IpAddr,
}

/// Exchanges an id by the file at `path`. `size` is `None` when this rank does not know it.
pub fn exchange_id_by_file(
    path: &Path,
    size: Option<u32>,
    rank: Rank,
    config: &Config,
    deadline: Instant,
) -> Result<ExchangedId> {
    let seat = Seat { rank, size: size.unwrap_or(UNKNOWN) };
    let discovery = Discovery { seat, given: None, config, deadline };
    let own_id = if rank == 0 { Some(UniqueId::create(config)?) } else { None };
    let (_, mut store) = discovery.by_store_file(path)?;
    let Some(id) = own_id else {
        let bytes = store.get(ID, deadline)?;
        let bytes: [u8; UNIQUE_ID_BYTES] = bytes
            .try_into()
            .map_err(|_| Error::Bootstrap("what rank 0 passes on is not a unique id".into()))?;
        store.set(&come(rank), &[], deadline)?;
        return Ok(ExchangedId { id: UniqueId(bytes), address: store.address()? });
    };
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

/// How long rank 0 answers without a timeout when it does not know the number of ranks.
pub const LONGEST_EXCHANGE: Duration = Duration::from_secs(86_400);
