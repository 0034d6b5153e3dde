//! Tests of what the tool tells about GPUs and measures on them, on GPUs that do not exist.

use crate::common::fake_gpus::double;
use crate::common::{Finished, anyccl, finish};
use serde_json::Value;

/// The tool as the only rank, or as each rank, of a job that sees GPUs.
fn on_gpus(name: &str, gpus: &str, ranks: &str, more: &[&str], words: &[&str]) -> Finished {
    let mut tool = anyccl(&["run", "--no-prefix", "--timeout", "100", "--fake-gpu", gpus, "-n", ranks]);
    tool.args(["-x", "CUDA_DOUBLE_DELAY_US=0"]).args(more).arg(env!("CARGO_BIN_EXE_anyccl")).args(words);
    tool.env("ANYCCL_CUDA_DOUBLE", double(name)).env_remove("CUDA_VISIBLE_DEVICES");
    finish(tool)
}

fn json(output: &Finished) -> Value {
    assert_eq!(output.code(), 0, "{}", output.stderr);
    serde_json::from_slice(&output.stdout).expect("the tool prints JSON")
}

#[test]
fn info_lists_devices_links_and_the_path() {
    let only_two = ["-x", "CUDA_DOUBLE_PEERS=0-1"];
    let info = json(&on_gpus("info", "3", "1", &only_two, &["info", "--json"]));
    let gpus = &info["gpus"];
    assert_eq!(gpus["driver"], "13.2");
    assert_eq!(gpus["way"], "staged");
    let devices = gpus["devices"].as_array().unwrap();
    assert_eq!(
        devices.iter().map(|gpu| gpu["pci"].as_str().unwrap()).collect::<Vec<_>>(),
        ["0000:01:00.0", "0000:02:00.0", "0000:03:00.0"]
    );
    assert_eq!(gpus["memory"]["bounce_bytes"], 128 << 20);
    assert_eq!(gpus["memory"]["pinned_at_first"], 20 << 20);
    let pairs = gpus["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 6);
    for pair in pairs {
        let between_peers = pair["from"] != 2 && pair["to"] != 2;
        assert_eq!(pair["peer_access"], between_peers, "{pair}");
        let copies = if between_peers { "directly, by NVLink" } else { "through host memory" };
        assert_eq!(pair["copies"], copies, "{pair}");
    }
}

#[test]
fn the_path_is_the_engine_that_the_user_names() {
    let named = ["-x", "ANYCCL_BACKEND=cuda:nccl"];
    let info = json(&on_gpus("named", "1", "1", &named, &["info", "--json"]));
    assert_eq!(info["gpus"]["way"], "nccl");
    let mut plan = anyccl(&["plan", "all_reduce", "-n", "2", "--memory", "cuda", "--json"]);
    plan.env("ANYCCL_BACKEND", "cuda:nccl");
    assert_eq!(json(&finish(plan))["way"], "nccl");
    let plan = anyccl(&["plan", "all_reduce", "-n", "2", "--memory", "cuda"]);
    let text = String::from_utf8(finish(plan).stdout).unwrap();
    assert!(text.starts_with("GPU memory (staged path): "), "{text}");
}

#[test]
fn copies_between_all_devices_and_the_host_are_measured_and_right() {
    let words = ["p2p-matrix", "--bytes", "64K", "--json"];
    let found = json(&on_gpus("copies", "2", "1", &[], &words));
    let copies = found["copies"].as_array().unwrap();
    // Three places, without the host and itself.
    assert_eq!(copies.len(), 8);
    for copy in copies {
        assert_eq!(copy["correct"], true, "{copy}");
        assert!(copy["bandwidth_gb_s"].as_f64() > Some(0.0) && copy["latency_us"].as_f64() > Some(0.0));
    }
    let text = on_gpus("copies-text", "2", "1", &[], &["p2p-matrix", "--bytes", "64K"]);
    let text = String::from_utf8(text.stdout).unwrap();
    for part in ["CUDA driver 13.2", "bandwidth of 65536 bytes", "0 -> 1, NVLink, copies go directly"] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
}

#[test]
fn ranks_measure_right_results_on_devices_that_they_share() {
    let sizes =
        ["--memory", "cuda", "--iterations", "1", "-b", "8", "-e", "32K", "-f", "4096", "--json", "-"];
    let all = json(&on_gpus("perf", "2", "3", &[], &[&["perf", "all", "--both"], &sizes[..]].concat()));
    assert_eq!((&all["header"]["memory"], &all["header"]["way"]), (&"cuda".into(), &"staged".into()));
    let rows = all["rows"].as_array().unwrap();
    assert!(rows.len() > 20 && rows.iter().all(|row| row["correct"] == true));
    let words = [&["perf", "p2p-matrix"], &sizes[..]].concat();
    let pairs = json(&on_gpus("perf-pairs", "2", "2", &[], &words));
    let pairs = pairs["pairs"].as_array().unwrap();
    assert!(pairs.len() == 4 && pairs.iter().all(|pair| pair["correct"] == true));
}

#[test]
fn without_a_driver_or_a_device_the_tool_says_so() {
    for words in [&["p2p-matrix"][..], &["perf", "all_reduce", "-n", "2", "--memory", "cuda"]] {
        let mut tool = anyccl(words);
        tool.env_remove("LD_LIBRARY_PATH");
        let tool = finish(tool);
        assert_eq!(tool.code(), 1, "{words:?}");
        assert!(tool.stderr.contains("no usable CUDA driver") || tool.stderr.contains("no CUDA device"));
    }
    let none = ["-x", "CUDA_VISIBLE_DEVICES=-1"];
    let tool = on_gpus("none", "1", "1", &none, &["p2p-matrix"]);
    assert_ne!(tool.code(), 0);
    assert!(tool.stderr.contains("no CUDA-capable device"), "{}", tool.stderr);
}
