//! Calls of a group, as they are put into a graph.
//!
//! The starts of all of them come before the first wait, whatever streams they are in. So the branches of a
//! graph may run in any order, and even one after the other.

use super::capturing::Capturing;
use crate::base::{Error, Result};
use crate::comm::device::host::Host;
use crate::comm::device::stream_order::JointStreams;

/// Puts the calls of a group into the graph that their streams capture.
pub fn capture_together<H: Host>(calls: &[Capturing<H>]) -> Result<()> {
    let Some(first) = calls.first() else { return Ok(()) };
    if calls.iter().any(|call| call.capture.id != first.capture.id) {
        return Err(Error::InvalidUsage(
            "the calls of a group are on streams that record different graphs: put them into different groups".into(),
        ));
    }
    let mut streams = JointStreams::default();
    calls.iter().for_each(|call| streams.add(call.stream.clone()));
    streams.join()?;
    for call in calls {
        if call.is_collective {
            call.order().order(call.capture, &call.stream)?;
        }
        call.enqueue_start()?;
        call.note_order()?;
    }
    streams.join()?;
    calls.iter().try_for_each(Capturing::enqueue_tail)?;
    streams.join()?;
    calls.iter().try_for_each(Capturing::note_order)
}
