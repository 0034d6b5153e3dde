//! Seeds, each of which is one world, and jobs that have failed once.

use std::time::Duration;

use super::job::{Deviation, Job, Step, Waits};
use super::search::{run_job, run_seed};
use super::turns::{Blow, Strike};
use crate::base::Collective;
use crate::sys::clock::tests::with_clock;

/// Seeds of each of the eight tests.
const SEEDS: u64 = 250;

/// Runs seeds. `ANYCCL_TEST_WORLD` names one instead, and `ANYCCL_TEST_WORLDS` the number for each test.
fn worlds(part: u64) {
    let number = |name| std::env::var(name).ok().map(|text| text.parse().expect("a number"));
    let count = number("ANYCCL_TEST_WORLDS").unwrap_or(SEEDS);
    let seeds = match number("ANYCCL_TEST_WORLD") {
        Some(seed) => seed..seed + 1,
        None => part * count..(part + 1) * count,
    };
    with_clock(|clock| {
        clock.stop();
        for seed in seeds {
            if let Err(wrong) = run_seed(seed, clock) {
                panic!("{wrong}\n\nagain: ANYCCL_TEST_WORLD={seed}");
            }
        }
    });
}

macro_rules! parts {
    ($($name:ident $part:literal),*) => {
        $(#[test] fn $name() { worlds($part); })*
    };
}

parts!(worlds_0 0, worlds_1 1, worlds_2 2, worlds_3 3, worlds_4 4, worlds_5 5, worlds_6 6, worlds_7 7);

/// Jobs that have failed, with their reasons. Each runs in several orders.
fn failed_once() -> Vec<Job> {
    let calls = |collective, calls| Step::Started { collective, count: 1, calls, waits: Waits::InOrder };
    let plain = |size, steps: Vec<Step>| Job { size, hosts: 1, steps, strike: None, deviation: None };
    vec![
        // The end of the data came before the notice of the abort.
        Job { deviation: Some((0, 0, Deviation::Abort)), ..plain(2, vec![]) },
        // More calls under way than a communicator remembers.
        plain(2, vec![calls(Collective::AllReduce, 700)]),
        plain(3, vec![calls(Collective::Broadcast, 600)]),
        // A goodbye that comes before the data.
        plain(3, vec![Step::Call { collective: Collective::AllReduce, root: 0, count: 600 }]),
        // A rank makes another call and leaves before the others make theirs.
        Job {
            deviation: Some((1, 1, Deviation::OtherCall)),
            ..plain(
                2,
                vec![
                    Step::Late { rank: 0, time: Duration::from_millis(900) },
                    Step::Call { collective: Collective::AllReduce, root: 0, count: 3 },
                ],
            )
        },
        // The reason of an end came while messages had their turns.
        Job {
            strike: Some(Strike { rank: 5, turn: 242, blow: Blow::Kill }),
            ..plain(
                8,
                vec![
                    Step::Ring { count: 0, is_synchronous: false },
                    Step::Ring { count: 2_000, is_synchronous: true },
                ],
            )
        },
        Job {
            strike: Some(Strike { rank: 1, turn: 40, blow: Blow::Kill }),
            ..plain(3, vec![calls(Collective::AllReduce, 40)])
        },
    ]
}

#[test]
fn jobs_that_have_failed_once_succeed() {
    with_clock(|clock| {
        clock.stop();
        for job in failed_once() {
            for seed in 0..5 {
                if let Err(wrong) = run_job(seed, &job, clock) {
                    panic!("seed {seed}: {wrong}\n{job}");
                }
            }
        }
    });
}
