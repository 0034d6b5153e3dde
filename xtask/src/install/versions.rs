//! Links libanyccl.so with symbol versions.
//!
//! Each function has the version of the release that brought it, such as `ANYCCL_0.1`. A program that needs a
//! newer function than the library has is refused by the loader at once, with a sentence. abi/symbols has the
//! names, and abi/releases the names of each release.
//!
//! Cargo gives the linker a list of names that leaves no room for versions. So the shared library is linked
//! again here, from the static one. Builds of cargo alone, as the tests use them, have no versions.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::names::SONAME;
use crate::abi::releases;
use crate::cargo;
use crate::glibc::OldGlibc;
use crate::result::Result;
use crate::workspace::{VERSION, root};

/// Links `library` from the static library.
pub fn link(archive: &Path, old: Option<&OldGlibc>, library: &Path) -> Result {
    let names = fs::read_to_string(root().join("abi/symbols/libanyccl.txt"))?;
    let script = library.with_extension("map");
    fs::write(&script, version_script(names.lines(), &releases()?, VERSION))?;
    let machines = || std::env::var_os("CC").map_or_else(|| "cc".into(), PathBuf::from);
    let mut linker = Command::new(old.map_or_else(machines, OldGlibc::compiler));
    linker.arg("-shared").arg("-o").arg(library);
    linker.arg("-Wl,--whole-archive").arg(archive).args(["-Wl,--no-whole-archive", "-Wl,--gc-sections"]);
    linker.args([&format!("-Wl,-soname,{SONAME}"), "-Wl,-z,nodelete,-z,relro,-z,now"]);
    linker.args(["-Wl,--build-id", &format!("-Wl,--version-script={}", script.display())]);
    linker.args(["-lgcc_s", "-lpthread", "-ldl", "-lm", "-lc"]);
    cargo::run(&mut linker)
}

/// The linker script. `releases` has the names of each release, oldest first, with its version.
fn version_script<'a>(
    names: impl Iterator<Item = &'a str>,
    releases: &[(String, Vec<String>)],
    current: &str,
) -> String {
    let mut nodes: BTreeMap<Vec<u32>, Vec<&str>> = BTreeMap::new();
    for name in names {
        let first = releases.iter().find(|(_, old)| old.iter().any(|old| old == name));
        let version = first.map_or(current, |(version, _)| version);
        nodes.entry(minor(version)).or_default().push(name);
    }
    let mut script = String::new();
    let mut older = String::new();
    for (version, names) in nodes {
        let node = format!("ANYCCL_{}.{}", version[0], version[1]);
        let _ = writeln!(script, "{node} {{\n  global:");
        for name in names {
            let _ = writeln!(script, "    {name};");
        }
        // All other names are local, which is said once.
        let rest = if older.is_empty() { "  local: *;\n" } else { "" };
        let _ = writeln!(script, "{rest}}}{older};");
        older = format!(" {node}");
    }
    script
}

/// The first two numbers of a version.
fn minor(version: &str) -> Vec<u32> {
    let mut numbers: Vec<u32> = version.split('.').take(2).map(|part| part.parse().unwrap_or(0)).collect();
    numbers.resize(2, 0);
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_the_version_of_the_release_that_brought_it() {
        let releases = [("0.1.0".to_owned(), vec!["a".to_owned()])];
        let script = version_script(["a", "b"].into_iter(), &releases, "0.2.1");
        let expected = "ANYCCL_0.1 {\n  global:\n    a;\n  local: *;\n};\n\
                        ANYCCL_0.2 {\n  global:\n    b;\n} ANYCCL_0.1;\n";
        assert_eq!(script, expected);
    }
}
