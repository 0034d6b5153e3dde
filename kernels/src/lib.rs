//! The reduction kernels of the engine with their tests, compiled again as for release. The vectorised loops
//! exist only in that profile.
//!
//! A release build of all tests of the engine would take minutes. Cargo.toml of the workspace sets the
//! profile.
#![allow(dead_code, unused_imports, reason = "the engine uses what the kernels' tests do not")]

#[cfg(test)]
#[path = "../../src/base/mod.rs"]
mod base;

#[cfg(test)]
#[path = "../../src/reduce/mod.rs"]
mod reduce;

#[cfg(test)]
mod sys;
