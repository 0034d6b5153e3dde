//! Tests of `anyccl run --hosts`: with agents on pretended hosts, which a shell starts here, and in network
//! namespaces.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::common::{Finished, Running, anyccl, assert_all_gone, finish, numbers, run_script, send_signal};
use crate::network::network_or_skip;
use anyccl_engine::sys::port::ReservedPort;

/// Pretends that every host is this one.
const HERE: [&str; 4] = ["--hosts", "a:2,b:1", "--launcher", "sh -c {cmd}"];

/// Starts `script` on the three ranks of two pretended hosts.
fn run_here(options: &[&str], script: &str) -> Finished {
    run_script(3, &[&HERE[..], options].concat(), script)
}

#[test]
fn ranks_are_numbered_across_hosts_and_their_output_carries_the_number() {
    let job = run_here(&[], "echo $ANYCCL_RANK of $ANYCCL_WORLD_SIZE; echo error >&2");
    assert_eq!(job.code(), 0, "{}", job.stderr);
    assert_eq!(job.sorted_lines(), ["[0] 0 of 3", "[1] 1 of 3", "[2] 2 of 3"]);
    let mut errors: Vec<&str> = job.stderr.lines().collect();
    errors.sort_unstable();
    assert_eq!(errors, ["[0] error", "[1] error", "[2] error"]);
}

/// A folder with one program, `ssh`, that ends with this code.
fn folder_with_ssh(code: u8) -> PathBuf {
    let folder =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("ssh-{code}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let ssh = folder.join("ssh");
    fs::write(&ssh, format!("#!/bin/sh\nexit {code}\n")).unwrap();
    fs::set_permissions(&ssh, fs::Permissions::from_mode(0o700)).unwrap();
    folder
}

#[test]
fn names_of_this_host_need_no_ssh_and_an_ssh_that_refuses_is_told_with_what_to_try() {
    let script = ["/bin/sh", "-c", "echo $ANYCCL_RANK of $ANYCCL_WORLD_SIZE"];
    for code in [255, 127] {
        let folder = folder_with_ssh(code);
        let run = |hosts: &str| {
            let mut command = anyccl(&[&["run", "-H", hosts][..], &script].concat());
            command.env("PATH", format!("{}:/usr/bin:/bin", folder.display()));
            finish(command)
        };
        let job = run("localhost:2,127.0.0.1");
        assert_eq!(job.code(), 0, "{}", job.stderr);
        assert_eq!(job.sorted_lines(), ["[0] 0 of 3", "[1] 1 of 3", "[2] 2 of 3"]);
        let job = run("localhost,elsewhere");
        assert_eq!(job.code(), 1, "{}", job.stderr);
        let wanted = if code == 255 { "ssh-copy-id elsewhere" } else { "--remote-anyccl" };
        assert!(job.stderr.contains("host elsewhere: ") && job.stderr.contains(wanted), "{}", job.stderr);
        // Its rank is rank 1. It was never started, so it has not ended.
        let ended = job.stderr.lines().find(|line| line.contains("ended with the job"));
        assert!(ended.is_none_or(|line| line.ends_with(": rank 0")), "{}", job.stderr);
        fs::remove_dir_all(&folder).unwrap();
    }
}

#[test]
fn hosts_come_from_a_file_in_which_ranks_fill_them() {
    let folder = folder_with_ssh(1);
    let file = folder.join("hosts");
    fs::write(&file, "# two\na slots=2\nb:3\n").unwrap();
    let file = file.to_str().unwrap();
    let script = ["--launcher", "sh -c {cmd}", "sh", "-c", "echo $LOCAL_WORLD_SIZE"];
    for (ranks, expected) in [(&[][..], "2 2 3 3 3"), (&["-n", "3"], "2 2 1"), (&["-n", "1"], "1")] {
        let job = finish(anyccl(&[&["run", "--hostfile", file], ranks, &script].concat()));
        assert_eq!(job.code(), 0, "{}", job.stderr);
        let sizes: Vec<String> = job.sorted_lines().iter().map(|line| line[4..].to_string()).collect();
        assert_eq!(sizes.join(" "), expected);
    }
    let job = finish(anyccl(&["run", "--hostfile", "no-such-file", "true"]));
    assert_eq!(job.code(), 2);
    assert!(job.stderr.contains("no-such-file: No such file"), "{}", job.stderr);
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn the_store_listens_in_the_range_of_ports_that_the_user_has_opened() {
    let port = ReservedPort::new().unwrap();
    let in_range = |range: &str| {
        let mut command = anyccl(&[&["run"][..], &HERE, &["sh", "-c", "echo $ANYCCL_STORE"]].concat());
        command.env("ANYCCL_PORT_RANGE", range);
        finish(command)
    };
    let job = in_range(&format!("{0}-{0}", port.number()));
    let wanted = format!(":{}?", port.number());
    assert_eq!(job.code(), 0, "{}", job.stderr);
    assert!(job.sorted_lines().iter().all(|line| line.contains(&wanted)), "{:?}", job.sorted_lines());
    let job = in_range("low-high");
    assert_eq!(job.code(), 2);
    assert!(job.stderr.contains("ANYCCL_PORT_RANGE") && job.stderr.contains("LOW-HIGH"), "{}", job.stderr);
}

/// A folder with a library that has the name of MPICH's. It is a copy of another one, which needs no
/// compiler.
fn folder_with_mpi() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("mpi-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let library = maps
        .lines()
        .find_map(|line| line.find('/').map(|at| &line[at..]).filter(|p| p.contains("libgcc_s.so")));
    fs::copy(library.expect("Rust's programs use it"), folder.join("libmpi.so.12")).unwrap();
    folder
}

#[test]
fn another_mpi_on_the_hosts_is_told_once_with_the_host() {
    let folder = folder_with_mpi();
    let library = folder.join("libmpi.so.12");
    for script in ["echo started", "true"] {
        let job = run_here(&["-x", &format!("LD_PRELOAD={}", library.display())], script);
        assert_eq!(job.code(), 0, "{script}: {}", job.stderr);
        assert_eq!(job.stderr.matches("another MPI").count(), 1, "{script}: {}", job.stderr);
        let remark = format!("warning: the program uses another MPI, {}", library.display());
        assert!(
            job.stderr.starts_with("anyccl run: host ") && job.stderr.contains(&remark),
            "{}",
            job.stderr
        );
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn the_first_rank_that_fails_is_named_with_its_host_and_ends_the_ranks_of_all_hosts() {
    let job = run_here(&[], "if [ $ANYCCL_RANK = 2 ]; then exit 42; fi; exec sleep 1000");
    assert_eq!(job.code(), 42);
    assert!(job.stderr.contains("rank 2 on b (pid "), "{}", job.stderr);
    assert!(job.stderr.contains("ended with the job: ranks 0-1"), "{}", job.stderr);
    let job = run_here(&[], "if [ $ANYCCL_RANK = 1 ]; then kill -SEGV $$; fi; exec sleep 1000");
    assert_eq!(job.code(), 128 + libc::SIGSEGV);
}

#[test]
fn rank_0_reads_the_launchers_input_and_the_others_read_nothing() {
    let mut command = anyccl(&[&["run"][..], &HERE, &["--no-prefix", "sh", "-c", "cat; echo end"]].concat());
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // More than all the buffers on the way can hold.
    let text = "0123456789\n".repeat(200_000);
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn({
        let text = text.clone();
        move || stdin.write_all(text.as_bytes())
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success());
    let (from_rank_0, from_others) = (text.len(), 2 * "end\n".len());
    assert_eq!(output.stdout.len(), from_rank_0 + "end\n".len() + from_others);
}

/// A script that prints the pids of the rank and of a process that it has started, and waits.
const PIDS: &str = "sleep 1000 >/dev/null 2>&1 & echo $$ $!; wait";

#[test]
fn nothing_survives_on_any_host_when_the_launcher_is_killed() {
    let mut job = Running::script(3, &HERE, PIDS);
    let pids = numbers(&job.lines(3));
    job.signal(libc::SIGKILL);
    assert_all_gone(&pids);
    let _ = job.child.wait();
}

#[test]
fn nothing_survives_when_an_agent_is_killed_and_the_host_is_named() {
    let mut job = Running::script(3, &HERE, PIDS);
    let lines = job.lines(3);
    let of_rank_2 = numbers(&[lines[2].clone()])[0];
    let status = fs::read_to_string(format!("/proc/{of_rank_2}/status")).unwrap();
    let agent = status.lines().find_map(|line| line.strip_prefix("PPid:")).unwrap().trim().to_string();
    send_signal(agent.parse().unwrap(), libc::SIGKILL);
    let finished = job.finish();
    assert_eq!(finished.code(), 1);
    assert!(finished.stderr.contains("host b: "), "{}", finished.stderr);
    assert!(finished.stderr.contains("ended with the job: ranks 0-2"), "{}", finished.stderr);
    assert_all_gone(&numbers(&lines));
}

#[test]
fn signals_reach_the_ranks_of_all_hosts() {
    let mut job = Running::script(
        3,
        &HERE,
        "trap 'echo caught; exit 0' USR1; echo ready; while :; do sleep 0.01; done",
    );
    assert_eq!(job.lines(3).len(), 3);
    job.signal(libc::SIGUSR1);
    let finished = job.finish();
    assert_eq!(finished.code(), 0, "{}", finished.stderr);
    assert_eq!(finished.sorted_lines(), ["[0] caught", "[1] caught", "[2] caught"]);
}

#[test]
fn named_variables_are_passed_on_and_the_key_is_on_no_command_line() {
    // Uses the shell alone: a grep would have the key on its own command line.
    let script = "echo $GREETING $ANYCCL_LOG; all=$(cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ')
        case $all in *$ANYCCL_JOB_KEY*) echo shown;; *anyccl*) echo hidden;; esac";
    let mut command = anyccl(&["run", "--hosts", "a,b", "--launcher", "env -i {cmd}"]);
    command.arg("true");
    assert_ne!(finish(command).code(), 0, "a launcher needs a shell for its one word");
    let mut words =
        vec!["run", "--hosts", "a,b", "--launcher", "env -i PATH=/usr/bin:/bin sh -c {cmd}", "--no-prefix"];
    words.extend(["-x", "GREETING", "sh", "-c", script]);
    let mut command = anyccl(&words);
    command.env("GREETING", "good 'day'").env("ANYCCL_LOG", "error");
    let job = finish(command);
    assert_eq!(
        job.sorted_lines(),
        ["good 'day' error", "good 'day' error", "hidden", "hidden"],
        "{}",
        job.stderr
    );
}

#[test]
fn a_host_that_cannot_be_used_is_named_with_the_reason() {
    for (launcher, program, code, text) in [
        ("false {cmd}", "true", 1, ": the command that leads to its agent has ended, code 1"),
        ("echo {cmd}", "true", 1, ": something other than its agent answers"),
        ("no-such-launcher {cmd}", "true", 1, "cannot start \"no-such-launcher\" for host a"),
        ("sh -c {cmd}", "no-such-program", 127, ": program \"no-such-program\" not found"),
        ("ssh {host}", "true", 2, "words of which one is {cmd}"),
    ] {
        let job = finish(anyccl(&["run", "--hosts", "a,b", "--launcher", launcher, program]));
        assert_eq!(job.code(), code, "{}", job.stderr);
        // Either of the two hosts may report first.
        let host = ["host a", "host b"].iter().any(|host| job.stderr.contains(&format!("{host}{text}")));
        assert!(host || job.stderr.contains(text) && !text.starts_with(':'), "{}", job.stderr);
        assert!(!job.stderr.contains("SIGKILL"), "{}", job.stderr);
    }
    let job = finish(anyccl(&["run", "-n", "3", "--hosts", "a:1,b:1", "true"]));
    assert_eq!(job.code(), 2, "{}", job.stderr);
}

#[test]
fn ranks_in_network_namespaces_find_each_other_and_end_with_the_launcher() {
    let Some(network) = network_or_skip(2) else { return };
    let hosts = format!("{}:2,{}:2", network.name(0), network.name(1));
    // Within the first host, where a launcher would run.
    let start = |words: &[&str]| {
        let prefix = network.prefix(0);
        let mut command = Command::new(&prefix[0]);
        command.args(&prefix[1..]).arg(env!("CARGO_BIN_EXE_anyccl"));
        command.args(["run", "--timeout", "60", "--hosts", &hosts]);
        command
            .args(["--launcher", "ip netns exec {host} sh -c {cmd}", "--"])
            .args(words)
            .stdin(Stdio::null());
        command
    };
    let job = finish(start(&[env!("CARGO_BIN_EXE_anyccl"), "perf", "all_reduce", "-e", "4K", "--check"]));
    assert_eq!(job.code(), 0, "{}", job.stderr);

    let mut command = start(&["sh", "-c", PIDS]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut job = Running::of(command.spawn().unwrap());
    let pids = numbers(&job.lines(4));
    job.signal(libc::SIGKILL);
    assert_all_gone(&pids);
    let _ = job.child.wait();
}

/// An `ssh` that leads to a namespace. Like the real one, it gives the host one line, with the words
/// separated by spaces. A shell that starts in another folder, and has none of this environment, runs the
/// line.
const SSH: &str = r#"#!/bin/sh
while :; do case $1 in -o) shift 2;; -*) shift;; *) break;; esac; done
host=$1; shift
cd / && exec ip netns exec "$host" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/ /bin/sh -c "$*"
"#;

#[test]
fn ssh_leads_to_hosts_that_know_nothing_of_the_launchers_environment() {
    let Some(network) = network_or_skip(2) else { return };
    let folder = std::env::temp_dir().join(format!("anyccl-ssh-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let ssh = folder.join("ssh");
    fs::write(&ssh, SSH).unwrap();
    fs::set_permissions(&ssh, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let hosts = format!("{}:1,{}:2", network.name(0), network.name(1));
    // Within the first host, where a launcher would run.
    let start = |words: &[&str]| {
        let prefix = network.prefix(0);
        let mut command = Command::new(&prefix[0]);
        command.args(&prefix[1..]).arg(env!("CARGO_BIN_EXE_anyccl"));
        command.args(["run", "--timeout", "60", "--hosts", &hosts, "--launcher", "ssh", "--"]);
        command.args(words).env("PATH", &path).env("ANYCCL_LOG", "error").stdin(Stdio::null());
        finish(command)
    };
    let job = start(&["sh", "-c", "echo $ANYCCL_RANK of $ANYCCL_WORLD_SIZE, log $ANYCCL_LOG"]);
    let checked = start(&[env!("CARGO_BIN_EXE_anyccl"), "perf", "all_reduce", "-e", "4K", "--check"]);
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(job.code(), 0, "{}", job.stderr);
    let expected = ["[0] 0 of 3, log error", "[1] 1 of 3, log error", "[2] 2 of 3, log error"];
    assert_eq!(job.sorted_lines(), expected, "{}", job.stderr);
    assert_eq!(checked.code(), 0, "{}", checked.stderr);
}
