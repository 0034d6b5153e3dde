//! `cargo xtask install --prefix P`: installs what a user of the library needs below one folder, which can be
//! moved. `cargo xtask uninstall --prefix P` removes it.
//!
//! ```text
//! bin/anyccl                          the tool
//! bin/anyccl-mpicc, anyccl-mpicxx, anyccl-mpifort     compile MPI programs
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
//!   lib/libmpi.so.12                  MPI in MPICH's ABI
//!   lib/libmpi.so.40                  MPI in Open MPI's ABI, for Fortran, too
//!   lib/libmpi_mpifh.so.40            Open MPI's name for Fortran: an empty library that needs it
//!   lib/libmpiwrapper.so              MPI for MPItrampoline
//!   lib/libmpich.so.12                Debian's name for the same: an empty library that needs it
//!   lib/libanyccl_audit.so            puts them in MPI's place, by LD_AUDIT
//!   include/mpi.h                     the standard ABI's; mpif.h, mpi.f90 and mpi_f08.f90 for Fortran
//!   bin/                              mpicc, mpicxx, mpiexec and others: links to those in bin/
//! lib/cmake/anyccl/                   find_package(anyccl)
//! lib/pkgconfig/anyccl.pc             pkg-config anyccl; anyccl-mpi.pc: MPI
//! lib/anyccl/installed.txt            the list of all installed files, for `uninstall`
//! share/doc/anyccl/                   README, docs/ for users, c-examples/, licences, also those of others
//! share/man/man1/                     a page for the tool, and one for each subcommand
//! share/bash-completion/completions/anyccl, share/zsh/site-functions/_anyccl,
//! share/fish/vendor_completions.d/anyccl.fish
//! ```
//!
//! No file contains the prefix. The package files find it from their own location. So `--destdir D` only puts
//! D before the prefix.
//!
//! Programs and libraries are stripped. What a debugger needs lies beside each, in a folder `.debug`, where
//! gdb finds it by itself.

mod alias;
mod command_line;
mod documents;
mod names;
mod notices;
mod split_debug;
mod uninstall;
mod versions;
mod writer;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Component, Path, PathBuf};

use names::PACKAGES;
pub use names::SONAME;

pub use notices::text as notices;
pub use uninstall::Uninstall;
pub use writer::Writer;

use crate::glibc::{self, OldGlibc, Version};
use crate::result::Result;
use crate::workspace::{VERSION, root};

/// Arguments of the task.
#[derive(clap::Args)]
pub struct Install {
    /// Folder to install to; it is created when missing
    #[arg(long)]
    prefix: PathBuf,
    /// Folder to put before the prefix, for a package that is made of what lies there
    #[arg(long, default_value = "")]
    destdir: OsString,
    /// Folder of libanyccl and its package files, below the prefix
    #[arg(long, default_value = "lib")]
    libdir: PathBuf,
    /// Cargo profile to build with
    #[arg(long, default_value = "release")]
    profile: String,
    /// Link against this version of glibc, or the machine's if it is older; needs PyPI
    #[arg(long, value_name = "VERSION")]
    glibc: Option<Version>,
}

impl Install {
    /// An installation of release builds for machines with an old glibc, as packages have it.
    pub fn portable(prefix: PathBuf, libdir: &str) -> Install {
        Install {
            prefix,
            destdir: OsString::new(),
            libdir: libdir.into(),
            profile: "release".into(),
            glibc: Some(crate::glibc::FLOOR),
        }
    }

    /// Builds the packages and copies the results.
    pub fn run(&self) -> Result {
        let old = self.glibc.map(OldGlibc::make).transpose()?;
        let built = glibc::build(&PACKAGES, &self.profile, old.as_ref())?;
        let prefix = under(&self.destdir, &self.prefix);
        let mut to = Writer::new(&prefix);
        to.program(&built.join("anyccl"), "bin/anyccl")?;
        self.libraries(&built, old.as_ref(), &mut to)?;
        nccl(&built, &mut to)?;
        mpi(&built, &mut to)?;
        headers(&root().join("include/anyccl"), Path::new("include/anyccl"), &mut to)?;
        self.package_files(&mut to)?;
        documents::install(&mut to)?;
        to.text(&notices::text()?, Path::new(documents::FOLDER).join(notices::NAME))?;
        command_line::install(&built, &mut to)?;
        to.finish()?;
        println!("installed anyccl {VERSION} to {}", prefix.display());
        Ok(())
    }

    /// Installs libanyccl. The shared library is linked here from the static one, with symbol versions.
    fn libraries(&self, built: &Path, old: Option<&OldGlibc>, to: &mut Writer) -> Result {
        let lib = &self.libdir;
        let full = format!("libanyccl.so.{VERSION}");
        let archive = built.join("libanyccl.a");
        let linked = built.join("libanyccl-versioned.so");
        versions::link(&archive, old, &linked)?;
        to.library(&linked, lib.join(&full))?;
        to.archive(&archive, lib.join("libanyccl.a"))?;
        to.link(&full, lib.join(SONAME))?;
        to.link(SONAME, lib.join("libanyccl.so"))
    }

    /// Fills the templates of cmake/.
    fn package_files(&self, to: &mut Writer) -> Result {
        let lib = &self.libdir;
        let up: PathBuf = lib.components().map(|_| Component::ParentDir).collect();
        let targets = [
            ("anyccl-mpi.pc.in", lib.join("pkgconfig/anyccl-mpi.pc")),
            ("anyccl-config.cmake.in", lib.join("cmake/anyccl/anyccl-config.cmake")),
            ("anyccl-config-version.cmake.in", lib.join("cmake/anyccl/anyccl-config-version.cmake")),
            ("nccl-config.cmake.in", "lib/anyccl/nccl/lib/cmake/NCCL/NCCLConfig.cmake".into()),
            ("anyccl.pc.in", lib.join("pkgconfig/anyccl.pc")),
        ];
        for (template, target) in targets {
            let text = fs::read_to_string(root().join("cmake").join(template))?;
            let text = text.replace("@VERSION@", VERSION).replace("@SONAME@", SONAME);
            let text =
                text.replace("@LIBDIR@", &lib.to_string_lossy()).replace("@UP@", &up.to_string_lossy());
            to.text(&text, target)?;
        }
        Ok(())
    }
}

/// A prefix below a folder. Without the folder it is the prefix.
fn under(destdir: &OsStr, prefix: &Path) -> PathBuf {
    match destdir.is_empty() {
        true => prefix.to_path_buf(),
        false => Path::new(destdir).join(prefix.strip_prefix("/").unwrap_or(prefix)),
    }
}

/// The headers of a folder and of the folders in it.
fn headers(from: &Path, folder: &Path, to: &mut Writer) -> Result {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = folder.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => headers(&entry.path(), &target, to)?,
            false => to.put(&entry.path(), target)?,
        }
    }
    Ok(())
}

/// Installs the NCCL library under NCCL's name in a folder of its own. It replaces NCCL only for users who
/// name that folder.
fn nccl(built: &Path, to: &mut Writer) -> Result {
    let folder = Path::new("lib/anyccl/nccl");
    to.library(&built.join("libanyccl_nccl.so"), folder.join("libnccl.so.2"))?;
    to.library(&built.join("libanyccl_audit.so"), folder.join("libanyccl_audit.so"))?;
    to.link("libnccl.so.2", folder.join("libnccl.so"))?;
    // NCCL_ROOT and CMAKE_PREFIX_PATH may point to this folder.
    to.link("../libnccl.so.2", folder.join("lib/libnccl.so.2"))?;
    to.link("libnccl.so.2", folder.join("lib/libnccl.so"))?;
    // PyTorch looks at this path in each folder of Python's path. The link makes both files one library for
    // the loader; a copy would be a second one.
    to.link("../../../../libnccl.so.2", folder.join("python/nvidia/nccl/lib/libnccl.so.2"))
}

/// Installs a prefix like that of any MPI, in a folder of its own. It replaces MPI only for users who name
/// that folder.
fn mpi(built: &Path, to: &mut Writer) -> Result {
    let home = Path::new("lib/anyccl/mpi");
    let lib = home.join("lib");
    to.library(&built.join("libanyccl_mpi_abi.so"), lib.join("libmpi_abi.so.1"))?;
    to.library(&built.join("libanyccl_mpich.so"), lib.join("libmpi.so.12"))?;
    to.library(&built.join("libanyccl_ompi.so"), lib.join("libmpi.so.40"))?;
    to.library(&built.join("libanyccl_mpiwrapper.so"), lib.join("libmpiwrapper.so"))?;
    // This is a copy and not a link, because the audit library loads the libraries that lie beside it.
    to.library(&built.join("libanyccl_audit.so"), lib.join("libanyccl_audit.so"))?;
    to.link("libmpi_abi.so.1", lib.join("libmpi_abi.so"))?;
    let debian = built.join("libmpich.so.12");
    alias::link(&built.join("libanyccl_mpich.so"), "libmpi.so.12", &debian)?;
    to.library(&debian, lib.join("libmpich.so.12"))?;
    let fortran = built.join("libmpi_mpifh.so.40");
    alias::link(&built.join("libanyccl_ompi.so"), "libmpi.so.40", &fortran)?;
    to.library(&fortran, lib.join("libmpi_mpifh.so.40"))?;
    headers(&root().join("include/mpi"), &home.join("include"), to)?;
    to.put(&root().join("cli/wrappers/anyccl-mpicc"), "bin/anyccl-mpicc")?;
    to.link("anyccl-mpicc", "bin/anyccl-mpicxx")?;
    to.link("anyccl-mpicc", "bin/anyccl-mpifort")?;
    // The tool chooses its behaviour by the name under which it is called.
    to.link("anyccl", "bin/anyccl-mpiexec")?;
    for (name, tool) in [
        ("mpicc", "anyccl-mpicc"),
        ("mpicxx", "anyccl-mpicxx"),
        ("mpic++", "anyccl-mpicxx"),
        ("mpifort", "anyccl-mpifort"),
        ("mpif90", "anyccl-mpifort"),
        ("mpif77", "anyccl-mpifort"),
        ("mpiexec", "anyccl-mpiexec"),
        ("mpirun", "anyccl-mpiexec"),
    ] {
        to.link(&format!("../../../../bin/{tool}"), home.join("bin").join(name))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn destdir_stands_before_an_absolute_prefix() {
        assert_eq!(under(OsStr::new("/stage"), Path::new("/usr/local")), Path::new("/stage/usr/local"));
        assert_eq!(under(OsStr::new(""), Path::new("target/prefix")), Path::new("target/prefix"));
    }
}
