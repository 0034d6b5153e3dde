//! Tools from PyPI, installed once into virtual environments under target/.

use std::path::PathBuf;
use std::process::Command;

use crate::result::Result;
use crate::{cargo, workspace};

/// Installs packages into target/NAME, unless they are there. Returns the Python of this environment; the
/// programs of the packages lie beside it.
pub fn environment(name: &str, packages: &[&str]) -> Result<PathBuf> {
    let folder = workspace::target().join(name);
    let script = workspace::root().join("capi-tests/pypi.py");
    cargo::run(Command::new(python()).arg(script).arg(&folder).args(packages))
        .map_err(|_| format!("{} cannot be had from PyPI", packages.join(", ")))?;
    Ok(folder.join("bin/python"))
}

/// The Python that runs scripts of this repository.
pub fn python() -> PathBuf {
    std::env::var_os("PYTHON").map_or_else(|| "python3".into(), PathBuf::from)
}
