//! The processes of this user that have communicators.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use anyccl_engine::observe::status::Snapshot;

use crate::failure::Failure;

/// Longest command that is shown, in characters.
const LONGEST_COMMAND: usize = 80;

/// A process with communicators.
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// Whether it is stopped, by a signal or a debugger.
    pub is_stopped: bool,
    /// Its command, shortened.
    pub command: String,
    /// The page of each of its engines.
    pub pages: Vec<Snapshot>,
}

/// All of them.
pub fn all() -> Result<Vec<Process>, Failure> {
    let proc = Path::new("/proc");
    let me = fs::metadata("/proc/self").map_err(cannot_read)?.uid();
    let mut found = Vec::new();
    for entry in fs::read_dir(proc).map_err(cannot_read)?.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        if entry.metadata().is_ok_and(|data| data.uid() == me)
            && let Ok(pages) = Snapshot::of_process(pid)
            && !pages.is_empty()
        {
            let folder = entry.path();
            found.push(Process { pid, is_stopped: is_stopped(&folder), command: command(&folder), pages });
        }
    }
    found.sort_by_key(|process| process.pid);
    Ok(found)
}

fn cannot_read(error: std::io::Error) -> Failure {
    Failure::own(format_args!("cannot read /proc: {error}"))
}

/// Whether the kernel calls the process stopped (T) or traced (t).
fn is_stopped(folder: &Path) -> bool {
    let line = fs::read_to_string(folder.join("stat")).unwrap_or_default();
    // The name in front of the state is in parentheses, and may contain any.
    let state = line.rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next());
    matches!(state, Some('T' | 't'))
}

/// The words of the command. Control characters become spaces, because a terminal would obey them.
fn command(folder: &Path) -> String {
    let bytes = fs::read(folder.join("cmdline")).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let text = text.trim();
    match text.char_indices().nth(LONGEST_COMMAND) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_string(),
    }
}
