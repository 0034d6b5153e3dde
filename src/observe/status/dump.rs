//! The last operations of a rank as a file: `anyccl trace show` reads it.
//!
//! The file is JSON, written without help, so that the library needs no writer of it. It is written under
//! another name first, so no reader sees half of one.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::operations::{MessageSide, OperationSnapshot};
use super::snapshot::{CommSnapshot, Snapshot};
use crate::base::{Call, VERSION};
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
    let all = |those: &[OperationSnapshot]| {
        those.iter().map(|one| operation(one, zero)).collect::<Vec<String>>().join(",\n")
    };
    format!(
        "{{\"anyccl\":{},\"host\":{},\"job\":\"{:016x}\",\"rank\":{},\"size\":{},\"hosts\":{},\"pid\":{},\"time\":{},\
         \"reason\":{},\n\"communicators\":[\n{}],\n\"operations\":[\n{}],\n\"messages\":[\n{}]}}\n",
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
        all(&page.operations),
        all(&page.messages),
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
    let (kind, title, side) = match operation.side {
        None => (call.kind.name(), call.to_string(), String::new()),
        Some(side) => of_message(call, side),
    };
    let state = match (operation.has_ended, operation.has_failed) {
        (false, _) => "running",
        (true, false) => "ended",
        (true, true) => "failed",
    };
    format!(
        "{{\"number\":{},\"context\":{},\"call_number\":{},\"call\":{},\"kind\":\"{kind}\",\"datatype\":\"{}\",\
         \"count\":{},\"state\":\"{state}\",{side}\"began\":{},\"moved\":{},\"ended\":{}}}",
        operation.number,
        operation.context,
        operation.call_number,
        quoted(&title),
        call.datatype.name(),
        call.count,
        time(operation.began),
        time(operation.moved),
        time(operation.ended),
    )
}

/// Kind and title of a message, and the members that only messages have.
fn of_message(call: &Call, side: MessageSide) -> (&'static str, String, String) {
    let (kind, way) = if side.is_send { ("send", "to") } else { ("receive", "from") };
    let peer = side.peer.map_or("any rank".to_string(), |peer| format!("rank {peer}"));
    let tag = call.root.cast_signed();
    let tag = if tag == i32::MIN { "any tag".to_string() } else { format!("tag {tag}") };
    let title = format!("{kind}({}, count {}, {way} {peer}, {tag})", call.datatype.name(), call.count);
    let peer = side.peer.map_or("null".to_string(), |peer| peer.to_string());
    (kind, title, format!("\"peer\":{peer},"))
}
