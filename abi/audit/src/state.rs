//! State of the hooks, determined once, when the loader asks for the version.

use std::ffi::{CString, OsStr};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::{env, fs};

use anyccl_launch_report::Reporter;

/// Environment variable that names the mode.
const VARIABLE: &str = "ANYCCL_NCCL_AUDIT";
/// File name under which this library is installed.
const OWN_NAME: &str = "libanyccl_audit.so";
/// File name of the NCCL library next to it.
const NCCL_NAME: &str = "libnccl.so.2";

/// What the audit library does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Our library is given to whoever asks for NCCL.
    Take,
    /// Nothing, but who uses another NCCL is told and stopped.
    Watch,
    /// Like `Watch`, but no other NCCL than ours may be loaded at all.
    Only,
    /// Nothing, but who gets NCCL's functions is told and stopped.
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

/// Everything that the hooks know.
pub struct AuditState {
    pub mode: Mode,
    /// The path of our libnccl.so.2. The loader keeps the pointer.
    pub ours: CString,
    identity: (u64, u64),
    pub reporter: Option<Reporter>,
    /// Our library itself has asked for another NCCL, which comes next.
    pub is_wanted: AtomicBool,
    /// Somebody has asked for NCCL by its name alone.
    pub is_linked: AtomicBool,
    /// The first NCCL that was loaded.
    pub first: OnceLock<Vec<u8>>,
}

static STATE: OnceLock<AuditState> = OnceLock::new();

/// `None` before the loader has asked for the version.
pub fn state() -> Option<&'static AuditState> {
    STATE.get()
}

/// Finds everything out. An error means that this library had better not be there.
pub fn prepare() -> Option<&'static AuditState> {
    let made = AuditState::new();
    if let Err(error) = &made {
        let _ = writeln!(io::stderr(), "anyccl: error: NCCL is left alone: {error}");
    }
    let made = made.ok()?;
    Some(STATE.get_or_init(|| made))
}

impl AuditState {
    fn new() -> io::Result<AuditState> {
        let invalid = |why: String| io::Error::new(io::ErrorKind::InvalidInput, why);
        let word = env::var_os(VARIABLE);
        let mode = Mode::of(word.as_deref().and_then(OsStr::to_str))
            .ok_or_else(|| invalid(format!("{VARIABLE} is neither take, watch, only nor probe")))?;
        let own = own_path()?;
        let ours = own.with_file_name(NCCL_NAME);
        let metadata =
            fs::metadata(&ours).map_err(|error| invalid(format!("{}: {error}", ours.display())))?;
        Ok(AuditState {
            mode,
            identity: (metadata.dev(), metadata.ino()),
            ours: CString::new(ours.into_os_string().into_encoded_bytes())?,
            reporter: Reporter::of_environment(),
            is_wanted: AtomicBool::new(false),
            is_linked: AtomicBool::new(false),
            first: OnceLock::new(),
        })
    }

    /// Whether a library that was loaded from there is our own, by whatever path.
    pub fn is_ours(&self, path: &[u8]) -> bool {
        let metadata = fs::metadata(Path::new(OsStr::from_bytes(path)));
        metadata.is_ok_and(|metadata| (metadata.dev(), metadata.ino()) == self.identity)
    }
}

/// Where this library was loaded from: the mapping with its name. (The loader's own functions to ask for that
/// lie in another namespace, and may not be called while it is loading.)
fn own_path() -> io::Result<PathBuf> {
    let maps = fs::read("/proc/self/maps")?;
    let found = maps.split(|byte| *byte == b'\n').find_map(|line| {
        let path = &line[line.iter().position(|byte| *byte == b'/')?..];
        let path = Path::new(OsStr::from_bytes(path));
        (path.file_name()? == OWN_NAME).then(|| path.to_path_buf())
    });
    found.ok_or_else(|| {
        io::Error::new(io::ErrorKind::NotFound, format!("this library is not called {OWN_NAME}"))
    })
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
