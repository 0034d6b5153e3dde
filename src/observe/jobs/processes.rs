//! The processes of this user that have communicators, and those that had some and were killed.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::observe::status::{PageCopy, PageFile, Snapshot};
use crate::sys::host::pid_namespace;

/// Longest command that is shown, in characters.
const LONGEST_COMMAND: usize = 80;

/// A process with communicators, and what was read of its pages.
#[derive(Clone, Debug)]
pub struct Process<P = Snapshot> {
    /// Its host, if that is another one.
    pub host: Option<String>,
    /// Its number there. Of one that has ended: its number in its own PID namespace.
    pub pid: u32,
    /// Number of the PID namespace of that number.
    pub pid_namespace: u64,
    /// Whether it has ended. Another process of its job has kept its pages.
    pub has_ended: bool,
    /// Whether it is stopped, by a signal or a debugger.
    pub is_stopped: bool,
    /// Its command, shortened.
    pub command: String,
    /// The page of each of its engines.
    pub pages: Vec<P>,
}

impl<P> Process<P> {
    /// The process, with what `of` makes of each page.
    pub fn map<Q>(self, of: impl Fn(P) -> Q) -> Process<Q> {
        let Process { host, pid, pid_namespace, has_ended, is_stopped, command, pages } = self;
        let pages = pages.into_iter().map(of).collect();
        Process { host, pid, pid_namespace, has_ended, is_stopped, command, pages }
    }
}

/// A process of this user, and the files of pages that it has open.
struct Holder {
    pid: u32,
    /// Its number in its own PID namespace, which its pages have.
    own_pid: u32,
    files: Vec<PageFile>,
}

/// A page, whose it is, and what was read of it.
struct Page<P> {
    pid: u32,
    job: u64,
    read: P,
}

/// All of them. It is an error if `/proc` cannot be read.
pub fn all() -> io::Result<Vec<Process>> {
    all_by(|page, _| page.snapshot())
}

/// All of them, with what `read` makes of each page and of the identity of its file.
pub fn all_by<P>(read: impl Fn(PageCopy, (u64, u64)) -> P) -> io::Result<Vec<Process<P>>> {
    let (here, holders) = (pid_namespace(), holders()?);
    let mut files = BTreeMap::new();
    for file in holders.iter().flat_map(|holder| &holder.files) {
        let page = |page: PageCopy| {
            let (pid, job) = (page.pid(), page.job());
            Page { pid, job, read: read(page, file.identity()) }
        };
        let pages = || file.pages().map_while(Result::ok).map(page).collect::<Vec<_>>();
        files.entry(file.identity()).or_insert_with(pages);
    }
    let read_of = |pages: Vec<Page<P>>| pages.into_iter().map(|page| page.read).collect::<Vec<_>>();
    let mut found = Vec::new();
    for holder in &holders {
        let mut pages = Vec::new();
        for file in &holder.files {
            let theirs = files.get_mut(&file.identity()).map(std::mem::take).unwrap_or_default();
            // Other pages are of a process whose file this one holds, or has from before a fork.
            let (own, others) = theirs.into_iter().partition(|page: &Page<P>| page.pid == holder.own_pid);
            pages.extend::<Vec<_>>(own);
            files.insert(file.identity(), others);
        }
        if !pages.is_empty() {
            let folder = Path::new("/proc").join(holder.pid.to_string());
            found.push(Process {
                host: None,
                pid: holder.pid,
                pid_namespace: here,
                has_ended: false,
                is_stopped: is_stopped(&folder),
                command: command(&folder),
                pages: read_of(pages),
            });
        }
    }
    found.sort_by_key(|process| process.pid);
    // Pages that no process has written that is still there.
    let mut ended: BTreeMap<(u64, u32), Vec<Page<P>>> = BTreeMap::new();
    files.into_values().flatten().for_each(|page| ended.entry((page.job, page.pid)).or_default().push(page));
    found.extend(ended.into_iter().map(|((_, pid), pages)| Process {
        host: None,
        pid,
        pid_namespace: here,
        has_ended: true,
        is_stopped: false,
        command: String::new(),
        pages: read_of(pages),
    }));
    Ok(found)
}

fn holders() -> io::Result<Vec<Holder>> {
    let me = fs::metadata("/proc/self")?.uid();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc")?.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        if entry.metadata().is_ok_and(|data| data.uid() == me)
            && let Ok(files) = PageFile::all_of(pid)
            && !files.is_empty()
        {
            found.push(Holder { pid, own_pid: own_pid(&entry.path()).unwrap_or(pid), files });
        }
    }
    Ok(found)
}

/// The number of a process in the innermost PID namespace that it is in.
fn own_pid(folder: &Path) -> Option<u32> {
    let text = fs::read_to_string(folder.join("status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("NSpid:"))?;
    line.split_whitespace().next_back()?.parse().ok()
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
