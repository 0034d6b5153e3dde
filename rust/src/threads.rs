//! Ranks that are threads of one process.

use std::panic::resume_unwind;
use std::thread;

use anyccl_engine::bootstrap::{Job, MemoryStore};
use anyccl_engine::comm::Communicator as Engine;

use crate::communicator::Communicator;
use crate::config::Config;
use crate::error::{Error, ErrorKind, Result};
use crate::join::join;

/// Most ranks that are threads: each pair of them shares memory and a socket.
const MOST_THREADS: usize = 1024;

/// Runs `body` on `size` ranks, each a thread of this process, and gives the results in rank order.
///
/// It is for tests and examples, and for programs that share work between threads by messages. The ranks use
/// the same transports and algorithms as processes of one host.
///
/// An error is that of a rank: of joining, of `body`, or of leaving. When `body` fails or panics on a rank,
/// the communicator is aborted, so that the other ranks do not wait for it. A panic is continued here.
///
/// ```
/// use anyccl::Op;
///
/// let sums = anyccl::threads(4, |comm| {
///     let mut data = [comm.rank() as f32 + 1.0; 3];
///     comm.all_reduce_in_place(&mut data, Op::Sum)?;
///     Ok(data)
/// })?;
/// assert_eq!(sums, [[10.0; 3]; 4]);
/// # Ok::<(), anyccl::Error>(())
/// ```
pub fn threads<R, F>(size: usize, body: F) -> Result<Vec<R>>
where
    R: Send,
    F: Fn(&Communicator) -> Result<R> + Sync,
{
    threads_with(size, &Config::new(), body)
}

/// Runs `body` on `size` ranks, each a thread of this process, in a communicator with settings.
pub fn threads_with<R, F>(size: usize, config: &Config, body: F) -> Result<Vec<R>>
where
    R: Send,
    F: Fn(&Communicator) -> Result<R> + Sync,
{
    let place = format_args!("threads");
    if size == 0 || size > MOST_THREADS {
        let text = format!("threads: invalid size: {size}; accepted: 1 to {MOST_THREADS}");
        return Err(Error::new(ErrorKind::InvalidArgument, text));
    }
    let jobs = MemoryStore::jobs(size as u32).map_err(|error| Error::of_engine(&error, place))?;
    let body = &body;
    let outcomes: Vec<Result<R>> = thread::scope(|scope| {
        let start = |(rank, job)| scope.spawn(move || run_rank(size, rank, job, config, body));
        let ranks: Vec<_> = jobs.into_iter().enumerate().map(start).collect();
        // All have ended before a panic is continued.
        let ended: Vec<_> = ranks.into_iter().map(|rank| rank.join()).collect();
        ended.into_iter().map(|outcome| outcome.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    // Ranks that were aborted only follow another one.
    let is_first = |outcome: &Result<R>| matches!(outcome, Err(error) if error.kind() != ErrorKind::Aborted);
    match outcomes.iter().position(is_first) {
        Some(at) => outcomes.into_iter().skip(at).take(1).collect(),
        None => outcomes.into_iter().collect(),
    }
}

fn run_rank<R>(
    size: usize,
    rank: usize,
    job: Job,
    config: &Config,
    body: &impl Fn(&Communicator) -> Result<R>,
) -> Result<R> {
    let comm = join("threads", size, rank, config, |_, _, settings, own| Engine::join(job, settings, own))?;
    let result = body(&comm).inspect_err(|error| comm.abort(&error.to_string()))?;
    comm.close_if_last().unwrap_or(Ok(()))?;
    Ok(result)
}
