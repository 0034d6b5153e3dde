//! The state of the hooks, determined once, when the loader asks for the version.

use std::ffi::{CString, OsStr};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::{env, fs};

use anyccl_launch_report::{Facade, Reporter};

use crate::name::{self, doors};

/// The environment variable that names the mode.
fn variable(facade: Facade) -> &'static str {
    match facade {
        Facade::Nccl => "ANYCCL_NCCL_AUDIT",
        Facade::Mpi => "ANYCCL_MPI_AUDIT",
    }
}

/// The task of the audit library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Replaces NCCL or MPI by our library on every request.
    Take,
    /// Replaces nothing. A process that uses a foreign library is reported and stopped.
    Watch,
    /// Like `Watch`, but a foreign library may not even be loaded.
    Only,
    /// Replaces nothing. A process that gets a function of such a library is reported and stopped.
    Probe,
}

impl Mode {
    fn of(word: Option<&str>) -> Option<Mode> {
        match word {
            None | Some("" | "take") => Some(Mode::Take),
            Some("watch") => Some(Mode::Watch),
            Some("only") => Some(Mode::Only),
            Some("probe") => Some(Mode::Probe),
            Some(_) => None,
        }
    }
}

/// A library of anyccl that replaces others.
pub struct Door {
    /// Its file name.
    name: &'static str,
    /// Its path. The loader keeps the pointer.
    pub path: CString,
    identity: (u64, u64),
}

/// Everything that the hooks know.
pub struct AuditState {
    pub mode: Mode,
    /// The interface of our libraries, which lie next to this one.
    pub facade: Facade,
    pub doors: Vec<Door>,
    pub reporter: Option<Reporter>,
    /// Whether our own library has just requested another one, which the loader maps next.
    pub is_wanted: AtomicBool,
    /// Whether such a library was requested by its name alone.
    pub is_linked: AtomicBool,
    /// Path of the first such library that was loaded.
    pub first: OnceLock<Vec<u8>>,
}

static STATE: OnceLock<AuditState> = OnceLock::new();

/// The state; `None` before the loader has asked for the version.
pub fn state() -> Option<&'static AuditState> {
    STATE.get()
}

/// Determines the state. On an error this library should not be used.
pub fn prepare() -> Option<&'static AuditState> {
    let made = AuditState::new();
    if let Err(error) = &made {
        let _ = writeln!(io::stderr(), "anyccl: error: NCCL and MPI are left alone: {error}");
    }
    let made = made.ok()?;
    Some(STATE.get_or_init(|| made))
}

impl AuditState {
    fn new() -> io::Result<AuditState> {
        let invalid = |why: String| io::Error::new(io::ErrorKind::InvalidInput, why);
        let own = own_path()?;
        let is_mpi = own.with_file_name(doors(Facade::Mpi)[0]).exists();
        let facade = if is_mpi { Facade::Mpi } else { Facade::Nccl };
        let variable = variable(facade);
        let word = env::var_os(variable);
        let mode = Mode::of(word.as_deref().and_then(OsStr::to_str))
            .ok_or_else(|| invalid(format!("{variable} is neither take, watch, only nor probe")))?;
        let door = |name: &&'static str| {
            let path = own.with_file_name(name);
            let metadata =
                fs::metadata(&path).map_err(|error| invalid(format!("{}: {error}", path.display())))?;
            let path = CString::new(path.into_os_string().into_encoded_bytes())?;
            Ok(Door { name, path, identity: (metadata.dev(), metadata.ino()) })
        };
        Ok(AuditState {
            mode,
            facade,
            doors: doors(facade).iter().map(door).collect::<io::Result<_>>()?,
            reporter: Reporter::of_environment(facade),
            is_wanted: AtomicBool::new(false),
            is_linked: AtomicBool::new(false),
            first: OnceLock::new(),
        })
    }

    /// Whether a library with this name or path has the interface.
    pub fn is_library(&self, asked: &[u8]) -> bool {
        name::is_library(self.facade, asked)
    }

    /// Our library that replaces a requested one. `None`: there is none with that ABI.
    pub fn door_for(&self, asked: &[u8]) -> Option<&Door> {
        let name = name::door(self.facade, asked)?;
        self.doors.iter().find(|door| door.name == name)
    }

    /// Index of our own library that was loaded from this file, by whatever path.
    pub fn own(&self, path: &[u8]) -> Option<usize> {
        let metadata = fs::metadata(Path::new(OsStr::from_bytes(path))).ok()?;
        self.doors.iter().position(|door| door.identity == (metadata.dev(), metadata.ino()))
    }

    /// Index of our own library to which this file leads: an empty library beside it, with another name.
    pub fn led_to(&self, path: &[u8]) -> Option<usize> {
        let path = Path::new(OsStr::from_bytes(path));
        let led_to = name::door(self.facade, path.file_name()?.as_bytes())?;
        let beside = path.parent()?.join(led_to);
        self.own(beside.as_os_str().as_bytes())
    }
}

/// The path of this library, found in the mappings that contain this code. (The loader's own functions for
/// this query lie in another namespace, and may not be called while it is loading.)
fn own_path() -> io::Result<PathBuf> {
    let maps = fs::read("/proc/self/maps")?;
    let code = own_path as fn() -> io::Result<PathBuf> as usize;
    let found = maps.split(|byte| *byte == b'\n').find_map(|line| {
        let range = str::from_utf8(line.split(|byte| *byte == b' ').next()?).ok()?;
        let (from, to) = range.split_once('-')?;
        let number = |text| usize::from_str_radix(text, 16).ok();
        (number(from)?..number(to)?).contains(&code).then_some(())?;
        let path = &line[line.iter().position(|byte| *byte == b'/')?..];
        Some(PathBuf::from(OsStr::from_bytes(path)))
    });
    found.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "/proc/self/maps does not name this library"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_is_one_of_four_words_and_taking_is_the_default() {
        let known = [Mode::Take, Mode::Watch, Mode::Only, Mode::Probe].map(Some);
        assert_eq!(["take", "watch", "only", "probe"].map(|word| Mode::of(Some(word))), known);
        assert_eq!([None, Some("")].map(Mode::of), [Some(Mode::Take); 2]);
        assert_eq!(Mode::of(Some("tkae")), None);
    }
}
