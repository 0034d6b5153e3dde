//! Circles of files, and the page that lists the accepted ones.

use std::collections::BTreeSet;

use super::arrows::Arrows;

/// The groups of files in which each file uses each other one, if only by way of others.
pub fn find(arrows: &Arrows, files: usize) -> Vec<Vec<usize>> {
    let mut graph = petgraph::graph::DiGraph::<(), (), usize>::default();
    for _ in 0..files {
        graph.add_node(());
    }
    for (from, to) in arrows.keys() {
        graph.add_edge((*from).into(), (*to).into(), ());
    }
    let parts = petgraph::algo::tarjan_scc(&graph).into_iter().filter(|part| part.len() > 1);
    let sorted = parts.map(|part| part.iter().map(|node| node.index()).collect::<BTreeSet<usize>>());
    sorted.map(|circle| circle.into_iter().collect()).collect()
}

/// The circles that are accepted.
pub struct Listed {
    /// Name and files of those that were not found yet.
    left: Vec<(String, BTreeSet<String>)>,
}

impl Listed {
    /// Reads the table of the page: name, files, reason. Files are separated by spaces, and a name in braces
    /// stands for several: `a/{b,c}.rs`.
    pub fn parse(page: &str) -> std::result::Result<Listed, String> {
        let rows = page.lines().filter(|line| line.starts_with('|')).skip(2);
        let circle = |line: &str| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            match cells.as_slice() {
                [name, files, reason] if !reason.is_empty() => {
                    let files = files.split_whitespace().map(|word| word.trim_matches('`'));
                    Ok((name.to_string(), files.flat_map(spelled_out).collect()))
                }
                _ => Err(format!("a row needs name, files and reason: {line}")),
            }
        };
        Ok(Listed { left: rows.map(circle).collect::<std::result::Result<_, _>>()? })
    }

    /// Whether these files are a listed circle, which then counts as found.
    pub fn take(&mut self, files: &[&str]) -> bool {
        let files: BTreeSet<String> = files.iter().map(|file| file.to_string()).collect();
        let at = self.left.iter().position(|(_, listed)| *listed == files);
        at.map(|at| self.left.remove(at)).is_some()
    }

    /// Names of the circles that were not found.
    pub fn left(&self) -> impl Iterator<Item = &str> {
        self.left.iter().map(|(name, _)| name.as_str())
    }
}

/// The paths for which a word with braces stands.
fn spelled_out(word: &str) -> Vec<String> {
    let Some((before, (inside, after))) =
        word.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
    else {
        return vec![word.to_string()];
    };
    inside.split(',').map(|name| format!("{before}{name}{after}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_use_each_other_by_way_of_others_are_a_circle() {
        let arrow = |from, to| ((from, to), BTreeSet::from(["name".to_string()]));
        let arrows = Arrows::from([arrow(0, 1), arrow(1, 2), arrow(2, 0), arrow(3, 0)]);
        assert_eq!(find(&arrows, 4), [vec![0, 1, 2]]);
    }

    #[test]
    fn a_listed_circle_is_found_once_and_only_with_all_of_its_files() {
        let page = "# Circles\n\n| name | files | reason |\n| --- | --- | --- |\n| one | `a/{b,c}.rs` `d.rs` | why |\n";
        let mut listed = Listed::parse(page).unwrap();
        assert!(!listed.take(&["a/b.rs", "a/c.rs"]));
        assert_eq!(listed.left().collect::<Vec<_>>(), ["one"]);
        assert!(listed.take(&["d.rs", "a/c.rs", "a/b.rs"]));
        assert!(!listed.take(&["d.rs", "a/c.rs", "a/b.rs"]));
        assert!(Listed::parse("| a |\n| - |\n| one | a.rs |  |").is_err());
    }
}
