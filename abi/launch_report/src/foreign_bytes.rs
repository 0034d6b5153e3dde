//! Target of fuzzing: a datagram that somebody sends to the launcher.

use super::report::{Event, Facade, Report};
use crate::harness::{Target, split};

pub const TARGETS: &[Target] =
    &[Target { name: "launch_reports", read: report, seeds: reports, room: 16 << 10 }];

const SECRET: &str = "key";

fn report(bytes: &[u8]) {
    let ([kind], bytes) = split(bytes);
    assert!(Report::of(bytes, "a secret that no input holds").is_none());
    // With the secret in front, and without.
    let with_secret = [SECRET.as_bytes(), &[0], bytes].concat();
    let datagram = if kind & 1 == 0 { &with_secret[..] } else { bytes };
    if let Some(report) = Report::of(datagram, SECRET) {
        assert_eq!(Report::of(&report.to_bytes(SECRET), SECRET), Some(report));
    }
}

fn reports() -> Vec<Vec<u8>> {
    let report = |facade, what, rank| {
        let (library, user) = ("/a b/libnccl.so.2".into(), "/é/python3".into());
        Report { facade, what, pid: 4711, rank, library, user }.to_bytes(SECRET)
    };
    let whole = [report(Facade::Mpi, Event::Bound, Some(3)), report(Facade::Nccl, Event::Called, None)];
    let mut seeds: Vec<Vec<u8>> = whole.iter().map(|bytes| [&[1][..], bytes].concat()).collect();
    seeds.extend(whole.iter().map(|bytes| [&[0][..], &bytes[SECRET.len() + 1..]].concat()));
    seeds
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
    fn the_parser_of_reports_bears_its_corpus_and_mutations_of_it() {
        let corpus = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus"));
        TARGETS.iter().for_each(|target| replay(target, corpus, MUTATIONS));
    }
}
