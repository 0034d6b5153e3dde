//! Tests of `--fake-gpu`: programs for CUDA see GPUs that do not exist, or hear how to get there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::fake_gpus::{double, fresh_folder};
use crate::common::{anyccl, finish};

/// A C program of tests/programs, linked with the runtime of `folder`.
fn program(folder: &Path, name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = folder.join(name);
    let mut compiler = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".into()));
    compiler.args(["-std=gnu11", "-pthread", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I"]);
    compiler.arg(root.join("../cuda-double/include")).arg(root.join(format!("tests/programs/{name}.c")));
    compiler.arg(folder.join("libcudart.so.12")).arg("-o").arg(&program);
    let compiled = finish(compiler);
    assert_eq!(compiled.code(), 0, "{}", compiled.stderr);
    program
}

fn text(path: &Path) -> &str {
    path.to_str().expect("cargo's folder is in UTF-8")
}

#[test]
fn four_ranks_compute_on_two_devices_that_do_not_exist() {
    let folder = double("four-ranks");
    let program = program(&folder, "two_gpus");
    let expected = |bus: &dyn Fn(usize) -> String| -> Vec<String> {
        (0..4).map(|rank| format!("[{rank}] devices 2, mine {} at {}", rank % 2, bus(rank))).collect()
    };
    let mut tool = anyccl(&["run", "--fake-gpu", "2", "-n", "4", "--timeout", "60", text(&program)]);
    tool.env("ANYCCL_CUDA_DOUBLE", &folder);
    tool.env_remove("CUDA_VISIBLE_DEVICES").env_remove("LD_LIBRARY_PATH");
    let tool = finish(tool);
    assert_eq!(tool.code(), 0, "{}", tool.stderr);
    assert_eq!(tool.sorted_lines(), expected(&|rank| format!("0000:0{}:00.0", rank % 2 + 1)));
}

#[test]
fn agents_give_ranks_of_other_hosts_the_same_devices() {
    let folder = double("hosts");
    let program = program(&folder, "two_gpus");
    let words =
        ["run", "--fake-gpu", "3", "--hosts", "a:1,b:1", "--launcher", "sh -c {cmd}", "--timeout", "60"];
    let mut tool = anyccl(&words);
    tool.arg(&program).env("ANYCCL_CUDA_DOUBLE", &folder);
    tool.env_remove("CUDA_VISIBLE_DEVICES").env_remove("LD_LIBRARY_PATH");
    let tool = finish(tool);
    assert_eq!(tool.code(), 0, "{}", tool.stderr);
    let expected = ["[0] devices 3, mine 0 at 0000:01:00.0", "[1] devices 3, mine 1 at 0000:02:00.0"];
    assert_eq!(tool.sorted_lines(), expected);
}

#[test]
fn processes_open_memory_and_events_of_each_other() {
    let folder = double("processes");
    let program = program(&folder, "two_processes");
    let mut tool = anyccl(&["run", "--fake-gpu", "1", "-n", "2", "--timeout", "60", text(&program)]);
    tool.env("ANYCCL_CUDA_DOUBLE", &folder);
    let tool = finish(tool);
    assert_eq!(tool.code(), 0, "{}", tool.stderr);
    assert_eq!(tool.sorted_lines(), ["[0] right", "[1] right"]);
}

#[test]
fn a_program_that_does_not_wait_for_its_stream_is_found_out() {
    let folder = double("no-order");
    let program = program(&folder, "two_gpus");
    let words = ["run", "--fake-gpu", "2", "-n", "2", "-x", "CUDA_DOUBLE_IGNORE=cuStreamSynchronize"];
    let mut tool = anyccl(&words);
    tool.args(["--timeout", "60"]).arg(&program).env("ANYCCL_CUDA_DOUBLE", &folder);
    let tool = finish(tool);
    assert_eq!(tool.code(), 4, "{}", tool.stderr);
    assert!(tool.stderr.contains("does not hold"), "{}", tool.stderr);
}

#[test]
fn an_installed_tool_finds_the_libraries_of_its_prefix() {
    let (folder, prefix) = (double("to-install"), fresh_folder("prefix"));
    for place in ["bin", "lib/anyccl"] {
        fs::create_dir_all(prefix.join(place)).expect("the folder is new");
    }
    let (tool, installed) = (prefix.join("bin/anyccl"), prefix.join("lib/anyccl/cuda-double"));
    fs::copy(env!("CARGO_BIN_EXE_anyccl"), &tool).expect("the tool can be copied");
    fs::rename(folder, &installed).expect("both are in one folder");
    let mut tool = Command::new(tool);
    tool.args(["run", "--fake-gpu", "1", "-n", "1", "--no-prefix", "sh", "-c", "echo $LD_LIBRARY_PATH"]);
    tool.env_remove("ANYCCL_CUDA_DOUBLE").env_remove("LD_LIBRARY_PATH");
    let tool = finish(tool);
    assert_eq!(tool.code(), 0, "{}", tool.stderr);
    let installed = installed.canonicalize().expect("it exists");
    assert_eq!(tool.sorted_lines(), [text(&installed)]);
}

#[test]
fn visible_devices_and_the_loaders_path_stay_the_users() {
    let folder = double("variables");
    let mut tool = anyccl(&["run", "--fake-gpu", "2", "-n", "1", "-x", "CUDA_VISIBLE_DEVICES=1"]);
    tool.args(["-x", "LD_LIBRARY_PATH=/mine", "-x", "LD_PRELOAD=libm.so.6", "--no-prefix", "sh", "-c"]);
    tool.arg("echo $CUDA_VISIBLE_DEVICES $CUDA_DOUBLE_DEVICES $LD_LIBRARY_PATH $LD_PRELOAD");
    tool.env("ANYCCL_CUDA_DOUBLE", &folder);
    let tool = finish(tool);
    assert_eq!(tool.code(), 0, "{}", tool.stderr);
    let (path, loaded) = (text(&folder), ["libcuda.so.1", "libcudart.so.12"].map(|file| folder.join(file)));
    let [driver, runtime] = loaded.each_ref().map(|file| text(file));
    assert_eq!(tool.sorted_lines(), [format!("1 2 {path}:/mine {driver}:{runtime}:libm.so.6")]);
}

#[test]
fn without_the_libraries_nothing_is_started_and_what_builds_them_is_named() {
    let (empty, elsewhere) = (fresh_folder("empty"), fresh_folder("elsewhere"));
    let words = ["run", "--fake-gpu", "2", "-n", "1", "echo", "started"];
    let mut named = anyccl(&words);
    named.env("ANYCCL_CUDA_DOUBLE", &empty);
    // A tool that was installed without them.
    fs::create_dir(elsewhere.join("bin")).expect("the folder is new");
    let copied = elsewhere.join("bin/anyccl");
    fs::copy(env!("CARGO_BIN_EXE_anyccl"), &copied).expect("the tool can be copied");
    let mut moved = Command::new(copied);
    moved.args(words).env_remove("ANYCCL_CUDA_DOUBLE");
    for (tool, place) in [(named, text(&empty)), (moved, "lib/anyccl/cuda-double")] {
        let tool = finish(tool);
        assert_eq!(tool.code(), 1, "{}", tool.stderr);
        assert!(tool.stdout.is_empty(), "{place}");
        for part in ["--fake-gpu", place, "cargo xtask cuda-double", "ANYCCL_CUDA_DOUBLE"] {
            assert!(tool.stderr.contains(part), "no {part} in: {}", tool.stderr);
        }
    }
}

#[test]
fn a_number_of_devices_that_makes_no_sense_is_wrong_usage() {
    for count in ["0", "65", "two"] {
        let tool = finish(anyccl(&["run", "--fake-gpu", count, "-n", "1", "true"]));
        assert_eq!(tool.code(), 2, "{count}: {}", tool.stderr);
    }
}
