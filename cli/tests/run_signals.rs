//! Tests of signals to `anyccl run`, and of its sudden death.

mod common;

use common::{Running, assert_all_gone, numbers};

/// A script that prints a line for each signal, and goes on until SIGTERM.
const TALKATIVE: &str = "
    for s in HUP INT QUIT USR1 USR2; do trap \"echo got $s\" $s; done
    trap 'echo got TERM; exit 0' TERM
    echo ready $$
    while :; do sleep 1000 >/dev/null 2>&1 & wait $!; done";

#[test]
fn signals_to_the_launcher_reach_every_rank() {
    let mut job = Running::script(2, &[], TALKATIVE);
    job.lines(2);
    for (signal, name) in [(libc::SIGUSR1, "USR1"), (libc::SIGINT, "INT"), (libc::SIGUSR2, "USR2")] {
        job.signal(signal);
        assert_eq!(job.lines(2), [format!("[0] got {name}"), format!("[1] got {name}")]);
    }
    job.signal(libc::SIGTERM);
    let job = job.finish();
    assert_eq!(job.sorted_lines(), ["[0] got TERM", "[1] got TERM"]);
    assert_eq!(job.code(), 0, "{}", job.stderr);
}

#[test]
fn a_signal_that_ends_all_ranks_is_told_as_what_it_was() {
    let mut job = Running::script(2, &[], "echo $$; exec sleep 1000");
    job.lines(2);
    job.signal(libc::SIGINT);
    let job = job.finish();
    assert_eq!(job.code(), 128 + libc::SIGINT);
    assert!(job.stderr.contains("was ended by SIGINT, which was sent to the job"), "{}", job.stderr);
}

#[test]
fn a_second_sigint_kills_at_once() {
    let mut job = Running::script(2, &[], TALKATIVE);
    let ready = job.lines(2);
    let pids: Vec<u32> = ready.iter().map(|line| line.rsplit(' ').next().unwrap().parse().unwrap()).collect();
    job.signal(libc::SIGINT);
    job.lines(2);
    job.signal(libc::SIGINT);
    let job = job.finish();
    assert_eq!(job.code(), 128 + libc::SIGINT, "{}", job.stderr);
    assert_all_gone(&pids);
}

#[test]
fn a_stopped_job_stops_the_launcher_and_goes_on_with_it() {
    let mut job = Running::script(2, &[], TALKATIVE);
    job.lines(2);
    job.signal(libc::SIGTSTP);
    let mut status = 0;
    let pid = job.child.id() as i32;
    // SAFETY: the kernel writes one int to `status`; with WUNTRACED a stop is reported, not reaped.
    assert_eq!(unsafe { libc::waitpid(pid, &mut status, libc::WUNTRACED) }, pid);
    assert!(libc::WIFSTOPPED(status));
    job.signal(libc::SIGCONT);
    job.signal(libc::SIGUSR1);
    assert_eq!(job.lines(2), ["[0] got USR1", "[1] got USR1"]);
    job.signal(libc::SIGTERM);
    assert_eq!(job.finish().code(), 0);
}

#[test]
fn nothing_survives_a_launcher_that_was_killed() {
    let script = "sh -c 'trap \"\" HUP TERM INT; echo $$; sleep 1000 & echo $!; wait' & echo $! $$; wait";
    let mut job = Running::script(3, &[], script);
    let pids = numbers(&job.lines(9));
    assert_eq!(pids.len(), 12);
    job.signal(libc::SIGKILL);
    // The watchdog holds the launcher's output: this returns when it has done its work.
    job.finish();
    assert_all_gone(&pids);
}
