//! The files in the form of PyTorch's flight recorder, one for each rank: `torchfrtrace` reads them.
//!
//! Each communicator becomes a process group. The end of communicators is left out. So are collectives with a
//! count for each rank, whose sizes the recorder does not have, and messages that have ended: the analyser
//! compares numbers of messages with those of collectives.

use std::fs;
use std::path::Path;

use super::files::{Comm, Operation, RankFile, State};
use super::pickle::{Value, pickled};
use crate::failure::Failure;

/// Version of the form, which has had these keys since PyTorch 2.4.
const VERSION: &str = "2.4";

/// The number of a message begins here, where no collective has one.
const MESSAGES: u64 = 1 << 32;

/// Writes a file for each rank. Returns what to do with them.
pub fn write(files: &[RankFile], folder: &Path) -> Result<String, Failure> {
    let unwritable =
        |error: std::io::Error| Failure::own(format_args!("cannot write to {}: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(unwritable)?;
    let mut prefixes: Vec<String> = Vec::new();
    for file in files {
        // The prefix ends with no digit, because digits are the rank. The job's name may be anybody's text.
        let job: String = file.job.chars().filter(char::is_ascii_alphanumeric).collect();
        let prefix = format!("anyccl_{job}_rank_");
        let path = folder.join(format!("{prefix}{}", file.rank));
        fs::write(path, pickled(&dump(file))).map_err(unwritable)?;
        if !prefixes.contains(&prefix) {
            prefixes.push(prefix);
        }
    }
    let lines = prefixes.iter().map(|prefix| format!("torchfrtrace {} -p {prefix}\n", folder.display()));
    Ok(lines.collect())
}

fn dump(file: &RankFile) -> Value {
    let groups = file.communicators.iter().map(|comm| (group_name(comm), group(comm)));
    // The identifiers of collectives are the same on all ranks; messages come behind them.
    let last = file.operations.iter().map(|operation| operation.number).max().unwrap_or(0);
    let collectives = file.operations.iter().map(|operation| (operation.number, operation));
    let unfinished = file.messages.iter().filter(|message| message.state != State::Ended);
    let entries = collectives.chain((last + 1..).zip(unfinished)).filter_map(|(id, operation)| {
        let comm = file.communicators.iter().find(|comm| comm.context == operation.context)?;
        entry(id, operation, comm)
    });
    Value::Dict(vec![
        ("version", VERSION.into()),
        ("pg_config", Value::Table(groups.collect())),
        ("pg_status", Value::Dict(Vec::new())),
        ("entries", Value::List(entries.collect())),
    ])
}

fn group_name(comm: &Comm) -> String {
    format!("{}_{}", comm.context, comm.group)
}

fn group(comm: &Comm) -> Value {
    Value::Dict(vec![
        ("name", Value::Text(group_name(comm))),
        ("desc", Value::Text(comm.name.clone())),
        ("ranks", Value::Text(format!("{:?}", comm.ranks))),
    ])
}

/// An entry, unless PyTorch knows no such operation.
fn entry(id: u64, operation: &Operation, comm: &Comm) -> Option<Value> {
    // A call of the join that comes before number 0. PyTorch's analyser knows no order that begins anew.
    if operation.number <= 2 && operation.call_number.cast_signed() < 0 {
        return None;
    }
    let (count, size) = (operation.count, u64::from(comm.size));
    let all = count.saturating_mul(size);
    let peer = operation.peer.map_or("?".to_string(), |peer| peer.to_string());
    let between = match operation.kind.as_str() {
        "send" => format!(" {}->{peer}", comm.rank),
        "receive" => format!(" {}<-{peer}", comm.rank),
        _ => String::new(),
    };
    let (name, input, output) = match operation.kind.as_str() {
        "send" => ("send", count, count),
        "receive" => ("recv", count, count),
        "all_reduce" | "reduce" | "broadcast" => (operation.kind.as_str(), count, count),
        "all_gather" | "gather" => (operation.kind.as_str(), count, all),
        "reduce_scatter" | "scatter" => (operation.kind.as_str(), all, count),
        "all_to_all" => ("all_to_all", all, all),
        "barrier" => ("barrier", 0, 0),
        "split" | "dup" | "create_from_ranks" => ("split", 0, 0),
        _ => return None,
    };
    let sizes = |count| Value::List(vec![Value::List(vec![Value::Int(count)])]);
    let types = || Value::List(vec![operation.datatype.as_str().into()]);
    let time = |time: Option<u64>| time.map_or(Value::None, Value::Int);
    let is_message = !between.is_empty();
    let message = MESSAGES + operation.number;
    let (collective, message) =
        if is_message { (message, message) } else { (u64::from(operation.call_number), 0) };
    let state = if operation.state == State::Ended { "completed" } else { "started" };
    Some(Value::Dict(vec![
        ("record_id", Value::Int(id)),
        ("pg_id", Value::Int(u64::from(operation.context))),
        ("process_group", Value::List(vec![Value::Text(group_name(comm)), Value::Text(comm.name.clone())])),
        ("collective_seq_id", Value::Int(collective)),
        ("p2p_seq_id", Value::Int(message)),
        ("op_id", Value::Int(collective)),
        ("profiling_name", Value::Text(format!("nccl:{name}{between}"))),
        ("time_created_ns", time(operation.began)),
        ("input_sizes", sizes(input)),
        ("input_dtypes", types()),
        ("output_sizes", sizes(output)),
        ("output_dtypes", types()),
        ("state", state.into()),
        ("time_discovered_started_ns", time(operation.began)),
        ("time_discovered_completed_ns", time(operation.ended)),
        ("retired", Value::Bool(operation.state == State::Ended)),
        ("timeout_ms", Value::Int(0)),
        ("is_p2p", Value::Bool(is_message)),
        ("frames", Value::List(Vec::new())),
    ]))
}
