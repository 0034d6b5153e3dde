//! The job, and how it is found.

use std::time::Instant;

use super::beacon::Shown;
use super::environment::{Description, Place, Seat, describe};
use super::meeting::Meeting;
use super::{JobKey, Store, pmi, private_folder};
use crate::base::{Error, Rank, Result};
use crate::config::{self, Config};

/// What one rank knows before it has met the others.
pub struct Job {
    /// My rank.
    pub rank: Rank,
    /// Number of ranks.
    pub size: u32,
    /// The job's secret.
    pub key: JobKey,
    /// Where the ranks find each other; `None` in a world of one.
    pub store: Option<Box<dyn Store>>,
    /// Where this was learnt, for `anyccl info` and the log: "unique id", "ANYCCL_RANK", "torchrun", "PMI", "alone", ...
    pub source: &'static str,
}

impl Job {
    fn alone(source: &'static str) -> Result<Job> {
        Ok(Job { rank: 0, size: 1, key: JobKey::random()?, store: None, source })
    }
}

/// The job described by the environment; a world of one when there is none.
pub fn job_from_environment(config: &Config, deadline: Instant) -> Result<Job> {
    open(describe(&|name| config::raw(name))?, config, deadline)
}

/// One sentence on where [`job_from_environment`] would find the job, without looking for anybody.
pub fn source_in_environment() -> Result<String> {
    let Description { seat, place, source, .. } = describe(&|name| config::raw(name))?;
    let whose = match seat {
        Some(Seat { rank, size }) => format!("{source}: rank {rank} of {size}"),
        None => format!("{source}: the process manager will tell the rank"),
    };
    let place = match place {
        Place::Alone => return Ok(if source == "alone" { "none: a world of one".into() } else { whose }),
        Place::Tcp { host, port, served: false } => format!("the store of rank 0 at {host}, port {port}"),
        Place::Tcp { host, port, served: true } => format!("the store at {host}, port {port}"),
        Place::File(path) => format!("the file {}", path.display()),
        Place::Private { .. } => "a file in a private folder of this host".into(),
        Place::Ports { host, .. } => format!("a port of {host}"),
        Place::Pmi(_) => "the key-value space of the process manager".into(),
    };
    Ok(format!("{whose}, by {place}"))
}

/// The job whose rank 0 serves the store at a host and a port that all ranks were told by their caller. `rank < size`.
pub fn job_from_address(
    host: &str,
    port: u16,
    size: u32,
    rank: Rank,
    config: &Config,
    deadline: Instant,
    source: &'static str,
) -> Result<Job> {
    let place = match size {
        1 => Place::Alone,
        _ => Place::Tcp { host: host.into(), port, served: false },
    };
    open(Description { seat: Some(Seat { rank, size }), place, key: None, source }, config, deadline)
}

/// The job whose ranks meet at a place of the caller's.
pub(crate) fn job_from_place(
    place: &mut dyn Shown,
    seat: Seat,
    config: &Config,
    deadline: Instant,
    source: &'static str,
) -> Result<Job> {
    if seat.size == 1 {
        return Job::alone(source);
    }
    let (key, store) = Meeting { seat, given: None, config, deadline }.by_beacon(place)?;
    Ok(Job { rank: seat.rank, size: seat.size, key, store: Some(store), source })
}

/// Serves or finds the store.
pub(crate) fn open(description: Description, config: &Config, deadline: Instant) -> Result<Job> {
    let Description { seat, place, key: given, source } = description;
    let (seat, place) = match (seat, place) {
        (seat, Place::Pmi(door)) => match pmi::enter(&door, seat, deadline)? {
            pmi::Way::KeyValueSpace(_, Seat { size: 1, .. }) => return Job::alone(source),
            pmi::Way::KeyValueSpace(mut space, seat) => {
                let (key, store) = Meeting { seat, given, config, deadline }.by_beacon(&mut space)?;
                return Ok(Job { rank: seat.rank, size: seat.size, key, store: Some(store), source });
            }
            pmi::Way::Private(name) => (seat, Place::Private { name }),
        },
        other => other,
    };
    let seat = seat.ok_or_else(|| Error::Internal("a place without a seat".into()))?;
    let meeting = Meeting { seat, given, config, deadline };
    let (key, store) = match place {
        Place::Alone | Place::Pmi(_) => return Job::alone(source),
        Place::Tcp { host, port, served } => meeting.by_tcp(&host, port, served)?,
        Place::File(path) => meeting.by_file(&path)?,
        Place::Private { name } => {
            let file = private_folder::meeting_file(&name)?;
            meeting.by_file(&file).inspect_err(|_| private_folder::leave(&file))?
        }
        Place::Ports { launcher, host, taken, job } => meeting.by_ports(launcher, &host, taken, &job)?,
    };
    Ok(Job { rank: seat.rank, size: seat.size, key, store: Some(store), source })
}
