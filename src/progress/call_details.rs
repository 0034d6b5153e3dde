//! What a file says of a call so that it can be made again: members of a JSON object, each behind a comma.

use std::fmt::Write as _;

use crate::base::{CallKind, Datatype};
use crate::executor::{Buffers, Extent, Prepared};
use crate::p2p::{OutgoingMessage, Status};
use crate::sys::clock;

/// The arguments of a collective. Elements of the program's own operators become bytes.
pub(super) fn of_call(prepared: &Prepared, buffers: Buffers) -> String {
    let call = &prepared.call;
    let mut text = format!(",\"datatype\":\"{}\",\"root\":{}", call.datatype.name(), call.root);
    let mut add = |name: &str, value: &dyn std::fmt::Display| {
        write!(text, ",\"{name}\":{value}").expect("a string takes all");
    };
    if let Some(op) = call.op {
        add("op", &format_args!("\"{}\"", op.name()));
    }
    if let Some((count, bytes)) = call.elements() {
        add("count", &count.saturating_mul(bytes / call.datatype.bytes() as u64));
    }
    if matches!(call.kind, CallKind::OnDevice(_) | CallKind::ListOnDevice(_)) {
        add("on_device", &true);
    }
    if prepared.extent.is_some_and(|extent| overlap(buffers, extent)) {
        add("in_place", &true);
    }
    if let Some(lengths) = &prepared.lengths {
        add("input", &format_args!("{:?}", lengths.input));
        add("output", &format_args!("{:?}", lengths.output));
        add("sources", &format_args!("{:?}", lengths.sources));
        add("destinations", &format_args!("{:?}", lengths.destinations));
    }
    text
}

/// How long this thread has been on a processor so far: between two calls, it has computed for the
/// difference.
pub(super) fn of_thread() -> String {
    format!(",\"cpu_ns\":{}", clock::thread_nanoseconds())
}

/// Whether a call reads and writes the same memory, which only one in place may do.
fn overlap(buffers: Buffers, extent: Extent) -> bool {
    let (input, output) = (buffers.input.addr(), buffers.output.addr());
    extent.read > 0 && extent.written > 0 && input < output + extent.written && output < input + extent.read
}

/// The arguments of a send.
pub(super) fn of_send(what: &OutgoingMessage) -> String {
    let mut text = of_message(what.datatype, what.count, what.tag);
    write!(text, ",\"to\":{},\"synchronous\":{}", what.to, what.is_synchronous).expect("a string takes all");
    text
}

/// The message that has come, or that a probe has found.
pub(super) fn of_received(status: &Status) -> String {
    let mut text = of_message(status.datatype, status.count, status.tag);
    write!(text, ",\"from\":{}", status.source).expect("a string takes all");
    text
}

fn of_message(datatype: Datatype, count: u64, tag: i32) -> String {
    format!(",\"datatype\":\"{}\",\"count\":{count},\"tag\":{tag}", datatype.name())
}
