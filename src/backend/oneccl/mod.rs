//! Intel's oneCCL, by its C functions: `libccl.so.2`.
//!
//! `libccl.so.2` only passes calls on to a plugin that it opens by name: `libccl_legacy_cpu.so` for host
//! memory, which needs `libccl.so.1`. `CCL_PLUGIN` chooses the plugin, and must be set before the first call
//! of any kind.
//!
//! oneCCL's Python packages put all these files into folders that no loader searches. [`neighbours`] opens
//! what is needed from there first, so that the loader finds it loaded. [`settings`] sets the variables that
//! suit how we call oneCCL.
//!
//! There are two builds of `libccl.so.1`. The one for processors (package `oneccl-cpu`) is complete. The one
//! for Intel's GPUs (package `oneccl`) does collectives on host memory. But without such a GPU it ends the
//! process in a send or a group, so messages are then left to the builtin engine.

pub mod neighbours;
pub mod settings;

use std::ffi::c_int;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::engine::ForeignEngine;
use super::library::open_first;
use super::nccl_shaped::Dialect;
use super::nccl_shaped::config::{BLOCKING, Config};
use super::nccl_shaped::engine::Engine;
use super::nccl_shaped::features::Features;
use super::nccl_shaped::stream::NoStream;
use super::prefixes::prefixes;
use crate::base::Result;
use crate::config::{BackendName, MemoryKind, raw};
use crate::sys::foreign_library::ForeignLibrary;

const ID_BYTES: usize = 4096;
const LIBRARY: &str = "libccl.so.2";
const PLUGIN: &str = "libccl_legacy_cpu.so";
const NETWORK: &str = "libfabric.so.1";

/// oneCCL's dialect.
pub static ONECCL: Dialect = Dialect {
    engine: BackendName::Oneccl,
    title: "oneCCL",
    prefix: "oneccl",
    all_to_all: "AllToAll",
    results: &[
        "success",
        "error",
        "system error",
        "internal error",
        "invalid argument",
        "invalid usage",
        "in progress",
        "failure of the GPU",
        "failure of the processor",
        "no memory",
        "no memory on the GPU",
        "exception in its plugin",
        "not implemented",
    ],
    in_progress: 6,
    config,
};

/// The configuration. Its members are: head, blocking, three limits for GPUs, a name of a network, sharing
/// after a split, threads, plugin.
fn config(version: c_int) -> Config {
    const BYTES: usize = 56;
    const NET_NAME: usize = 32;
    const PLUGIN: usize = 48;
    // A plugin of NULL means the one that is loaded. Padding follows it.
    Config::new(BYTES, version, &[NET_NAME, PLUGIN]).with(BLOCKING, 1)
}

/// Opens oneCCL. An error names each place that was tried, and what was missing there.
pub fn open() -> Result<Arc<dyn ForeignEngine>> {
    let engine = open_first(BackendName::Oneccl, &places(), accept)?;
    Ok(Arc::new(engine))
}

/// The files and names to try.
fn places() -> Vec<String> {
    if let Some(named) = raw("ANYCCL_ONECCL_LIB") {
        return vec![named];
    }
    let roots = raw("CCL_ROOT").map(PathBuf::from).into_iter().chain(prefixes());
    let files = roots.map(|root| root.join("lib").join(LIBRARY)).filter(|file| file.is_file());
    files.map(|file| file.to_string_lossy().into_owned()).chain([LIBRARY.to_string()]).collect()
}

fn accept(library: ForeignLibrary) -> std::result::Result<Engine<ID_BYTES>, String> {
    let file = PathBuf::from(library.path(c"onecclGetVersion"));
    let folder = file.parent().unwrap_or(Path::new("/"));
    let is_for_processors = settings::prepare(folder);
    let mut messages = false;
    if is_for_processors {
        let of_processors = folder.join("ccl/cpu/lib");
        let folders = [&*of_processors, folder];
        let plugin = neighbours::open(PLUGIN, &folders)?;
        // oneCCL opens it by name when the first communicator is made. If it is not in these folders, the
        // loader may know one.
        let _ = neighbours::open(NETWORK, &folders);
        // The build for GPUs loads SYCL, and a handle also finds symbols of a library's dependencies.
        messages = plugin.symbol(c"__sycl_register_lib").is_none();
    }
    let features =
        Features { memory: MemoryKind::Cpu, float8: false, averages: false, messages, aborts: false };
    // SAFETY: a file or name of oneCCL that has a function of its own; the user or the loader vouches for the
    // rest.
    unsafe { Engine::new(&library, &ONECCL, |_| Ok(features), |_| Ok(Box::new(NoStream))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_configuration_has_the_layout_of_its_header() {
        let config = config(20_220_100);
        assert_eq!((config.bytes(), config.member(12)), (56, 20_220_100));
        assert_eq!((config.member(16), config.member(44)), (1, i32::MIN.cast_unsigned()));
        assert_eq!((config.member(32), config.member(36), config.member(48)), (0, 0, 0));
    }
}
