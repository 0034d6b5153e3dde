//! `anyccl perf` as a user runs it.

use std::process::{Command, Output};

use serde_json::Value;

fn perf(words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_anyccl"));
    command.arg("perf").args(words);
    for name in ["ANYCCL_RANK", "RANK", "ANYCCL_ALGORITHM", "ANYCCL_TRANSPORT", "ANYCCL_HOST_ID"] {
        command.env_remove(name);
    }
    command.output().unwrap()
}

fn succeeded(words: &[&str]) -> String {
    let Output { status, stdout, stderr } = perf(words);
    let told = String::from_utf8_lossy(&stderr);
    assert!(status.success(), "{words:?}: {status}\n{told}");
    String::from_utf8(stdout).unwrap()
}

fn json(words: &[&str]) -> Value {
    serde_json::from_str(&succeeded(&[words, &["--json"]].concat())).unwrap()
}

fn strings<'a>(rows: &'a [Value], key: &str) -> Vec<&'a str> {
    rows.iter().map(|row| row[key].as_str().unwrap()).collect()
}

#[test]
fn json_has_a_right_entry_for_each_size() {
    let report = json(&["all_reduce", "-n", "2", "--max-bytes", "4K"]);
    let header = &report["header"];
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
        // Eight collectives with two sizes and two places, and a barrier with neither.
        assert_eq!(rows.len(), 8 * 4 + 1);
        assert!(rows.iter().all(|row| row["correct"] == true), "{report}");
        assert_eq!(rows.iter().filter(|row| row["in_place"] == true).count(), 16);
    }
}

#[test]
fn all_algorithms_have_a_row_each_and_one_is_the_librarys_choice() {
    let words = ["all_reduce", "-n", "2", "--algorithms", "all", "--iterations", "2"];
    let sizes = ["--min-bytes", "64", "--max-bytes", "4K", "--factor", "64"];
    let report = json(&[&words[..], &sizes[..]].concat());
    let rows = report["rows"].as_array().unwrap();
    let names = ["one_shot", "two_shot", "recursive_doubling", "rabenseifner", "ring"];
    assert_eq!(strings(rows, "algorithm"), [names, names].concat());
    assert!(rows.iter().all(|row| row["correct"] == true), "{report}");
    for of_a_size in rows.chunks(names.len()) {
        assert_eq!(of_a_size.iter().filter(|row| row["chosen"] == true).count(), 1, "{report}");
    }
    let table = succeeded(&[&words[..], &sizes[..]].concat());
    let line = table.lines().find(|line| line.contains("two_shot")).expect("a line of names");
    assert!(names.iter().all(|name| line.contains(name)), "{table}");
    assert_eq!(table.lines().filter(|line| line.contains("* ")).count(), 1 + 2, "{table}");
}

#[test]
fn one_forced_algorithm_is_the_one_that_is_reported() {
    let words = ["broadcast", "-n", "2", "--algorithms", "chain", "--max-bytes", "8", "--iterations", "1"];
    assert_eq!(strings(json(&words)["rows"].as_array().unwrap(), "algorithm"), ["chain"]);
}

#[test]
fn csv_has_a_line_of_names_and_as_many_values_in_each_line() {
    for what in ["all_gather", "p2p"] {
        let text = succeeded(&[what, "-n", "2", "--csv", "--max-bytes", "32", "--iterations", "2"]);
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
    assert_eq!(pairs, [[0, 1, 8], [0, 1, 2048], [0, 2, 8], [0, 2, 2048], [1, 2, 8], [1, 2, 2048]]);
}

#[test]
fn the_header_tells_the_transport_that_is_used() {
    let words = ["run", "-n", "2", "-x", "ANYCCL_TRANSPORT=tcp", "--no-prefix", "--"];
    let perf = ["perf", "barrier", "--iterations", "2"];
    let anyccl = env!("CARGO_BIN_EXE_anyccl");
    let output = Command::new(anyccl).args(words).arg(anyccl).args(perf).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && text.contains("ranks 2; hosts 1; transport tcp; "), "{text}");
}

#[test]
fn one_rank_alone_can_be_measured() {
    let report = json(&["all_to_all", "--max-bytes", "8", "--no-check", "--iterations", "1"]);
    assert_eq!(report["header"]["transports"], serde_json::json!([]));
    assert_eq!(report["rows"][0]["correct"], Value::Null);
}

#[test]
fn wrong_usage_exits_2_and_says_what_is_accepted() {
    let table: [(&[&str], &str); 10] = [
        (&["all_reduse"], "all_reduce, reduce"),
        (&["all_reduce", "-n", "0"], "1..=65536"),
        (&["all_reduce", "--min-bytes", "many"], "64M"),
        (&["all_reduce", "--min-bytes", "1K", "--max-bytes", "8"], "--min-bytes 1024"),
        (&["all_reduce", "--factor", "1"], "2.."),
        (&["all_reduce", "-n", "2", "--op", "band"], "sum, product"),
        (&["all_reduce", "-n", "2", "--algorithms", "bruck"], "rabenseifner, ring"),
        (&["broadcast", "-n", "2", "--root", "2"], "--root 2"),
        (&["p2p", "-n", "1"], "2 ranks"),
        (&["all_reduce", "--json", "--csv"], "--csv"),
    ];
    for (words, told) in table {
        let output = perf(words);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {text}");
        assert!(text.contains(told), "{words:?}: {text}");
        assert!(output.stdout.is_empty(), "{words:?}");
    }
}
