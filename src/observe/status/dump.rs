//! The last operations of a rank as a file: `anyccl trace show` reads it.
//!
//! The file is JSON, written without help, so that the library needs no writer of it. It is written under
//! another name first, so no reader sees half of one.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::operations::OperationSnapshot;
use super::snapshot::{CommSnapshot, Snapshot};
use crate::base::VERSION;
use crate::observe::json::quoted;
use crate::sys::{clock, host};

/// Beginning of the names of the files.
pub const FILE_PREFIX: &str = "anyccl-";

/// Writes what a page says to a file of the folder, which is made if it is missing. `reason`: why it is
/// written. A file of the same rank and job is replaced. Returns its name.
pub fn write_dump(folder: &Path, page: &Snapshot, reason: &str) -> io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let path = folder.join(format!("{FILE_PREFIX}{:016x}-rank-{}.json", page.job, page.rank));
    let unfinished = folder.join(format!(
        ".{FILE_PREFIX}{:016x}-rank-{}-{}-{}",
        page.job,
        page.rank,
        std::process::id(),
        clock::monotonic_nanoseconds(),
    ));
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&unfinished)?;
    let written = file.write_all(text(page, reason).as_bytes()).and_then(|()| fs::rename(&unfinished, &path));
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    written.map(|()| path)
}

/// The page as JSON. Times are nanoseconds since the Unix epoch.
pub(super) fn text(page: &Snapshot, reason: &str) -> String {
    let zero = page.clock_zero;
    let comms: Vec<String> = page.comms.iter().map(comm).collect();
    let operations: Vec<String> = page.operations.iter().map(|one| operation(one, zero)).collect();
    format!(
        "{{\"anyccl\":{},\"host\":{},\"job\":\"{:016x}\",\"rank\":{},\"size\":{},\"hosts\":{},\"pid\":{},\"time\":{},\
         \"reason\":{},\n\"communicators\":[\n{}],\n\"operations\":[\n{}]}}\n",
        quoted(VERSION),
        quoted(&host::host_name()),
        page.job,
        page.rank,
        page.size,
        page.hosts,
        page.pid,
        zero.saturating_add(page.read_at),
        quoted(reason),
        comms.join(",\n"),
        operations.join(",\n"),
    )
}

fn comm(comm: &CommSnapshot) -> String {
    format!(
        "{{\"context\":{},\"group\":\"{:016x}\",\"name\":{},\"rank\":{},\"size\":{},\"ranks\":{:?},\"calls\":{},\"failure\":{}}}",
        comm.context,
        comm.group,
        quoted(&comm.name),
        comm.rank,
        comm.size,
        comm.members,
        comm.made,
        if comm.failure.is_some() { quoted(&comm.reason) } else { "null".into() },
    )
}

fn operation(operation: &OperationSnapshot, zero: u64) -> String {
    let time =
        |time: Option<u64>| time.map_or("null".to_string(), |time| (zero.saturating_add(time)).to_string());
    let call = &operation.call;
    let kind = call.kind.name();
    let state = match (operation.has_ended, operation.has_failed) {
        (false, _) => "running",
        (true, false) => "ended",
        (true, true) => "failed",
    };
    format!(
        "{{\"number\":{},\"context\":{},\"call_number\":{},\"call\":{},\"kind\":\"{kind}\",\"datatype\":\"{}\",\
         \"count\":{},\"state\":\"{state}\",\"began\":{},\"moved\":{},\"ended\":{}}}",
        operation.number,
        operation.context,
        operation.call_number,
        quoted(&call.to_string()),
        call.datatype.name(),
        call.count,
        time(operation.began),
        time(operation.moved),
        time(operation.ended),
    )
}
