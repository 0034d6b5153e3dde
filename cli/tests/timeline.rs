//! Tests of what ranks count and record: time lines and their report, metrics, profile.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::{Finished, Folder, anyccl, finish, script_command};

/// A job of 3 ranks that reduces and scatters 3 blocks of 1000 floats some times, and makes other calls.
fn job() -> Command {
    let mut command = anyccl(&["perf", "reduce_scatter", "-n", "3", "-b", "12000", "-e", "12000"]);
    command.args(["--iterations", "2", "--no-check"]).env("ANYCCL_ALGORITHM", "reduce_scatter:ring");
    command
}

fn ended_well(command: Command) -> Finished {
    let ended = finish(command);
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    ended
}

fn report(folder: &str, more: &[&str]) -> Value {
    let mut command = anyccl(&["trace", "report", folder, "--json"]);
    command.args(more);
    serde_json::from_slice(&ended_well(command).stdout).unwrap()
}

/// The objects of each file of a folder.
fn files(folder: &str) -> Vec<Vec<Value>> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<Vec<Value>> =
        paths.map(|path| serde_json::from_slice(&fs::read(path).unwrap()).unwrap()).collect();
    files.sort_by_key(|file: &Vec<Value>| file[0]["args"]["rank"].as_u64());
    files
}

fn bars<'a>(file: &'a [Value], category: &'a str) -> impl Iterator<Item = &'a Value> {
    file.iter().filter(move |object| object["cat"] == category)
}

/// Begin and end, in nanoseconds.
fn span(bar: &Value) -> (i64, i64) {
    let number = |name: &str| (bar[name].as_f64().unwrap() * 1e3).round() as i64;
    (number("ts"), number("ts") + number("dur"))
}

fn lies_in(inner: &Value, outer: &Value) -> bool {
    let ((begin, end), (from, to)) = (span(inner), span(outer));
    from <= begin && end <= to
}

#[test]
fn a_time_line_has_each_call_with_its_rounds_and_messages_and_the_report_has_their_sums() {
    let folder = Folder::new("timeline");
    let mut command = job();
    command.env("ANYCCL_TRACE", folder.at("trace"));
    ended_well(command);
    let files = files(&folder.at("trace"));
    assert_eq!(files.len(), 3);
    let mut pairs: BTreeMap<(u64, u64), u64> = BTreeMap::new();
    for (rank, file) in (0u64..).zip(&files) {
        assert_eq!((&file[0]["name"], &file[0]["args"]["size"]), (&"anyccl".into(), &3.into()));
        let rings: Vec<&Value> = bars(file, "call").filter(|call| call["name"] == "reduce_scatter").collect();
        assert!(rings.len() >= 2);
        for call in &rings {
            assert_eq!(call["args"]["call"], "reduce_scatter(float32 sum, count 1000)");
            assert_eq!((&call["args"]["bytes"], &call["args"]["state"]), (&4000.into(), &"ended".into()));
            let number = &call["args"]["number"];
            let is_of_call = |bar: &&Value| bar["args"]["number"] == *number;
            // A ring of 3 ranks: 2 rounds, each with a message to the next rank and one from the one before.
            let rounds: Vec<&Value> = bars(file, "round").filter(is_of_call).collect();
            assert!(rounds.len() >= 2 && rounds.iter().all(|round| lies_in(round, call)), "{rounds:?}");
            let messages: Vec<&Value> = bars(file, "message").filter(is_of_call).collect();
            assert_eq!(messages.len(), 4, "{messages:?}");
            for message in messages {
                let round = rounds.iter().find(|round| round["args"]["round"] == message["args"]["round"]);
                assert!(lies_in(message, round.unwrap()), "{message} {round:?}");
                let peer = message["args"]["peer"].as_u64().unwrap();
                let is_send = message["name"].as_str().unwrap().starts_with("send");
                assert_eq!(peer, if is_send { (rank + 1) % 3 } else { (rank + 2) % 3 });
            }
        }
        let is_send = |bar: &&Value| bar["name"].as_str().unwrap().starts_with("send");
        // Those of collectives, and messages of the program.
        for send in bars(file, "message").chain(bars(file, "call")).filter(is_send) {
            let args = &send["args"];
            *pairs.entry((rank, args["peer"].as_u64().unwrap())).or_default() +=
                args["bytes"].as_u64().unwrap();
        }
    }
    let page = folder.at("page.html");
    let report = report(&folder.at("trace"), &["--html", &page]);
    let job = &report["jobs"][0];
    assert_eq!((&job["size"], &job["unknown"], &job["cut"]), (&3.into(), &[0; 0].into(), &[0; 0].into()));
    assert_eq!(job["ranks"].as_array().unwrap().len(), 3);
    for pair in job["pairs"].as_array().unwrap() {
        let key = (pair["from"].as_u64().unwrap(), pair["to"].as_u64().unwrap());
        assert_eq!(pair["bytes"].as_u64(), pairs.get(&key).copied(), "{pair}");
    }
    let whole = job["seconds"].as_f64().unwrap();
    for rank in job["ranks"].as_array().unwrap() {
        let of = |name: &str| rank[name].as_f64().unwrap();
        assert!((of("communication_seconds") + of("outside_seconds") - whole).abs() < 1e-6, "{rank}");
        assert!(of("waiting_seconds") <= of("communication_seconds"), "{rank}");
    }
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("<h2>Busiest pairs</h2>") && !page.contains("http://"), "{page}");
    let merged = folder.at("merged.json");
    ended_well(anyccl(&["trace", "merge", &folder.at("trace"), &merged]));
    let merged: Vec<Value> = serde_json::from_slice(&fs::read(merged).unwrap()).unwrap();
    assert_eq!(merged.len(), files.iter().map(Vec::len).sum::<usize>());
}

#[test]
fn a_time_line_that_was_cut_off_can_be_read_and_files_of_others_are_left_out() {
    let folder = Folder::new("cut");
    let mut command = job();
    command.env("ANYCCL_TRACE", folder.at("trace"));
    ended_well(command);
    for entry in fs::read_dir(folder.at("trace")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read(&path).unwrap();
        fs::write(&path, &text[..text.len() * 2 / 3]).unwrap();
    }
    let job = &report(&folder.at("trace"), &[])["jobs"][0];
    assert_eq!(job["cut"], Value::from([0, 1, 2].as_slice()));
    assert!(job["calls"].as_array().unwrap().iter().any(|class| class["call"] == "reduce_scatter"));
    let empty = finish(anyccl(&["trace", "report", folder.0.to_str().unwrap()]));
    assert_eq!(empty.code(), 1);
    assert!(empty.stderr.contains("has no time line of a rank"), "{}", empty.stderr);
    // Merged files, files of others and empty ones are left out; a rank's file is not written over.
    let trace = folder.at("trace");
    ended_well(anyccl(&["trace", "merge", &trace, &folder.at("trace/trace-all.json")]));
    fs::write(folder.at("trace/trace-x-rank-0.json"), "{\"name\":\"other\",\"ph\":\"X\"}\n{}\n").unwrap();
    fs::write(folder.at("trace/trace-y-rank-0.json"), "").unwrap();
    let again = finish(anyccl(&["trace", "report", &trace, "--json"]));
    assert_eq!(again.stderr.matches("left out").count(), 3, "{}", again.stderr);
    assert_eq!(report(&trace, &[])["jobs"][0], *job);
    let first = fs::read_dir(&trace).unwrap().map(|entry| entry.unwrap().path());
    let first = first.into_iter().find(|path| path.to_str().unwrap().ends_with("-rank-1.json")).unwrap();
    let refused = finish(anyccl(&["trace", "merge", &trace, first.to_str().unwrap()]));
    assert!(refused.stderr.contains("is the time line of a rank"), "{}", refused.stderr);
}

#[test]
fn a_full_disk_is_one_warning_of_each_rank_and_no_failure() {
    let folder = Folder::new("full");
    let tool = env!("CARGO_BIN_EXE_anyccl");
    // Writes beyond the limit of a file's size fail, as on a full disk.
    let script = format!(
        "trap '' XFSZ; ulimit -f 1; exec {tool} perf all_reduce -b 40000 -e 40000 --iterations 2 --no-check"
    );
    let mut command = script_command(2, &[], &script);
    // Shared memory counts as a file, too.
    command.env("ANYCCL_TRACE", folder.at("trace")).env("ANYCCL_TRANSPORT", "tcp");
    let ended = ended_well(command);
    let warnings = ended.stderr.matches("its file ends here").count();
    assert_eq!(warnings, 2, "{}", ended.stderr);
    let nowhere = Folder::new("nowhere");
    fs::write(nowhere.at("file"), "").unwrap();
    let mut command = job();
    command.env("ANYCCL_TRACE", nowhere.at("file")).env("ANYCCL_METRICS", "file:/dev/null/metrics.prom");
    let ended = ended_well(command);
    assert_eq!(ended.stderr.matches("no trace in").count(), 3, "{}", ended.stderr);
    assert_eq!(ended.stderr.matches("cannot write metrics to").count(), 3, "{}", ended.stderr);
}

/// Value of each line of a text of metrics whose name and labels contain these words.
fn values(text: &str, name: &str, label: &str) -> Vec<f64> {
    let is_it = |line: &&str| line.starts_with(&format!("{name}{{")) && line.contains(label);
    text.lines().filter(is_it).map(|line| line.rsplit(' ').next().unwrap().parse().unwrap()).collect()
}

#[test]
fn metrics_and_profile_count_each_call_of_each_rank() {
    let folder = Folder::new("metrics");
    let mut command = job();
    command.env("ANYCCL_METRICS", format!("file:{}", folder.at("m.prom"))).env("ANYCCL_PROFILE", "1");
    let ended = ended_well(command);
    let texts: Vec<String> =
        (0..3).map(|rank| fs::read_to_string(folder.at(&format!("m-{rank}.prom"))).unwrap()).collect();
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 3, "unfinished files were left");
    let made = values(&texts[0], "anyccl_calls_total", "call=\"reduce_scatter\"");
    assert!(made[0] >= 2.0);
    for text in &texts {
        assert_eq!(values(text, "anyccl_calls_total", "call=\"reduce_scatter\""), made);
        let bytes = values(text, "anyccl_call_bytes_total", "call=\"reduce_scatter\"");
        assert_eq!(bytes, [made[0] * 4000.0]);
        assert_eq!(values(text, "anyccl_calls_in_progress", "").iter().sum::<f64>(), 0.0);
        assert_eq!(values(text, "anyccl_call_errors_total", "").iter().sum::<f64>(), 0.0);
        assert!(values(text, "anyccl_sent_bytes_total", "shm")[0] > bytes[0]);
    }
    let lines = || ended.stderr.lines().map(|line| line.trim_start_matches("[0] ").trim());
    assert_eq!(lines().filter(|line| line.starts_with("anyccl: profile of ")).count(), 1, "{}", ended.stderr);
    let row = lines().find(|line| line.starts_with("reduce_scatter ")).unwrap();
    let calls: f64 = row.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert_eq!(calls, 3.0 * made[0], "{row}");
}

#[test]
fn metrics_are_answered_at_a_port_of_loopback_while_the_job_runs() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut command = anyccl(&["perf", "all_reduce", "-b", "8", "-e", "8"]);
    command.args(["--iterations", "1000000000", "--no-check"]).env("ANYCCL_METRICS", port.to_string());
    // Without -n, the tool itself is the rank.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let ask = |path: &str| -> Option<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
        write!(stream, "GET {path} HTTP/1.1\r\nHost: here\r\n\r\n").ok()?;
        let mut text = String::new();
        stream.read_to_string(&mut text).ok()?;
        Some(text)
    };
    let deadline = Instant::now() + Duration::from_secs(60);
    let text = loop {
        assert!(Instant::now() < deadline, "nothing answers");
        match ask("/metrics") {
            Some(text) if !values(&text, "anyccl_calls_total", "all_reduce").is_empty() => break text,
            _ => thread::yield_now(),
        }
    };
    assert!(text.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4"), "{text}");
    let later = ask("/metrics").unwrap();
    let calls = |text: &str| values(text, "anyccl_calls_total", "all_reduce")[0];
    assert!(calls(&later) >= calls(&text));
    assert!(ask("/elsewhere").unwrap().starts_with("HTTP/1.1 404"));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_target_of_metrics_that_makes_no_sense_is_an_error() {
    let mut command = job();
    command.env("ANYCCL_METRICS", "somewhere");
    let ended = finish(command);
    assert_ne!(ended.code(), 0);
    assert!(ended.stderr.contains("ANYCCL_METRICS"), "{}", ended.stderr);
    assert!(Path::new("somewhere").symlink_metadata().is_err());
}
