//! The kind of program that a command starts: which loader loads its libraries, and whether it can be told to
//! load others.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::sys::privilege;

/// Number of `#!` lines that the kernel follows.
const MOST_SCRIPTS: usize = 4;
/// Number of bytes read from the start of a file: more than a line with `#!`, and the header of an ELF file.
const BEGINNING: usize = 1024;
const PT_INTERP: u32 = 3;
/// Length of the header of a 64-bit ELF file. Below: length of an entry of its table of segments.
const HEADER: usize = 64;
const SEGMENT: usize = 56;

/// The loader of a program's libraries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loader {
    /// glibc's.
    Gnu,
    /// Another C library's, at this path.
    Other(String),
    /// No loader: the program is linked statically.
    None,
    /// The loader of a 32-bit program, which our library does not fit.
    Narrow,
}

/// A program, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The file that the kernel executes in the end: the program, or the interpreter of its script.
    pub file: PathBuf,
    pub loader: Loader,
    /// Whether the program gets rights that this process does not have, so that the loader ignores variables.
    pub is_privileged: bool,
    pub is_python: bool,
}

impl Program {
    /// The program of a command, searched in `path` as a shell would. `None`: it cannot be determined;
    /// starting it will show the problem.
    pub fn of(name: &OsStr, path: Option<&OsStr>) -> Option<Program> {
        let mut file = found(name, path)?;
        for _ in 0..=MOST_SCRIPTS {
            let beginning = beginning(&file).ok()?;
            match interpreter(&beginning) {
                Some(next) => file = found(&next, path)?,
                None => return Program::of_binary(file, &beginning),
            }
        }
        None
    }

    fn of_binary(file: PathBuf, beginning: &[u8]) -> Option<Program> {
        let loader = loader(&file, beginning)?;
        let name = file.file_name()?.as_bytes();
        let is_python = name.starts_with(b"python") || name.starts_with(b"pypy");
        Some(Program { loader, is_privileged: privilege::gives_rights(&file), is_python, file })
    }
}

/// The path of a program, found as execvp finds it.
fn found(name: &OsStr, path: Option<&OsStr>) -> Option<PathBuf> {
    if name.as_bytes().contains(&b'/') {
        return Some(PathBuf::from(name));
    }
    std::env::split_paths(path?).map(|folder| folder.join(name)).find(|file| file.is_file())
}

fn beginning(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(file)?.take(BEGINNING as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The program that a `#!` line names; behind `env`, the program that env starts.
fn interpreter(beginning: &[u8]) -> Option<OsString> {
    let line = beginning.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let first = words.next()?;
    let is_plain = |word: &&[u8]| !word.starts_with(b"-") && !word.contains(&b'=');
    let named = match Path::new(OsStr::from_bytes(first)).file_name()?.as_bytes() {
        b"env" => words.find(is_plain).unwrap_or(first),
        _ => first,
    };
    Some(OsStr::from_bytes(named).to_os_string())
}

/// The loader of a binary. `None`: not an ELF file of this machine.
fn loader(file: &Path, beginning: &[u8]) -> Option<Loader> {
    let class = *beginning.strip_prefix(b"\x7fELF")?.first()?;
    if class != 2 {
        return Some(Loader::Narrow);
    }
    let header = beginning.get(..HEADER)?;
    let offset = u64::from_ne_bytes(header[32..40].try_into().ok()?);
    let count = usize::from(u16::from_ne_bytes(header[56..58].try_into().ok()?));
    let file = File::open(file).ok()?;
    let mut segments = vec![0; count * SEGMENT];
    file.read_exact_at(&mut segments, offset).ok()?;
    let named = segments.chunks_exact(SEGMENT).find(|segment| segment[..4] == PT_INTERP.to_ne_bytes());
    let Some(segment) = named else { return Some(Loader::None) };
    let at = u64::from_ne_bytes(segment[8..16].try_into().ok()?);
    let length = u64::from_ne_bytes(segment[32..40].try_into().ok()?).min(libc::PATH_MAX as u64);
    let mut path = vec![0; length as usize];
    file.read_exact_at(&mut path, at).ok()?;
    let path = String::from_utf8_lossy(path.split(|byte| *byte == 0).next()?).into_owned();
    let is_gnu = Path::new(&path).file_name()?.as_bytes().starts_with(b"ld-linux");
    Some(if is_gnu { Loader::Gnu } else { Loader::Other(path) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An ELF file of 64 bits with one segment, which names a loader or does not.
    fn elf(loader: Option<&str>) -> Vec<u8> {
        let mut bytes = vec![0; HEADER + SEGMENT];
        bytes[..5].copy_from_slice(b"\x7fELF\x02");
        bytes[32..40].copy_from_slice(&(HEADER as u64).to_ne_bytes());
        bytes[56..58].copy_from_slice(&1u16.to_ne_bytes());
        if let Some(loader) = loader {
            let path = [loader.as_bytes(), &[0]].concat();
            bytes[HEADER..HEADER + 4].copy_from_slice(&PT_INTERP.to_ne_bytes());
            let at = (HEADER + SEGMENT) as u64;
            bytes[HEADER + 8..HEADER + 16].copy_from_slice(&at.to_ne_bytes());
            bytes[HEADER + 32..HEADER + 40].copy_from_slice(&(path.len() as u64).to_ne_bytes());
            bytes.extend(path);
        }
        bytes
    }

    /// The program that a file with this content would be.
    fn program(name: &str, content: &[u8]) -> Option<Program> {
        let folder = std::env::temp_dir().join(format!("anyccl-program-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join(name);
        std::fs::write(&file, content).unwrap();
        let program = Program::of(OsStr::new(name), Some(folder.as_os_str()));
        assert_eq!(program, Program::of(file.as_os_str(), None));
        std::fs::remove_dir_all(&folder).unwrap();
        program
    }

    #[test]
    fn the_loader_is_read_from_the_program() {
        let loader = |name, content: &[u8]| program(name, content).map(|program| program.loader);
        assert_eq!(loader("gnu", &elf(Some("/lib64/ld-linux-x86-64.so.2"))), Some(Loader::Gnu));
        let musl = "/lib/ld-musl-x86_64.so.1";
        assert_eq!(loader("musl", &elf(Some(musl))), Some(Loader::Other(musl.into())));
        assert_eq!(loader("static", &elf(None)), Some(Loader::None));
        assert_eq!(loader("narrow", b"\x7fELF\x01 and the rest"), Some(Loader::Narrow));
        for (name, broken) in [("cut", &elf(None)[..70]), ("text", b"hello"), ("empty", b"")] {
            assert_eq!(loader(name, broken), None, "{name}");
        }
    }

    #[test]
    fn a_script_is_as_its_interpreter_and_one_that_names_itself_comes_to_an_end() {
        let shell = Program::of(OsStr::new("/bin/sh"), None).unwrap();
        assert_eq!(program("plain", b"#! /bin/sh -e\n"), Some(shell.clone()));
        assert_eq!(program("env", b"#!/usr/bin/env -S A=b /bin/sh\n"), Some(shell));
        assert_eq!(program("nothing", b"#!/no/such/interpreter\n"), None);
        assert_eq!(program("round", b"#!round\n").map(|program| program.file), None);
    }

    #[test]
    fn python_is_known_by_its_name() {
        let elf = elf(Some("/lib64/ld-linux-x86-64.so.2"));
        assert!(program("python3.11", &elf).unwrap().is_python);
        assert!(!program("cython", &elf).unwrap().is_python);
    }
}
