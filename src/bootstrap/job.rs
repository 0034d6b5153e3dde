//! Opens the store of the job that the environment describes.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::environment::{Description, Place, describe};
use super::key::random_bytes;
use super::reach::Backoff;
use super::rendezvous_file::{self, Announcement, Found, OwnFile};
use super::served_store::{ServedStore, listen_at, resolve};
use super::tcp_store::{Applicant, Client};
use super::{Job, JobKey, Store, doors, torchrun};
use crate::base::{Error, Result};
use crate::config::{self, Config};
use crate::log_line;
use crate::sys::listener::Listener;

/// How long rank 0 waits for its port to become free.
const PORT_PATIENCE: Duration = Duration::from_millis(500);

/// The job described by the environment; a world of one when there is none.
pub fn job_from_environment(_config: &Config, deadline: Instant) -> Result<Job> {
    open(describe(&|name| config::raw(name))?, deadline)
}

/// Serves or finds the store.
pub(crate) fn open(description: Description, deadline: Instant) -> Result<Job> {
    let Description { rank, size, place, key: given, source } = description;
    let (key, store) = match place {
        Place::Alone => (JobKey::random()?, None),
        Place::Tcp { host, port, served } => {
            let key = given.unwrap_or_else(|| tcp_key(&host, port));
            let who = Applicant { key: &key, rank, size };
            let store = tcp(&who, &host, port, served, deadline)?;
            (key, Some(store))
        }
        Place::Torchrun { host, port, run_id } => {
            let derived =
                || JobKey::derived("torchrun", &[host.as_bytes(), &port.to_le_bytes(), run_id.as_bytes()]);
            let key = given.unwrap_or_else(derived);
            let ports = torchrun::candidate_ports(&host, port, &run_id);
            let store = first_free(&Applicant { key: &key, rank, size }, &host, &ports, deadline)?;
            (key, Some(store))
        }
        Place::File(path) if rank == 0 => announce(&path, given, size, deadline)?,
        Place::File(path) => {
            let seeker = Seeker { path: &path, given, rank, size };
            seeker.find(deadline)?
        }
    };
    Ok(Job { rank, size, key, store, source })
}

type Opened = Box<dyn Store>;

/// The key of a store that is known by name only. Not a secret: see the ADR.
fn tcp_key(host: &str, port: u16) -> JobKey {
    JobKey::derived("tcp", &[host.to_ascii_lowercase().as_bytes(), &port.to_le_bytes()])
}

fn tcp(who: &Applicant<'_>, host: &str, port: u16, served: bool, deadline: Instant) -> Result<Opened> {
    if who.rank == 0 && !served {
        let listeners = listen_when_free(host, port, deadline).map_err(|e| {
            let hint = if e.kind() == io::ErrorKind::AddrInUse {
                "; choose another port, or add ?served=1 if the store is served by somebody else"
            } else {
                ""
            };
            Error::system(format!("rank 0 cannot serve ANYCCL_STORE at {host}:{port}{hint}"), e)
        })?;
        let store = ServedStore::start(listeners, who.key, who.size, deadline, |_| Ok(None))?;
        return Ok(Box::new(store));
    }
    let client = Client::join(who, || resolve(host, port), &format!("{host}:{port}"), deadline)?;
    Ok(Box::new(client))
}

/// A port may be taken for a moment: by the store of the job before, or by a rank on this host whose attempt to
/// connect to the port, before anybody listens there, was given that very port to come from.
fn listen_when_free(host: &str, port: u16, deadline: Instant) -> io::Result<Vec<Listener>> {
    let (until, mut backoff) = (deadline.min(Instant::now() + PORT_PATIENCE), Backoff::new());
    loop {
        match listen_at(host, port) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && backoff.sleep(until) => {}
            result => return result,
        }
    }
}

fn first_free(who: &Applicant<'_>, host: &str, ports: &[u16], deadline: Instant) -> Result<Opened> {
    if who.rank == 0 {
        let mut last = io::Error::from(io::ErrorKind::AddrInUse);
        for port in ports {
            match listen_at(host, *port) {
                Ok(listeners) => {
                    let store = ServedStore::start(listeners, who.key, who.size, deadline, |_| Ok(None))?;
                    return Ok(Box::new(store));
                }
                Err(error) => last = error,
            }
        }
        return Err(Error::system(
            format!("rank 0 found none of {} ports free at {host}", ports.len()),
            last,
        ));
    }
    let everywhere = || {
        let hosts = resolve(host, 0);
        let at = |port: &u16| hosts.iter().map(|host| SocketAddr::new(host.ip(), *port)).collect::<Vec<_>>();
        ports.iter().flat_map(at).collect()
    };
    let what = format!("{host} (MASTER_ADDR; ports {} and {} others)", ports[0], ports.len() - 1);
    Ok(Box::new(Client::join(who, everywhere, &what, deadline)?))
}

/// The key of a job that meets by a file: as secret as the file.
fn file_key(given: Option<JobKey>, nonce: &JobKey) -> JobKey {
    given.unwrap_or_else(|| JobKey::derived("file", &[&nonce.0]))
}

fn announce(
    path: &Path,
    given: Option<JobKey>,
    size: u32,
    deadline: Instant,
) -> Result<(JobKey, Option<Opened>)> {
    let nonce = JobKey::random()?;
    let key = file_key(given, &nonce);
    let job = u64::from_le_bytes(random_bytes()?);
    let created = seconds_since_1970();
    let store = ServedStore::start(doors::open()?, &key, size, deadline, |addresses| {
        let announcement = Announcement { job, world: size, nonce, created, addresses: addresses.to_vec() };
        OwnFile::publish(path, announcement).map(Some)
    })?;
    Ok((key, Some(Box::new(store))))
}

/// A rank that looks for rank 0 by a file.
struct Seeker<'a> {
    path: &'a Path,
    given: Option<JobKey>,
    rank: u32,
    size: u32,
}

impl Seeker<'_> {
    /// Reads the file until what it says proves to be alive.
    fn find(&self, deadline: Instant) -> Result<(JobKey, Option<Opened>)> {
        let (start, mut backoff) = (Instant::now(), Backoff::new());
        loop {
            let found = rendezvous_file::read(self.path);
            let place = match &found {
                Ok(Found::Announcement(it)) => {
                    Some((file_key(self.given.clone(), &it.nonce), it.addresses.clone()))
                }
                // As if ANYCCL_STORE were tcp:// with this address, which is how rank 0 serves it.
                Ok(Found::Plain(address)) => {
                    let derived = || tcp_key(&address.ip().to_string(), address.port());
                    Some((self.given.clone().unwrap_or_else(derived), vec![*address]))
                }
                Ok(Found::Nothing) | Err(_) => None,
            };
            if let Some((key, addresses)) = place {
                let who = Applicant { key: &key, rank: self.rank, size: self.size };
                if let Some(client) = Client::try_join(&who, &addresses, deadline)? {
                    log_line!(Debug, "rank {}: found rank 0 by {}", self.rank, self.path.display());
                    return Ok((key, Some(Box::new(client))));
                }
            }
            if !backoff.sleep(deadline) {
                let detail =
                    format!("rank 0 was not found by the file {}: {}", self.path.display(), why(&found));
                return Err(Error::Timeout { waited: start.elapsed(), detail });
            }
        }
    }
}

fn why(found: &io::Result<Found>) -> String {
    match found {
        Err(error) => format!("it cannot be read: {error}"),
        Ok(Found::Nothing) => "it holds no address".into(),
        Ok(Found::Plain(address)) => format!("nobody who knows the job key answers at {address}"),
        Ok(Found::Announcement(it)) => format!(
            "it was written {} s ago by job {:016x} of {} ranks, which does not answer; rank 0 has not replaced it",
            seconds_since_1970().saturating_sub(it.created),
            it.job,
            it.world,
        ),
    }
}

fn seconds_since_1970() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}
