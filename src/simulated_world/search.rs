//! Runs of worlds: one by its seed, many, and a smaller one that fails as well.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use super::job::Job;
use super::network::{Manner, Network};
use super::oracle::judge;
use super::perform::{Begun, Outcomes, perform};
use super::random::Random;
use super::turns;
use crate::base::{Rank, Result};
use crate::bootstrap::mesh::FailureReports;
use crate::bootstrap::{self, MemoryStore, Mesh, Peer, PeerInfo};
use crate::comm::{CommConfig, Communicator};
use crate::config::{Config, TransportChoice};
use crate::sys::clock::{self, TestClock};
use crate::tuning::Tuning;

/// Streams of a seed.
const JOB: u64 = 1;
const MANNER: u64 = 2;
const NETWORK: u64 = 3;
const TURNS: u64 = 4;

/// Deadline of ranks that join, and of their calls. Nothing that goes wrong but a death lasts as long.
const PATIENCE: Duration = Duration::from_secs(300);

/// Most runs that look for a smaller job.
const MOST_TRIALS: usize = 300;

/// Runs the job that is drawn by a seed. The error says what is wrong, and prints the job.
pub fn run_seed(
    seed: u64,
    draw: fn(&mut Random) -> Job,
    clock: &TestClock,
) -> std::result::Result<u64, String> {
    let job = draw(&mut Random::new(seed, JOB));
    let wrong = match run_job(seed, &job, clock) {
        Err(wrong) => wrong,
        turns => return turns,
    };
    eprintln!("seed {seed} has failed: {wrong}; looking for a smaller job");
    let (small, why) = shrink(seed, &job, &wrong, clock);
    let manner = manner(seed);
    Err(format!("seed {seed}: {wrong}\n{job}{manner:?}\n\nas small as it gets: {why}\n{small}"))
}

fn manner(seed: u64) -> Manner {
    Manner::draw(&mut Random::new(seed, MANNER))
}

/// Runs a job in the orders of a seed. Returns the number of turns.
pub fn run_job(seed: u64, job: &Job, clock: &TestClock) -> std::result::Result<u64, String> {
    let random = Random::new(seed, NETWORK);
    let (mut network, starts) = if job.joins {
        let jobs = MemoryStore::jobs(job.size).expect("a random key");
        let apart = jobs.into_iter().map(Start::Apart).collect();
        (Network::without_connections(manner(seed), random), apart)
    } else {
        let shares_memory = |a: Rank, b: Rank| job.shares_memory && a % job.hosts == b % job.hosts;
        let data = if job.lanes == 1 { 1 } else { 1 + usize::from(job.lanes) };
        let (network, peers) = Network::new(job.size, data, shares_memory, manner(seed), random);
        (network, peers.into_iter().map(Start::Connected).collect::<Vec<Start>>())
    };
    let begun: Begun = Rc::new((0..job.size).map(|_| Cell::new(None)).collect());
    let bodies = starts.into_iter().zip(0..).map(|(start, rank)| {
        let (job, begun) = (job.clone(), Rc::clone(&begun));
        move || match join(&job, rank, start) {
            Ok(comm) => perform(&job, comm, &begun),
            Err(error) => Outcomes::new(Err(error)),
        }
    });
    let is_sound = |turn| {
        begun.iter().all(|begun| begun.get().is_some())
            && job.strikes.iter().all(|strike| strike.turn > turn)
            && job.deviants.iter().all(|deviant| begun[deviant.rank as usize].get() < Some(deviant.at))
    };
    let mut random = Random::new(seed, TURNS);
    let (ends, turns) =
        turns::run(bodies, &mut network, &job.strikes, is_sound, job.cores, &mut random, clock)
            .map_err(|why| format!("stuck: {why}; steps begun: {begun:?}"))?;
    let begun: Vec<Option<usize>> = begun.iter().map(Cell::get).collect();
    judge(job, manner(seed).delay, &ends, &begun).map(|()| turns)
}

/// How a rank begins.
enum Start {
    /// Connected with all others.
    Connected(Vec<Option<Peer>>),
    /// With a store in which it meets the others.
    Apart(bootstrap::Job),
}

/// Makes the communicator of a rank.
fn join(job: &Job, rank: Rank, start: Start) -> Result<Communicator> {
    let host = |rank: Rank| format!("host{}", rank % job.hosts);
    let transport = if job.shares_memory { TransportChoice::Auto } else { TransportChoice::Tcp };
    let config = Config {
        spin: Duration::ZERO,
        timeout: None,
        transport,
        tcp_lanes: Some(job.lanes),
        interface: Some("lo".into()),
        host_id: Some(host(rank)),
        ..Config::default()
    };
    let peers = match start {
        Start::Connected(peers) => peers,
        Start::Apart(place) => {
            let own = CommConfig { timeout: Some(PATIENCE), ..CommConfig::default() };
            return Communicator::join(place, &config, &own);
        }
    };
    let info =
        |rank: Rank| PeerInfo { host_name: host(rank).into(), host_id: host(rank).into(), pid: 100 + rank };
    let mesh = Mesh {
        unconnected: None,
        infos: (0..job.size).map(info).collect(),
        peers,
        nonce: 1,
        root_settings: Tuning::from_config(&config)?.to_bytes(),
        failure_reports: FailureReports::none(),
    };
    let never = clock::now() + Duration::from_secs(1_000_000);
    Communicator::on_mesh(mesh, rank, "a test", &config, &CommConfig::default(), never)
}

/// Looks for a smaller job that fails in the same orders. Returns it, and what is wrong with it.
fn shrink(seed: u64, job: &Job, wrong: &str, clock: &TestClock) -> (Job, String) {
    let (mut best, mut why) = (job.clone(), wrong.to_string());
    let mut trials = 0;
    'again: loop {
        for smaller in best.smaller() {
            trials += 1;
            if trials > MOST_TRIALS {
                return (best, why);
            }
            if let Err(wrong) = run_job(seed, &smaller, clock) {
                (best, why) = (smaller, wrong);
                continue 'again;
            }
        }
        return (best, why);
    }
}
