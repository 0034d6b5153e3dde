//! Strangers that connect to a port of a job without its key. They change nothing while the ranks gather and
//! the ports are open. While the job runs, no ports are open.

use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use crate::common;
use anyccl_engine::base::{Collective, Datatype, ReduceOp};
use anyccl_engine::comm::{Communicator, Operation, world_finalize};
use common::attempt::{Placement, check};
use common::case::Case;
use common::lateness::Stopwatch;
use common::proc_fs::{listening_at, wait_until};
use common::processes::{ProcessJob, RankProcess, join, listen, part, say, tcp_store};
use common::values::noise;
use common::watchdog::Watchdog;

const STRANGERS_PER_PORT: u64 = 200;

/// Connects again and again. Some connections send nonsense, some stay silent, and some close at once.
/// Returns the connections that stay open, so that they last as long as the job.
fn annoy(address: SocketAddr) -> Vec<TcpStream> {
    let mut staying = Vec::new();
    for turn in 0..STRANGERS_PER_PORT {
        // The port is closed by now, or its queue is full, so no more connections are possible.
        let Ok(mut stream) = TcpStream::connect_timeout(&address, Duration::from_millis(500)) else {
            return staying;
        };
        let nonsense: Vec<u8> = (0..1 + turn as usize * 5).map(|at| noise(turn as u32, at) as u8).collect();
        // An error here is welcome: the job has closed the connection.
        let _ = match turn % 5 {
            0 => stream.write_all(&nonsense),
            1 => stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
            2 => stream.write_all(&[0xff; 3]),
            3 => Ok(()),
            _ => {
                drop(stream);
                continue;
            }
        };
        staying.push(stream);
    }
    staying
}

fn strangers_change_nothing(transport: &str) {
    let _watchdog = Watchdog::new(format!("strangers over {transport}"), Duration::from_secs(120));
    let job = ProcessJob::new(module_path!(), 4, "call until told to stop", tcp_store())
        .set("ANYCCL_TRANSPORT", transport);
    let mut ranks: Vec<RankProcess> = (0..3).map(|rank| job.start(rank)).collect();
    // The job cannot begin before its last rank has come, so all ports are open now.
    wait_until("rank 0 listens", || !listening_at(ranks[0].pid()).is_empty());
    let doors: Vec<SocketAddr> = ranks.iter().flat_map(|rank| listening_at(rank.pid())).collect();
    let mut staying: Vec<TcpStream> = doors.iter().flat_map(|door| annoy(*door)).collect();
    let most = doors.len() as u64 * STRANGERS_PER_PORT;
    assert!(staying.len() as u64 > most / 2, "{} strangers got in touch, of {most}", staying.len());

    ranks.push(job.start(3));
    let complete = Stopwatch::start(ranks.iter().map(RankProcess::pid));
    ranks.iter_mut().for_each(|rank| rank.expect("running"));
    complete.check(Duration::from_secs(20), Instant::now(), "the job that strangers held up");

    // A running job has no open port; a connection to an old port is refused.
    let is_closed = |rank: &RankProcess| listening_at(rank.pid()).is_empty();
    wait_until("nobody listens any more", || ranks.iter().all(is_closed));
    staying.extend(doors.iter().flat_map(|door| annoy(*door)));
    ranks[0].tell("stop");
    ranks.iter_mut().for_each(|rank| rank.expect("all calls were right"));
    ranks.into_iter().for_each(RankProcess::end_well);
    println!("{transport}: {} strangers at {doors:?}, and those who hung up", staying.len());
}

#[test]
fn strangers_change_nothing_for_a_job_over_shared_memory() {
    strangers_change_nothing("auto");
}

#[test]
fn strangers_change_nothing_for_a_job_over_tcp() {
    strangers_change_nothing("tcp");
}

/// Agrees on all ranks whether rank 0 was told to stop.
fn stop_is_agreed(comm: &Communicator, told: bool) -> bool {
    let (mine, mut any) = ([u8::from(told)], [0u8]);
    let case = Case::reducing(Collective::AllReduce, Datatype::Uint8, ReduceOp::Max, 0, 1);
    let operation = Operation { call: case.call(), send: mine.as_ptr(), recv: any.as_mut_ptr() };
    // SAFETY: one byte each.
    unsafe { comm.run(&operation) }.expect("an all_reduce");
    any[0] != 0
}

#[test]
#[ignore = "a rank of the tests above, which start it as a process"]
fn a_rank_of_the_tests_in_this_file() {
    if part().is_none() {
        return;
    }
    let comm = join().expect("a world");
    say("running");
    let stop = std::thread::spawn(|| assert_eq!(listen(), "stop"));
    while !stop_is_agreed(&comm, comm.rank() == 0 && stop.is_finished()) {
        for collective in Collective::UNIFORM {
            check(&comm, Case::plain(collective, 1, 2000), Placement::Apart);
        }
    }
    world_finalize().expect("a good end");
    say("all calls were right");
}
