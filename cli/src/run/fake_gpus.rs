//! `--fake-gpu`: the ranks see GPUs that do not exist, by the CUDA driver and runtime for tests.
//!
//! The libraries are loaded before all others, because a program's own path may lead to CUDA's runtime, as
//! that of PyTorch's wheels does. What is opened by another name is found through `LD_LIBRARY_PATH`. They are
//! never installed by default, so their folder is looked for: first the one that the user names, then one
//! that was installed with this tool, then that of the build tree.

use std::path::{Path, PathBuf};

use anyccl_engine::config;

use crate::facade::files::listable;
use crate::facade::method::held;
use crate::failure::Failure;

/// The variable that names the folder.
const FOLDER: &str = "ANYCCL_CUDA_DOUBLE";

/// The libraries that a program asks for.
const LIBRARIES: [&str; 2] = ["libcuda.so.1", "libcudart.so.12"];

/// Loaded before all others, as far as they are there.
const LOADED_FIRST: [&str; 3] = ["libcuda.so.1", "libcudart.so.13", "libcudart.so.12"];

/// The version that the driver tells. A runtime of CUDA 13 refuses older ones; no runtime refuses a newer
/// one.
const VERSION: (&str, &str) = ("CUDA_DOUBLE_VERSION", "13020");

/// Lets a program free memory that another process has mapped.
const OPEN_FREE: &str = "CUDA_DOUBLE_OPEN_FREE";

/// Where the folder may be, seen from the tool's own.
const BESIDE: [&str; 2] = ["../lib/anyccl/cuda-double", "../cuda-double"];

/// The variables of the ranks, with those for `count` GPUs behind the others.
pub fn environment(count: Option<u32>, given: &[(String, String)]) -> Result<Vec<(String, String)>, Failure> {
    let mut environment = given.to_vec();
    if let Some(count) = count {
        let folder = folder(given)
            .and_then(listable)
            .map_err(|text| Failure { code: 1, text: format!("--fake-gpu: {text}") })?;
        let before = |variable: &str, paths: String| match held(given, variable) {
            Some(rest) if !rest.is_empty() => (variable.into(), format!("{paths}:{rest}")),
            _ => (variable.into(), paths),
        };
        let files = LOADED_FIRST.map(|file| format!("{folder}/{file}"));
        let files: Vec<String> = files.into_iter().filter(|file| Path::new(file).is_file()).collect();
        environment.push(before("LD_PRELOAD", files.join(":")));
        environment.push(before("LD_LIBRARY_PATH", folder));
        environment.push(("CUDA_DOUBLE_DEVICES".into(), count.to_string()));
        // The library maps memory of other processes, which a program may free at any time.
        for (name, value) in [VERSION, (OPEN_FREE, "1")] {
            if held(given, name).is_none() {
                environment.push((name.into(), value.into()));
            }
        }
    }
    Ok(environment)
}

fn folder(given: &[(String, String)]) -> Result<PathBuf, String> {
    let named = given.iter().rev().find(|(name, _)| name == FOLDER).map(|(_, value)| value.clone());
    if let Some(named) = named.or_else(|| config::raw(FOLDER)) {
        let missing = missing_in(Path::new(&named));
        let wrong = |file| format!("{FOLDER}={named} has no {file}. {}", how_to_build());
        return match missing {
            Some(file) => Err(wrong(file)),
            None => Path::new(&named).canonicalize().map_err(|error| format!("{named}: {error}")),
        };
    }
    let tool =
        std::env::current_exe().map_err(|error| format!("cannot find this tool's own file: {error}"))?;
    let own = tool.parent().unwrap_or(Path::new("/"));
    let found = BESIDE.iter().filter_map(|place| own.join(place).canonicalize().ok());
    found.into_iter().find(|folder| missing_in(folder).is_none()).ok_or_else(|| {
        let places = BESIDE.map(|place| own.join(place).display().to_string()).join(" and ");
        format!("there is no CUDA driver for tests: {places} were looked at. {}", how_to_build())
    })
}

/// The first library that a folder lacks.
fn missing_in(folder: &Path) -> Option<&'static str> {
    LIBRARIES.into_iter().find(|file| !folder.join(file).is_file())
}

fn how_to_build() -> String {
    format!(
        "`cargo xtask cuda-double` in anyccl's source tree builds it and prints its folder: give that as {FOLDER}, \
         or install it beside this tool with --prefix"
    )
}
