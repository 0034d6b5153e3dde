//! Tests of `anyccl plan` and `anyccl simulate` as a user runs them.

use std::fs;
use std::io::Read;
use std::path::PathBuf;
use std::process::Stdio;

use crate::common::{Finished, anyccl, finish, terminal};
use serde_json::Value;

/// Runs the tool without the variables of the tests.
fn run(words: &[&str], environment: &[(&str, &str)]) -> Finished {
    let mut command = anyccl(words);
    let ours = ["ALGORITHM", "CHUNK_BYTES", "TUNING_FILE", "TRANSPORT", "WIRE"];
    for name in ours.map(|name| format!("ANYCCL_{name}")) {
        command.env_remove(name);
    }
    command.envs(environment.iter().copied());
    finish(command)
}

fn text(words: &[&str], environment: &[(&str, &str)]) -> String {
    let finished = run(words, environment);
    assert_eq!(finished.code(), 0, "{words:?}: {}", finished.stderr);
    String::from_utf8(finished.stdout).unwrap()
}

fn json(words: &[&str], environment: &[(&str, &str)]) -> Value {
    serde_json::from_str(&text(&[words, &["--json"]].concat(), environment)).unwrap()
}

fn refusal(words: &[&str], code: i32) -> String {
    let finished = run(words, &[]);
    assert_eq!(finished.code(), code, "{words:?}: {}", finished.stderr);
    finished.stderr
}

/// Writes a file for one test.
fn file(name: &str, content: &str) -> PathBuf {
    let path =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-simulate-{name}", std::process::id()));
    fs::write(&path, content).unwrap();
    path
}

#[test]
fn plan_tells_the_choice_the_runner_up_and_the_rounds() {
    let told = text(&["plan", "all_reduce", "--ranks", "4", "--bytes", "64M"], &[]);
    for part in
        ["all_reduce of 64 MiB on 4 ranks", "predicted", "chosen: ", "the runner-up", "round 0", "rank 3"]
    {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[test]
fn plan_words_its_numbers_as_a_person_would() {
    for ranks in ["1", "2", "3", "16"] {
        for bytes in ["8", "4K", "64K", "1M", "1G"] {
            let told = text(&["plan", "all_gather", "-n", ranks, "-b", bytes], &[]);
            for odd in [" 1 times", " 1 ranks", "1024 KiB", "1024 B"] {
                assert!(!told.contains(odd), "{ranks} ranks, {bytes}: {odd} in\n{told}");
            }
        }
    }
    let told = text(&["plan", "all_reduce", "-n", "1", "-b", "10"], &[]);
    assert!(told.contains("all_reduce of 8 B (from 10 B) on 1 rank,"), "{told}");
}

#[test]
fn plan_makes_the_choice_of_a_communicator_with_this_environment() {
    let words = ["plan", "all_reduce", "--ranks", "4", "--bytes", "1M"];
    let chosen = |environment: &[(&str, &str)]| json(&words, environment)["chosen"].clone();
    let wanted = json(&words, &[("ANYCCL_ALGORITHM", "all_reduce:one_shot")]);
    assert_eq!(wanted["chosen"], "one_shot");
    assert!(wanted["reason"].as_str().unwrap().contains("ANYCCL_ALGORITHM"), "{wanted}");
    assert_ne!(chosen(&[]), "one_shot");
    let slow = file("slow.txt", "shm.latency_us = 1e6\n");
    assert_eq!(chosen(&[("ANYCCL_TUNING_FILE", slow.to_str().unwrap())]), "one_shot", "fewest latencies");
    let chunked = json(&words, &[("ANYCCL_CHUNK_BYTES", "4096")]);
    assert_eq!(chunked["call"]["chunk_bytes"], 4096);
    fs::remove_file(slow).unwrap();
}

#[test]
fn sums_that_travel_narrow_are_shown_narrow() {
    let wire = [("ANYCCL_WIRE", "bf16")];
    let planned =
        |words: &[&str]| json(&[&["plan", "all_reduce", "-n", "4", "--hosts", "2"], words].concat(), &wire);
    let narrow = planned(&["--bytes", "64K"]);
    assert_eq!((&narrow["chosen"], &narrow["shown"]), (&"bf16".into(), &"bf16".into()), "{narrow}");
    assert!(narrow["reason"].as_str().unwrap().starts_with("because ANYCCL_WIRE wants it; "), "{narrow}");
    assert!(narrow["plans"][0].to_string().contains(r#""format":"bf16""#), "{narrow}");
    assert_eq!(planned(&["--bytes", "64K", "--algorithm", "ring"])["shown"], "ring");
    // Few numbers, and numbers that are not float32, travel as they are.
    assert_ne!(planned(&["--bytes", "1K"])["chosen"], "bf16");
    assert_ne!(planned(&["--bytes", "64K", "--element", "8"])["chosen"], "bf16");
    assert!(
        refusal(&["plan", "all_reduce", "-n", "4", "--algorithm", "bf16"], 2).contains("no algorithm bf16")
    );

    let words = ["simulate", "reduce_scatter", "--hosts", "2", "--bytes", "64M", "--model", "100gbe"];
    let simulated = json(&words, &wire);
    let rows = simulated["sizes"][0]["algorithms"].as_array().unwrap();
    let bytes = |name: &str| {
        let row = rows.iter().find(|row| row["algorithm"] == name).unwrap();
        row["traffic"]["busiest_host"]["sends"].as_u64().unwrap()
    };
    assert_eq!(simulated["sizes"][0]["chosen"], "bf16", "{simulated}");
    assert_eq!((bytes("bf16"), bytes("pairwise")), (16 << 20, 32 << 20), "{simulated}");
}

#[test]
fn plan_draws_every_message() {
    let path = file("ring.svg", "");
    let words =
        ["plan", "all_reduce", "--ranks", "4", "--hosts", "2", "--bytes", "64K", "--algorithm", "ring"];
    text(&[&words[..], &["--svg", path.to_str().unwrap()]].concat(), &[]);
    let svg = fs::read_to_string(&path).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("host 1") && svg.contains("step 5"), "{svg}");
    fs::remove_file(path).unwrap();
}

#[test]
fn simulate_compares_all_algorithms_and_shows_the_critical_path() {
    let words = ["simulate", "all_reduce", "--hosts", "64", "--ranks-per-host", "8", "--bytes", "64M"];
    let words = [&words[..], &["--model", "100gbe"]].concat();
    let told = text(&words, &[]);
    for part in ["512 ranks, 64 hosts, model 100gbe", "host sends", "critical path of", "busiest host"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let object = json(&words, &[]);
    let algorithms = object["sizes"][0]["algorithms"].as_array().unwrap();
    assert_eq!(algorithms.len(), 7, "{object}");
    let seconds: Vec<f64> = algorithms.iter().filter_map(|row| row["seconds"].as_f64()).collect();
    assert!(seconds.len() >= 4 && seconds.is_sorted() && seconds[0] > 0.0, "{seconds:?}");
    assert!(algorithms[0]["critical_path"].as_array().is_some_and(|path| !path.is_empty()), "{object}");
}

#[test]
fn simulate_sweeps_sizes_into_a_table_and_a_picture() {
    let path = file("sweep.svg", "");
    let words = ["simulate", "broadcast", "--hosts", "4", "--min-bytes", "1K", "--bytes", "1M"];
    let told = text(&[&words[..], &["--plot", path.to_str().unwrap()]].concat(), &[]);
    for part in ["chosen / fastest", "   1 KiB", "  64 KiB", "   1 MiB"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let svg = fs::read_to_string(&path).unwrap();
    assert!(svg.contains("predicted time") && svg.contains("binomial"), "{svg}");
    fs::remove_file(path).unwrap();
}

#[test]
fn simulate_reads_models_and_what_perf_has_measured() {
    let tuned = file("tuning.txt", "tcp.latency_us = 1000\ntcp.exchange_us = 8:1 1048576:5000000\n");
    let seconds = |bytes| {
        let words = ["simulate", "all_reduce", "--hosts", "2", "--bytes", bytes, "--model"];
        let object = json(&[&words[..], &[tuned.to_str().unwrap()]].concat(), &[]);
        object["sizes"][0]["algorithms"][0]["seconds"].as_f64().unwrap()
    };
    assert!((1e-3..2e-3).contains(&seconds("8")), "{}", seconds("8"));
    assert!((5.0..5.1).contains(&seconds("1M")), "{}", seconds("1M"));
    let printed = text(&["simulate", "barrier", "--model", "100gbe", "--print-model"], &[]);
    let model = file("model.txt", &printed);
    text(&["simulate", "barrier", "--model", model.to_str().unwrap()], &[]);
    for path in [tuned, model] {
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn a_bar_appears_on_a_terminal_after_a_second_and_never_in_a_pipe() {
    let words = ["simulate", "all_reduce", "--hosts", "512", "--ranks-per-host", "8", "--bytes", "64M"];
    let finished = run(&words, &[]);
    assert_eq!((finished.code(), finished.stderr.as_str()), (0, ""));
    // Takes several seconds on any machine; it is ended as soon as the bar is there.
    let long = [&words[..], &["--min-bytes", "8", "--factor", "2"]].concat();
    let (mut screen, program) = terminal();
    let mut child = {
        let mut command = anyccl(&long);
        command.env("TERM", "xterm").stdout(Stdio::null()).stderr(program).spawn().unwrap()
    };
    let (mut shown, mut piece) = (String::new(), [0; 256]);
    while !shown.contains("simulate") {
        let bytes = screen.read(&mut piece).expect("the bar appears before the end");
        shown += &String::from_utf8_lossy(&piece[..bytes]);
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn refusals_are_sentences() {
    let cases: [(&[&str], i32, &str); 8] = [
        (&["plan", "all_reduce", "--ranks", "2", "--bytes", "1X"], 2, "expected a number of bytes"),
        (&["plan", "allredux", "--ranks", "2"], 2, "the collectives are all_reduce"),
        (&["plan", "reduce", "--ranks", "2", "--root", "2"], 2, "there are ranks 0 to 1"),
        (&["plan", "reduce", "--ranks", "2", "--hosts", "3"], 2, "3 hosts need at least as many ranks"),
        (&["plan", "reduce", "--ranks", "2", "-a", "ring"], 2, "reduce has no algorithm ring; it has"),
        (&["simulate", "reduce", "--model", "no/such"], 1, "neither engine, shm+tcp"),
        (&["simulate", "barrier", "--plot", "x.svg"], 2, "a barrier has no sizes"),
        (&["simulate", "reduce", "--min-bytes", "2M"], 2, "--min-bytes 2097152 is above --bytes 1048576"),
    ];
    for (words, code, sentence) in cases {
        let told = refusal(words, code);
        assert!(told.contains(sentence), "{words:?}: {told}");
    }
}
