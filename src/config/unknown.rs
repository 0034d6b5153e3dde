//! Variables of the environment that look like ours and are not: misspelt ones.

use std::sync::Once;

use super::VARIABLES;
use super::nearest;
use crate::log_line;

const PREFIX: &str = "ANYCCL_";

/// Names that the library itself does not read: those of the Python package, of the stand-ins for NCCL and
/// MPI, of compiler wrappers, and of builds.
const OTHERS: [&str; 13] = [
    "ANYCCL_LIB",
    "ANYCCL_PYTHON_CTYPES",
    "ANYCCL_ROOT",
    "ANYCCL_TORCHRUN",
    "ANYCCL_NCCL_AUDIT",
    "ANYCCL_MPI_AUDIT",
    "ANYCCL_LAUNCH_REPORT",
    "ANYCCL_MPI_CC",
    "ANYCCL_MPI_CXX",
    "ANYCCL_MPI_FC",
    "ANYCCL_NCCL_TESTS",
    "ANYCCL_NAME_TORCH",
    "ANYCCL_CACHE",
];
/// What tests use among themselves.
const TEST_PREFIX: &str = "ANYCCL_TEST_";

/// A variable whose name begins with `ANYCCL_` and means nothing.
#[derive(Debug, PartialEq, Eq)]
pub struct UnknownVariable {
    /// Its name.
    pub name: String,
    /// The name that is probably meant.
    pub meant: Option<&'static str>,
}

/// The variables of this process whose names begin with `ANYCCL_` and mean nothing.
pub fn unknown_variables() -> Vec<UnknownVariable> {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let unknown = names.filter(|name| is_unknown(name));
    unknown.map(|name| UnknownVariable { meant: meant_by(&name), name }).collect()
}

/// Warns of each variable whose name begins with `ANYCCL_` and means nothing. Does so once per process; the
/// caller is the one rank of a job that speaks.
pub fn warn_of_unknown_variables() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for UnknownVariable { name, meant } in unknown_variables() {
            match meant {
                Some(meant) => {
                    log_line!(Warn, "the variable {name} means nothing to anyccl; did you mean {meant}?")
                }
                None => log_line!(
                    Warn,
                    "the variable {name} means nothing to anyccl; `anyccl info` lists those that do"
                ),
            }
        }
    });
}

/// Whether a name looks like one of ours and is none.
fn is_unknown(name: &str) -> bool {
    name.starts_with(PREFIX) && !name.starts_with(TEST_PREFIX) && !known().any(|known| known == name)
}

fn known() -> impl Iterator<Item = &'static str> {
    VARIABLES.iter().map(|variable| variable.name).chain(OTHERS)
}

/// The variable that is most likely meant.
fn meant_by(name: &str) -> Option<&'static str> {
    let ours = known().filter_map(|known| Some((known.strip_prefix(PREFIX)?.to_string(), known)));
    nearest(name.strip_prefix(PREFIX)?, ours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_names_lead_to_the_right_ones() {
        for (name, meant) in [
            ("ANYCCL_TRANPORT", "ANYCCL_TRANSPORT"),
            ("ANYCCL_RNAK", "ANYCCL_RANK"),
            ("ANYCCL_TIMEOUT", "ANYCCL_TIMEOUT_MS"),
            ("ANYCCL_BACKENDS", "ANYCCL_BACKEND"),
            ("ANYCCL_SOCKET_IFNAMES", "ANYCCL_SOCKET_IFNAME"),
            ("ANYCCL_WORLDSIZE", "ANYCCL_WORLD_SIZE"),
        ] {
            assert!(is_unknown(name));
            assert_eq!(meant_by(name), Some(meant), "{name}");
        }
        assert_eq!(meant_by("ANYCCL_COLOUR_OF_THE_SKY"), None);
        assert_eq!(meant_by("ANYCCL_"), None);
    }

    #[test]
    fn known_names_and_those_of_others_are_let_pass() {
        for name in [
            "ANYCCL_RANK",
            "ANYCCL_LIB",
            "ANYCCL_PYTHON_CTYPES",
            "ANYCCL_CACHE",
            "ANYCCL_TEST_SEEDS",
            "NCCL_DEBUG",
            "PATH",
        ] {
            assert!(!is_unknown(name), "{name}");
        }
    }
}
