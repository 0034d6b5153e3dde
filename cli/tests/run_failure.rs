//! Tests of how `anyccl run` ends a job, and of its report.

use std::process::Command;

use crate::common::{Running, anyccl, assert_all_gone, finish, numbers, run_script};

#[test]
fn the_exit_code_is_that_of_the_rank_that_failed() {
    assert_eq!(run_script(4, &[], "true").code(), 0);
    let job = run_script(4, &[], "if [ $ANYCCL_RANK = 2 ]; then exit 42; fi; exec sleep 1000");
    assert_eq!(job.code(), 42);
    assert!(job.stderr.contains("rank 2 (pid "), "{}", job.stderr);
    assert!(job.stderr.contains("program \"sh\") exited with status 42"), "{}", job.stderr);
    assert!(job.stderr.contains("ended with the job: ranks 0-1, 3"), "{}", job.stderr);
}

#[test]
fn a_signal_that_ends_a_rank_is_named_and_becomes_128_and_its_number() {
    let job = run_script(2, &[], "if [ $ANYCCL_RANK = 1 ]; then kill -SEGV $$; fi; exec sleep 1000");
    assert_eq!(job.code(), 128 + libc::SIGSEGV);
    assert!(job.stderr.contains("was ended by SIGSEGV"), "{}", job.stderr);
}

#[test]
fn a_rank_that_the_limit_on_file_sizes_has_ended_is_told_what_to_raise() {
    let file = std::env::temp_dir().join(format!("anyccl-run-limit-{}", std::process::id()));
    let script = format!("ulimit -f 1; exec head -c 100000 /dev/zero >{}", file.display());
    let job = run_script(1, &[], &script);
    std::fs::remove_file(file).unwrap();
    assert_eq!(job.code(), 128 + libc::SIGXFSZ);
    assert!(job.stderr.contains("was ended by SIGXFSZ: "), "{}", job.stderr);
    assert!(job.stderr.contains("raise it by ulimit -f\n"), "{}", job.stderr);
}

#[test]
fn the_report_repeats_the_last_library_error_and_the_last_lines() {
    // Rank 1 writes so much at its end that the output of rank 0 is out of sight.
    let ready = std::env::temp_dir().join(format!("anyccl-run-failure-{}", std::process::id()));
    let script = format!(
        "if [ $ANYCCL_RANK = 1 ]; then
            trap 'i=0; while [ $i -lt 40 ]; do echo more $i; i=$((i + 1)); done; exit 0' TERM
            : > {ready}; while :; do sleep 1000 >/dev/null 2>&1 & wait $!; done
        fi
        while [ ! -e {ready} ]; do :; done
        echo 'anyccl: error: first' >&2; echo 'anyccl: error: rank 3 was lost' >&2
        for i in 1 2 3 4 5 6 7; do echo line $i >&2; done; printf 'no newline' >&2; exit 9",
        ready = ready.display()
    );
    let job = run_script(2, &["--grace", "30"], &script);
    std::fs::remove_file(ready).unwrap();
    assert_eq!(job.code(), 9);
    assert!(job.stderr.contains("last library error of rank 0: rank 3 was lost\n"), "{}", job.stderr);
    let report = job.stderr.split_once("on standard error:\n").unwrap().1;
    let last: Vec<&str> = report.lines().map(|line| line.trim_start_matches("anyccl run:").trim()).collect();
    assert_eq!(last, ["line 4", "line 5", "line 6", "line 7", "no newline"]);
}

#[test]
fn a_failure_that_every_rank_logs_and_prints_is_one_sentence_and_the_odd_rank_is_named() {
    let script = r#"
        sum='all_reduce(int32 sum, count 3)'; max='all_reduce(int32 max, count 3)'
        what='the ranks disagree in call #1 of "world": rank 0 called '"$sum, rank 2 called $max"
        [ $ANYCCL_RANK = 2 ] && own="$max" || own="$sum"
        [ $ANYCCL_RANK = 0 ] || what="$what (reported by rank 0 (host vm, pid 7))"
        echo "anyccl: error: rank $ANYCCL_RANK of \"world\", in $own: $what" >&2
        echo "mine.c:12: mismatch: anyccl_all_reduce: $what" >&2
        exit 1"#;
    let job = run_script(4, &[], script);
    assert_eq!(job.code(), 1);
    assert_eq!(job.stderr.matches("the ranks disagree").count(), 1, "{}", job.stderr);
    assert_eq!(
        job.stderr.matches("mine.c:12: mismatch: anyccl_all_reduce: (as above)\n").count(),
        4,
        "{}",
        job.stderr
    );
    let odd = "anyccl run: rank 2 called all_reduce(int32 max, count 3); 3 of the others called all_reduce(int32 sum";
    assert!(job.stderr.contains(odd), "{}", job.stderr);
    // Without prefixes output passes byte for byte.
    let job = run_script(4, &["--no-prefix"], script);
    assert_eq!(job.stderr.matches("the ranks disagree").count(), 8, "{}", job.stderr);
}

#[test]
fn a_rank_that_left_the_others_with_code_0_is_named_before_those_that_failed() {
    let script = r#"
        [ $ANYCCL_RANK = 1 ] && exit 0
        what='rank 1 (host vm, pid 7) was killed, crashed or ended without finalizing while this rank was in barrier #2'
        echo "anyccl: error: rank $ANYCCL_RANK of \"world\": $what" >&2
        exit 3"#;
    let job = run_script(3, &[], script);
    assert_eq!(job.code(), 3, "{}", job.stderr);
    let report: Vec<&str> = job.stderr.lines().filter_map(|line| line.strip_prefix("anyccl run: ")).collect();
    assert_eq!(report[0], "rank 1 exited with status 0 while others were still in the job", "{}", job.stderr);
    assert!(report[1].contains(") exited with status 3"), "{}", job.stderr);
    // A rank that has finalized is missed by nobody.
    let job = run_script(3, &[], "[ $ANYCCL_RANK = 1 ] && exit 0; exit 3");
    assert!(!job.stderr.contains("status 0"), "{}", job.stderr);
}

#[test]
fn the_report_does_not_repeat_a_line_that_is_still_on_the_screen() {
    let job = run_script(1, &[], "echo 'anyccl: error: rank 3 was lost' >&2; exit 9");
    assert_eq!(job.stderr.matches("rank 3 was lost").count(), 1, "{}", job.stderr);
}

/// A script in which rank 1 dies; rank 0 waits for that, and then does what `then` says.
fn survives_rank_1(then: &str) -> String {
    format!(
        "if [ $ANYCCL_RANK = 1 ]; then kill -KILL $$; fi
        # A second has passed when the launcher would have ended this rank.
        trap 'echo ended by the launcher; exit 9' TERM
        i=0; while [ $i -lt 30 ]; do i=$((i + 1)); sleep 0.05; done; {then}"
    )
}

#[test]
fn a_job_that_keeps_going_outlives_a_rank_that_was_killed() {
    let job = run_script(3, &["--keep-going"], &survives_rank_1("echo done; exit 0"));
    assert_eq!(job.code(), 0, "{}", job.stderr);
    assert_eq!(job.sorted_lines(), ["[0] done", "[2] done"]);
    assert!(job.stderr.contains("lost on the way: rank 1 was ended by SIGKILL"), "{}", job.stderr);
}

#[test]
fn a_job_that_keeps_going_fails_when_a_survivor_does() {
    let job = run_script(2, &["--keep-going"], &survives_rank_1("exit 3"));
    assert_eq!(job.code(), 3, "{}", job.stderr);
    assert!(job.stderr.contains("rank 0 (pid "), "{}", job.stderr);
    assert!(job.stderr.contains("soon after: rank 1 was ended by SIGKILL"), "{}", job.stderr);
}

/// A script in which rank 1 exits with 5 on SIGUSR1; the others do what `others` says, and wait.
fn fails_on_signal(others: &str) -> String {
    format!(
        "if [ $ANYCCL_RANK = 1 ]; then trap 'exit 5' USR1; else trap '' USR1; {others}; fi
        sleep 1000 >/dev/null 2>&1 & echo $$ $!
        while :; do wait; done"
    )
}

#[test]
fn the_first_failure_ends_ranks_that_ignore_sigterm_and_what_they_have_started() {
    let mut job = Running::script(3, &["--grace", "0.1"], &fails_on_signal("trap '' TERM"));
    let pids = numbers(&job.lines(3));
    assert_eq!(pids.len(), 6);
    job.signal(libc::SIGUSR1);
    let job = job.finish();
    assert_eq!(job.code(), 5, "{}", job.stderr);
    assert!(job.stderr.contains("ended with the job: ranks 0, 2"), "{}", job.stderr);
    assert_all_gone(&pids);
}

#[test]
fn ranks_get_time_to_clean_up_after_sigterm() {
    let cleaning = fails_on_signal("trap 'echo cleaned up; exit 0' TERM");
    let mut job = Running::script(3, &["--grace", "30"], &cleaning);
    job.lines(3);
    job.signal(libc::SIGUSR1);
    let job = job.finish();
    assert_eq!(job.code(), 5, "{}", job.stderr);
    assert_eq!(job.sorted_lines(), ["[0] cleaned up", "[2] cleaned up"]);
}

#[test]
fn a_program_that_is_not_there_gives_one_clear_error() {
    for name in ["no-such-program", "./no-such-program"] {
        let job = finish(anyccl(&["run", "-n", "3", name]));
        assert_eq!(job.code(), 127);
        assert!(job.stderr.contains(&format!("program \"{name}\" not found")), "{}", job.stderr);
        assert_eq!(job.stderr.lines().count(), 1, "{}", job.stderr);
    }
    assert_eq!(finish(anyccl(&["run", "-n", "1", "/dev/null"])).code(), 126);
}

#[test]
fn a_file_that_the_launcher_cannot_open_is_named_instead_of_the_program() {
    let namespace = ["--user", "--map-root-user", "--mount"];
    if !Command::new("unshare").args(namespace).arg("true").status().is_ok_and(|status| status.success()) {
        crate::network::skip("an empty /dev needs unshare and a namespace of users");
        return;
    }
    let script = r#"mount -t tmpfs none /dev; exec "$0" run -n 3 /bin/true"#;
    let mut command = Command::new("unshare");
    command.args(namespace).args(["sh", "-c", script, env!("CARGO_BIN_EXE_anyccl")]);
    let job = finish(command);
    assert_eq!(job.code(), 1, "{}", job.stderr);
    assert!(
        job.stderr.contains("cannot open /dev/null") && job.stderr.lines().count() == 1,
        "{}",
        job.stderr
    );
}

#[test]
fn impossible_numbers_of_ranks_are_refused() {
    for ranks in ["0", "65537", "-1", "many"] {
        let job = finish(anyccl(&["run", "-n", ranks, "true"]));
        assert_eq!(job.code(), 2, "{ranks}");
        assert!(job.stderr.contains("expected a whole number from 1 to 65536"), "{ranks}: {}", job.stderr);
    }
    assert_eq!(finish(anyccl(&["run", "true"])).code(), 2);
}

#[test]
fn np_is_another_name_of_n() {
    assert_eq!(finish(anyccl(&["run", "-np", "2", "true"])).code(), 0);
    assert_eq!(finish(anyccl(&["run", "-np", "0", "true"])).code(), 2);
}

/// A rank that ends in its own way before it joins; the others join and wait.
fn rank_1_never_joins(end: &str) -> String {
    let tool = env!("CARGO_BIN_EXE_anyccl");
    format!("if [ $ANYCCL_RANK = 1 ]; then {end}; fi; exec {tool} perf barrier --iterations 1")
}

#[test]
fn ranks_that_wait_for_one_that_has_ended_are_told_at_once() {
    // Longer than the limit of the job, so waiting would end it with code 124.
    let options = ["-x", "ANYCCL_TIMEOUT_MS=200000"];
    let job = run_script(3, &options, &rank_1_never_joins("exit 0"));
    assert_eq!(job.code(), 1, "{}", job.stderr);
    assert!(job.stderr.contains("rank 1 ended with exit code 0 before it joined"), "{}", job.stderr);
    let job = run_script(3, &[&options[..], &["--keep-going"]].concat(), &rank_1_never_joins("kill -9 $$"));
    assert_eq!(job.code(), 1, "{}", job.stderr);
    assert!(job.stderr.contains("rank 1 was ended by SIGKILL before it joined"), "{}", job.stderr);
}

#[test]
fn ranks_that_join_one_world_after_the_other_are_not_taken_for_ended() {
    let tool = env!("CARGO_BIN_EXE_anyccl");
    let once = format!("{tool} perf barrier --iterations 1 >/dev/null");
    let job = run_script(3, &[], &format!("{once} && {once}"));
    assert_eq!(job.code(), 0, "{}", job.stderr);
}

#[test]
fn a_job_that_takes_too_long_is_ended() {
    let job = finish(anyccl(&["run", "-n", "2", "--timeout", "0.05", "sleep", "1000"]));
    assert_eq!(job.code(), 124);
    assert!(job.stderr.contains("--timeout"), "{}", job.stderr);
}

#[test]
fn processes_that_a_successful_rank_leaves_behind_are_ended() {
    let job = run_script(2, &[], "sleep 1000 >/dev/null 2>&1 & echo $!");
    assert_eq!(job.code(), 0, "{}", job.stderr);
    assert_all_gone(&numbers(&job.sorted_lines()));
}

#[test]
fn output_that_a_left_process_still_writes_is_waited_for() {
    // The rank itself exits before its child has written anything.
    let job = run_script(
        1,
        &["--grace", "30"],
        "(while kill -0 $$ 2>/dev/null && grep -q 'State:.[RSD]' /proc/$$/status; do :; done; echo late) & exit 0",
    );
    assert_eq!((job.code(), job.sorted_lines()), (0, vec!["[0] late".to_string()]));
}
