//! The job, and how it is found.

use std::time::Instant;

use super::meeting::{Discovery, KeyAndStore};
use crate::base::{Error, Rank, Result};
use crate::bootstrap::job::environment::{Description, describe, half_a_launcher};
use crate::bootstrap::job::key::JobKey;
use crate::bootstrap::job::seat::Seat;
use crate::bootstrap::job::store_address::StoreAddress;
use crate::bootstrap::store::caller::{CallerBeacon, CallerStore};
use crate::bootstrap::store::file::private_folder;
use crate::bootstrap::store::key_value::Store;
use crate::bootstrap::store::pmi::access::{self, Access};
use crate::bootstrap::store::pmix::PmixSpace;
use crate::config::{self, Config};
use crate::log_line;

/// A job as one rank knows it before it has met the other ranks.
pub struct Job {
    /// Rank of this process.
    pub rank: Rank,
    /// Number of ranks.
    pub size: u32,
    /// The job's secret.
    pub key: JobKey,
    /// The store in which the ranks find each other; `None` in a world of one.
    pub store: Option<Box<dyn Store>>,
    /// Where the description was found, for `anyccl info` and the log: "unique id", "ANYCCL_RANK",
    /// "torchrun", "PMI", "alone", ...
    pub source: &'static str,
}

impl Job {
    fn alone(source: &'static str) -> Result<Job> {
        Ok(Job { rank: 0, size: 1, key: JobKey::random()?, store: None, source })
    }

    /// The job of a rank that has found its store.
    pub(super) fn with(seat: Seat, (key, store): KeyAndStore, source: &'static str) -> Job {
        Job { rank: seat.rank, size: seat.size, key, store: Some(Box::new(store)), source }
    }
}

/// The job that the environment describes; a world of one if it describes none.
pub fn job_from_environment(config: &Config, deadline: Instant) -> Result<Job> {
    open(describe(&|name| config::raw(name))?, config, deadline)
}

/// The job of a program that does not know anyccl. If a launcher's variables are only partly there, the job
/// is a world of one, and the log says so once.
pub fn job_from_environment_or_alone(config: &Config, deadline: Instant) -> Result<Job> {
    match half_a_launcher(&|name| config::raw(name)) {
        None => job_from_environment(config, deadline),
        Some(error) => {
            log_line!(Warn, "this process is a world of one, because no launcher is there: {error}");
            Job::alone("alone")
        }
    }
}

/// The number of ranks of the job that the environment describes. `None`: only the process manager knows it.
pub fn size_in_environment() -> Option<u32> {
    Some(describe(&|name| config::raw(name)).ok()?.seat?.size)
}

/// One sentence on where [`job_from_environment`] would find the job. Connects to nobody.
pub fn source_in_environment() -> Result<String> {
    let Description { seat, place, source, .. } = describe(&|name| config::raw(name))?;
    let whose = match seat {
        Some(Seat { rank, size }) => format!("{source}: rank {rank} of {size}"),
        None => format!("{source}: the process manager will tell the rank"),
    };
    let place = match place {
        StoreAddress::Alone => {
            return Ok(if source == "alone" { "none: a world of one".into() } else { whose });
        }
        StoreAddress::Tcp { host, port, served: false } => {
            format!("the store of rank 0 at {host}, port {port}")
        }
        StoreAddress::Tcp { host, port, served: true } => format!("the store at {host}, port {port}"),
        StoreAddress::File(path) => format!("the file {}", path.display()),
        StoreAddress::Private { .. } => "a file in a private folder of this host".into(),
        StoreAddress::Ports { host, .. } => format!("a port of {host}"),
        StoreAddress::Pmi(_) => "the key-value space of the process manager".into(),
        StoreAddress::Pmix => "the store of the process manager (PMIx)".into(),
    };
    Ok(format!("{whose}, by {place}"))
}

/// The job whose rank 0 serves the store at a host and a port that the caller gave to all ranks. Requires
/// `rank < size`.
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
        1 => StoreAddress::Alone,
        _ => StoreAddress::Tcp { host: host.into(), port, served: false },
    };
    open(Description { seat: Some(Seat { rank, size }), place, key: None, source }, config, deadline)
}

/// The job whose ranks share the caller's store. A store, or a prefix of it, may serve one job at a time.
pub fn job_from_caller(
    store: &mut dyn CallerStore,
    size: u32,
    rank: Rank,
    config: &Config,
    deadline: Instant,
) -> Result<Job> {
    const SOURCE: &str = "the caller's store";
    if size == 1 {
        return Job::alone(SOURCE);
    }
    let mut channel = CallerBeacon { store, deadline };
    let seat = Seat { rank, size };
    let found = Discovery { seat, given: None, config, deadline }.by_beacon(&mut channel)?;
    Ok(Job::with(seat, found, SOURCE))
}

/// Serves the store on rank 0, finds it on the others.
pub(crate) fn open(description: Description, config: &Config, deadline: Instant) -> Result<Job> {
    let Description { mut seat, mut place, key: given, source } = description;
    let mut space = None;
    if let StoreAddress::Pmi(door) = &place {
        match access::enter(door, seat, deadline)? {
            Access::KeyValueSpace(opened, told) => (space, seat) = (Some(opened), Some(told)),
            Access::Private(name) => place = StoreAddress::Private { name },
        }
    }
    let seat = seat.ok_or_else(|| Error::Internal("a place without a seat".into()))?;
    let discovery = Discovery { seat, given, config, deadline };
    let found = match (place, &mut space) {
        (StoreAddress::Pmi(_), Some(space)) if seat.size > 1 => discovery.by_beacon(space)?,
        (StoreAddress::Alone | StoreAddress::Pmi(_), _) => return Job::alone(source),
        (StoreAddress::Pmix, _) => discovery.by_beacon(&mut PmixSpace::open(deadline)?)?,
        (StoreAddress::Tcp { host, port, served }, _) => discovery.by_tcp(&host, port, served)?,
        (StoreAddress::File(path), _) => discovery.by_store_file(&path)?,
        (StoreAddress::Private { name }, _) => {
            let file = private_folder::meeting_file(&name)?;
            discovery.by_store_file(&file).inspect_err(|_| private_folder::leave(&file))?
        }
        (StoreAddress::Ports { launcher, host, taken, job }, _) => {
            discovery.by_ports(launcher, &host, taken, &job)?
        }
    };
    Ok(Job::with(seat, found, source))
}
