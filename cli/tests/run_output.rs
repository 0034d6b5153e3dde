//! Tests of how `anyccl run` handles its ranks' output and input.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::{ChildStdout, Command, Stdio};

use crate::common::{anyccl, finish, run_script, script_command};

#[test]
fn every_line_carries_its_rank_and_keeps_to_its_stream() {
    let job = run_script(3, &[], "echo out $ANYCCL_RANK; echo err $ANYCCL_RANK >&2");
    assert_eq!(job.code(), 0);
    assert_eq!(job.sorted_lines(), ["[0] out 0", "[1] out 1", "[2] out 2"]);
    let mut errors: Vec<&str> = job.stderr.lines().collect();
    errors.sort();
    assert_eq!(errors, ["[0] err 0", "[1] err 1", "[2] err 2"]);
}

#[test]
fn ranks_in_front_of_lines_are_equally_wide() {
    let lines = run_script(11, &[], "echo x").sorted_lines();
    assert_eq!(lines.first().unwrap(), "[ 0] x");
    assert_eq!(lines.last().unwrap(), "[10] x");
}

#[test]
fn lines_written_in_pieces_never_mix() {
    let script =
        "i=0; while [ $i -lt 300 ]; do printf a$ANYCCL_RANK; printf b; printf 'c\n'; i=$((i+1)); done";
    let job = run_script(4, &[], script);
    let mut counts = BTreeMap::new();
    job.sorted_lines().into_iter().for_each(|line| *counts.entry(line).or_insert(0) += 1);
    let expected = (0..4).map(|rank| (format!("[{rank}] a{rank}bc"), 300));
    assert_eq!(counts, expected.collect::<BTreeMap<_, _>>());
}

#[test]
fn bytes_that_are_no_text_pass_unchanged_and_a_last_line_gets_its_newline() {
    let job = run_script(1, &[], r"printf '\000\377\r\n\n last'");
    assert_eq!(job.stdout, b"[0] \0\xff\r\n[0] \n[0]  last\n");
}

#[test]
fn without_prefix_output_passes_byte_for_byte() {
    let job = run_script(1, &["--no-prefix"], r"printf '\000\377\n\nlast'");
    assert_eq!(job.stdout, b"\0\xff\n\nlast");
}

#[test]
fn fifty_megabytes_of_four_ranks_arrive_whole() {
    const EACH: usize = 12_500_007;
    let script = format!("yes \"$ANYCCL_RANK 0123456789 abcdefghijklmnopqrstuvwxyz\" | head -c {EACH}");
    let job = run_script(4, &[], &script);
    assert_eq!(job.code(), 0, "{}", job.stderr);
    let mut bytes = [0; 4];
    for line in job.stdout.split_inclusive(|&byte| byte == b'\n') {
        let (rank, text) = (usize::from(line[1] - b'0'), &line[4..]);
        let whole = format!("{rank} 0123456789 abcdefghijklmnopqrstuvwxyz\n");
        bytes[rank] += text.len();
        // The very last line is cut by head, and completed by the launcher.
        let cut = bytes[rank] >= EACH && whole.as_bytes().starts_with(&text[..text.len() - 1]);
        assert!(text == whole.as_bytes() || cut, "{:?}", String::from_utf8_lossy(line));
    }
    // Lines of 40 bytes do not divide the total: one newline is added.
    assert_eq!(bytes, [EACH + 1; 4]);
}

#[test]
fn rank_0_reads_the_launchers_input_and_the_others_read_nothing() {
    let mut command = script_command(3, &[], "echo \"<$(cat)>\"");
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"for rank 0").unwrap();
    let output = child.wait_with_output().unwrap();
    let mut lines: Vec<&str> = std::str::from_utf8(&output.stdout).unwrap().lines().collect();
    lines.sort();
    assert_eq!(lines, ["[0] <for rank 0>", "[1] <>", "[2] <>"]);
}

#[test]
fn ranks_that_write_for_ever_end_when_nobody_reads() {
    let mut command = script_command(2, &[], "exec yes");
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(128 + libc::SIGPIPE));
}

/// A device that is always full, for one stream of a tool.
fn full() -> File {
    File::options().write(true).open("/dev/full").unwrap()
}

/// What the job must report when its standard output is full.
const LOST: &str = "anyccl run: cannot write to standard output: No space left on device";

#[test]
fn output_that_cannot_be_written_ends_the_job_with_one_sentence() {
    for hosts in [&[][..], &["--hosts", "a,b", "--launcher", "sh -c {cmd}"]] {
        // Ranks that have ended well, that go on writing, and that say when they are told to end.
        for script in ["echo text", "exec yes", "trap 'echo told >&2; exit 0' TERM; yes & wait"] {
            let mut command = script_command(2, hosts, script);
            command.stdout(full());
            let job = finish(command);
            assert_eq!(job.code(), 1, "{script}: {}", job.stderr);
            assert_eq!(job.stderr.matches(LOST).count(), 1, "{script}: {}", job.stderr);
            assert!(!job.stderr.contains("SIGPIPE"), "{script}: {}", job.stderr);
            // The rank that has written is told to end; the other one may not have come to its trap.
            assert_eq!(job.stderr.contains("] told\n"), script.contains("told"), "{}", job.stderr);
        }
    }
}

#[test]
fn errors_that_cannot_be_written_fail_the_job() {
    let mut command = script_command(2, &[], "echo text >&2");
    command.stderr(full());
    assert_eq!(finish(command).code(), 1);
}

#[test]
fn every_command_says_that_its_output_cannot_be_written() {
    for words in [
        &["--help"][..],
        &["--version"],
        &["run", "--help"],
        &["info", "job"],
        &["doctor", "--json"],
        &["plan", "all_reduce", "-n", "4"],
        &["simulate", "all_reduce"],
        &["completions", "bash"],
        &["mpiexec", "-help"],
        &["perf", "all_reduce", "-n", "2", "-e", "64"],
    ] {
        let mut command = anyccl(words);
        command.stdout(full());
        let tool = finish(command);
        assert_eq!(tool.code(), 1, "{words:?}: {}", tool.stderr);
        let told = "error: cannot write to standard output: No space left on device";
        assert_eq!(tool.stderr.matches(told).count(), 1, "{words:?}: {}", tool.stderr);
        assert_eq!(tool.stderr.matches("anyccl: error:").count(), 1, "{words:?}: {}", tool.stderr);
    }
}

/// Starts the command without this standard stream.
fn close(command: &mut Command, stream: RawFd) {
    let close = move || {
        // SAFETY: closes a descriptor that only the program would use; may be called between fork and exec.
        unsafe { libc::close(stream) };
        Ok(())
    };
    // SAFETY: the closure makes one system call: no allocation, no lock.
    unsafe { command.pre_exec(close) };
}

#[test]
fn every_command_says_that_its_output_is_closed() {
    for words in [
        &["--help"][..],
        &["--version"],
        &["info", "job"],
        &["doctor", "--json"],
        &["plan", "all_reduce", "-n", "4"],
        &["mpiexec", "-help"],
        &["perf", "all_reduce", "-n", "2", "-e", "64"],
        &["perf", "all_reduce", "-e", "64"],
    ] {
        let mut command = anyccl(words);
        close(&mut command, libc::STDOUT_FILENO);
        let tool = finish(command);
        assert_eq!(tool.code(), 1, "{words:?}: {}", tool.stderr);
        assert_eq!(tool.stderr, "anyccl: error: cannot write: standard output is closed\n", "{words:?}");
    }
}

#[test]
fn a_job_whose_output_is_closed_ends_with_one_sentence_once_a_rank_writes() {
    for hosts in [&[][..], &["--hosts", "a,b", "--launcher", "sh -c {cmd}"]] {
        for script in ["echo text", "exec yes"] {
            let mut command = script_command(2, hosts, script);
            close(&mut command, libc::STDOUT_FILENO);
            let job = finish(command);
            assert_eq!(job.code(), 1, "{script}: {}", job.stderr);
            let told = "anyccl run: cannot write: standard output is closed\n";
            assert_eq!(job.stderr.matches(told).count(), 1, "{script}: {}", job.stderr);
        }
    }
    let mut command = script_command(2, &[], "echo text >&2");
    close(&mut command, libc::STDERR_FILENO);
    assert_eq!(finish(command).code(), 1);
    // Nothing is lost.
    let mut command = script_command(2, &[], "true");
    close(&mut command, libc::STDOUT_FILENO);
    assert_eq!(finish(command).code(), 0);
}

#[test]
fn a_failing_rank_is_noticed_though_nobody_reads_the_output_of_another() {
    let script = "if [ $ANYCCL_RANK = 1 ]; then trap 'exit 3' USR1; echo ready >&2
        else trap '' USR1; trap 'echo told >&2; exit 0' TERM; yes & fi
        while :; do sleep 1000 >/dev/null 2>&1 & wait $!; done";
    let mut command = script_command(2, &["--grace", "30"], script);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut errors = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(errors.next().as_deref(), Some("[1] ready"));
    wait_until_full(&stdout);
    // SIGUSR1 passes through the launcher, which must not be stuck in a write.
    // SAFETY: touches no memory; the child is not reaped, so the id is its own.
    assert_eq!(unsafe { libc::kill(child.id() as i32, libc::SIGUSR1) }, 0);
    assert!(errors.any(|line| line == "[0] told"));
    std::io::copy(&mut stdout, &mut std::io::sink()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(3));
}

/// Waits until a pipe of the usual 64 KiB takes no more.
fn wait_until_full(pipe: &ChildStdout) {
    let mut held: libc::c_int = 0;
    while held < 60_000 {
        // SAFETY: FIONREAD writes one int to `held`, which outlives the call.
        assert_eq!(unsafe { libc::ioctl(pipe.as_raw_fd(), libc::FIONREAD, &mut held) }, 0);
        std::thread::yield_now();
    }
}

#[test]
fn arguments_of_the_program_are_its_own_without_a_separator() {
    let job = finish(anyccl(&["run", "-n", "1", "echo", "-n", "3", "--help", "--", "-x"]));
    // echo takes its own -n.
    assert_eq!(job.stdout, b"[0] 3 --help -- -x\n");
}
