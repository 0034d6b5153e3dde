//! NVIDIA's NCCL, opened behind our own doors.
//!
//! One of our doors is itself a `libnccl.so.2`. So NCCL is never opened by that name, which would give
//! whichever library is loaded. It is searched for file by file ([`places`]) and opened by its path, apart
//! from the symbols of the program. Its functions are called by the names of their profiling twins (`pnccl`),
//! which no door and no profiler replaces. [`identity`] checks that the opened library is neither this one
//! nor a door of ours. While a thread is inside NCCL, [`super::inside`] says so.
//!
//! NCCL works on memory of CUDA devices only. Each rank has a device of its own ([`device`]): NCCL refuses
//! two ranks on one device, except in an experimental mode. Calls go to the default stream of the device and
//! are waited for.

pub mod device;
pub mod identity;
pub mod places;

use std::ffi::c_int;
use std::path::Path;
use std::sync::Arc;

use super::engine::ForeignEngine;
use super::library::open_first;
use super::nccl_shaped::Dialect;
use super::nccl_shaped::config::{BLOCKING, Config};
use super::nccl_shaped::dialect::version_text;
use super::nccl_shaped::engine::Engine;
use super::nccl_shaped::features::Features;
use crate::base::{Error, Result};
use crate::config::{BackendName, MemoryKind};
use crate::sys::foreign_library::ForeignLibrary;

const ID_BYTES: usize = 128;
/// The first version with a configuration as long as ours.
const OLDEST: c_int = 21800;
/// The first version that reduces 8-bit floats.
const FLOAT8: c_int = 22400;

/// NCCL's dialect.
pub static NCCL: Dialect = Dialect {
    engine: BackendName::Nccl,
    title: "NCCL",
    prefix: "pnccl",
    all_to_all: "AlltoAll",
    results: &[
        "success",
        "unhandled CUDA error",
        "system error",
        "internal error",
        "invalid argument",
        "invalid usage",
        "remote error",
        "in progress",
        "timeout",
    ],
    in_progress: 7,
    config,
};

/// Length of the configuration, by the version that introduced it.
const CONFIGS: [(c_int, usize); 7] =
    [(21800, 48), (22700, 72), (22800, 80), (22900, 88), (23000, 96), (23100, 112), (23200, 120)];

fn config(version: c_int) -> Config {
    const NET_NAME: usize = 32;
    const COMM_NAME: usize = 48;
    let known = CONFIGS.iter().rev().find(|(since, _)| *since <= version);
    let (since, bytes) = *known.unwrap_or(&CONFIGS[0]);
    // The version that introduced these members: a newer library fills in the later ones.
    let pointers: &[usize] = if bytes > COMM_NAME { &[NET_NAME, COMM_NAME] } else { &[NET_NAME] };
    // Overrides NCCL_COMM_BLOCKING: our calls are made one after the other.
    Config::new(bytes, since, pointers).with(BLOCKING, 1)
}

/// Opens NCCL. An error names each file that was tried, and what was wrong with it.
pub fn open() -> Result<Arc<dyn ForeignEngine>> {
    let places = places::places()?;
    if places.is_empty() {
        let text = format!(
            "backend nccl cannot be loaded: there is no libnccl.so.2 in {}; ANYCCL_NCCL_LIB can name the file",
            places::described()
        );
        return Err(Error::Unsupported(text));
    }
    let engine = open_first(BackendName::Nccl, &places, accept)?;
    Ok(Arc::new(engine))
}

fn accept(library: ForeignLibrary) -> std::result::Result<Engine<ID_BYTES>, String> {
    identity::check(&library, Path::new(library.name()))?;
    let features = |version| {
        if version < OLDEST {
            let (is, oldest) = (version_text(version), version_text(OLDEST));
            return Err(format!("it is NCCL {is}; {oldest} is the oldest that is known here"));
        }
        Ok(Features {
            memory: MemoryKind::Cuda,
            float8: version >= FLOAT8,
            averages: true,
            messages: true,
            aborts: true,
        })
    };
    // SAFETY: the functions lie in the file itself, as `identity` has checked, and the user or an
    // installation calls that file NCCL.
    unsafe { Engine::new(&library, &NCCL, features, device::open_stream) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_is_as_long_as_the_library_expects() {
        for (version, bytes, says) in [
            (21805, 48, 21800),
            (22603, 48, 21800),
            (22705, 72, 22700),
            (22809, 80, 22800),
            (22902, 88, 22900),
            (23007, 96, 23000),
            (23102, 112, 23100),
            (23203, 120, 23200),
            (24000, 120, 23200),
        ] {
            let config = config(version);
            assert_eq!((config.bytes(), config.member(12)), (bytes, says), "{version}");
            assert_eq!((config.member(16), config.member(20)), (1, i32::MIN.cast_unsigned()));
            assert_eq!((config.member(32), config.member(36)), (0, 0));
        }
    }

    #[test]
    fn a_communicators_name_is_a_pointer_where_the_configuration_has_one() {
        assert_eq!(config(22703).member(48), 0);
        assert_eq!(config(22703).member(56), i32::MIN.cast_unsigned());
    }
}
