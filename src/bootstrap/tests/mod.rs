//! Tests of the whole bootstrap, with ranks as threads.

mod environment;
mod id_exchange;
mod joining;
mod mesh;
mod pmi;
mod store_files;
mod stores;
mod strangers;
mod unique_id;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::base::Result;
use crate::bootstrap::discovery::by_unique_id::job_from_id;
use crate::bootstrap::discovery::job::{Job, open};
use crate::bootstrap::job::environment::Description;
use crate::bootstrap::job::key::JobKey;
use crate::bootstrap::job::seat::Seat;
use crate::bootstrap::job::store_address::StoreAddress;
use crate::bootstrap::job::unique_id::UniqueId;
use crate::bootstrap::mesh::connect::{Mesh, connect};
use crate::bootstrap::mesh::record::Record;
use crate::bootstrap::store::key_value::Store;
use crate::bootstrap::store::known_place::KnownPlace;
use crate::bootstrap::store::lookup;
use crate::bootstrap::store::memory::MemoryStore;
use crate::bootstrap::store::tcp::client::Client;
use crate::config::Config;
use crate::sys::clock;
use crate::sys::port::ReservedPort;

/// A deadline so far away that only a hang reaches it.
pub(crate) fn soon() -> Instant {
    clock::now() + Duration::from_secs(100)
}

/// The deadline of a test in which a rank is missing.
pub(crate) fn shortly() -> Instant {
    clock::now() + Duration::from_millis(300)
}

/// Joins the store at an address, where it should be by now or before long.
pub(crate) fn join(at: SocketAddr, key: &JobKey, seat: Seat, deadline: Instant) -> Result<Client> {
    let mut place = KnownPlace::of_rank_0(key, at.to_string(), || Ok(vec![at]));
    lookup::join(&mut place, seat, deadline).map(|(_, client)| client)
}

/// An address at which nobody listens, for as long as the port is reserved.
pub(crate) fn nobody() -> (SocketAddr, ReservedPort) {
    let port = ReservedPort::new().unwrap();
    (SocketAddr::from(([127, 0, 0, 1], port.number())), port)
}

/// The job of a rank whose store is at `place`.
pub(crate) fn open_at(place: StoreAddress, seat: Seat, deadline: Instant) -> Result<Job> {
    let description = Description { seat: Some(seat), place, key: None, source: "test" };
    open(description, &Config::default(), deadline)
}

/// Runs one thread per rank and collects what they return, by rank.
pub(crate) fn ranks<T: Send>(size: u32, body: impl Fn(u32) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..size)
            .map(|rank| {
                scope.spawn({
                    let body = &body;
                    move || body(rank)
                })
            })
            .collect();
        threads.into_iter().map(|t| t.join().expect("a rank panicked")).collect()
    })
}

/// Makes a world that meets at `place`; each rank opens its job and connects.
pub(crate) fn meet_at(place: &StoreAddress, size: u32) -> Vec<Result<Mesh>> {
    ranks(size, |rank| {
        let mut job = open_at(place.clone(), Seat { rank, size }, soon())?;
        connect(&mut job, &Config::default(), b"", soon())
    })
}

/// A mesh of `size` ranks by unique id; `configure` may change each rank's configuration.
pub(crate) fn mesh_of(size: u32, configure: impl Fn(u32, &mut Config) + Sync) -> Vec<Result<Mesh>> {
    let id = UniqueId::create(&Config::default()).unwrap();
    ranks(size, |rank| {
        let mut config = Config::default();
        configure(rank, &mut config);
        let mut job: Job = job_from_id(&id, size, rank, soon())?;
        connect(&mut job, &config, format!("from rank {rank}").as_bytes(), soon())
    })
}

/// The meshes of all ranks, none of which may have failed. They stay open until all ranks have theirs: a mesh
/// that closes earlier counts as lost for ranks that still connect.
pub(crate) fn all_ok(results: Vec<Result<Mesh>>) -> Vec<Mesh> {
    let errors: Vec<String> =
        results.iter().filter_map(|r| r.as_ref().err().map(ToString::to_string)).collect();
    assert!(errors.is_empty(), "{errors:?}");
    results.into_iter().flatten().collect()
}

/// A hook that sees, and may change, what a rank other than 0 publishes.
pub(crate) type Tap = Arc<dyn Fn(&mut Record) + Send + Sync>;

/// A store that shows every record to `tap` before it is published.
struct Tapped {
    inner: Box<dyn Store>,
    size: u32,
    tap: Tap,
}

impl Store for Tapped {
    fn set(&mut self, key: &str, value: &[u8], deadline: Instant) -> Result<()> {
        let Some(rank) = key.strip_prefix("record/") else { return self.inner.set(key, value, deadline) };
        let mut record = Record::decode(value, rank.parse().unwrap(), self.size)?;
        (self.tap)(&mut record);
        self.inner.set(key, &record.encode(), deadline)
    }

    fn get(&mut self, key: &str, deadline: Instant) -> Result<Vec<u8>> {
        self.inner.get(key, deadline)
    }

    fn fail(&mut self, why: &str) {
        self.inner.fail(why);
    }

    fn check(&mut self, deadline: Instant) -> Result<()> {
        self.inner.check(deadline)
    }
}

/// A mesh by memory store whose ranks' records go through `tap`.
pub(crate) fn mesh_of_tapped(
    size: u32,
    tap: Tap,
    configure: impl Fn(u32, &mut Config) + Sync,
) -> Vec<Result<Mesh>> {
    let jobs: Vec<_> =
        MemoryStore::jobs(size).unwrap().into_iter().map(|job| Mutex::new(Some(job))).collect();
    ranks(size, |rank| {
        let mut config = Config::default();
        configure(rank, &mut config);
        let mut job = jobs[rank as usize].lock().take().unwrap();
        let tapped = |inner| Box::new(Tapped { inner, size, tap: tap.clone() }) as Box<dyn Store>;
        job.store = job.store.map(tapped);
        connect(&mut job, &config, b"", soon())
    })
}
