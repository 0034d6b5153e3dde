//! Notices another MPI in a rank, where no `--as` was given. Such a rank does not know the job: it is a world
//! of one, and its program seems to work. The user is told once what to pass.
//!
//! The search looks at the libraries of one rank after a second, and of each rank when it first writes, so it
//! does not slow the start of the job. A rank that has ended by then, or ends without a word, has none to be
//! seen; the loader lists those of its program. An agent looks at the ranks of its host.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyccl_engine::backend::mpi::identity::MARK;

use crate::facade::method;
use crate::facade::program::Loader;
use crate::sys::process::Pid;

/// When the search looks at a rank that has not written anything, after the start.
const LOOK_AFTER: Duration = Duration::from_secs(1);

/// The search, until it has found something.
pub struct OtherMpi {
    is_wanted: bool,
    /// When to look at a rank whatever it does; `None` once that was done.
    due: Option<Instant>,
    /// The program and its variables, until libraries of a rank or of the program were seen.
    unseen: Option<(OsString, Vec<(String, String)>)>,
    found: Option<String>,
    /// What each library is that was looked at.
    known: BTreeMap<PathBuf, Library>,
}

/// A library of a program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Library {
    Anyccl,
    OtherMpi,
    Unrelated,
}

impl OtherMpi {
    /// A search among ranks of a program with these variables, if `is_wanted`.
    pub fn among(program: &OsStr, is_wanted: bool, environment: Vec<(String, String)>) -> OtherMpi {
        // The engine of another MPI opens it for itself.
        let by_engine =
            method::held(&environment, "ANYCCL_BACKEND").is_some_and(|names| names.contains("mpi"));
        let is_wanted = is_wanted && !by_engine;
        OtherMpi {
            is_wanted,
            due: is_wanted.then(|| Instant::now() + LOOK_AFTER),
            unseen: Some((program.to_owned(), environment)),
            found: None,
            known: BTreeMap::new(),
        }
    }

    /// When to call [`OtherMpi::look_if_due`].
    pub fn next_look(&self) -> Option<Instant> {
        self.due
    }

    /// Looks at a rank if it is time for that.
    pub fn look_if_due(&mut self, rank: Pid) {
        if self.due.take_if(|at| *at <= Instant::now()).is_some() {
            self.look_at(rank);
        }
    }

    /// Looks at the libraries that a rank has loaded by now.
    pub fn look_at(&mut self, rank: Pid) {
        if !self.is_wanted {
            return;
        }
        match fs::read_to_string(format!("/proc/{rank}/maps")) {
            Ok(maps) if !maps.is_empty() => {
                self.unseen = None;
                self.look_in(maps.lines().filter_map(mapped));
            }
            _ => self.note_end(),
        }
    }

    /// Looks at the program of a rank that has ended, unless libraries of a rank were seen.
    pub fn note_end(&mut self) {
        if self.is_wanted
            && let Some((program, environment)) = self.unseen.take()
            && let Some(text) = libraries(&program, &environment)
        {
            self.look_in(text.lines().filter_map(listed));
        }
    }

    /// The sentence for the user, once.
    pub fn take_remark(&mut self) -> Option<String> {
        let library = self.found.take()?;
        Some(format!(
            "warning: the program uses another MPI, {library}, for which each rank is a world of its own. --as mpi \
             gives the ranks that of anyccl"
        ))
    }

    fn look_in<'a>(&mut self, paths: impl Iterator<Item = &'a str>) {
        let mut other = None;
        for path in paths.map(Path::new) {
            let library = match self.known.get(path) {
                Some(library) => *library,
                None => *self.known.entry(path.into()).or_insert(Library::at(path)),
            };
            match library {
                // The program may use anyccl, and a library that has its own MPI beside it.
                Library::Anyccl => return,
                Library::OtherMpi => other = other.or(Some(path)),
                Library::Unrelated => {}
            }
        }
        if let Some(other) = other {
            (self.found, self.is_wanted) = (Some(other.display().to_string()), false);
        }
    }
}

/// The loader's list of the program's libraries. `None`: there is no such list.
fn libraries(program: &OsStr, environment: &[(String, String)]) -> Option<String> {
    let program = method::program(program, environment)?;
    // Another loader, or one that ignores variables, would run the program.
    if program.loader != Loader::Gnu || program.is_privileged {
        return None;
    }
    let mut list = Command::new(&program.file);
    list.envs(environment.iter().map(|(name, value)| (name, value))).env("LD_TRACE_LOADED_OBJECTS", "1");
    let output = list.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    String::from_utf8(output.stdout).ok()
}

/// The path in a line such as `libm.so.6 => /lib/libm.so.6 (0x00007f00)`. A library that was named by its
/// path, as `LD_PRELOAD` does, has no arrow.
fn listed(line: &str) -> Option<&str> {
    let path = line.split_once(" => ").map_or(line.trim_start(), |(_, path)| path);
    let (path, _) = path.rsplit_once(" (")?;
    path.starts_with('/').then_some(path)
}

/// The path in a line of `/proc/PID/maps`, behind five columns.
fn mapped(line: &str) -> Option<&str> {
    line.find('/').map(|at| &line[at..])
}

impl Library {
    /// The library is anyccl's if its name says so or, if it has the name of an MPI, by the mark in it. Its
    /// folder says nothing, because an MPI of somebody else may lie in any.
    fn at(path: &Path) -> Library {
        let file = path.canonicalize().unwrap_or_else(|_| path.into());
        let [name, file_name] = [path, &file].map(|p| p.file_name().unwrap_or_default().to_string_lossy());
        let is_marked = |file: Vec<u8>| file.windows(MARK.count_bytes()).any(|name| name == MARK.to_bytes());
        if file_name.contains("anyccl") && file_name.contains(".so") {
            return Library::Anyccl;
        }
        if !["libmpi.so", "libmpich.so", "libmpi_abi.so"].iter().any(|library| name.starts_with(library)) {
            return Library::Unrelated;
        }
        if fs::read(path).is_ok_and(is_marked) { Library::Anyccl } else { Library::OtherMpi }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remark<'a>(paths: impl IntoIterator<Item = &'a str>) -> Option<String> {
        let mut search =
            OtherMpi { is_wanted: true, due: None, unseen: None, found: None, known: BTreeMap::new() };
        search.look_in(paths.into_iter());
        search.take_remark()
    }

    #[test]
    fn another_mpi_is_named_once_with_what_helps() {
        let told = remark(["/lib/libc.so.6", "/opt/x/libmpi.so.12.1.8"]).unwrap();
        assert!(told.contains("/opt/x/libmpi.so.12.1.8") && told.contains("--as mpi"), "{told}");
        assert_eq!(remark(["/lib/libc.so.6", "/lib/libmpifort.so.12"]), None);
    }

    #[test]
    fn a_program_of_anyccl_may_have_another_mpi_beside_it_and_the_folder_of_an_mpi_says_nothing() {
        let folder = std::env::temp_dir().join(format!("other-mpi-{}", std::process::id())).join("anyccl");
        fs::create_dir_all(&folder).unwrap();
        let [ours, others] = ["libmpi_abi.so.1", "libmpi.so.12"].map(|name| folder.join(name));
        fs::write(&ours, [b"\x7fELF ", MARK.to_bytes_with_nul()].concat()).unwrap();
        // A build names its folder in the library.
        fs::write(&others, format!("\x7fELF --prefix={}", folder.display())).unwrap();
        let [ours, others] = [&ours, &others].map(|path| path.to_str().unwrap());
        assert!(remark([others]).is_some_and(|told| told.contains(others)));
        for own in [ours, "/p/lib/libanyccl.so.0"] {
            assert_eq!(remark([others, own]), None, "{own}");
        }
        fs::remove_dir_all(folder.parent().unwrap()).unwrap();
    }

    #[test]
    fn paths_are_read_from_the_loaders_list_and_from_the_kernels() {
        let list = [
            "\tlinux-vdso.so.1 (0x7ff)",
            "\tlibm.so.6 => /a b/libm.so.6 (0x7f0)",
            "\tx.so => not found",
            "\t/a b/x.so (0x7f1)",
        ];
        assert_eq!(list.map(listed), [None, Some("/a b/libm.so.6"), None, Some("/a b/x.so")]);
        let maps =
            ["7f0-7f1 r--p 00000000 fe:00 42    /lib/libmpi.so.12", "7f2-7f3 rw-p 00000000 00:00 0 [stack]"];
        assert_eq!(maps.map(mapped), [Some("/lib/libmpi.so.12"), None]);
    }
}
