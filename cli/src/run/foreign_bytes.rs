//! Bytes of others that the tool reads, as targets of fuzzing ([`anyccl_engine`] has such a table, too).

use super::lines::Lines;
use super::repeats::{AS_ABOVE, Passage, Repeats};
use crate::harness::{Target, pieces, split};

pub const TARGETS: &[Target] = &[
    Target {
        name: "launcher_frames",
        read: super::hosts::foreign_bytes::frames,
        seeds: super::hosts::foreign_bytes::some_frames,
        room: 64 << 10,
    },
    Target {
        name: "host_files",
        read: super::hosts::foreign_bytes::hosts,
        seeds: super::hosts::foreign_bytes::some_hosts,
        room: 8 << 20,
    },
    Target { name: "rank_output", read: output, seeds: outputs, room: 64 << 10 },
];

/// What a rank prints, in pieces.
fn output(bytes: &[u8]) {
    let ([length], bytes) = split(bytes);
    let (mut lines, mut repeats, mut whole) = (Lines::default(), Repeats::default(), Vec::new());
    let mut line = |line: &[u8]| {
        whole.extend_from_slice(line);
        if let Passage::Shortened(text) = repeats.judge(line) {
            assert!(text.contains(AS_ABOVE) && text.len() <= line.len() + AS_ABOVE.len());
        }
    };
    pieces(bytes, length).for_each(|piece| lines.take(piece, &mut line));
    lines.finish(&mut line);
    assert!(whole == bytes, "lines are lost");
    let _ = (repeats.odd_ranks(), repeats.lost_ranks().count());
}

fn outputs() -> Vec<Vec<u8>> {
    let differ = "the ranks disagree in call #3 of \"world\": rank 0 called all_reduce(int32 sum, count 3), rank 2 called \
                  barrier (reported by rank 0 (host a, pid 1))";
    let lost = "rank 4 (host a, pid 9) was killed, crashed or ended without finalizing in barrier #2";
    let logged =
        |rank: u32, text: &str| format!("anyccl: error: rank {rank} of \"world\", in barrier: {text}\n");
    let texts = [
        format!("\0{}{}x: anyccl_barrier: {differ}\n", logged(0, differ), logged(1, differ)),
        format!("\x05{}{}anyccl.MismatchError: Barrier: {differ}\n", logged(0, differ), logged(3, differ)),
        format!("\0{}{}", logged(0, lost), logged(1, "the tcp link to rank 4 (host a, pid 9) failed")),
        "\x01plain\n\nunfinished".into(),
    ];
    texts.map(String::into_bytes).to_vec()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::TARGETS;
    use crate::harness::memory::Counting;
    use crate::harness::replay::{MUTATIONS, replay};

    #[global_allocator]
    static COUNTING: Counting = Counting;

    #[test]
    fn parsers_of_the_tool_bear_their_corpora_and_mutations_of_them() {
        let corpus = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/corpus"));
        TARGETS.iter().for_each(|target| replay(target, corpus, MUTATIONS));
    }
}
