//! Stubs of an old glibc to link against.
//!
//! A program that is linked against the glibc of this machine may need all of its symbol versions, and runs
//! on no older one. Zig, a package of PyPI, can make libraries that have the symbols of any glibc and no
//! code. It also has the start files of that glibc. They are collected in target/glibc-VERSION. The usual
//! compiler and linker look there first. Everything else is as in other builds: no other compiler is used.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Version;
use crate::result::Result;
use crate::{cargo, pypi, workspace};

/// The package that has zig.
const ZIG: &str = "ziglang==0.17.0";

/// The Rust target, and the variable by which cargo gets a linker for this target alone.
pub const TARGET: &str = "x86_64-unknown-linux-gnu";
const LINKER: &str = "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER";

/// The compiler that links against the stubs. -B is for the start files. The machine's libgcc_s may need more
/// of glibc than the stubs have; at run time it is another one.
const COMPILER: &str = r#"#!/bin/sh
folder=$(dirname "$0")
exec "${CC:-cc}" -B"$folder/" -L"$folder" -Wl,--allow-shlib-undefined -Wl,--unresolved-symbols=ignore-in-shared-libs "$@"
"#;

/// Names for the linker, and the files that they lead to. libc.so is a script.
const LIBRARIES: [(&str, &str); 6] = [
    ("libm.so", "libm.so.6"),
    ("libpthread.so", "libpthread.so.0"),
    ("libdl.so", "libdl.so.2"),
    ("librt.so", "librt.so.1"),
    ("libutil.so", "libutil.so.1"),
    ("libresolv.so", "libresolv.so.2"),
];

/// A folder with the stubs of one version.
pub struct OldGlibc {
    folder: PathBuf,
}

impl OldGlibc {
    /// Makes the folder, unless it is there.
    pub fn make(version: Version) -> Result<OldGlibc> {
        if !cfg!(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu")) {
            return Err("packages for an old glibc are made on x86-64 Linux only".into());
        }
        let folder = fs::canonicalize(workspace::target())?.join(format!("glibc-{version}"));
        if !folder.join("libc.so").exists() {
            println!("making stubs of glibc {version}");
            collect(version, &folder)?;
        }
        Ok(OldGlibc { folder })
    }

    /// Makes a call of cargo build for this glibc.
    pub fn apply(&self, command: &mut Command) {
        command.args(["--target", TARGET]).env(LINKER, self.compiler());
    }

    /// The C compiler that links against the stubs.
    pub fn compiler(&self) -> PathBuf {
        self.folder.join("cc")
    }
}

/// Lets zig link a program, and collects what it has linked with.
fn collect(version: Version, folder: &Path) -> Result {
    let python = pypi::environment("zig", &[ZIG])?;
    let work = folder.with_extension("partial");
    let _ = fs::remove_dir_all(&work);
    let cache = work.join("cache");
    fs::create_dir_all(&cache)?;
    fs::write(work.join("empty.c"), "int main(void) { return 0; }\n")?;
    let mut zig = Command::new(python);
    zig.args(["-m", "ziglang", "cc", "-target", &format!("x86_64-linux-gnu.{version}"), "-fPIE", "-pie"]);
    zig.args(["empty.c", "-o", "empty"]).current_dir(&work);
    zig.env("ZIG_GLOBAL_CACHE_DIR", &cache).env("ZIG_LOCAL_CACHE_DIR", &cache);
    cargo::run(&mut zig)?;

    // The cache has a folder for each thing that was made.
    for made in fs::read_dir(cache.join("o"))? {
        for file in fs::read_dir(made?.path())? {
            let file = file?;
            let name = file.file_name().to_string_lossy().into_owned();
            if name.contains(".so") || name == "Scrt1.o" || name == "libc_nonshared.a" {
                fs::copy(file.path(), work.join(&name))?;
            }
        }
    }
    for (name, to) in LIBRARIES {
        symlink(to, work.join(name))?;
    }
    fs::write(work.join("libc.so"), "GROUP ( libc.so.6 libc_nonshared.a AS_NEEDED ( libld.so.2 ) )\n")?;
    fs::write(work.join("cc"), COMPILER)?;
    fs::set_permissions(work.join("cc"), fs::Permissions::from_mode(0o755))?;
    fs::remove_dir_all(&cache)?;
    for needed in ["libc.so.6", "Scrt1.o", "libc_nonshared.a"] {
        if !work.join(needed).exists() {
            return Err(format!("{ZIG} has made no {needed}").into());
        }
    }
    Ok(fs::rename(&work, folder)?)
}
