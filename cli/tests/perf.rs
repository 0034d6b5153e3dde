//! Tests of `anyccl perf` as a user runs it.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use crate::common::anyccl;
use serde_json::Value;

/// A command that is not started yet, and does not see the variables of the tests.
fn command(words: &[&str]) -> Command {
    let mut command = anyccl(&[&["perf"], words].concat());
    for name in ["ANYCCL_RANK", "RANK", "ANYCCL_ALGORITHM", "ANYCCL_TUNING_FILE", "ANYCCL_TRANSPORT"] {
        command.env_remove(name);
    }
    command.env_remove("ANYCCL_HOST_ID");
    command
}

fn perf(words: &[&str]) -> Output {
    command(words).output().unwrap()
}

/// A file for one test, removed at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        Scratch(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id())))
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    fn text(&self) -> String {
        fs::read_to_string(&self.0).unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn succeeded(words: &[&str]) -> String {
    let Output { status, stdout, stderr } = perf(words);
    let told = String::from_utf8_lossy(&stderr);
    assert!(status.success(), "{words:?}: {status}\n{told}");
    String::from_utf8(stdout).unwrap()
}

fn json(words: &[&str]) -> Value {
    serde_json::from_str(&succeeded(&[words, &["--json", "-"]].concat())).unwrap()
}

fn strings<'a>(rows: &'a [Value], key: &str) -> Vec<&'a str> {
    rows.iter().map(|row| row[key].as_str().unwrap()).collect()
}

#[test]
fn json_has_a_right_entry_for_each_size() {
    let report = json(&["all_reduce", "-n", "2", "--max-bytes", "4K"]);
    let header = &report["header"];
    assert_eq!(header["what"], "all_reduce");
    assert_eq!((&header["ranks"], &header["hosts"]), (&2.into(), &1.into()));
    assert_eq!((&header["datatype"], &header["op"]), (&"float32".into(), &"sum".into()));
    assert_eq!(header["transports"], serde_json::json!(["shm"]));
    let rows = report["rows"].as_array().unwrap();
    let bytes: Vec<u64> = rows.iter().map(|row| row["bytes"].as_u64().unwrap()).collect();
    assert_eq!(bytes, (3..=12).map(|power| 1 << power).collect::<Vec<_>>());
    for row in rows {
        assert_eq!(row["correct"], true, "{row}");
        let time = |key| row["time_us"][key].as_f64().unwrap();
        assert!(0.0 < time("min") && time("min") <= time("median") && time("median") <= time("p95"), "{row}");
        let bandwidth = row["bytes"].as_f64().unwrap() / time("median") / 1e3;
        let told = row["algorithm_bandwidth_gb_s"].as_f64().unwrap();
        assert!((told / bandwidth - 1.0).abs() < 1e-6, "{row}");
        // On two ranks the factor of all_reduce is 1.
        assert_eq!(row["bus_bandwidth_gb_s"], row["algorithm_bandwidth_gb_s"], "{row}");
    }
}

#[test]
fn every_collective_is_right_in_place_and_apart_with_both_forms_of_calls() {
    for form in ["--blocking", "--non-blocking"] {
        let sizes = ["--min-bytes", "100", "--max-bytes", "10000", "--factor", "100"];
        let few = ["--iterations", "2", "--both", "--root", "1", form];
        let report = json(&[&["all", "-n", "3"], &sizes[..], &few[..]].concat());
        let rows = report["rows"].as_array().unwrap();
        // Ten collectives with two sizes, in place and out of place, and a barrier with neither.
        assert_eq!(rows.len(), 10 * 4 + 1);
        assert!(rows.iter().all(|row| row["correct"] == true), "{report}");
        assert_eq!(rows.iter().filter(|row| row["in_place"] == true).count(), 20);
    }
}

#[test]
fn all_algorithms_have_a_row_each_and_one_is_the_librarys_choice() {
    let words = ["all_reduce", "-n", "2", "--algorithms", "all", "--iterations", "2"];
    let sizes = ["--min-bytes", "64", "--max-bytes", "4K", "--factor", "64"];
    let report = json(&[&words[..], &sizes[..]].concat());
    let rows = report["rows"].as_array().unwrap();
    let names =
        ["one_shot", "two_shot", "recursive_doubling", "rabenseifner", "ring", "staged", "hierarchical"];
    assert_eq!(strings(rows, "algorithm"), [names, names].concat());
    assert!(rows.iter().all(|row| row["correct"] == true), "{report}");
    for of_a_size in rows.chunks(names.len()) {
        assert_eq!(of_a_size.iter().filter(|row| row["chosen"] == true).count(), 1, "{report}");
    }
    let table = succeeded(&[&words[..], &sizes[..]].concat());
    let line = table.lines().find(|line| line.contains("two_shot")).expect("a line of names");
    assert!(names.iter().all(|name| line.contains(name)), "{table}");
    assert_eq!(table.lines().filter(|line| line.contains('*')).count(), 1 + 2, "{table}");
}

#[test]
fn one_forced_algorithm_is_the_one_that_is_reported() {
    let words = ["broadcast", "-n", "2", "--algorithms", "chain", "--max-bytes", "8", "--iterations", "1"];
    assert_eq!(strings(json(&words)["rows"].as_array().unwrap(), "algorithm"), ["chain"]);
}

#[test]
fn the_ranks_log_what_the_variable_asks_for() {
    let mut quick = command(&["all_reduce", "-n", "2", "-b", "8", "-e", "8", "--iterations", "1"]);
    let Output { status, stderr, .. } = quick.env("ANYCCL_LOG", "debug").output().unwrap();
    let log = String::from_utf8_lossy(&stderr);
    assert!(status.success() && log.contains("anyccl: debug: rank 1: connected with 1 ranks"), "{log}");
}

#[test]
fn csv_has_a_line_of_names_and_as_many_values_in_each_line() {
    for what in ["all_gather", "send_recv"] {
        let text = succeeded(&[what, "-n", "2", "--csv", "-", "--max-bytes", "32", "--iterations", "2"]);
        let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(lines.len(), 1 + 3, "{text}");
        let fields = |line: &str| line.split(',').count();
        assert!(lines.iter().all(|line| fields(line) == fields(lines[0])), "{text}");
        assert!(lines[1..].iter().all(|line| line.ends_with(",ok")), "{text}");
    }
}

#[test]
fn a_matrix_has_every_pair_at_its_smallest_and_its_largest_size() {
    let report = json(&["p2p-matrix", "-n", "3", "--max-bytes", "2K", "--iterations", "2"]);
    let number = |row: &Value, key: &str| row[key].as_u64().unwrap();
    let pairs = report["pairs"].as_array().unwrap().iter();
    let pairs: Vec<_> =
        pairs.map(|row| [number(row, "from"), number(row, "to"), number(row, "bytes")]).collect();
    let ordered = [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)];
    let expected: Vec<_> = ordered.into_iter().flat_map(|(a, b)| [[a, b, 8], [a, b, 2048]]).collect();
    assert_eq!(pairs, expected);
}

#[test]
fn a_matrix_is_printed_as_two_tables_and_drawn_as_two_heat_maps() {
    let svg = Scratch::new("matrix.svg");
    let words = ["p2p-matrix", "-n", "3", "-e", "2K", "--iterations", "2", "--plot", svg.path()];
    let text = succeeded(&words);
    assert!(text.contains("latency of 8 B in us") && text.contains("of 2 KiB in GB/s"), "{text}");
    let rows = text.lines().filter(|line| line.split_whitespace().filter(|word| *word == "-").count() == 1);
    assert_eq!(rows.count(), 2 * 3, "{text}");
    assert!(text.contains("# check: ok"), "{text}");
    let svg = well_formed(&svg.text());
    // The background, the cells, and two scales of colours.
    assert_eq!(svg.iter().filter(|name| *name == "rect").count(), 1 + 2 * 6 + 2 * 40, "{svg:?}");
}

/// The names of all elements, in order. Fails unless each is closed, in the reverse order of opening.
fn well_formed(svg: &str) -> Vec<String> {
    let (mut open, mut names) = (Vec::new(), Vec::new());
    let mut rest = svg;
    while let Some((text, tag)) = rest.split_once('<') {
        let entities = text.split('&').skip(1).all(|entity| entity.contains(';'));
        assert!(entities && !text.contains('>'), "{text}");
        let (tag, after) = tag.split_once('>').expect("a tag has an end");
        let name = tag.split([' ', '/', '\n']).next().unwrap();
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else {
            names.push(name.to_string());
            if !tag.ends_with('/') {
                open.push(name);
            }
        }
        rest = after;
    }
    assert!(open.is_empty(), "{open:?}");
    assert_eq!(names[0], "svg");
    names
}

#[test]
fn the_plot_has_a_line_for_each_algorithm() {
    let svg = Scratch::new("lines.svg");
    let words = ["all_reduce", "-n", "2", "--algorithms", "ring,two_shot", "--iterations", "2"];
    succeeded(&[&words[..], &["-e", "1K", "-f", "4", "--plot", svg.path()]].concat());
    let text = svg.text();
    let names = well_formed(&text);
    // The first line has circles: four sizes in two panels, and one in the legend. The second has squares.
    // Each point has an unseen circle with its values.
    let count = |what: &str| names.iter().filter(|name| *name == what).count();
    assert_eq!((count("circle"), count("polygon")), (4 * 2 + 1 + 2 * 4 * 2, 4 * 2 + 1), "{text}");
    assert_eq!(count("title"), 2 * 4 * 2, "{text}");
    assert!(text.contains("two_shot") && text.contains("ring") && text.contains("bus bandwidth"), "{text}");
    assert!(text.contains("prefers-color-scheme: dark") && text.contains("95th percentile"), "{text}");
}

#[test]
fn a_plot_is_what_its_name_says_and_has_the_background_that_is_wanted() {
    let words = ["send_recv", "-n", "2", "-e", "64", "--iterations", "2", "--theme", "dark", "--plot"];
    let (svg, png) = (Scratch::new("dark.svg"), Scratch::new("dark.png"));
    succeeded(&[&words[..], &[svg.path()]].concat());
    let text = svg.text();
    assert!(text.contains("fill=\"#15181C\"") && !text.contains("<style>"), "{text}");
    succeeded(&[&words[..], &[png.path()]].concat());
    assert!(fs::read(&png.0).unwrap().starts_with(b"\x89PNG\r\n"));
}

#[test]
fn the_page_has_the_measurements_as_a_table_as_a_picture_and_as_data() {
    let file = Scratch::new("page.html");
    let words = ["broadcast", "-n", "2", "-e", "1K", "-f", "4", "--iterations", "2", "--html", file.path()];
    let table = succeeded(&words);
    assert!(table.contains("median us"), "{table}");
    let page = file.text();
    assert_eq!(page.matches("<td class=\"words\">broadcast</td>").count(), 4, "{page}");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<svg "), "{page}");
    let (_, data) = page.split_once("id=\"report\">").unwrap();
    let data: Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
    assert_eq!(data["rows"].as_array().unwrap().len(), 4);
    assert_eq!(data["header"]["ranks"], 2);
}

#[test]
fn the_trace_has_the_steps_of_every_rank() {
    let file = Scratch::new("trace.json");
    // Ring: two rounds of reductions and two of copies on three ranks.
    let words = ["all_reduce", "-n", "3", "--algorithms", "ring", "-b", "12K", "-e", "12K"];
    succeeded(&[&words[..], &["--iterations", "1", "--trace", file.path()]].concat());
    let trace: Value = serde_json::from_str(&file.text()).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    for rank in 0..3 {
        let bars: Vec<_> = events.iter().filter(|event| event["ph"] == "X" && event["pid"] == rank).collect();
        let of =
            |category: &str| bars.iter().filter(|bar| bar["cat"] == category).copied().collect::<Vec<_>>();
        let calls = of("call");
        assert_eq!(calls.len(), 1, "rank {rank}: {bars:?}");
        let (begin, end) = (calls[0]["ts"].as_f64().unwrap(), calls[0]["dur"].as_f64().unwrap());
        let transfers = of("transfer");
        let (right, left) = ((rank + 1) % 3, (rank + 2) % 3);
        for (what, peer) in [("send to", right), ("receive and reduce from", left), ("receive from", left)] {
            let name = format!("{what} {peer}");
            let bars: Vec<_> = transfers.iter().filter(|bar| bar["name"] == *name).collect();
            let expected = if what == "send to" { 4 } else { 2 };
            assert_eq!(bars.len(), expected, "rank {rank}, {name}: {transfers:?}");
            for bar in bars {
                assert_eq!((&bar["args"]["bytes"], &bar["args"]["peer"]), (&4096.into(), &peer.into()));
                let (ts, dur) = (bar["ts"].as_f64().unwrap(), bar["dur"].as_f64().unwrap());
                assert!(
                    dur >= 0.0 && ts >= begin - 0.01 && ts + dur <= begin + end + 0.01,
                    "{bar}: {calls:?}"
                );
            }
        }
    }
}

#[test]
fn two_ranks_tune_in_rounds_and_the_library_reads_the_file_that_they_write() {
    let file = Scratch::new("tuning.txt");
    let text = succeeded(&["-n", "2", "--tune", file.path(), "--iterations", "2"]);
    assert_eq!(text, file.text());
    for key in ["shm.latency_us", "shm.gigabytes_per_second", "tcp.latency_us", "reduce.gigabytes_per_second"]
    {
        assert_eq!(text.lines().filter(|line| line.starts_with(key)).count(), 1, "{text}");
    }
    // What did not agree, on a machine with other work, is named in comments.
    let mut doubts = text.lines().filter(|line| line.starts_with("# warning:"));
    assert!(doubts.all(|line| line.contains(" us in 6 rounds, of which no two in a row agree")), "{text}");
    let run = |path: &str| {
        let mut command = command(&["barrier", "-n", "2", "--iterations", "1"]);
        command.env("ANYCCL_TUNING_FILE", path).output().unwrap()
    };
    assert!(run(file.path()).status.success());
    fs::write(&file.0, "# two lines\nshm.latency_us = fast\n").unwrap();
    let output = run(file.path());
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("tuning.txt:2: shm.latency_us is \"fast\""), "{told}");
}

#[test]
fn reports_go_to_files_beside_the_table() {
    let (json, csv) = (Scratch::new("report.json"), Scratch::new("report.csv"));
    let words = ["gather", "-n", "1", "-e", "64", "--iterations", "1"];
    let text = succeeded(&[&words[..], &["--json", json.path(), "--csv", csv.path()]].concat());
    assert!(text.contains("median us"), "{text}");
    let report: Value = serde_json::from_str(&json.text()).unwrap();
    assert_eq!(report["rows"].as_array().unwrap().len(), 4);
    assert_eq!(csv.text().lines().filter(|line| line.starts_with("gather,")).count(), 4);
}

#[test]
fn a_world_of_one_that_nobody_asked_for_and_a_size_between_elements_are_told() {
    let words = ["gather", "-b", "10", "-e", "16", "--iterations", "1"];
    let alone = succeeded(&words);
    assert!(alone.contains("# warning: the world is this one rank: -n N"), "{alone}");
    assert!(
        alone.contains("# warning: sizes are whole elements of float32: 10 bytes are measured as 8"),
        "{alone}"
    );
    let asked = succeeded(&["gather", "-n", "1", "-e", "16", "--iterations", "1"]);
    assert!(!asked.contains("one rank") && !asked.contains("whole elements"), "{asked}");
}

#[test]
fn older_results_stay_when_the_measurement_is_interrupted() {
    let (json, plot) = (Scratch::new("older.json"), Scratch::new("older.svg"));
    for file in [&json, &plot] {
        fs::write(&file.0, "older").unwrap();
    }
    let words = ["all_reduce", "-n", "1", "-e", "64", "--iterations", "1000000000"];
    let mut command = command(&[&words[..], &["--json", json.path(), "--plot", plot.path()]].concat());
    let mut job = command.stdout(Stdio::piped()).spawn().unwrap();
    // The header comes when all files have been checked.
    let mut header = String::new();
    BufReader::new(job.stdout.as_mut().unwrap()).read_line(&mut header).unwrap();
    crate::common::send_signal(job.id(), libc::SIGTERM);
    assert!(!job.wait().unwrap().success());
    assert_eq!((json.text(), plot.text()), ("older".into(), "older".into()), "{header}");
}

#[test]
fn a_file_that_cannot_be_made_is_one_error_before_anything_is_measured() {
    let output = perf(&["gather", "-n", "2", "--json", "no/such/folder/report.json"]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert_eq!(told.matches("cannot write no/such/folder/report.json").count(), 1, "{told}");
    assert!(output.stdout.is_empty());
}

#[test]
fn the_header_tells_the_transport_that_is_used() {
    let words = ["run", "-n", "2", "-x", "ANYCCL_TRANSPORT=tcp", "--no-prefix", "--"];
    let perf = ["perf", "barrier", "--iterations", "2"];
    let output = anyccl(&words).arg(env!("CARGO_BIN_EXE_anyccl")).args(perf).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && text.contains("ranks 2; hosts 1; transport tcp; "), "{text}");
}

/// The number of a processor that this process may use. The first one need not be 0.
fn a_processor() -> String {
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).expect("a list");
    list.trim().split([',', '-']).next().expect("at least one").to_string()
}

#[test]
fn reports_name_the_machine_and_tell_when_ranks_share_its_cores() {
    let one_core = |words: &[&str]| {
        let mut command = Command::new("taskset");
        command.args([
            "-c",
            &a_processor(),
            env!("CARGO_BIN_EXE_anyccl"),
            "perf",
            "reduce",
            "-n",
            "2",
            "-e",
            "8",
        ]);
        let output = command.args(["--iterations", "1"]).args(words).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let report: Value = serde_json::from_str(&one_core(&["--json", "-"])).unwrap();
    let (header, warnings) = (&report["header"], report["warnings"].as_array().unwrap());
    let machine = &header["machines"][0];
    assert_eq!((&machine["ranks"], &machine["cores"]), (&2.into(), &1.into()), "{header}");
    assert!(
        !machine["host"].as_str().unwrap().is_empty() && !machine["processor"].as_str().unwrap().is_empty()
    );
    assert!(header["date"].as_str().unwrap().ends_with('Z'), "{header}");
    assert!(warnings[0].as_str().unwrap().contains("2 ranks share 1 core of"), "{report}");
    let table = one_core(&[]);
    assert!(table.contains("# warning: 2 ranks share 1 core of"), "{table}");
    let second = table.lines().nth(1).unwrap();
    assert!(second.starts_with("# 20") && second.ends_with("1 core, 2 ranks"), "{table}");
}

#[test]
fn one_rank_alone_can_be_measured() {
    let report = json(&["all_to_all", "--max-bytes", "8", "--no-check", "--iterations", "1"]);
    assert_eq!(report["header"]["transports"], serde_json::json!([]));
    assert_eq!(report["rows"][0]["correct"], Value::Null);
}

#[test]
fn wrong_usage_exits_2_and_says_what_is_accepted() {
    let table: [(&[&str], &str); 15] = [
        (&["all_reduse"], "all_reduce, reduce"),
        (&["all_reduce", "-n", "0"], "from 1 to 65536"),
        (&["all_reduce", "--min-bytes", "many"], "64M"),
        (&["all_reduce", "--min-bytes", "1K", "--max-bytes", "8"], "--min-bytes 1024"),
        (&["all_reduce", "--factor", "1"], "2.."),
        (&["all_reduce", "-n", "2", "--op", "band"], "sum, product"),
        (&["all_reduce", "-n", "2", "--algorithms", "bruck"], "rabenseifner, ring"),
        (&["broadcast", "-n", "2", "--root", "2"], "--root 2"),
        (&["send_recv", "-n", "1"], "2 ranks"),
        (&["all_reduce", "--json", "-", "--csv", "-"], "--csv"),
        (&["barrier", "-n", "2", "--plot", "x.svg"], "no sizes"),
        (&["all_reduce", "-n", "2", "--plot", "x.pdf"], "ends in .svg or .png"),
        (&["all_reduce", "-n", "2", "--html", "x.htm"], "ends in .html"),
        (&["-n", "2"], "WHAT"),
        (&["all_reduce", "-n", "2", "--tune", "x.txt"], "--tune"),
    ];
    for (words, told) in table {
        let output = perf(words);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {text}");
        assert!(text.contains(told), "{words:?}: {text}");
        assert!(output.stdout.is_empty(), "{words:?}");
    }
}
