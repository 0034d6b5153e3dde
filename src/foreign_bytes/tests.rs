//! Replays each corpus, and mutations of it.

use std::path::Path;

use super::harness::memory::Counting;
use super::harness::replay::{MUTATIONS, replay};
use super::{Target, targets};

#[global_allocator]
static COUNTING: Counting = Counting;

fn corpus() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus"))
}

/// Replays every third row, so that the parts run next to each other.
fn replay_third(part: usize) {
    targets().iter().skip(part).step_by(3).for_each(|target| replay(target, corpus(), MUTATIONS));
}

#[test]
fn parsers_bear_their_corpora_and_mutations_of_them_first_part() {
    replay_third(0);
}

#[test]
fn parsers_bear_their_corpora_and_mutations_of_them_second_part() {
    replay_third(1);
}

#[test]
fn parsers_bear_their_corpora_and_mutations_of_them_third_part() {
    replay_third(2);
}

#[test]
fn every_row_has_a_name_of_its_own_and_a_program_in_fuzz_targets() {
    let mut names: Vec<&str> = targets().iter().map(|target| target.name).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    for name in names {
        let program = corpus().with_file_name("fuzz_targets").join(format!("{name}.rs"));
        assert!(program.exists(), "{} is missing", program.display());
    }
}

#[test]
#[should_panic(expected = "use 1048576 bytes of memory")]
fn a_parser_that_takes_more_memory_than_its_bytes_warrant_is_found_out() {
    let read = |_: &[u8]| drop(std::hint::black_box(vec![1u8; 1 << 20]));
    Target { name: "greedy", read, seeds: Vec::new, room: 4096 }.run(b"few");
}
