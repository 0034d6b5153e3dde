//! A shared library that is another name of one that lies beside it.
//!
//! Debian calls MPICH's `libmpi.so.12` `libmpich.so.12`. Open MPI has a library of its own for Fortran, whose
//! functions are in our `libmpi.so.40`. A symbolic link would do, but Python packages have none, and the
//! loader takes a copy for a second library. This one is empty and needs the other, so a process that asks
//! for both names gets one MPI.

use std::path::Path;
use std::process::Command;

use crate::cargo;
use crate::result::Result;

/// Links the empty library `alias`, with the soname of its file, for `library`, whose soname is `needed`.
pub fn link(library: &Path, needed: &str, alias: &Path) -> Result {
    let soname = alias.file_name().unwrap_or_default().to_string_lossy();
    // The linker notes the soname that it finds in this file.
    let found = cargo::output(Command::new("readelf").arg("-d").arg(library))?;
    if !found.contains(&format!("[{needed}]")) {
        return Err(format!("the soname of {} is not {needed}", library.display()).into());
    }
    let mut linker = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
    linker.args(["-shared", "-nostdlib", "-o"]).arg(alias).arg(format!("-Wl,-soname,{soname}"));
    linker.args(["-Wl,--no-as-needed", "-Wl,-rpath,$ORIGIN", "-Wl,-z,nodelete", "-Wl,--build-id"]);
    cargo::run(linker.arg(library))
}
