//! Licences of others: the crates that are linked into what is installed, Rust's own library, and a font.
//!
//! The crates are those of cargo's graph for this machine that are reached from the installed packages,
//! without tools of the build and macros. Each licence text is printed once, with the crates that have it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::names::PACKAGES;
use crate::cargo;
use crate::result::Result;
use crate::workspace::root;

/// Name of the file, in the folder of documents.
pub const NAME: &str = "THIRD-PARTY-NOTICES";

const HEAD: &str = "\
The libraries and the tool of anyccl contain the Rust crates below, each under the licences that follow.

They also contain parts of Rust's standard library, Copyright (c) The Rust Project Contributors, under the MIT
licence or the Apache licence 2.0, as you choose. The texts of both are below.
";

/// The text of the file.
pub fn text() -> Result<String> {
    let host = cargo::output(Command::new("rustc").arg("-vV"))?;
    let host = host.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
    let arguments = ["metadata", "--format-version=1", "--locked", "--filter-platform", host];
    let metadata = serde_json::from_str(&cargo::output(&mut cargo::cargo(&arguments))?)?;
    let mut crates = String::new();
    // Licences by their words, because their lines are broken in different places.
    let mut licences: BTreeMap<String, (String, Vec<String>)> = BTreeMap::new();
    for package in linked(&metadata) {
        let text = |key: &str| package[key].as_str().unwrap_or_default();
        let name = format!("{} {}", text("name"), text("version"));
        crates += &format!("{name}: {}\n", text("license"));
        let files = licence_files(Path::new(text("manifest_path")).parent().unwrap_or(root()))?;
        if files.is_empty() {
            return Err(format!("{name} has no licence file").into());
        }
        for licence in files {
            let words = licence.split_whitespace().collect::<Vec<_>>().join(" ");
            licences.entry(words).or_insert_with(|| (licence, Vec::new())).1.push(name.clone());
        }
    }
    let font = fs::read_to_string(root().join("cli/src/picture/font/LICENSE"))?;
    licences.insert("font".into(), (font, vec!["the font DejaVu Sans, in the tool".into()]));
    let mut all: Vec<_> = licences.into_values().collect();
    all.sort_by(|(_, one), (_, other)| one.cmp(other));
    let mut out = format!("{HEAD}\n{crates}");
    for (licence, names) in all {
        out += &format!("\n{}\n{}\n\n{}\n", "=".repeat(80), names.join(", "), licence.trim());
    }
    Ok(out)
}

/// The crates of others that the installed packages contain, by name.
fn linked(metadata: &Value) -> Vec<&Value> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let packages = metadata["packages"].as_array().map_or(&[][..], Vec::as_slice);
    let by_id: BTreeMap<&str, &Value> =
        packages.iter().filter_map(|package| Some((package["id"].as_str()?, package))).collect();
    let nodes = list(&metadata["resolve"]["nodes"]);
    let mut reached = BTreeSet::new();
    let is_installed = |package: &&Value| PACKAGES.iter().any(|name| package["name"] == *name);
    let mut open: Vec<String> = packages
        .iter()
        .filter(is_installed)
        .filter_map(|package| Some(package["id"].as_str()?.to_owned()))
        .collect();
    while let Some(id) = open.pop() {
        let is_macro = |package: &&Value| {
            list(&package["targets"])
                .iter()
                .any(|target| list(&target["kind"]).contains(&"proc-macro".into()))
        };
        if by_id.get(id.as_str()).is_some_and(is_macro) || !reached.insert(id.clone()) {
            continue;
        }
        let Some(node) = nodes.iter().find(|node| node["id"] == id) else { continue };
        for dependency in list(&node["deps"]) {
            // Without a kind, it is neither for the build nor for tests.
            if list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null()) {
                open.extend(dependency["pkg"].as_str().map(str::to_owned));
            }
        }
    }
    let of_others = |package: &&Value| !package["source"].is_null();
    let mut found: Vec<&Value> =
        reached.iter().filter_map(|id| by_id.get(id.as_str()).copied()).filter(of_others).collect();
    found.sort_by_key(|package| package["name"].as_str().map(str::to_owned));
    found
}

/// The texts of the licence files of a crate.
fn licence_files(folder: &Path) -> Result<Vec<String>> {
    const NAMES: [&str; 6] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];
    let mut files: Vec<_> = fs::read_dir(folder)?.collect::<std::result::Result<_, _>>()?;
    files.retain(|file| {
        let name = file.file_name().to_string_lossy().to_uppercase();
        file.path().is_file() && NAMES.iter().any(|start| name.starts_with(start))
    });
    files.sort_by_key(fs::DirEntry::file_name);
    files.iter().map(|file| Ok(String::from_utf8_lossy(&fs::read(file.path())?).into_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_name_what_is_linked_and_not_what_builds() {
        let text = text().unwrap();
        for linked in ["subtle ", "tiny-skia ", "libc ", "clap "] {
            assert!(text.lines().any(|line| line.starts_with(linked)), "{linked}");
        }
        for other in ["cbindgen ", "proptest ", "clap_derive ", "anyccl"] {
            assert!(
                !text
                    .lines()
                    .skip(5)
                    .take_while(|line| !line.starts_with('='))
                    .any(|line| line.starts_with(other)),
                "{other}"
            );
        }
        // The BSD licence asks for these two.
        assert!(text.contains("Isis Agora Lovecruft") && text.contains("Google Inc."));
        assert!(text.contains("Bitstream"));
    }
}
