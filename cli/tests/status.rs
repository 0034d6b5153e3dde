//! Tests of `anyccl status` on running jobs.

use std::fs;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::{anyccl, assert_all_gone, finish, send_signal};

/// A job that measures for ever, and is ended with the test.
struct Endless(Child);

impl Endless {
    fn start(ranks: &str) -> Endless {
        let mut command = anyccl(&["perf", "all_reduce", "-n", ranks, "-b", "8", "-e", "8"]);
        command.args(["--iterations", "1000000000", "--no-check"]);
        Endless(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    /// The processes of the ranks, which the tool starts.
    fn ranks(&self) -> Vec<u32> {
        let pid = self.0.id();
        let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
        children.split_whitespace().map(|child| child.parse().unwrap()).collect()
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
        ranks.iter().for_each(|rank| send_signal(*rank, libc::SIGKILL));
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
        assert!(text.contains(&format!("pid {stopped}")) && text.contains("all_reduce"), "{text}");
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
