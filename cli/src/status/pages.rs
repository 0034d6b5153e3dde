//! What one host says to `anyccl status` on another: its processes and copies of their pages.
//!
//! The answer is compressed, because most of a page is zero: a line of JSON ([`Answer`]), then the bytes of
//! the pages. Who reads it trusts nothing but that the user can start this tool there.

use std::io::{self, BufRead, BufReader, Read, Write};

use anyccl_engine::base::VERSION;
use anyccl_engine::observe::jobs::{Process, all_by};
use anyccl_engine::observe::status::{PageCopy, Snapshot};
use anyccl_engine::sys::host::machine_id;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::output::{cannot_write, refuse_closed_output};

/// What tells a page from all others: its machine, the file and who wrote it.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct PageName {
    machine: String,
    file: (u64, u64),
    pid: u32,
    job: u64,
    rank: u32,
}

/// A page that was found.
pub struct Page {
    /// Two hosts may show the same page.
    pub name: PageName,
    /// What it says.
    pub snapshot: Snapshot,
}

#[derive(Deserialize, Serialize)]
struct Answer {
    version: String,
    machine: String,
    processes: Vec<ProcessHead>,
}

#[derive(Deserialize, Serialize)]
struct ProcessHead {
    pid: u32,
    pid_namespace: u64,
    has_ended: bool,
    is_stopped: bool,
    command: String,
    pages: Vec<PageHead>,
}

#[derive(Deserialize, Serialize)]
struct PageHead {
    name: PageName,
    numbers: [u64; 4],
    bytes: u64,
}

/// Most bytes of an answer, and of a page: far more than any host has.
const MOST_BYTES: u64 = 4 << 30;
const MOST_OF_PAGE: u64 = 16 << 20;

/// The processes of this host.
pub fn here() -> io::Result<Vec<Process<Page>>> {
    let machine = machine_id();
    all_by(|copy, file| Page::of(&copy, &machine, file))
}

impl Page {
    fn of(copy: &PageCopy, machine: &str, file: (u64, u64)) -> Page {
        let snapshot = copy.snapshot();
        let Snapshot { pid, job, rank, .. } = snapshot;
        Page { name: PageName { machine: machine.to_string(), file, pid, job, rank }, snapshot }
    }
}

/// Writes what this host has to standard output. Returns the exit code.
pub fn say_pages() -> Result<u8, Failure> {
    refuse_closed_output()?;
    let cannot_read = |error| Failure::own(format_args!("cannot read /proc: {error}"));
    let machine = machine_id();
    let processes = all_by(|copy, file| (Page::of(&copy, &machine, file).name, copy)).map_err(cannot_read)?;
    match write(processes, io::stdout().lock()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::own(cannot_write("standard output", &error)))
        }
        _ => Ok(0),
    }
}

fn write(processes: Vec<Process<(PageName, PageCopy)>>, to: impl Write) -> io::Result<()> {
    let head = |page: &mut (PageName, PageCopy)| PageHead {
        name: page.0.clone(),
        numbers: page.1.numbers(),
        bytes: page.1.bytes().len() as u64,
    };
    let (mut heads, mut pages) = (Vec::new(), Vec::new());
    for mut process in processes {
        heads.push(ProcessHead {
            pid: process.pid,
            pid_namespace: process.pid_namespace,
            has_ended: process.has_ended,
            is_stopped: process.is_stopped,
            command: process.command,
            pages: process.pages.iter_mut().map(head).collect(),
        });
        pages.extend(process.pages);
    }
    let mut to = GzEncoder::new(to, Compression::fast());
    serde_json::to_writer(
        &mut to,
        &Answer { version: VERSION.to_string(), machine: machine_id(), processes: heads },
    )?;
    to.write_all(b"\n")?;
    for (_, copy) in &mut pages {
        to.write_all(copy.bytes())?;
    }
    to.finish()?.flush()
}

/// Reads what a host has said: its machine and its processes.
pub fn read(host: &str, said: &[u8]) -> Result<(String, Vec<Process<Page>>), String> {
    let not_ours = |error: io::Error| {
        let begin = String::from_utf8_lossy(&said[..said.len().min(80)]).into_owned();
        format!("something other than anyccl answers ({error}): {begin:?}")
    };
    let mut from = BufReader::new(GzDecoder::new(said).take(MOST_BYTES));
    let mut line = Vec::new();
    from.read_until(b'\n', &mut line).map_err(not_ours)?;
    let answer: Answer = serde_json::from_slice(&line).map_err(|error| not_ours(error.into()))?;
    if answer.version != VERSION {
        return Err(format!("anyccl is {} there and {VERSION} here", answer.version));
    }
    let mut processes = Vec::new();
    for head in answer.processes {
        let mut pages = Vec::new();
        for PageHead { name, numbers, bytes } in head.pages {
            let mut copy = Vec::new();
            from.by_ref().take(bytes.min(MOST_OF_PAGE)).read_to_end(&mut copy).map_err(not_ours)?;
            let Some(copy) = PageCopy::from_parts(numbers, &copy) else {
                return Err(
                    "anyccl there is built for another kind of machine, or not from the same sources".into(),
                );
            };
            pages.push(Page { name, snapshot: copy.snapshot() });
        }
        processes.push(Process {
            host: Some(host.to_string()),
            pid: head.pid,
            pid_namespace: head.pid_namespace,
            has_ended: head.has_ended,
            is_stopped: head.is_stopped,
            command: head.command.chars().map(|c| if c.is_control() { ' ' } else { c }).collect(),
            pages,
        });
    }
    Ok((answer.machine, processes))
}
