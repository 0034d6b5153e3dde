//! `cargo xtask words`: checks that the tree uses the terms of its field.
//!
//! Three rules hold for every text file of the tree except CHANGELOG.md and the decisions in docs/adr:
//!
//! - No word that xtask/src/words/retired.md lists stands in a name, a comment or a page ([`retired`]).
//! - No doc comment begins with a word that leaves open what the thing is, such as "Of" ([`openings`]).
//! - No comment of a Rust file is wider than its code may be (rustfmt checks code only).

mod openings;
mod retired;

use std::fs;
use std::path::{Path, PathBuf};

use self::retired::Retired;
use crate::result::Result;
use crate::workspace;

/// Columns of a line, as in rustfmt.toml.
const WIDTH: usize = 110;
/// The page that lists the retired words.
const LIST: &str = "xtask/src/words/retired.md";
/// Paths that are not checked: history, texts of others, and generated files.
const LEFT_OUT: [&str; 8] = [
    "CHANGELOG.md",
    "Cargo.lock",
    "LICENSE",
    "docs/adr/",
    "docs/plots/",
    "target/",
    ".git/",
    "xtask/src/words",
];
/// Endings of the names of files that are checked.
const TEXT: [&str; 12] = ["rs", "c", "h", "cpp", "hpp", "py", "md", "toml", "txt", "cmake", "sh", "Makefile"];
/// Number of lines that are printed at most.
const SHOWN: usize = 60;

/// Checks the whole tree. The error lists the lines that break a rule.
pub fn run() -> Result {
    let list =
        fs::read_to_string(workspace::root().join(LIST)).map_err(|error| format!("{LIST}: {error}"))?;
    let retired = Retired::parse(&list).map_err(|error| format!("{LIST}: {error}"))?;
    let mut findings = Vec::new();
    for path in files(workspace::root())? {
        // A file that is not UTF-8 is no text.
        let Ok(text) = fs::read_to_string(workspace::root().join(&path)) else { continue };
        findings.extend(in_file(&path, &text, &retired));
    }
    if findings.is_empty() {
        return Ok(());
    }
    findings.iter().take(SHOWN).for_each(|finding| println!("{finding}"));
    Err(format!(
        "{} lines, of which the first {} are above; the words are in {LIST}",
        findings.len(),
        findings.len().min(SHOWN)
    )
    .into())
}

/// The problems of one file, one line for each.
fn in_file(path: &str, text: &str, retired: &Retired) -> Vec<String> {
    let mut findings = Vec::new();
    let is_rust = path.ends_with(".rs");
    for (number, line) in (1..).zip(text.lines()) {
        for (word, instead) in retired.in_line(path, line) {
            findings.push(format!("{path}:{number}: \"{word}\" is retired, say {instead}"));
        }
        if is_rust && line.trim_start().starts_with("//") && line.chars().count() > WIDTH {
            findings.push(format!(
                "{path}:{number}: a comment of {} columns, over {WIDTH}",
                line.chars().count()
            ));
        }
    }
    for (number, word) in openings::vague(path, text) {
        findings
            .push(format!("{path}:{number}: a doc comment begins with \"{word}\": say what the thing is"));
    }
    findings
}

/// Paths of the text files of the tree, from its root.
fn files(root: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            let shown = path.strip_prefix(root)?.to_string_lossy().into_owned();
            let hidden = shown
                .split('/')
                .any(|part| part.starts_with('.') || ["target", "build", "__pycache__"].contains(&part));
            if hidden || LEFT_OUT.iter().any(|left| shown.starts_with(left)) || path.is_symlink() {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if TEXT.iter().any(|end| shown.rsplit(['.', '/']).next() == Some(end)) {
                found.push(shown);
            }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_names_file_and_line() {
        let retired =
            Retired::parse("| retired | say | where |\n| --- | --- | --- |\n| bell | doorbell | |\n")
                .unwrap();
        let text = format!("/// Of each bell.\nfn ring() {{}}\n// {}\n", "x".repeat(WIDTH));
        let findings = in_file("src/a.rs", &text, &retired);
        assert_eq!(findings.len(), 3, "{findings:?}");
        assert!(findings[0].starts_with("src/a.rs:1: \"bell\""), "{findings:?}");
        assert!(findings[1].starts_with("src/a.rs:3: a comment of 113"), "{findings:?}");
        assert!(findings[2].contains("begins with \"Of\""), "{findings:?}");
        assert!(in_file("docs/a.md", "A doorbell.\n", &retired).is_empty());
    }

    #[test]
    fn the_list_of_the_tree_can_be_read() {
        let list = fs::read_to_string(workspace::root().join(LIST)).unwrap();
        Retired::parse(&list).unwrap();
    }
}
