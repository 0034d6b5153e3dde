//! The README, the manual and the examples, in share/doc/anyccl, laid out as in the sources.
//!
//! A link between two of them works there as it does in the sources. A link to the header leads to the
//! installed one. A link to what is not installed, such as docs/adr, becomes text.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::Writer;
use crate::result::Result;
use crate::workspace::root;

/// Where the documents lie below the prefix.
pub const FOLDER: &str = "share/doc/anyccl";

/// Folders of which everything is installed.
const FOLDERS: [&str; 2] = ["docs/api", "c-examples"];

/// Installs all documents.
pub fn install(to: &mut Writer) -> Result {
    let files = files()?;
    for file in &files {
        let target = Path::new(FOLDER).join(file);
        match file.extension().is_some_and(|extension| extension == "md") {
            true => to.text(&relinked(file, &files)?, target)?,
            false => to.put(&root().join(file), target)?,
        }
    }
    Ok(())
}

/// What is installed, relative to the root of the sources.
fn files() -> Result<BTreeSet<PathBuf>> {
    let mut files = BTreeSet::new();
    let has_ending = |name: &str, ending: &str| Path::new(name).extension().is_some_and(|end| end == ending);
    add("", |name| name.starts_with("LICENSE") || top_level(name), &mut files)?;
    add("docs", |name| has_ending(name, "md"), &mut files)?;
    add("docs/plots", |name| has_ending(name, "svg"), &mut files)?;
    for folder in FOLDERS {
        add_all(Path::new(folder), &mut files)?;
    }
    Ok(files)
}

fn top_level(name: &str) -> bool {
    ["README.md", "CHANGELOG.md", "SECURITY.md"].contains(&name)
}

fn add(folder: &str, is_wanted: impl Fn(&str) -> bool, files: &mut BTreeSet<PathBuf>) -> Result {
    for entry in fs::read_dir(root().join(folder))? {
        let entry = entry?;
        if entry.file_type()?.is_file() && is_wanted(&entry.file_name().to_string_lossy()) {
            files.insert(Path::new(folder).join(entry.file_name()));
        }
    }
    Ok(())
}

fn add_all(folder: &Path, files: &mut BTreeSet<PathBuf>) -> Result {
    for entry in fs::read_dir(root().join(folder))? {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true if entry.file_name() == "__pycache__" => {}
            true => add_all(&path, files)?,
            false => drop(files.insert(path)),
        }
    }
    Ok(())
}

/// The text of a page, with links as they are right below the prefix.
fn relinked(page: &Path, files: &BTreeSet<PathBuf>) -> Result<String> {
    let text = fs::read_to_string(root().join(page))?;
    let folder = page.parent().unwrap_or(Path::new(""));
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(middle) = rest.find("](") {
        let target = rest[middle + 2..].split(')').next().unwrap_or_default();
        let end = middle + 2 + target.len() + 1;
        let (link, anchor) = target.split_once('#').unwrap_or((target, ""));
        let leads_to = normal(&folder.join(link));
        let is_of_the_tree = !link.is_empty() && !link.contains(':') && root().join(&leads_to).exists();
        let is_installed = files.iter().any(|file| file.starts_with(&leads_to));
        match opening(&rest[..middle]) {
            Some(start) if is_of_the_tree && !is_installed => {
                out += rest[..start].trim_end_matches('!');
                match leads_to.starts_with("include") {
                    true => {
                        let below = below_prefix(folder, &leads_to, anchor);
                        out += &format!("{}]({below})", &rest[start..middle]);
                    }
                    false => out += &rest[start + 1..middle],
                }
            }
            _ => out += &rest[..end.min(rest.len())],
        }
        rest = rest.get(end..).unwrap_or_default();
    }
    Ok(out + rest)
}

/// The bracket that begins the text of a link, which ends at the end of `text`.
fn opening(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.char_indices().rev().find_map(|(at, letter)| match letter {
        '[' if depth == 0 => Some(at),
        '[' => {
            depth -= 1;
            None
        }
        ']' => {
            depth += 1;
            None
        }
        _ => None,
    })
}

/// The link to a file of the prefix, from a page in `folder` of the documents.
fn below_prefix(folder: &Path, file: &Path, anchor: &str) -> String {
    let up: PathBuf = Path::new(FOLDER).join(folder).components().map(|_| Component::ParentDir).collect();
    let anchor = if anchor.is_empty() { String::new() } else { format!("#{anchor}") };
    format!("{}{anchor}", up.join(file).display())
}

/// A relative path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut parts = Vec::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(parts.pop()),
            Component::Normal(name) => parts.push(name),
            _ => {}
        }
    }
    parts.iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_the_readme_lead_to_installed_files_or_are_text() {
        let text = relinked(Path::new("README.md"), &files().unwrap()).unwrap();
        assert!(text.contains("[docs/starting.md](docs/starting.md)"), "{text}");
        assert!(text.contains("[the header](../../../include/anyccl/anyccl.h)"), "{text}");
        assert!(text.contains("[c-examples/](c-examples/)"), "{text}");
        assert!(!text.contains("](docs/adr") && text.contains(" decisions,"), "{text}");
    }

    #[test]
    fn no_page_has_a_link_to_a_file_that_is_not_installed() {
        let files = files().unwrap();
        let pages: Vec<_> =
            files.iter().filter(|file| file.extension().is_some_and(|end| end == "md")).collect();
        assert!(pages.len() > 30, "{pages:?}");
        for page in pages {
            let text = relinked(page, &files).unwrap();
            for target in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
                let leads_to = normal(&page.parent().unwrap().join(target));
                let is_of_the_tree = !target.is_empty() && root().join(&leads_to).exists();
                let is_installed =
                    target.contains("/include/") || files.iter().any(|file| file.starts_with(&leads_to));
                assert!(!is_of_the_tree || is_installed, "{}: {target}", page.display());
            }
        }
    }

    #[test]
    fn a_bracket_within_the_text_of_a_link_does_not_begin_it() {
        assert_eq!(opening("see [a"), Some(4));
        assert_eq!(opening("see [a[0]"), Some(4));
        assert_eq!(opening("see a"), None);
    }
}
