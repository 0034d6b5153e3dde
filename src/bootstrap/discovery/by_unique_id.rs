//! Discovery by a unique id: one rank makes it, and every rank that has it joins.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use super::id_server;
use super::job::Job;
use crate::base::{Error, Rank, Result};
use crate::bootstrap::job::key::JobKey;
use crate::bootstrap::job::seat::Seat;
use crate::bootstrap::job::unique_id::UniqueId;
use crate::bootstrap::store::key_value::SLACK;
use crate::bootstrap::store::known_place::KnownPlace;
use crate::bootstrap::store::lookup::join;
use crate::config::Config;
use crate::sys::clock;

/// How long an unused id is served when there is no timeout.
const LONGEST_SERVICE: Duration = Duration::from_secs(86_400);
/// How long to look for the store of an id. It is served before the id exists, so after this time nobody will
/// answer.
const PATIENCE: Duration = Duration::from_secs(15);

impl UniqueId {
    /// Makes a new id and starts serving its store from this process. The store is served until every rank
    /// has come, or until the deadline of `config`. All ids share one thread and its ports.
    pub fn create(config: &Config) -> Result<UniqueId> {
        let key = JobKey::random()?;
        let deadline = clock::now() + config.timeout.unwrap_or(LONGEST_SERVICE).min(LONGEST_SERVICE) + SLACK;
        let addresses = id_server::serve(&key, config, deadline)?;
        Ok(UniqueId::encode(&key, &addresses))
    }
}

/// The job named by a unique id. The caller has checked that `rank < size`.
pub fn job_from_id(id: &UniqueId, size: u32, rank: Rank, deadline: Instant) -> Result<Job> {
    let (key, addresses) = id.decode()?;
    let seat = Seat { rank, size };
    let start = clock::now();
    let patience = deadline.min(start + PATIENCE);
    let places: Vec<String> = addresses.iter().map(SocketAddr::to_string).collect();
    let what = places.join(", ");
    let mut place = KnownPlace::of_rank_0(&key, what.clone(), || Ok(addresses.clone()));
    match join(&mut place, seat, patience) {
        Ok(found) => Ok(Job::with(seat, found, "unique id")),
        Err(Error::Timeout { waited, .. }) => {
            let why = "either the process that made it has ended, or all its ranks have come before, or this host cannot \
                       reach that one";
            Err(match clock::now() < deadline {
                true => Error::Bootstrap(format!(
                    "nobody has answered for this unique id at {what} for {:.0} s: {why}",
                    waited.as_secs_f64()
                )),
                false => Error::Timeout {
                    waited,
                    detail: format!("nobody answers for this unique id at {what}: {why}"),
                },
            })
        }
        Err(error) => Err(error),
    }
}
