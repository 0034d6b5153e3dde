//! Tests of what `anyccl run` gives to its ranks: variables and cores.

use std::collections::BTreeSet;
use std::thread::available_parallelism;

use crate::common::{anyccl, finish, run_script};

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
fn every_rank_finds_the_variables_of_torchrun() {
    let script = "echo $RANK $LOCAL_RANK $WORLD_SIZE $LOCAL_WORLD_SIZE $MASTER_ADDR $MASTER_PORT";
    let lines = run_script(2, &["--no-prefix", "-x", "MASTER_ADDR=localhost"], script).sorted_lines();
    let port = lines[0].split(' ').next_back().unwrap().to_string();
    assert!(port.parse::<u16>().is_ok_and(|port| port > 0), "{lines:?}");
    assert_eq!(lines, [format!("0 0 2 2 localhost {port}"), format!("1 1 2 2 localhost {port}")]);
    assert_eq!(run_script(1, &["--no-prefix"], "echo $MASTER_ADDR").sorted_lines(), ["127.0.0.1"]);
}

#[test]
fn a_variable_that_nobody_knows_is_told_once_with_the_one_that_is_meant() {
    let mut tool = anyccl(&["perf", "-np", "2", "barrier"]);
    tool.env("ANYCCL_TRANPORT", "tcp");
    let job = finish(tool);
    assert_eq!(job.code(), 0, "{}", job.stderr);
    assert_eq!(job.stderr.matches("ANYCCL_TRANPORT").count(), 1, "{}", job.stderr);
    assert!(job.stderr.contains("did you mean ANYCCL_TRANSPORT?"), "{}", job.stderr);
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
