//! A rank that waits for a long time uses hardly any processor time, whatever it waits for.

use std::time::{Duration, Instant};

use crate::common;
use anyccl_engine::base::{Collective, Result};
use anyccl_engine::comm::{CommConfig, Communicator, world_finalize};
use common::attempt::{Attempt, Placement};
use common::case::Case;
use common::fabric::{library, over};
use common::processes::{ProcessJob, RankProcess, join, listen, part, say, tcp_store};
use common::watchdog::Watchdog;

/// How long a rank waits: the longer, the less do its first moments count.
fn wait_time() -> Duration {
    Duration::from_secs(if std::env::var_os("ANYCCL_TEST_LONG").is_some() { 3 } else { 1 })
}

/// Largest share of a core that a waiting rank may use.
const SHARE: f64 = 0.02;

/// A length that exceeds all buffers on the way.
const LARGE: usize = 4 << 20;

/// The calls in which rank 0 waits. Rank 1 makes its call when the test orders it to.
const PHASES: [&str; 3] = ["a barrier", "a send that nobody takes", "a receive by a request"];

fn case_of(phase: usize) -> Case {
    match phase {
        0 => Case::barrier(),
        1 => Case::plain(Collective::Broadcast, 0, LARGE),
        _ => Case::plain(Collective::Broadcast, 1, LARGE),
    }
}

fn a_waiting_rank_uses_hardly_any_processor_time(transport: &str) {
    let _watchdog = Watchdog::new(format!("waiting over {transport}"), Duration::from_secs(90));
    let job = over(ProcessJob::new(module_path!(), 2, "wait", tcp_store()), transport);
    let mut ranks = job.start_all();
    for what in PHASES {
        ranks[0].expect("waiting");
        assert!(ranks[0].is_silent_for(wait_time()), "{what} over {transport} did not wait");
        ranks[1].tell("come");
        let said = ranks[0].hear().text;
        let used: f64 = said.parse().expect("a share");
        assert!(used < SHARE, "{what} over {transport} used {:.1} % of a core", used * 100.0);
        println!("{what} over {transport}: {:.2} % of a core", used * 100.0);
    }
    ranks.into_iter().for_each(RankProcess::end_well);
}

#[test]
fn a_waiting_rank_uses_hardly_any_processor_time_over_shared_memory() {
    a_waiting_rank_uses_hardly_any_processor_time("shm");
}

#[test]
fn a_waiting_rank_uses_hardly_any_processor_time_over_tcp() {
    a_waiting_rank_uses_hardly_any_processor_time("tcp");
}

#[test]
fn a_waiting_rank_uses_hardly_any_processor_time_over_a_fabric() {
    if library().is_some() {
        a_waiting_rank_uses_hardly_any_processor_time("ofi");
    }
}

/// Number of threads of rank 0 that wait, each in a communicator of its own. One more thread waits among them
/// and is woken first.
const SLEEPERS: usize = 3;

fn threads_that_wait_use_hardly_any_processor_time_when_another_has_gone(transport: &str) {
    let _watchdog = Watchdog::new(format!("several threads over {transport}"), Duration::from_secs(90));
    let job = ProcessJob::new(module_path!(), 2, "wait by several threads", tcp_store())
        .set("ANYCCL_TRANSPORT", transport);
    let mut ranks = job.start_all();
    ranks[0].expect("waiting");
    assert!(ranks[0].is_silent_for(wait_time()), "over {transport} no thread waited");
    ranks[1].tell("come to one");
    ranks[0].expect("one has gone");
    assert!(ranks[0].is_silent_for(wait_time()), "over {transport} the others did not wait");
    ranks[1].tell("come to all");
    let used: f64 = ranks[0].hear().text.parse().expect("a share");
    assert!(used < SHARE, "over {transport} the others used {:.1} % of a core", used * 100.0);
    ranks.into_iter().for_each(RankProcess::end_well);
}

#[test]
fn threads_that_wait_use_hardly_any_processor_time_when_another_has_gone_over_shared_memory() {
    threads_that_wait_use_hardly_any_processor_time_when_another_has_gone("shm");
}

#[test]
fn threads_that_wait_use_hardly_any_processor_time_when_another_has_gone_over_tcp() {
    threads_that_wait_use_hardly_any_processor_time_when_another_has_gone("tcp");
}

fn wait_by_several_threads(world: &Communicator) {
    let dup = |_| world.dup(&CommConfig::default()).expect("both ranks are there");
    let comms: Vec<Communicator> = (0..=SLEEPERS).map(dup).collect();
    let (one, others) = comms.split_first().expect("one more than sleepers");
    let wait = |comm| Attempt::on(comm, Case::barrier(), Placement::Apart).run(comm).expect("both come");
    if world.rank() == 1 {
        assert_eq!(listen(), "come to one");
        wait(one);
        assert_eq!(listen(), "come to all");
        others.iter().for_each(wait);
        return;
    }
    std::thread::scope(|scope| {
        let sleepers: Vec<_> = others.iter().map(|comm| scope.spawn(move || wait(comm))).collect();
        say("waiting");
        wait(one);
        let (used, since) = (processor_time(), Instant::now());
        say("one has gone");
        sleepers.into_iter().for_each(|sleeper| sleeper.join().expect("it was woken"));
        let used = processor_time() - used;
        say(&format!("{:.4}", used.as_secs_f64() / since.elapsed().as_secs_f64()));
    });
}

/// Processor time of this process so far, in user and system mode.
fn processor_time() -> Duration {
    // SAFETY: all-zero is a valid rusage.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel writes one rusage.
    let done = unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) };
    assert_eq!(done, 0, "getrusage");
    let of = |time: libc::timeval| Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000);
    of(usage.ru_utime) + of(usage.ru_stime)
}

/// Makes the call. The last phase makes it as a request.
fn call(comm: &Communicator, attempt: Attempt, phase: usize) -> Result<()> {
    let mut attempt = attempt;
    if phase == 2 {
        let mut running = attempt.start(comm)?;
        return running.request().wait();
    }
    attempt.run(comm)
}

#[test]
#[ignore = "a rank of the tests above, which start it as a process"]
fn a_rank_of_the_tests_in_this_file() {
    let Some(part) = part() else { return };
    let comm = join().expect("a world");
    if part == "wait by several threads" {
        wait_by_several_threads(&comm);
        return world_finalize().expect("a good end");
    }
    for phase in 0..PHASES.len() {
        let attempt = Attempt::on(&comm, case_of(phase), Placement::Apart);
        if comm.rank() == 1 {
            assert_eq!(listen(), "come");
            call(&comm, attempt, phase).expect("both ranks are there");
            continue;
        }
        let (used, since) = (processor_time(), Instant::now());
        say("waiting");
        call(&comm, attempt, phase).expect("both ranks are there");
        let used = processor_time() - used;
        say(&format!("{:.4}", used.as_secs_f64() / since.elapsed().as_secs_f64()));
    }
    world_finalize().expect("a good end");
}
