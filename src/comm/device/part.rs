//! What a communicator has for calls on memory of devices.

use std::fmt::Arguments;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::direct::DirectPath;
use super::graph::GraphLaunches;
use super::host::Host;
use super::queue::DeviceQueue;
use crate::config::{Config, DeviceMapChoice};
use crate::device::Kinds;
use crate::log_line;

/// The device part of a communicator.
pub(in crate::comm) struct DevicePart<H: Host> {
    /// Tells device memory from host memory.
    pub kinds: Kinds,
    /// The calls on memory of a device that the builtin engine serves.
    pub queue: DeviceQueue<H>,
    /// The launches of calls that are parts of graphs.
    pub graphs: Arc<GraphLaunches<H>>,
    /// The direct path of collectives on device memory, if the ranks have it.
    pub direct: Option<Arc<DirectPath<H>>>,
    /// Whether communicators made from this one may have the direct path.
    pub may_be_direct: bool,
    /// Which buffers of other processes the leader of the direct path maps.
    pub map: DeviceMapChoice,
    /// Longest message of a group that is staged although the ranks have the direct path.
    pub staged_message_bytes: usize,
}

impl<H: Host> DevicePart<H> {
    /// Without a direct path yet.
    pub fn new(kinds: Kinds, config: &Config) -> DevicePart<H> {
        DevicePart {
            kinds,
            queue: DeviceQueue::new(config.device_piece_bytes),
            graphs: Arc::default(),
            direct: None,
            may_be_direct: false,
            map: config.device_map,
            staged_message_bytes: config.device_message_bytes,
        }
    }

    /// The part of a communicator made from this one, without a direct path yet.
    pub fn of_child(&self) -> DevicePart<H> {
        DevicePart {
            kinds: Kinds::detect(),
            queue: DeviceQueue::new(self.queue.piece_bytes()),
            graphs: Arc::default(),
            direct: None,
            may_be_direct: false,
            map: self.map,
            staged_message_bytes: self.staged_message_bytes,
        }
    }

    /// Waits for the turn of a call on host memory, behind those on a device.
    #[inline]
    pub fn wait_for_turn(&self) {
        if self.kinds.may_differ() {
            self.queue.wait_for_turn();
        }
    }

    /// Fails the communicator that the direct path has for itself. The one to which this part belongs has
    /// failed before, so that all ranks hear of the reason first.
    pub fn abort(&self, reason: &str) {
        if let Some(direct) = &self.direct {
            direct.endings.abort(reason);
        }
    }

    /// Leaves the communicator of the direct path, if the ranks still do without this one. Otherwise `false`:
    /// a direct call of the others may still need this rank for the broadcast at its end.
    pub fn quit(&self, reason: &str) -> bool {
        self.direct.as_ref().is_none_or(|direct| direct.endings.quit_companion(reason))
    }

    /// Waits until every call and every launch of a graph has ended.
    pub fn drain(&self) {
        self.queue.drain();
        self.graphs.drain();
    }

    /// Refuses later launches of graphs, and leaves the communicator that the direct path has for itself.
    /// Every call has ended. `rank` names this rank in the log.
    pub fn end(&self, rank: Arguments) {
        self.graphs.close();
        let Some(direct) = &self.direct else { return };
        // It has no other outcome than the communicator of the program.
        let _ = direct.endings.finalize();
        direct.end_memory();
        let (in_place, moved) = self.direct_buffers();
        if in_place + moved > 0 {
            log_line!(
                Debug,
                "{rank}: direct calls have used {in_place} buffers where they are, and have copied {moved}"
            );
        }
    }

    /// Buffer counts of direct calls on this rank, (in place, copied): those used where they are, and those
    /// copied to or from other memory of the device. A call in pieces counts once for each.
    pub fn direct_buffers(&self) -> (u64, u64) {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        self.direct.as_ref().map_or((0, 0), |path| (count(&path.in_place), count(&path.moved)))
    }
}

impl<H: Host> Drop for DevicePart<H> {
    fn drop(&mut self) {
        self.graphs.close();
    }
}
