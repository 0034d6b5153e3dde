//! Seeds, each of which is one world, and jobs that have failed once.

use std::time::Duration;

use super::job::{Deviant, Deviation, Job, Step, Waits};
use super::random::Random;
use super::search::{run_job, run_seed};
use super::turns::{Blow, Strike};
use crate::base::{Collective, Rank};
use crate::sys::clock::tests::with_clock;

/// Seeds of each of the eight tests.
const SEEDS: u64 = 250;

/// Runs seeds. `ANYCCL_TEST_WORLD` names another first seed and runs it alone, unless `ANYCCL_TEST_WORLDS` is
/// the number of seeds for each test.
fn worlds(part: u64, seeds: u64, draw: fn(&mut Random) -> Job) {
    let number = |name| std::env::var(name).ok().map(|text| text.parse().expect("a number"));
    let (first, count) = (number("ANYCCL_TEST_WORLD"), number("ANYCCL_TEST_WORLDS"));
    let count = count.unwrap_or(if first.is_some() { 1 } else { seeds });
    let first = first.unwrap_or(part * count);
    let seeds = first..first + count;
    allow_many_files();
    with_clock(|clock| {
        clock.stop();
        for seed in seeds {
            if let Err(wrong) = run_seed(seed, draw, clock) {
                panic!("{wrong}\n\nagain: ANYCCL_TEST_WORLD={seed}");
            }
        }
    });
}

/// A killed rank keeps its files open.
fn allow_many_files() {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: writes one structure, which outlives the call.
    assert_eq!(unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) }, 0);
    limit.rlim_cur = limit.rlim_max;
    // SAFETY: reads one structure, which outlives the call.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &limit) }, 0);
}

macro_rules! parts {
    ($($name:ident $part:literal),*) => {
        $(#[test] fn $name() { worlds($part, SEEDS, Job::draw); })*
    };
}

parts!(worlds_0 0, worlds_1 1, worlds_2 2, worlds_3 3, worlds_4 4, worlds_5 5, worlds_6 6, worlds_7 7);

#[test]
fn worlds_of_strangers() {
    worlds(0, 100, Job::draw_of_strangers);
}

/// What jobs are made of.
struct Makers {
    calls: fn(Collective, usize) -> Step,
    plain: fn(Rank, Vec<Step>) -> Job,
    sum: fn(u64) -> Step,
    kill: fn(Rank, u64) -> Vec<Strike>,
}

impl Makers {
    const ALL: Makers = Makers {
        calls: |collective, calls| Step::Started { collective, count: 1, calls, waits: Waits::InOrder },
        plain: |size, steps| Job {
            size,
            hosts: 1,
            shares_memory: false,
            joins: false,
            lanes: 1,
            cores: 1,
            steps,
            shrinks: false,
            strikes: vec![],
            deviants: vec![],
        },
        sum: |count| Step::Call { collective: Collective::AllReduce, root: 0, count },
        kill: |rank, turn| vec![Strike { rank, turn, blow: Blow::Kill }],
    };
}

/// Jobs that have failed, with their reasons. Each runs in several orders.
fn failed_once() -> Vec<Job> {
    let Makers { calls, plain, sum, kill } = Makers::ALL;
    vec![
        // The end of the data came before the notice of the abort.
        Job { deviants: vec![Deviant { rank: 0, at: 0, what: Deviation::Abort }], ..plain(2, vec![]) },
        // More calls under way than a communicator remembers.
        plain(2, vec![calls(Collective::AllReduce, 700)]),
        plain(3, vec![calls(Collective::Broadcast, 600)]),
        // A goodbye that comes before the data.
        plain(3, vec![sum(600)]),
        // A rank makes another call and leaves before the others make theirs.
        Job {
            deviants: vec![Deviant { rank: 1, at: 1, what: Deviation::OtherCall }],
            ..plain(2, vec![Step::Late { rank: 0, time: Duration::from_millis(900) }, sum(3)])
        },
        // The reason of an end came while messages had their turns.
        Job {
            strikes: kill(5, 242),
            ..plain(
                8,
                vec![
                    Step::Ring { count: 0, is_synchronous: false },
                    Step::Ring { count: 2_000, is_synchronous: true },
                ],
            )
        },
        Job { strikes: kill(1, 40), ..plain(3, vec![calls(Collective::AllReduce, 40)]) },
    ]
}

/// More of them: faults that were found by many seeds.
fn failed_once_in_many_seeds() -> Vec<Job> {
    let Makers { calls, plain, sum, kill } = Makers::ALL;
    vec![
        // A rank waits in another call, and the others have forgotten theirs. What they have sent it comes
        // from a rank for which it does not wait.
        Job {
            deviants: vec![Deviant { rank: 4, at: 0, what: Deviation::OtherCall }],
            ..plain(5, vec![calls(Collective::Broadcast, 375)])
        },
        // The same, and nothing is sent at all.
        Job {
            deviants: vec![Deviant { rank: 3, at: 0, what: Deviation::OtherCall }],
            ..plain(
                4,
                vec![Step::Started {
                    collective: Collective::Broadcast,
                    count: 0,
                    calls: 375,
                    waits: Waits::ByTests,
                }],
            )
        },
        // A rank has quit. One that knows it leaves before another one knows it.
        Job {
            deviants: vec![Deviant { rank: 0, at: 2, what: Deviation::Quit }],
            ..plain(4, vec![Step::Ring { count: 100, is_synchronous: false }, sum(2_000)])
        },
        // A rank dies in a split, which succeeds on some ranks and fails on others.
        Job {
            shares_memory: true,
            hosts: 3,
            cores: 5,
            shrinks: true,
            strikes: kill(1, 1081),
            ..plain(5, vec![Step::Split { parts: 2, collective: Collective::Broadcast, count: 2_000 }])
        },
        // The control channel of a rank ends before its last data has come.
        Job {
            deviants: vec![Deviant { rank: 1, at: 2, what: Deviation::Drop }],
            ..plain(
                2,
                vec![
                    Step::Late { rank: 1, time: Duration::from_millis(900) },
                    Step::Ring { count: 1, is_synchronous: false },
                ],
            )
        },
        // Its last data comes in pieces, each after a while.
        Job {
            deviants: vec![Deviant { rank: 0, at: 1, what: Deviation::Drop }],
            ..plain(2, vec![Step::Call { collective: Collective::Gather, root: 1, count: 30_000 }])
        },
    ]
}

#[test]
fn jobs_that_have_failed_once_succeed() {
    with_clock(|clock| {
        clock.stop();
        for job in failed_once().into_iter().chain(failed_once_in_many_seeds()) {
            for seed in 0..20 {
                if let Err(wrong) = run_job(seed, &job, clock) {
                    panic!("seed {seed}: {wrong}\n{job}");
                }
            }
        }
    });
}

#[test]
fn a_seed_makes_the_same_world_each_time() {
    with_clock(|clock| {
        clock.stop();
        for seed in 0..40 {
            let turns: Vec<_> = (0..3).map(|_| run_seed(seed, Job::draw, clock)).collect();
            assert!(turns.iter().all(|again| *again == turns[0]), "seed {seed}: {turns:?}");
        }
    });
}
