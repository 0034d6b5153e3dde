//! Description of the job in the environment. Pure: it asks through a closure and opens nothing.
//!
//! `ANYCCL_RANK` and its companions come first, then the launchers of [`super::launcher`] in their order.
//! Where no launcher has left variables, the process is a world of one. `ANYCCL_STORE` alone replaces the
//! meeting place that the launcher offers.
//!
//! Settings that are present but incomplete are errors and never ignored. A rank that quietly makes a world
//! of its own leaves the others waiting for it.

use super::key::JobKey;
use super::seat::Seat;
use super::store_address::{StoreAddress, parse_store};
use super::variable::{Lookup, invalid, seat_of};
use crate::base::{Error, Result};
use crate::bootstrap::job::launcher::table::LAUNCHERS;

/// Seat in a job, address of its store, and where both were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Description {
    /// `None`: only the process manager knows.
    pub seat: Option<Seat>,
    pub place: StoreAddress,
    /// `ANYCCL_JOB_KEY`.
    pub key: Option<JobKey>,
    pub source: &'static str,
}

/// The error of a launcher whose variables are only partly there. It covers variables that other programs may
/// have set for their own purposes. So it leaves out those of anyccl, and those of a process manager, which
/// are a connection.
pub(crate) fn half_a_launcher(lookup: Lookup<'_>) -> Option<Error> {
    let own = ["ANYCCL_RANK", "ANYCCL_WORLD_SIZE", "ANYCCL_STORE"];
    if own.iter().any(|name| lookup(name).is_some()) {
        return None;
    }
    let launcher = LAUNCHERS.iter().find(|launcher| (launcher.is_here)(lookup))?;
    let is_manager = lookup("PMI_FD").or_else(|| lookup("PMI_PORT")).is_some();
    let is_half =
        |error: &Error| matches!(error, Error::InvalidArgument { got, .. } if got.starts_with("unset"));
    (launcher.seat)(lookup).err().filter(|error| is_half(error) && !is_manager)
}

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
            (Some(Seat { size: 1, .. }), _) => StoreAddress::Alone,
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
            place: StoreAddress::Alone,
            key,
            source: "alone",
        });
    }
    let seat = seat_of(lookup, "ANYCCL_RANK", "ANYCCL_WORLD_SIZE")?;
    let place = match store {
        _ if seat.size == 1 => StoreAddress::Alone,
        Some(text) => parse_store(&text)?,
        None => {
            let got = "unset, but ANYCCL_RANK and ANYCCL_WORLD_SIZE are set; set it to tcp://HOST:PORT (rank 0's host, \
                       a free port) or file:PATH";
            return Err(invalid("ANYCCL_STORE", got));
        }
    };
    Ok(Description { seat: Some(seat), place, key, source: "ANYCCL_RANK" })
}
