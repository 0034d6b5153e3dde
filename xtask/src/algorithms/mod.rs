//! docs/algorithms.md: each algorithm with its steps, what a rank sends, when it is chosen, and its source.
//!
//! The sentence about how an algorithm works is the first one of its source.

mod measured;

use std::fmt::Write;
use std::fs;

use anyccl_engine::algo::{ALGORITHMS, Algorithm};
use anyccl_engine::base::Collective;
use measured::{Measured, RANKS_PER_HOST, measure};

use crate::markdown::table;
use crate::workspace;

/// Numbers of ranks for which the page counts.
const SIZES: [u32; 4] = [2, 4, 8, 16];

/// The text of the page.
pub fn page() -> String {
    let mut page = format!(
        "# Algorithms\n\n\
         This page lists the algorithms of each collective. `ANYCCL_ALGORITHM=COLLECTIVE:ALGORITHM,...` chooses \
         one. Otherwise the library takes the one with the least predicted cost, the same on all ranks. \
         [internals.md](internals.md) says how an algorithm becomes a plan.\n\n\
         *Steps* is the longest chain of messages each of which waits for the one before it. *Sent* is the most \
         that a rank sends, in units of the call's count: 1.75 means that a rank of an all_reduce of 1 MiB sends \
         1.75 MiB. Both are for 2, 4, 8 and 16 ranks, and are counted in the plans. A pipeline is counted with one \
         chunk; with more, chunks follow each other. `hierarchical` is counted on hosts of {RANKS_PER_HOST} ranks. A \
         dash: the algorithm does not serve so many ranks, or its blocks have no common length.\n\n\
         The list below each table says how its algorithms work, in the words of their sources. In it *k* counts \
         rounds from 0.\n",
    );
    for collective in Collective::ALL {
        let algorithms: Vec<&Algorithm> = ALGORITHMS.iter().filter(|a| a.collective == collective).collect();
        if algorithms.is_empty() {
            continue;
        }
        let _ = write!(page, "\n## {}\n\n", collective.name());
        let rows = algorithms.iter().map(|algorithm| row(algorithm));
        table(&mut page, &["algorithm", "steps", "sent", "when", "source"], rows);
        page.push('\n');
        for algorithm in algorithms {
            let _ = writeln!(page, "- `{}`: {}", algorithm.name, how_it_works(algorithm));
        }
    }
    page
}

/// The first paragraph of the algorithm's source, without the name before its colon.
fn how_it_works(algorithm: &Algorithm) -> String {
    let path = workspace::root().join(source(algorithm).expect("an algorithm has a file"));
    let text = fs::read_to_string(&path).expect("the file was found");
    let lines = text.lines().map_while(|line| line.strip_prefix("//! "));
    let paragraph = lines.collect::<Vec<_>>().join(" ");
    paragraph.split_once(": ").map_or(paragraph.as_str(), |(_, rest)| rest).to_owned()
}

fn row(algorithm: &Algorithm) -> Vec<String> {
    let has_layout = algorithm.collective.has_layout();
    let measured = SIZES.map(|size| (!has_layout).then(|| measure(algorithm, size)).flatten());
    let cells = |show: fn(&Measured) -> String| match measured.iter().all(Option::is_none) {
        true => "–".to_owned(),
        false => measured.each_ref().map(|one| one.as_ref().map_or("–".into(), show)).join(", "),
    };
    let steps = cells(|one| one.steps.to_string());
    let sent = cells(|one| format!("{:.2}", one.sent).trim_end_matches('0').trim_end_matches('.').to_owned());
    vec![format!("`{}`", algorithm.name), steps, sent, algorithm.summary.to_owned(), link(algorithm)]
}

fn link(algorithm: &Algorithm) -> String {
    source(algorithm).map_or_else(String::new, |path| format!("[{path}](../{path})"))
}

/// The file with the algorithm.
fn source(algorithm: &Algorithm) -> Option<String> {
    let collective = algorithm.collective.name();
    let plain = collective.trim_end_matches("_v");
    let folder = if collective.starts_with("neighbor") {
        "neighbor"
    } else {
        plain.strip_prefix("ex").unwrap_or(plain)
    };
    let names = [format!("{}_v.rs", algorithm.name), format!("{}.rs", algorithm.name), "mod.rs".to_owned()];
    let is_plain = plain == collective;
    let path = |name: &String| format!("src/algo/{folder}/{name}");
    names.iter().skip(usize::from(is_plain)).map(path).find(|path| workspace::root().join(path).is_file())
}
