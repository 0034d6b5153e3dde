//! The examples, each on one rank and on three.

use std::env;
use std::process::Command;

/// Runs an example on `size` ranks.
fn run(name: &str, size: usize) {
    let program = env::current_exe().unwrap().parent().unwrap().join("../examples").join(name);
    assert!(
        program.exists(),
        "cargo test builds the examples; with --test, run cargo build --examples first"
    );
    let meeting = env::temp_dir().join(format!("anyccl-rust-{name}-{}-{size}", std::process::id()));
    let start = |rank: usize| {
        let mut process = Command::new(&program);
        process.env("ANYCCL_RANK", rank.to_string()).env("ANYCCL_WORLD_SIZE", size.to_string());
        process.env("ANYCCL_STORE", format!("file:{}", meeting.display()));
        process.spawn().unwrap()
    };
    let ranks: Vec<_> = (0..size).map(start).collect();
    for (rank, mut process) in ranks.into_iter().enumerate() {
        let status = process.wait().unwrap();
        assert!(status.success(), "rank {rank} of {name}: {status}");
    }
}

#[test]
fn the_examples_run_alone_and_on_three_ranks() {
    for name in ["hello", "pi", "halo", "train"] {
        run(name, 1);
        run(name, 3);
    }
}
