//! `cargo xtask glibc FILE...`: the oldest glibc with which programs and libraries run.
//!
//! Packages are linked against stubs of an old glibc ([`OldGlibc`]), so that they run on all systems since.

mod build;
mod old;

use std::fmt;
use std::path::PathBuf;
use std::process::Command;
use std::str::FromStr;

pub use build::build;
pub use old::{OldGlibc, TARGET};

use crate::cargo;
use crate::result::Result;

/// The oldest glibc on which packages run, as README.md and docs/RELEASING.md state it: that of RHEL 8 and
/// Debian 10, and the tag `manylinux_2_28` of Python wheels. memfd_create came one release before.
pub const FLOOR: Version = Version { major: 2, minor: 28, patch: 0 };

/// A version of glibc.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    major: u32,
    minor: u32,
    patch: u32,
}

impl FromStr for Version {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Version, String> {
        let mut numbers = text.split('.').map(str::parse);
        let expected = || format!("\"{text}\" is no version of glibc such as 2.28");
        match (numbers.next(), numbers.next(), numbers.next().unwrap_or(Ok(0)), numbers.next()) {
            (Some(Ok(major)), Some(Ok(minor)), Ok(patch), None) => Ok(Version { major, minor, patch }),
            _ => Err(expected()),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}.{}", self.major, self.minor)?;
        if self.patch == 0 { Ok(()) } else { write!(to, ".{}", self.patch) }
    }
}

/// Arguments of the task.
#[derive(clap::Args)]
pub struct Glibc {
    /// Programs and shared libraries
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The oldest glibc on which they have to run
    #[arg(long, default_value_t = FLOOR)]
    floor: Version,
}

impl Glibc {
    /// Prints what each file needs. Fails if one needs more than the floor.
    pub fn run(&self) -> Result {
        check(&self.files, self.floor)
    }
}

/// Prints what each file needs. Fails if one needs a glibc that is newer than `floor`.
pub fn check(files: &[PathBuf], floor: Version) -> Result {
    let mut above = Vec::new();
    for file in files {
        let listing = cargo::output(Command::new("readelf").args(["--version-info", "--wide"]).arg(file))?;
        let Some((newest, symbols)) = newest(&listing) else {
            println!("{}: needs no glibc", file.display());
            continue;
        };
        println!("{}: glibc {newest}", file.display());
        if newest > floor {
            above.push(format!("{} needs glibc {newest} ({symbols})", file.display()));
        }
    }
    if above.is_empty() { Ok(()) } else { Err(format!("newer than {floor}: {}", above.join("; ")).into()) }
}

/// The newest version of glibc in a listing of readelf, and how it stands there.
fn newest(listing: &str) -> Option<(Version, String)> {
    // Each needed version is a line such as "  0x0010:   Name: GLIBC_2.28  Flags: none  Version: 4".
    let names = listing.lines().filter_map(|line| line.split("Name: ").nth(1)?.split_whitespace().next());
    let versions =
        names.filter_map(|name| Some((name.strip_prefix("GLIBC_")?.parse().ok()?, name.to_owned())));
    versions.max_by_key(|(version, _)| *version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_needed_version_is_found_by_number_and_not_by_letter() {
        let listing = "  0x0010:   Name: GLIBC_2.3.4  Flags: none  Version: 3\n\
                       \x20 0x0020:   Name: GLIBC_2.28  Flags: none  Version: 2\n\
                       \x20 0x0020:   Name: GCC_4.2.0  Flags: none  Version: 2\n";
        assert_eq!(newest(listing).unwrap().0, FLOOR);
        assert!("2.3.4".parse::<Version>().unwrap() < FLOOR && FLOOR < "2.31".parse().unwrap());
        assert!("two".parse::<Version>().is_err());
    }
}
