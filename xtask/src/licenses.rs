//! Licences and advisories of the crates that this project uses.
//!
//! `deny.toml` lists the accepted licences. If `cargo deny` is installed, it checks licences, sources and
//! duplicates, and also advisories if it can download their database. Otherwise this module compares the
//! licences with the same list.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::cargo::{cargo, output, run};
use crate::result::Result;
use crate::workspace;

/// Fails when a crate has a licence that `deny.toml` does not accept.
pub fn check() -> Result {
    if output(&mut cargo(&["deny", "--version"])).is_err() {
        println!("cargo deny is not installed: only licences are checked, no advisories");
        return check_licenses();
    }
    run(&mut cargo(&["deny", "--offline", "check", "licenses", "bans", "sources"]))?;
    if output(&mut cargo(&["deny", "fetch", "db"])).is_err() {
        println!("not checked: the database of advisories cannot be downloaded");
        return Ok(());
    }
    run(&mut cargo(&["deny", "check", "--disable-fetch", "advisories"]))
}

/// Compares the licence of each crate of the build with the list.
fn check_licenses() -> Result {
    let path = workspace::root().join("deny.toml");
    let accepted = accepted(&fs::read_to_string(&path).map_err(|error| format!("deny.toml: {error}"))?);
    let host = output(Command::new("rustc").arg("-vV"))?;
    let host = host.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
    let metadata =
        output(&mut cargo(&["metadata", "--format-version=1", "--locked", "--filter-platform", host]))?;
    let refused = refused(&serde_json::from_str(&metadata)?, &accepted);
    if refused.is_empty() {
        Ok(())
    } else {
        Err(format!("deny.toml does not accept: {}", refused.join(", ")).into())
    }
}

/// The names in the list `allow` of the section `licenses` of deny.toml.
fn accepted(deny: &str) -> Vec<String> {
    let section = deny.split("[licenses]").nth(1).unwrap_or_default();
    let list = section.split("allow = [").nth(1).and_then(|rest| rest.split(']').next()).unwrap_or_default();
    list.lines()
        .map(|line| line.split('#').next().unwrap_or_default())
        .flat_map(|line| line.split(','))
        .map(|name| name.trim().trim_matches('"').to_owned())
        .filter(|name| !name.is_empty())
        .collect()
}

/// The crates whose licence is not accepted, each with its licence.
fn refused(metadata: &Value, accepted: &[String]) -> Vec<String> {
    let packages = metadata["packages"].as_array().map_or(&[][..], Vec::as_slice);
    let with_licence = packages.iter().map(|package| {
        (package["name"].as_str().unwrap_or_default(), package["license"].as_str().unwrap_or_default())
    });
    with_licence
        .filter(|(_, licence)| !is_accepted(licence, accepted))
        .map(|(name, licence)| format!("{name} ({licence})"))
        .collect()
}

/// Whether the accepted licences satisfy an SPDX expression. Old expressions have a slash for OR.
fn is_accepted(expression: &str, accepted: &[String]) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    let met = any_of(&mut words, accepted);
    met && words.next().is_none()
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn any_of(words: &mut Words<'_>, accepted: &[String]) -> bool {
    let mut met = all_of(words, accepted);
    while words.next_if(|word| *word == "OR").is_some() {
        met |= all_of(words, accepted);
    }
    met
}

fn all_of(words: &mut Words<'_>, accepted: &[String]) -> bool {
    let mut met = one(words, accepted);
    while words.next_if(|word| *word == "AND").is_some() {
        met &= one(words, accepted);
    }
    met
}

fn one(words: &mut Words<'_>, accepted: &[String]) -> bool {
    if words.next_if(|word| *word == "(").is_some() {
        let met = any_of(words, accepted);
        return words.next() == Some(")") && met;
    }
    let mut name = words.next().unwrap_or_default().to_owned();
    if words.next_if(|word| *word == "WITH").is_some() {
        name = format!("{name} WITH {}", words.next().unwrap_or_default());
    }
    accepted.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_is_met_by_one_side_of_or_and_by_both_of_and() {
        let accepted = ["MIT".to_owned(), "Unicode-3.0".to_owned(), "A WITH B".to_owned()];
        for met in ["MIT", "MIT/Apache-2.0", "X OR MIT", "(MIT OR X) AND Unicode-3.0", "A WITH B OR X"] {
            assert!(is_accepted(met, &accepted), "{met}");
        }
        for unmet in ["", "X", "MIT AND X", "(MIT OR X) AND Y", "A", "(MIT", "MIT MIT"] {
            assert!(!is_accepted(unmet, &accepted), "{unmet}");
        }
    }

    #[test]
    fn published_crates_pack_both_licences() {
        for package in ["anyccl-engine", "anyccl"] {
            let list = ["package", "--list", "--allow-dirty", "--offline", "--package", package];
            let packed = output(&mut cargo(&list)).unwrap();
            for file in ["LICENSE-MIT", "LICENSE-APACHE"] {
                assert!(packed.lines().any(|line| line == file), "{package}: {file}");
            }
        }
    }

    #[test]
    fn a_crate_with_another_licence_is_named() {
        let accepted = accepted("[licenses]\nallow = [\n    \"MIT\", # why\n    \"ISC\",\n]\n");
        assert_eq!(accepted, ["MIT", "ISC"]);
        let metadata = serde_json::json!({"packages": [
            {"name": "a", "license": "MIT"}, {"name": "b", "license": "GPL-3.0"}, {"name": "c", "license": null}]});
        assert_eq!(refused(&metadata, &accepted), ["b (GPL-3.0)", "c ()"]);
    }
}
