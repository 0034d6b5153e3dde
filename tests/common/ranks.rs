//! Ranks as threads of this process.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Barrier, Mutex};
use std::time::Duration;

use anyccl_engine::base::Rank;
use anyccl_engine::bootstrap::UniqueId;
use anyccl_engine::comm::{CommConfig, Communicator};
use anyccl_engine::config::{Config, TransportChoice};

use super::watchdog::Watchdog;

/// Time after which a test counts as hanging. It is far above what any test needs on a busy machine.
const LIMIT: Duration = Duration::from_secs(180);

/// Both transports between the ranks of one host.
pub const TRANSPORTS: [TransportChoice; 2] = [TransportChoice::Auto, TransportChoice::Tcp];

/// The settings of a test. Nothing comes from the environment, and the timeout is shorter than the test's.
pub fn config(transport: TransportChoice) -> Config {
    Config { transport, timeout: Some(Duration::from_secs(60)), ..Config::default() }
}

/// The name of a transport in messages: "shm", "tcp" or "ofi".
pub fn name_of(transport: TransportChoice) -> &'static str {
    match transport {
        TransportChoice::Tcp => "tcp",
        TransportChoice::Ofi => "ofi",
        TransportChoice::Auto | TransportChoice::Shm => "shm",
    }
}

/// Runs `body` on each rank of a new communicator, finalizes the communicator, and returns the results by
/// rank.
///
/// # Panics
/// With the first panic of any rank. A rank that panics leaves without finalizing, so the others get an error
/// and end.
pub fn on_ranks<R: Send>(size: u32, config: &Config, body: impl Fn(&Communicator) -> R + Sync) -> Vec<R> {
    on_hosts(size, |_| config.clone(), body)
}

/// Like [`on_ranks`], with different settings for each rank.
pub fn on_hosts<R: Send>(
    size: u32,
    config: impl Fn(Rank) -> Config + Sync,
    body: impl Fn(&Communicator) -> R + Sync,
) -> Vec<R> {
    join_and(size, config, |comm| {
        let comm = comm.shared();
        let result = body(&comm);
        comm.finalize().unwrap_or_else(|e| panic!("rank {} cannot finalize: {e}", comm.rank()));
        result
    })
}

/// Like [`on_ranks`], but `body` owns the communicator and nothing is finalized. `body` starts when all ranks
/// have joined, so that a fault of one rank cannot reach another that is still joining.
pub fn on_failing_ranks<R: Send>(
    size: u32,
    config: &Config,
    body: impl Fn(Communicator) -> R + Sync,
) -> Vec<R> {
    on_failing_hosts(size, |_| config.clone(), body)
}

/// Like [`on_failing_ranks`], with different settings for each rank.
pub fn on_failing_hosts<R: Send>(
    size: u32,
    config: impl Fn(Rank) -> Config + Sync,
    body: impl Fn(Communicator) -> R + Sync,
) -> Vec<R> {
    let joined = Barrier::new(size as usize);
    join_and(size, config, |comm| {
        joined.wait();
        body(comm)
    })
}

/// Like [`on_ranks`]. `before` runs on each rank before it joins.
pub fn on_ranks_after<R: Send>(
    size: u32,
    config: &Config,
    before: impl Fn() + Sync,
    body: impl Fn(&Communicator) -> R + Sync,
) -> Vec<R> {
    let finish = |comm: Communicator| {
        let comm = comm.shared();
        let result = body(&comm);
        comm.finalize().unwrap_or_else(|e| panic!("rank {} cannot finalize: {e}", comm.rank()));
        result
    };
    join_after(size, |_| config.clone(), before, finish)
}

/// Like [`on_failing_ranks`]. `before` runs on each rank before it joins.
pub fn on_failing_ranks_after<R: Send>(
    size: u32,
    config: &Config,
    before: impl Fn() + Sync,
    body: impl Fn(Communicator) -> R + Sync,
) -> Vec<R> {
    let joined = Barrier::new(size as usize);
    join_after(
        size,
        |_| config.clone(),
        before,
        |comm| {
            joined.wait();
            body(comm)
        },
    )
}

fn join_and<R: Send>(
    size: u32,
    config: impl Fn(Rank) -> Config + Sync,
    body: impl Fn(Communicator) -> R + Sync,
) -> Vec<R> {
    join_after(size, config, || (), body)
}

fn join_after<R: Send>(
    size: u32,
    config: impl Fn(Rank) -> Config + Sync,
    before: impl Fn() + Sync,
    body: impl Fn(Communicator) -> R + Sync,
) -> Vec<R> {
    let id = UniqueId::create(&config(0)).expect("a unique id");
    on_threads(size, |rank| {
        before();
        let joined = Communicator::create(&id, size, rank, &config(rank), &CommConfig::default());
        body(joined.unwrap_or_else(|e| panic!("rank {rank} cannot join: {e}")))
    })
}

/// Runs `body` on one thread per rank.
pub fn on_threads<R: Send>(size: u32, body: impl Fn(Rank) -> R + Sync) -> Vec<R> {
    let name = std::thread::current().name().unwrap_or("a test").to_string();
    let _watchdog = Watchdog::new(format!("{name}, {size} ranks"), LIMIT);
    let panics: Mutex<Vec<Box<dyn Any + Send>>> = Mutex::new(Vec::new());
    let body = |rank| {
        catch_unwind(AssertUnwindSafe(|| body(rank))).map_err(|panic| panics.lock().unwrap().push(panic)).ok()
    };
    let results: Vec<Option<R>> = std::thread::scope(|scope| {
        let start = |rank| {
            let thread = std::thread::Builder::new().name(format!("rank {rank}"));
            thread.spawn_scoped(scope, move || body(rank)).expect("a thread")
        };
        let threads: Vec<_> = (0..size).map(start).collect();
        threads.into_iter().map(|t| t.join().expect("panics are caught")).collect()
    });
    // The first panic is the cause. The other ranks only lost their peer.
    if let Some(panic) = panics.into_inner().unwrap().into_iter().next() {
        resume_unwind(panic);
    }
    results.into_iter().map(|r| r.expect("no rank has panicked")).collect()
}
