//! Dialects: what libraries of NCCL's shape spell differently.

use std::ffi::c_int;

use super::config::Config;
use crate::config::BackendName;

/// Names and numbers in which one library differs from others.
pub struct Dialect {
    /// The engine.
    pub engine: BackendName,
    /// Name in texts for people.
    pub title: &'static str,
    /// Prefix of every function.
    pub prefix: &'static str,
    /// The rest of the name of its all_to_all.
    pub all_to_all: &'static str,
    /// Results by number, in words.
    pub results: &'static [&'static str],
    /// The result that says that a call has begun, and nothing else.
    pub in_progress: c_int,
    /// The configuration for a library of this version.
    pub config: fn(version: c_int) -> Config,
}

/// A version as these libraries code it: major, minor, patch.
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
