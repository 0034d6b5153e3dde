//! `cargo xtask ptx`: compiles the kernels of src/device/kernels to anyccl.ptx.lzma, by NVRTC 11.8 from
//! PyPI.
//!
//! The file is committed, so that building needs no CUDA. The head of its text has a hash of the sources.
//! `--check` compares this hash, which needs nothing but the files. Where NVRTC is installed, it compiles
//! again and compares the whole file. `--assemble` runs ptxas for every GPU that CUDA 12.9 knows, from
//! Volta on.

mod assemble;
mod file;
mod nvrtc;
mod places;

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use sha2::{Digest, Sha256};

use crate::result::Result;
use crate::workspace;
use nvrtc::Nvrtc;
use places::{INSTALL, folder};

/// Options of the compiler. Products are not fused with sums, because results are those of the host.
const OPTIONS: [&str; 3] = ["--gpu-architecture=compute_60", "--fmad=false", "--std=c++14"];
/// First words of the line with the hash.
const HASH: &str = "// sources: sha256 ";

/// Compile the GPU kernels to the committed PTX
#[derive(clap::Args)]
pub struct Ptx {
    /// Change nothing; fail when the committed file is out of date
    #[arg(long)]
    check: bool,
    /// Change nothing; assemble the committed file for every GPU, if ptxas is installed
    #[arg(long)]
    assemble: bool,
    /// Write the text of the committed file to target/anyccl.ptx
    #[arg(long)]
    text: bool,
}

impl Ptx {
    /// Does what the options say.
    pub fn run(self) -> Result {
        match self {
            Ptx { assemble: true, .. } => assemble::run(&text_file()?),
            Ptx { text: true, .. } => text_file().map(|path| println!("wrote {}", path.display())),
            Ptx { check: true, .. } => check(),
            _ => {
                let nvrtc =
                    Nvrtc::open()?.ok_or_else(|| format!("NVRTC is missing; install it by: {INSTALL}"))?;
                file::write(&compiled(&nvrtc)?)
            }
        }
    }
}

/// Fails when the committed PTX is not that of the sources.
pub fn check() -> Result {
    let committed = file::read()?;
    let hash = committed.lines().find_map(|line| line.strip_prefix(HASH)).unwrap_or("none");
    if hash != hash_of_sources()? {
        return Err(
            "src/device/kernels/anyccl.ptx.lzma is older than its sources; run: cargo xtask ptx".into()
        );
    }
    match Nvrtc::open()? {
        Some(nvrtc) if compiled(&nvrtc)? == committed => Ok(()),
        Some(_) => Err("NVRTC makes another text of anyccl.ptx.lzma; run: cargo xtask ptx".into()),
        None => {
            println!("not compiled again: NVRTC 11.8 is missing; install it by: {INSTALL}");
            Ok(())
        }
    }
}

/// Writes the text of the committed file to a file for other programs.
fn text_file() -> Result<PathBuf> {
    let path = workspace::target().join("anyccl.ptx");
    fs::write(&path, file::read()?)?;
    Ok(path)
}

/// A hash of all files that the compiler reads, and of its options.
fn hash_of_sources() -> Result<String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder())? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "cu" || extension == "h") {
            files.push(path);
        }
    }
    files.sort();
    let mut hash = Sha256::new();
    for option in OPTIONS {
        hash.update(option.as_bytes());
    }
    for file in files {
        hash.update(file.file_name().unwrap_or_default().as_encoded_bytes());
        hash.update(fs::read(&file)?);
    }
    let mut text = String::new();
    for byte in hash.finalize() {
        write!(text, "{byte:02x}")?;
    }
    Ok(text)
}

/// The text that belongs to the sources.
fn compiled(nvrtc: &Nvrtc) -> Result<String> {
    let source = fs::read_to_string(folder().join("anyccl.cu"))?;
    let ptx = nvrtc.compile(&source, &folder(), &OPTIONS)?;
    let (version, options) = (nvrtc.version()?, OPTIONS.join(" "));
    let head = format!("// made by `cargo xtask ptx`; do not edit\n// NVRTC {version} {options}\n");
    Ok(format!("{head}{HASH}{}\n{}", hash_of_sources()?, compact(&ptx)))
}

/// What the compiler puts into the names of functions inside the unit: a name of the unit, and a hash.
const UNIT: &str = "39_INTERNAL_00000000_9_anyccl_cu_df7defbf";

/// PTX without comments, empty lines, indentation and the name of the unit: a sixth less.
fn compact(ptx: &str) -> String {
    let mut text = String::new();
    for line in ptx.lines() {
        let code = line.split("//").next().unwrap_or_default();
        let named = code.find("39_INTERNAL_").and_then(|at| code.get(at..at + UNIT.len()));
        let code = named.map_or_else(|| code.to_owned(), |unit| code.replace(unit, ""));
        let mut words = code.split_whitespace();
        let Some(first) = words.next() else { continue };
        text.push_str(first);
        for word in words {
            text.push(' ');
            text.push_str(word);
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compact_ptx_has_one_instruction_per_line_and_no_comment() {
        let ptx = "//\n// Generated\n\n.version 7.8\n\t.reg .b32 \t%r<2>;\n\n\tmov.u32 \t%r1, 0; // zero\n";
        assert_eq!(compact(ptx), ".version 7.8\n.reg .b32 %r<2>;\nmov.u32 %r1, 0;\n");
    }

    #[test]
    fn names_of_functions_do_not_contain_the_unit() {
        assert_eq!(compact(&format!("call.uni _ZN{UNIT}6anyccl4loadEy,")), "call.uni _ZN6anyccl4loadEy,\n");
    }

    #[test]
    fn the_committed_ptx_is_that_of_the_sources() {
        let committed = file::read().unwrap();
        assert!(
            committed.contains(&format!("{HASH}{}\n", hash_of_sources().unwrap())),
            "run: cargo xtask ptx"
        );
    }
}
