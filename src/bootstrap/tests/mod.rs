//! Tests of the whole room: ranks as threads.

mod environment;
mod mesh;
mod stores;
mod strangers;
mod unique_id;

use std::time::{Duration, Instant};

use super::{Job, Mesh, UniqueId, job_from_id};
use crate::base::Result;
use crate::config::Config;

/// Far enough that only a hang reaches it.
pub(crate) fn soon() -> Instant {
    Instant::now() + Duration::from_secs(30)
}

/// The deadline of a test in which somebody is missing.
pub(crate) fn shortly() -> Instant {
    Instant::now() + Duration::from_millis(300)
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

/// A mesh of `size` ranks by unique id; `configure` may change each rank's configuration.
pub(crate) fn mesh_of(size: u32, configure: impl Fn(u32, &mut Config) + Sync) -> Vec<Result<Mesh>> {
    let id = UniqueId::create(&Config::default()).unwrap();
    ranks(size, |rank| {
        let mut config = Config::default();
        configure(rank, &mut config);
        let mut job: Job = job_from_id(&id, size, rank, soon())?;
        super::mesh::connect(&mut job, &config, format!("from rank {rank}").as_bytes(), soon())
    })
}

/// What every rank returned, where none may fail. The meshes stay open until all ranks have theirs: one that closes
/// earlier is lost to those that still connect.
pub(crate) fn all_ok(results: Vec<Result<Mesh>>) -> Vec<Mesh> {
    let errors: Vec<String> =
        results.iter().filter_map(|r| r.as_ref().err().map(ToString::to_string)).collect();
    assert!(errors.is_empty(), "{errors:?}");
    results.into_iter().flatten().collect()
}
