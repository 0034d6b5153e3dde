//! Tests of signals to `anyccl run`, and of its sudden death.

use std::ffi::CString;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{Running, assert_all_gone, numbers};

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
fn two_sigints_while_ranks_are_started_are_two() {
    // With --as, the launcher reads the program before it starts it. The program is a pipe first, so the
    // launcher is still there while the test sends signals.
    let folder =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("two-sigints-{}", std::process::id()));
    let tool = tool_with_a_pretended_nccl(&folder);
    let program = folder.join("program");
    let name = CString::new(program.as_os_str().as_bytes()).unwrap();
    // SAFETY: the name ends with a zero and outlives the call.
    assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o700) }, 0);
    let mut command = Command::new(tool);
    command.args(["run", "-n", "2", "--timeout", "60", "--as", "nccl"]).arg(&program);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let job = Running::of(command.spawn().unwrap());
    let pipe = File::options().write(true).open(&program).unwrap();
    for _ in 0..2 {
        job.signal(libc::SIGINT);
        await_taken(job.child.id(), libc::SIGINT);
    }
    // In place of the pipe comes a program that only SIGKILL ends.
    let stubborn = folder.join("stubborn");
    fs::write(&stubborn, "#!/bin/sh\ntrap '' INT TERM HUP\nwhile :; do sleep 1000; done\n").unwrap();
    fs::set_permissions(&stubborn, fs::Permissions::from_mode(0o700)).unwrap();
    fs::rename(&stubborn, &program).unwrap();
    drop(pipe);
    let job = job.finish();
    assert_eq!(job.code(), 128 + libc::SIGINT, "{}", job.stderr);
    fs::remove_dir_all(&folder).unwrap();
}

/// This tool in a new folder, beside files that have the names of anyccl's NCCL.
fn tool_with_a_pretended_nccl(folder: &Path) -> PathBuf {
    let libraries = folder.join("lib/anyccl/nccl");
    let overlay = libraries.join("python/nvidia/nccl/lib");
    fs::create_dir_all(&overlay).unwrap();
    fs::create_dir(folder.join("bin")).unwrap();
    for file in [&libraries, &overlay].map(|folder| folder.join("libnccl.so.2")) {
        File::create(file).unwrap();
    }
    File::create(libraries.join("libanyccl_audit.so")).unwrap();
    let tool = folder.join("bin/anyccl");
    fs::hard_link(env!("CARGO_BIN_EXE_anyccl"), &tool).unwrap();
    tool
}

/// Waits until a signal is no longer pending: the process has taken it.
fn await_taken(pid: u32, signal: i32) {
    let deadline = Instant::now() + Duration::from_secs(20);
    let is_pending = || {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let pending = status.lines().find_map(|line| line.strip_prefix("ShdPnd:")).unwrap().trim();
        u64::from_str_radix(pending, 16).unwrap() >> (signal - 1) & 1 == 1
    };
    while is_pending() {
        assert!(Instant::now() < deadline, "nobody takes the signal");
        std::thread::yield_now();
    }
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
