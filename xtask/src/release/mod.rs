//! `cargo xtask dist`: everything that a release offers, in target/dist. `cargo xtask wheels`: the Python
//! packages alone.
//!
//! ```text
//! anyccl-V.tar.gz                         the sources of the last commit
//! anyccl-V-x86_64-linux-gnu.tar.gz        a prefix of `make install`, to unpack anywhere
//! anyccl-V-x86_64-linux-gnu-debug.tar.gz  its debug information, to unpack over it
//! anyccl-V-py3-none-manylinux_….whl       the Python package, with library, tool and header
//! anyccl_torch-V.tar.gz                   the backend for torch, as sources
//! libanyccl0, libanyccl-dev, anyccl       Debian packages; anyccl-dbg: debug information
//! anyccl-V-CRATE.cdx.json                 the crates in each library and in the tool
//! SHA256SUMS
//! ```
//!
//! Programs and libraries are linked for an old glibc ([`crate::glibc`]), and it is checked that they are.
//! What the tasks need besides Rust, a C compiler and Python comes from PyPI and crates.io into target/.

mod deb;
mod folders;
mod sbom;
mod sums;
mod tarballs;
mod tool;
mod wheels;

use folders::{Release, step};

use crate::result::Result;

/// Makes the wheels.
pub fn wheels() -> Result {
    let release = Release::start(false)?;
    let prefix = release.prefix()?;
    step("wheels", || wheels::make(&release, &prefix))?;
    sums::print_sizes(&release.dist)
}

/// Makes everything.
pub fn dist() -> Result {
    let release = Release::start(true)?;
    let prefix = release.prefix()?;
    step("source tarball", || tarballs::source(&release))?;
    step("prefix tarball", || tarballs::prefix(&release, &prefix))?;
    step("wheels", || wheels::make(&release, &prefix))?;
    step("Debian packages", || deb::make(&release))?;
    step("bill of materials", || sbom::make(&release))?;
    step("SHA256SUMS", || sums::write(&release.dist))?;
    sums::print_sizes(&release.dist)
}
