//! `cargo xtask install --prefix P`: installs what a user of the library needs below one folder, which can be
//! moved.
//!
//! ```text
//! bin/anyccl                          the tool
//! bin/anyccl-mpicc, anyccl-mpicxx     compile MPI programs
//! bin/anyccl-mpiexec                  starts them: a link to anyccl
//! include/anyccl/anyccl.h             and the chapters that it includes
//! include/anyccl/anyccl.hpp           the same in C++, and its parts in include/anyccl/cpp/
//! lib/libanyccl.so.0.1.0              and the links libanyccl.so.0 (at run time), libanyccl.so (to link)
//! lib/libanyccl.a
//! lib/anyccl/nccl/libnccl.so.2        the functions of NCCL, and the link libnccl.so; no loader looks there
//! lib/anyccl/nccl/libanyccl_audit.so  puts it in NCCL's place, by LD_AUDIT
//! lib/anyccl/nccl/lib/                the same library for NCCL_ROOT; lib/cmake/NCCL: find_package(NCCL)
//! lib/anyccl/nccl/python/             puts it there by PYTHONPATH, for PyTorch
//! lib/anyccl/mpi/                     like the prefix of any MPI; no loader looks there
//!   lib/libmpi_abi.so.1               MPI in the standard ABI, and the link libmpi_abi.so
//!   lib/libmpi.so.12                  MPI in MPICH's ABI, and libmpich.so.12, Debian's name for the same
//!   lib/libanyccl_audit.so            puts them in MPI's place, by LD_AUDIT
//!   include/mpi.h                     the standard ABI's
//!   bin/                              mpicc, mpicxx, mpiexec and others: links to those in bin/
//! lib/cmake/anyccl/                   find_package(anyccl)
//! lib/pkgconfig/anyccl.pc             pkg-config anyccl; anyccl-mpi.pc: MPI
//! share/doc/anyccl/                   licences
//! ```
//!
//! No file contains the prefix. The package files find it from their own location.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::workspace::{VERSION, root};
use crate::{Result, cargo};

/// The number in the soname, as abi/native/build.rs sets it.
const SONAME: &str = "libanyccl.so.0";

/// Packages that are built and installed.
const PACKAGES: [&str; 6] =
    ["anyccl-native", "anyccl-nccl", "anyccl-mpi-std", "anyccl-mpi-mpich", "anyccl-audit", "anyccl-cli"];

/// Arguments of the task.
#[derive(clap::Args)]
pub struct Install {
    /// Folder to install to; it is created when missing
    #[arg(long)]
    prefix: PathBuf,
    /// Cargo profile to build with
    #[arg(long, default_value = "release")]
    profile: String,
}

impl Install {
    /// Builds the packages and copies the results.
    pub fn run(&self) -> Result {
        let built = cargo::build(&PACKAGES, &self.profile)?;
        let prefix = &self.prefix;
        put(&built.join("anyccl"), &prefix.join("bin/anyccl"))?;
        libraries(&built, &prefix.join("lib"))?;
        nccl(&built, &prefix.join("lib/anyccl/nccl"))?;
        mpi(&built, prefix)?;
        headers(&root().join("include/anyccl"), &prefix.join("include/anyccl"))?;
        package_files(&prefix.join("lib"))?;
        documents(&prefix.join("share/doc/anyccl"))?;
        println!("installed anyccl {VERSION} to {}", prefix.display());
        Ok(())
    }
}

/// The headers of a folder and of the folders in it.
fn headers(from: &Path, to: &Path) -> Result {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => headers(&entry.path(), &target)?,
            false => put(&entry.path(), &target)?,
        }
    }
    Ok(())
}

fn libraries(built: &Path, lib: &Path) -> Result {
    let full = format!("libanyccl.so.{VERSION}");
    put(&built.join("libanyccl.so"), &lib.join(&full))?;
    put(&built.join("libanyccl.a"), &lib.join("libanyccl.a"))?;
    for (name, to) in [(SONAME, full.as_str()), ("libanyccl.so", SONAME)] {
        link(to, &lib.join(name))?;
    }
    Ok(())
}

/// Installs the NCCL library under NCCL's name in a folder of its own. It replaces NCCL only for users who
/// name that folder.
fn nccl(built: &Path, folder: &Path) -> Result {
    put(&built.join("libanyccl_nccl.so"), &folder.join("libnccl.so.2"))?;
    put(&built.join("libanyccl_audit.so"), &folder.join("libanyccl_audit.so"))?;
    link("libnccl.so.2", &folder.join("libnccl.so"))?;
    // NCCL_ROOT and CMAKE_PREFIX_PATH may point to this folder.
    link("../libnccl.so.2", &folder.join("lib/libnccl.so.2"))?;
    link("libnccl.so.2", &folder.join("lib/libnccl.so"))?;
    // PyTorch looks at this path in each folder of Python's path. The link makes both files one library for
    // the loader; a copy would be a second one.
    link("../../../../libnccl.so.2", &folder.join("python/nvidia/nccl/lib/libnccl.so.2"))
}

/// Installs a prefix like that of any MPI, in a folder of its own. It replaces MPI only for users who name
/// that folder.
fn mpi(built: &Path, prefix: &Path) -> Result {
    let home = prefix.join("lib/anyccl/mpi");
    let lib = home.join("lib");
    put(&built.join("libanyccl_mpi_abi.so"), &lib.join("libmpi_abi.so.1"))?;
    put(&built.join("libanyccl_mpich.so"), &lib.join("libmpi.so.12"))?;
    // This is a copy and not a link, because the audit library loads the libraries that lie beside it.
    put(&built.join("libanyccl_audit.so"), &lib.join("libanyccl_audit.so"))?;
    link("libmpi_abi.so.1", &lib.join("libmpi_abi.so"))?;
    // Debian's name of the library. It is a link and not a copy: the loader compares files, so a process that
    // asks for both names gets one library. The loader accepts that the soname in the file differs.
    link("libmpi.so.12", &lib.join("libmpich.so.12"))?;
    headers(&root().join("include/mpi"), &home.join("include"))?;
    put(&root().join("cli/wrappers/anyccl-mpicc"), &prefix.join("bin/anyccl-mpicc"))?;
    link("anyccl-mpicc", &prefix.join("bin/anyccl-mpicxx"))?;
    // The tool chooses its behaviour by the name under which it is called.
    link("anyccl", &prefix.join("bin/anyccl-mpiexec"))?;
    for (name, tool) in [
        ("mpicc", "anyccl-mpicc"),
        ("mpicxx", "anyccl-mpicxx"),
        ("mpic++", "anyccl-mpicxx"),
        ("mpiexec", "anyccl-mpiexec"),
        ("mpirun", "anyccl-mpiexec"),
    ] {
        link(&format!("../../../../bin/{tool}"), &home.join("bin").join(name))?;
    }
    Ok(())
}

/// Fills the templates of cmake/.
fn package_files(lib: &Path) -> Result {
    let targets = [
        ("anyccl-mpi.pc.in", "pkgconfig/anyccl-mpi.pc"),
        ("anyccl-config.cmake.in", "cmake/anyccl/anyccl-config.cmake"),
        ("anyccl-config-version.cmake.in", "cmake/anyccl/anyccl-config-version.cmake"),
        ("nccl-config.cmake.in", "anyccl/nccl/lib/cmake/NCCL/NCCLConfig.cmake"),
        ("anyccl.pc.in", "pkgconfig/anyccl.pc"),
    ];
    for (template, target) in targets {
        let text = fs::read_to_string(root().join("cmake").join(template))?;
        let text = text.replace("@VERSION@", VERSION).replace("@SONAME@", SONAME);
        let target = lib.join(target);
        make_room(&target)?;
        fs::write(target, text)?;
    }
    Ok(())
}

/// Installs the licences and the README, as far as the source tree has them.
fn documents(folder: &Path) -> Result {
    for file in fs::read_dir(root())? {
        let file = file?;
        let name = file.file_name().to_string_lossy().into_owned();
        if name.starts_with("LICENSE") || name == "README.md" || name == "CHANGELOG.md" {
            put(&file.path(), &folder.join(name))?;
        }
    }
    Ok(())
}

fn link(to: &str, at: &Path) -> Result {
    make_room(at)?;
    Ok(symlink(to, at)?)
}

/// Copies a file with its permissions. A program that runs the old file keeps it.
fn put(from: &Path, to: &Path) -> Result {
    make_room(to)?;
    fs::copy(from, to).map_err(|error| format!("{} to {}: {error}", from.display(), to.display()))?;
    Ok(())
}

fn make_room(to: &Path) -> Result {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    remove(to)
}

fn remove(path: &Path) -> Result {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("{}: {error}", path.display()).into())
        }
        _ => Ok(()),
    }
}
