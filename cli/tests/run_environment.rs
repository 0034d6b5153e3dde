//! Tests of what `anyccl run` gives to its ranks: variables and cores.

mod common;

use std::collections::BTreeSet;
use std::thread::available_parallelism;

use common::{anyccl, finish, run_script};

#[test]
fn every_rank_finds_the_job_in_its_environment() {
    let script = "echo $ANYCCL_RANK $ANYCCL_WORLD_SIZE $ANYCCL_STORE $ANYCCL_JOB_KEY $EXTRA";
    let lines = run_script(3, &["-x", "EXTRA=a=b"], script).sorted_lines();
    let words: Vec<Vec<&str>> = lines.iter().map(|line| line.split(' ').collect()).collect();
    for (rank, words) in words.iter().enumerate() {
        assert_eq!(words[1..3], [rank.to_string().as_str(), "3"]);
        assert!(words[3].starts_with("tcp://127.0.0.1:") && words[3].ends_with("?served=1"), "{words:?}");
        assert_eq!((words[4].len(), words[4].chars().all(|c| c.is_ascii_hexdigit())), (64, true));
        assert_eq!(words[5], "a=b");
    }
    assert_eq!(words.iter().map(|words| &words[3..]).collect::<BTreeSet<_>>().len(), 1);
}

#[test]
fn every_job_has_a_key_of_its_own() {
    let key = || run_script(1, &[], "echo $ANYCCL_JOB_KEY").stdout;
    assert_ne!(key(), key());
}

#[test]
fn variables_of_the_launcher_cannot_be_set_by_the_user() {
    for wrong in ["ANYCCL_RANK=1", "ANYCCL_JOB_KEY=0", "novalue", "=x"] {
        let job = finish(anyccl(&["run", "-n", "1", "-x", wrong, "true"]));
        assert_eq!(job.code(), 2, "{wrong}: {}", job.stderr);
    }
}

const CORES: &str = "grep Cpus_allowed_list /proc/self/status";

fn allowed(lines: &[String]) -> Vec<&str> {
    lines.iter().map(|line| line.split_whitespace().next_back().unwrap()).collect()
}

#[test]
fn a_rank_per_core_gets_a_core_of_its_own() {
    let cores = available_parallelism().unwrap().get();
    let lines = run_script(cores, &[], CORES).sorted_lines();
    let single = allowed(&lines).into_iter().map(|list| list.parse::<usize>().expect("one core"));
    assert_eq!(single.collect::<BTreeSet<_>>().len(), cores);
}

#[test]
fn more_ranks_than_cores_get_one_core_each() {
    let cores = available_parallelism().unwrap().get();
    let lines = run_script(2 * cores, &[], CORES).sorted_lines();
    let single: Vec<usize> =
        allowed(&lines).into_iter().map(|list| list.parse().expect("one core")).collect();
    assert_eq!(single.len(), 2 * cores);
    assert_eq!(single.iter().collect::<BTreeSet<_>>().len(), cores);
}

#[test]
fn ranks_that_are_not_bound_may_use_every_core_of_the_launcher() {
    let lines = run_script(2, &["--bind", "none"], CORES).sorted_lines();
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let own = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap().trim();
    assert_eq!(allowed(&lines), [own, own]);
}

#[test]
fn the_limit_on_open_files_is_the_launchers_own() {
    let mut command = std::process::Command::new("sh");
    let script = "ulimit -Sn 64; exec \"$0\" run -n 40 sh -c 'ulimit -Sn'";
    command.args(["-c", script, env!("CARGO_BIN_EXE_anyccl")]);
    let job = finish(command);
    assert_eq!(job.code(), 0, "{}", job.stderr);
    let lines = job.sorted_lines();
    assert_eq!(lines.len(), 40);
    assert!(lines.iter().all(|line| line.ends_with(" 64")), "{lines:?}");
}
