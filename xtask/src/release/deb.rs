//! Debian packages, made with tar and ar, so that they can be made on any Linux.
//!
//! `libanyccl0` is the library, `libanyccl-dev` what programs are built with, `anyccl` the tool, the
//! libraries that stand in for NCCL and MPI, and the documents. `anyccl-dbg` has the debug information of
//! all three.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::folders::{Release, files};
use super::{tarballs, tool};
use crate::install::{Install, notices};
use crate::result::Result;
use crate::workspace::{VERSION, root};
use crate::{cargo, glibc};

/// Debian's folder of libraries, below /usr.
const LIBDIR: &str = "lib/x86_64-linux-gnu";

/// A package.
struct Package {
    name: &'static str,
    section: &'static str,
    /// Packages that it needs. `@V` stands for this version, `@C` for the C library.
    depends: &'static str,
    summary: &'static str,
}

const PACKAGES: [Package; 4] = [
    Package {
        name: "libanyccl0",
        section: "libs",
        depends: "@C",
        summary: "collective communication behind one C ABI",
    },
    Package {
        name: "libanyccl-dev",
        section: "libdevel",
        depends: "libanyccl0 (= @V)",
        summary: "header, static library, CMake and pkg-config files of anyccl",
    },
    Package {
        name: "anyccl",
        section: "utils",
        depends: "@C",
        summary: "starts and measures parallel programs; stands in for NCCL and MPI",
    },
    Package { name: "anyccl-dbg", section: "debug", depends: "", summary: "debug information of anyccl" },
];

/// Makes all packages.
pub fn make(release: &Release) -> Result {
    let prefix = release.empty("deb-prefix")?;
    Install::portable(prefix.clone(), LIBDIR).run()?;
    let installed = files(&prefix)?;
    for package in &PACKAGES {
        let folder = release.empty(package.name)?;
        let mut bytes = 0;
        for file in installed.iter().filter(|file| package_of(file) == Some(package.name)) {
            let from = prefix.join(file);
            bytes += from.symlink_metadata()?.len();
            tarballs::copy(&from, &folder.join("data/usr").join(file))?;
        }
        package.documents(&folder.join("data/usr/share/doc").join(package.name))?;
        package.control(&folder.join("control"), &folder.join("data"), bytes)?;
        fs::write(folder.join("debian-binary"), "2.0\n")?;
        for part in ["control", "data"] {
            tool::tar(&folder.join(format!("{part}.tar.gz")), &folder.join(part), &["."])?;
        }
        let archive = release.dist.join(format!("{}_{VERSION}_amd64.deb", package.name));
        let _ = fs::remove_file(&archive);
        let parts = ["debian-binary", "control.tar.gz", "data.tar.gz"];
        cargo::run(Command::new("ar").arg("rcD").arg(archive).args(parts).current_dir(&folder))?;
    }
    Ok(())
}

/// The package that has this file of the prefix.
fn package_of(file: &Path) -> Option<&'static str> {
    let name = file.to_string_lossy();
    let in_libdir = name.strip_prefix(LIBDIR).map(|rest| rest.trim_start_matches('/'));
    match in_libdir {
        _ if name.contains("/.debug/") => Some("anyccl-dbg"),
        _ if name.ends_with("installed.txt") => None,
        Some(library) if library.starts_with("libanyccl.so.") => Some("libanyccl0"),
        // It leads to the library for MPI programs, which lies beside the tool.
        Some("pkgconfig/anyccl-mpi.pc") => Some("anyccl"),
        Some(_) => Some("libanyccl-dev"),
        None if name.starts_with("include/") => Some("libanyccl-dev"),
        None => Some("anyccl"),
    }
}

impl Package {
    /// Licences and changes.
    fn documents(&self, folder: &Path) -> Result {
        fs::create_dir_all(folder)?;
        let licence = |name: &str| fs::read_to_string(root().join(name));
        let all = format!(
            "anyccl is under the MIT licence or the Apache licence 2.0, as you choose.\n\n{}\n\n{}\n\n{}",
            licence("LICENSE-MIT")?,
            licence("LICENSE-APACHE")?,
            notices()?
        );
        fs::write(folder.join("copyright"), all)?;
        fs::copy(root().join("CHANGELOG.md"), folder.join("changelog"))?;
        Ok(())
    }

    /// The files that tell dpkg about the package.
    fn control(&self, folder: &Path, data: &Path, bytes: u64) -> Result {
        fs::create_dir_all(folder)?;
        let c_library = format!("libc6 (>= {}), libgcc-s1", glibc::FLOOR);
        let depends = self.depends.replace("@V", VERSION).replace("@C", &c_library);
        let maintainer = std::env::var("DEB_MAINTAINER");
        let mut text = format!(
            "Package: {}\nVersion: {VERSION}\nArchitecture: amd64\nSection: {}\nPriority: optional\n\
             Maintainer: {}\nInstalled-Size: {}\n",
            self.name,
            self.section,
            maintainer.unwrap_or_else(|_| "anyccl developers <anyccl@example.invalid>".into()),
            bytes.div_ceil(1024)
        );
        if !depends.is_empty() {
            writeln!(text, "Depends: {depends}")?;
        }
        writeln!(text, "Description: {}", self.summary)?;
        fs::write(folder.join("control"), text)?;
        fs::write(folder.join("md5sums"), md5sums(data)?)?;
        if self.name == "libanyccl0" {
            fs::write(folder.join("triggers"), "activate-noawait ldconfig\n")?;
            fs::write(folder.join("shlibs"), format!("libanyccl 0 libanyccl0 (>= {VERSION})\n"))?;
        }
        Ok(())
    }
}

/// The checksums by which dpkg finds damaged files.
fn md5sums(data: &Path) -> Result<String> {
    let regular: Vec<PathBuf> =
        files(data)?.into_iter().filter(|file| !data.join(file).is_symlink()).collect();
    cargo::output(Command::new("md5sum").args(regular).current_dir(data))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_of_the_prefix_has_its_package() {
        let package = |file: &str| package_of(Path::new(file));
        assert_eq!(package("lib/x86_64-linux-gnu/libanyccl.so.0"), Some("libanyccl0"));
        assert_eq!(package("lib/x86_64-linux-gnu/libanyccl.so"), Some("libanyccl-dev"));
        assert_eq!(package("lib/x86_64-linux-gnu/.debug/libanyccl.so.0.1.0.debug"), Some("anyccl-dbg"));
        assert_eq!(package("include/anyccl/base.h"), Some("libanyccl-dev"));
        assert_eq!(package("lib/x86_64-linux-gnu/pkgconfig/anyccl-mpi.pc"), Some("anyccl"));
        assert_eq!(package("lib/anyccl/nccl/libnccl.so.2"), Some("anyccl"));
        assert_eq!(package("share/doc/anyccl/README.md"), Some("anyccl"));
        assert_eq!(package("share/man/man1/anyccl-run.1"), Some("anyccl"));
        assert_eq!(package("share/bash-completion/completions/anyccl"), Some("anyccl"));
        assert_eq!(package("lib/anyccl/installed.txt"), None);
    }
}
