//! Tests of `anyccl status` on running jobs.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::fake_gpus::fresh_folder;
use crate::common::{anyccl, assert_all_gone, finish, send_signal};

/// A job that measures for ever, and is ended with the test.
struct Endless(Child);

impl Endless {
    fn start(ranks: &str) -> Endless {
        Endless::start_by(&[], &["-n", ranks])
    }

    /// `before`: arguments of the tool that starts the ranks, if they do not start themselves.
    fn start_by(before: &[&str], after: &[&str]) -> Endless {
        let mut command = anyccl(before);
        command.args([
            "perf",
            "all_reduce",
            "-b",
            "8",
            "-e",
            "8",
            "--iterations",
            "1000000000",
            "--no-check",
        ]);
        Endless(command.args(after).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    /// The processes that the tool has started, among them the ranks.
    fn ranks(&self) -> Vec<u32> {
        let mut found = vec![self.0.id()];
        for at in 0.. {
            let Some(pid) = found.get(at) else { break };
            let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
            found.extend(children.split_whitespace().map(|child| child.parse::<u32>().unwrap()));
        }
        found.split_off(1)
    }

    /// The ranks of its communicator, once they are as `is_expected` says.
    fn await_ranks(&self, is_expected: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        let deadline = Instant::now() + Duration::from_secs(60);
        let mut last = String::new();
        loop {
            assert!(Instant::now() < deadline, "it never came: {last}");
            for rank in self.ranks() {
                let said = finish(anyccl(&["status", "--json", &rank.to_string()]));
                if said.status.success() {
                    last = String::from_utf8(said.stdout).unwrap();
                    let said: Value = serde_json::from_str(&last).unwrap();
                    let ranks = said["jobs"][0]["communicators"][0]["ranks"].as_array().unwrap();
                    if is_expected(ranks) {
                        return ranks.clone();
                    }
                }
            }
            thread::yield_now();
        }
    }
}

impl Drop for Endless {
    fn drop(&mut self) {
        let ranks = self.ranks();
        self.0.kill().unwrap();
        self.0.wait().unwrap();
        // Its watchdog ends the others.
        assert_all_gone(&ranks);
    }
}

fn pid(rank: &Value) -> u32 {
    rank["pid"].as_u64().unwrap() as u32
}

#[test]
fn a_stopped_rank_is_named_first_and_the_others_say_what_they_wait_for() {
    let job = Endless::start("3");
    let runs = |rank: &Value| rank["state"] == "runs";
    let ranks = job.await_ranks(|ranks| ranks.len() == 3 && ranks.iter().all(|r| r["calls"] != 0 && runs(r)));
    let stopped = pid(&ranks[1]);
    send_signal(stopped, libc::SIGSTOP);
    let waits = |rank: &Value| rank["state"] == "waits";
    let ranks = job.await_ranks(|ranks| ranks[1..].iter().all(waits));
    assert_eq!((&ranks[0]["state"], pid(&ranks[0])), (&Value::from("stopped"), stopped));
    for rank in &ranks[1..] {
        let text = rank["waits_for"].as_str().unwrap();
        // The ranks measure in all_reduce, and meet in barriers in between.
        assert!(text.contains(&format!("pid {stopped}")) && text.contains(" on \"world\": rank "), "{text}");
    }
    let said = finish(anyccl(&["status", &stopped.to_string()]));
    let text = String::from_utf8(said.stdout).unwrap();
    assert!(text.contains("2 wait; look at rank 1\n    rank 1 (pid"), "{text}");
    send_signal(stopped, libc::SIGCONT);
    job.await_ranks(|ranks| ranks.iter().all(runs));
}

#[test]
fn the_last_operations_of_a_running_job_are_written_and_compared() {
    let job = Endless::start("2");
    let runs = |rank: &Value| rank["state"] == "runs" && rank["calls"].as_u64() > Some(100);
    let ranks = job.await_ranks(|ranks| ranks.len() == 2 && ranks.iter().all(runs));
    send_signal(pid(&ranks[0]), libc::SIGSTOP);
    job.await_ranks(|ranks| ranks[0]["state"] == "stopped" && ranks[1]["state"] == "waits");
    let folder = std::env::temp_dir().join(format!("anyccl-status-{}", std::process::id()));
    let folder = folder.to_str().unwrap();
    let said = finish(anyccl(&["status", &pid(&ranks[0]).to_string(), "--dump", folder]));
    assert_eq!(said.code(), 0, "{}", said.stderr);
    let said = finish(anyccl(&["trace", "show", folder, "--json"]));
    assert_eq!(said.code(), 0, "{}", said.stderr);
    let comms: Value = serde_json::from_slice(&said.stdout).unwrap();
    let comms = comms["communicators"].as_array().unwrap();
    let comm = comms.iter().max_by_key(|comm| comm["compared"].as_u64()).unwrap();
    // The other rank may have been a few calls behind.
    assert!(comm["compared"].as_u64() > Some(50), "{comm}");
    assert_eq!((&comm["size"], &comm["unknown"]), (&Value::from(2), &Value::Array(Vec::new())));
    assert_eq!(comm["latest"].as_array().unwrap().len(), 10);
    let said = finish(anyccl(&["trace", "show", folder]));
    let text = String::from_utf8(said.stdout).unwrap();
    assert!(text.contains("who kept the others waiting:\n    rank "), "{text}");
    fs::remove_dir_all(folder).unwrap();
    let said = finish(anyccl(&["trace", "show", folder]));
    assert!(said.code() == 1 && said.stderr.contains("cannot read"), "{}", said.stderr);
}

#[test]
fn a_process_without_a_communicator_is_an_error() {
    let said = finish(anyccl(&["status", "1"]));
    assert_eq!(said.code(), 1);
    assert!(said.stderr.contains("process 1 has no communicator"), "{}", said.stderr);
}

/// Runs a command in the PID and mount namespaces of a process.
fn within(pid: u32, words: &[&str]) -> Command {
    let mut command = Command::new("nsenter");
    command.args(["-t", &pid.to_string(), "-p", "-m", env!("CARGO_BIN_EXE_anyccl")]).args(words);
    command
}

#[test]
fn ranks_on_other_hosts_are_seen_once_each_if_these_are_named() {
    const APART: &str = "unshare --pid --fork --mount-proc sh -c {cmd}";
    let is_possible = Command::new("unshare").args(["--pid", "--fork", "--mount-proc", "true"]).status();
    if !is_possible.is_ok_and(|status| status.success()) {
        crate::network::skip("ranks that do not see each other need PID namespaces, and so root");
        return;
    }
    let tool = env!("CARGO_BIN_EXE_anyccl");
    let job = Endless::start_by(&["run", "--hosts", "a:2,b:1", "--launcher", APART, tool], &[]);
    let ranks = job.await_ranks(|ranks| ranks.len() == 3 && ranks.iter().all(|rank| rank["state"] == "runs"));
    let far = pid(&ranks[2]);
    send_signal(far, libc::SIGSTOP);
    job.await_ranks(|ranks| {
        ranks[0]["state"] == "stopped" && ranks[1..].iter().all(|rank| rank["state"] == "waits")
    });
    // What is seen on the far host. A launcher that reads it stands for one that goes there.
    let folder = fresh_folder("status-hosts");
    let write = |name, bytes: &[u8]| fs::write(folder.join(name), bytes).unwrap();
    let said = finish(within(far, &["status-pages"]));
    write("pages", &said.stdout);
    write("script", b"cat ${0%script}$1");
    let launcher = format!("sh {} {{host}} {{cmd}}", folder.join("script").display());
    let status = |hosts| {
        let said =
            finish(within(pid(&ranks[0]), &["status", "--json", "--hosts", hosts, "--launcher", &launcher]));
        let report: Value = serde_json::from_slice(&said.stdout).unwrap();
        (report["jobs"][0]["communicators"][0]["ranks"].as_array().unwrap().clone(), report, said.code())
    };
    let states = |ranks: &[Value]| {
        ranks.iter().map(|rank| rank["state"].as_str().unwrap().to_string()).collect::<Vec<_>>()
    };
    write("again", &said.stdout);
    let (seen, report, code) = status("pages,again");
    assert_eq!(
        (states(&seen), code),
        (["stopped", "waits", "waits"].map(str::to_string).to_vec(), 0),
        "{report}"
    );
    assert_eq!((&seen[0]["host"], &seen[1]["host"]), (&Value::from("pages"), &Value::Null));
    assert_eq!(report["jobs"][0]["processes"].as_array().unwrap().len(), 3);
    // A host that cannot be seen hides no other, and is named.
    write("half", &said.stdout[..said.stdout.len() / 2]);
    write("noise", b"Welcome to this machine\n");
    for (host, complaint) in
        [("half", "something other"), ("noise", "something other"), ("nobody", "No such file")]
    {
        let (seen, report, code) = status(host);
        assert_eq!(
            (states(&seen), code),
            (["waits", "waits", "elsewhere"].map(str::to_string).to_vec(), 1),
            "{report}"
        );
        let error = report["other_hosts"][0]["error"].as_str().unwrap();
        assert!(error.contains(complaint), "{error}");
    }
    let said = finish(anyccl(&["status", "--hosts=-oProxyCommand=x"]));
    assert!(said.code() == 2 && said.stderr.contains("expected names of hosts"), "{}", said.stderr);
}
