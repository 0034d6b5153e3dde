//! Dialects: names and numbers in which libraries of NCCL's shape differ.

use std::ffi::c_int;

use super::config::Config;
use crate::config::BackendName;

/// The names and numbers of one library.
pub struct Dialect {
    /// The engine.
    pub engine: BackendName,
    /// Name of the library in messages.
    pub title: &'static str,
    /// Prefix of every function's name.
    pub prefix: &'static str,
    /// The name of its all_to_all, without the prefix.
    pub all_to_all: &'static str,
    /// Meanings of the results, indexed by number.
    pub results: &'static [&'static str],
    /// The result of a call that has begun and not ended.
    pub in_progress: c_int,
    /// Makes the configuration for a library of this version.
    pub config: fn(version: c_int) -> Config,
}

/// Decodes a version of these libraries: major, minor, patch.
pub fn version_text(code: c_int) -> String {
    format!("{}.{}.{}", code / 10000, code / 100 % 100, code % 100)
}

#[cfg(test)]
mod tests {
    use super::version_text;

    #[test]
    fn versions_are_read_as_they_are_coded() {
        assert_eq!(version_text(23203), "2.32.3");
        assert_eq!(version_text(20_220_100), "2022.1.0");
    }
}
