//! Replays the corpus of a target, and mutations of it that a seed chooses.
//!
//! What fails is printed with the target, the seed and the bytes. Whoever puts the bytes into the folder of
//! the target has the failure again.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::Target;
use super::mutation::{Random, mutated};

/// Number of mutations of each target.
pub const MUTATIONS: usize = 10_000;

/// How long one input may take. It takes microseconds; a busy machine takes longer.
const PATIENCE: Duration = Duration::from_secs(120);

/// The seed of every sample of the tests (`tests/common/sample.rs`).
fn seed() -> u64 {
    let given = std::env::var("ANYCCL_TEST_SEED").ok().filter(|text| !text.is_empty());
    given.map_or(44, |text| text.parse().expect("ANYCCL_TEST_SEED is a number"))
}

/// Gives the corpus of a target and `mutations` mutations of it to the parser. If `ANYCCL_TEST_SEEDS_TO`
/// names a folder, writes the seeds there instead, for a fuzzer to begin with.
pub fn replay(target: &Target, corpus: &Path, mutations: usize) {
    if let Some(folder) = std::env::var_os("ANYCCL_TEST_SEEDS_TO") {
        return write_seeds(target, Path::new(&folder));
    }
    let inputs = inputs(target, corpus);
    let seed = seed();
    let name =
        target.name.bytes().fold(0, |sum: u64, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
    let mut random = Random(seed ^ name << 16);
    let (told, tell) = channel();
    thread::scope(|scope| {
        scope.spawn(move || watch(target, seed, &tell));
        // Dropped on an unwind, too, so that the watch ends.
        let told = told;
        for input in &inputs {
            run(target, seed, input);
        }
        for _ in 0..mutations {
            let (input, other) = (random.one_of(&inputs).clone(), random.one_of(&inputs).clone());
            let bytes = mutated(&input, &other, &mut random);
            // The receiver lives as long as this loop.
            let _ = told.send(bytes.clone());
            run(target, seed, &bytes);
        }
    });
}

/// The files of the corpus, in the order of their names, and the seeds.
fn inputs(target: &Target, corpus: &Path) -> Vec<Vec<u8>> {
    let folder = corpus.join(target.name);
    let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{} holds no input", folder.display());
    let files = files.iter().map(|file| fs::read(file).unwrap());
    files.chain((target.seeds)()).collect()
}

fn run(target: &Target, seed: u64, bytes: &[u8]) {
    catch_unwind(AssertUnwindSafe(|| target.run(bytes))).unwrap_or_else(|panic| {
        describe(target, seed, bytes);
        resume_unwind(panic)
    });
}

fn describe(target: &Target, seed: u64, bytes: &[u8]) {
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let name = target.name;
    eprintln!(
        "target {name}, ANYCCL_TEST_SEED={seed}; to have it again: echo {hex} | xxd -r -p > fuzz/corpus/{name}/found"
    );
}

/// Ends the process when an input takes too long, and prints it.
fn watch(target: &Target, seed: u64, inputs: &Receiver<Vec<u8>>) {
    let mut latest = Vec::new();
    loop {
        match inputs.recv_timeout(PATIENCE) {
            Ok(bytes) => latest = bytes,
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {
                describe(target, seed, &latest);
                eprintln!("HANGS: target {}", target.name);
                std::process::abort();
            }
        }
    }
}

fn write_seeds(target: &Target, folder: &Path) {
    let folder = folder.join(target.name);
    fs::create_dir_all(&folder).unwrap();
    for (at, seed) in (target.seeds)().iter().enumerate() {
        fs::write(folder.join(format!("seed-{at:02}")), seed).unwrap();
    }
}
