//! The communicator: its members and its settings.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::call::plan_cache::PlanCache;
use super::device::{DevicePart, DevicePath};
use super::foreign::ending::{close, drain};
use super::foreign::engines::Engines;
use super::timeout::Timeout;
use crate::algo::Algorithm;
use crate::backend::{BackendName, Support};
use crate::base::{Call, Error, Rank, Result, WireFormat};
use crate::device::CudaStream;
use crate::progress::CommId;
use crate::progress::wait::{Driver, ProgressHook};
use crate::topology::Topology;

/// Settings of one communicator.
#[derive(Clone, Debug, Default)]
pub struct CommConfig {
    /// Name in errors and log lines. If unset: "world" or "comm".
    pub name: Option<String>,
    /// Longest time without progress of every wait. If unset: `ANYCCL_TIMEOUT_MS`. Zero means no limit.
    pub timeout: Option<Duration>,
    /// Whether it is made for memory of devices: each collective has such memory on all ranks, or on none.
    pub for_devices: bool,
    /// Whether reductions have the same bits in every call. If unset: as the communicator from which it is
    /// made, else `ANYCCL_DETERMINISTIC`.
    pub deterministic: Option<bool>,
    /// The format in which sums of floats travel between hosts; `Some(None)`: as they are. If unset: as in
    /// the communicator from which it is made, else `ANYCCL_WIRE`.
    pub wire: Option<Option<WireFormat>>,
}

/// Ranks with a private context. Any thread may use it.
pub struct Communicator {
    pub(super) name: String,
    pub(super) rank: Rank,
    pub(super) topology: Topology,
    /// Name of the transport to each rank.
    pub(super) transports: Vec<&'static str>,
    pub(super) timeout: Timeout,
    pub(super) plan_cache: PlanCache,
    pub(super) driver: Arc<Driver>,
    /// Number of the communicator in the engine.
    pub(super) id: CommId,
    pub(super) finalized: AtomicBool,
    /// Whether its end writes a profile of all ranks. False unless it was made by joining.
    pub(super) has_profile: bool,
    /// The engines of others.
    pub(super) engines: Engines,
    /// What calls on memory of devices need.
    pub(super) devices: DevicePart<Communicator>,
}

impl Communicator {
    /// Name in errors and log lines.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A number that is the same on all its ranks, and tells it from other communicators.
    pub fn number(&self) -> u64 {
        self.driver.lock().number_of(self.id)
    }

    /// Number of hosts of its ranks.
    pub fn hosts(&self) -> u32 {
        self.topology.hosts()
    }

    /// Rank of this process.
    pub fn rank(&self) -> Rank {
        self.rank
    }

    /// Number of ranks.
    pub fn size(&self) -> u32 {
        self.topology.size()
    }

    /// The rank that each of its ranks has in the communicator by which this process joined the job.
    pub fn world_ranks(&self) -> &[Rank] {
        self.plan_cache.endpoints()
    }

    /// Position of this rank among the ranks of its host.
    pub fn local_rank(&self) -> u32 {
        self.topology.local_rank(self.rank)
    }

    /// Number of ranks on the host of this rank.
    pub fn local_size(&self) -> u32 {
        self.topology.local_size(self.rank)
    }

    /// Name of the transport to a rank below the size; "self" for this rank.
    pub fn transport(&self, peer: Rank) -> &'static str {
        self.transports[peer as usize]
    }

    /// Whether reductions have the same bits in every call. Equal on all ranks.
    pub fn is_deterministic(&self) -> bool {
        self.plan_cache.has_fixed_bits()
    }

    /// The format in which sums of floats travel between hosts. `None`: as they are. Equal on all ranks.
    pub fn wire(&self) -> Option<WireFormat> {
        self.plan_cache.wire()
    }

    /// The algorithm that this communicator uses for a collective call. Local; equal on all ranks.
    pub fn algorithm(&self, call: &Call) -> Result<&'static Algorithm> {
        self.plan_cache.algorithm(call, &self.topology)
    }

    /// Number of groups of ranks that share memory. Equal on all ranks.
    pub fn memories(&self) -> u32 {
        self.plan_cache.memories(&self.topology)
    }

    /// Predicted microseconds of a collective call or a message. Local.
    pub fn predicted_us(&self, call: &Call) -> Result<f64> {
        self.plan_cache.predicted_us(call, &self.topology)
    }

    /// The engine that serves a collective call, and how: natively or composed of other calls. Local, and
    /// equal on all ranks.
    pub fn support(&self, call: &Call) -> (BackendName, Support) {
        self.engines.support(call)
    }

    /// Changes the longest time without progress, for calls that begin from now on. `None`: no limit.
    pub fn set_timeout(&self, limit: Option<Duration>) {
        self.timeout.set(limit);
    }

    /// Sets a hook that runs while a thread waits in any communicator that shares the links of this one. The
    /// first hook stays; later ones are ignored.
    pub fn set_progress_hook(&self, hook: Arc<dyn ProgressHook>) {
        self.driver.set_progress_hook(hook);
    }

    /// Makes reductions of 8-bit floats give the largest finite number instead of a larger result, as
    /// NVIDIA's types do. It applies here and in communicators made from this one. Either all ranks call it
    /// before the first call, or none does.
    pub fn set_saturating(&self) {
        self.plan_cache.set_saturating();
    }

    /// Makes the communicator one that can take calls in memory of a device: the library's thread for them
    /// must be able to reach it.
    pub fn shared(self) -> Arc<Communicator> {
        let shared = Arc::new(self);
        shared.devices.queue.set_communicator(Arc::downgrade(&shared));
        shared
    }

    /// Whether calls with buffers on a device are put into a stream of the program.
    pub fn has_stream(&self) -> bool {
        self.devices.queue.stream().is_some()
    }

    /// Orders the calls of this communicator that have buffers on a device: from now on each is enqueued on
    /// `stream`, and is part of its order. `None`: the library uses a stream of its own, and blocking calls
    /// wait for their end. Local.
    pub fn set_stream(&self, stream: Option<CudaStream>) {
        self.devices.queue.set_stream(stream);
    }

    /// The path of calls on device memory. Local, and equal on all ranks that have the driver.
    pub fn device_path(&self) -> DevicePath {
        DevicePath::of(&self.devices, self.engines.serve_devices())
    }

    /// Buffer counts of direct calls on this rank, (in place, copied): those used where they are, and those
    /// copied to or from other memory of the device. A call in pieces counts once for each.
    pub fn direct_buffers(&self) -> (u64, u64) {
        self.devices.direct_buffers()
    }

    /// Number of records that this rank has sent about direct calls: one for each call, or for
    /// each piece of it.
    pub fn direct_exchanges(&self) -> u64 {
        self.devices.direct.as_ref().map_or(0, |path| path.begun())
    }

    /// Logs the path of calls on device memory.
    pub(super) fn log_device_path(&self) {
        self.device_path().log(format_args!("rank {} of {} in \"{}\"", self.rank, self.size(), self.name));
    }

    /// Whether a call may be made. Waits for the turn of a call on host memory behind those on a device.
    #[inline]
    pub(super) fn check_usable(&self) -> Result<()> {
        if self.finalized.load(Ordering::Relaxed) {
            return Err(Error::InvalidUsage("the communicator is finalized".into()));
        }
        self.devices.wait_for_turn();
        Ok(())
    }

    /// Fails the communicator on all ranks. Blocked calls return at once. Any thread may call it.
    pub fn abort(&self, reason: &str) {
        self.driver.abort(self.id, &format!("rank {}: {reason}", self.rank));
        self.devices.abort(reason);
        self.engines.stop();
    }

    /// Fails the communicator on all ranks, because of what this rank has found.
    pub(super) fn fail(&self, error: Error) {
        let reason = error.to_string();
        self.driver.fail(self.id, error);
        self.devices.abort(&reason);
        self.engines.stop();
    }

    /// Makes this communicator, the first of its process, stand for the job: if it is aborted, every
    /// communicator made from it fails on all ranks. Failures are then logged only at level info, because the
    /// caller reports them.
    pub fn lead_job(&self) {
        self.driver.lock().lead_job();
    }

    /// Why this communicator can no longer be used, for the program; `None` if it can. The end of the
    /// communicator does not return this failure again.
    pub fn report_failure(&self) -> Option<Error> {
        if self.finalized.load(Ordering::Relaxed) {
            return None;
        }
        self.driver.lock().report_failure(self.id)
    }

    /// Why this communicator can no longer be used; `None` if it can.
    pub fn failure(&self) -> Option<Error> {
        if self.finalized.load(Ordering::Relaxed) {
            return None;
        }
        self.driver.lock().failure(self.id).cloned()
    }
}

impl Drop for Communicator {
    fn drop(&mut self) {
        if self.finalized.swap(true, Ordering::Relaxed) {
            return;
        }
        // If the first communicator ends without a goodbye, the others take it for a crash, and rightly so.
        let is_first = self.id == CommId::FIRST;
        let in_good_order = !is_first && drain(self, &self.engines, self.timeout.get()).is_ok();
        close(self, &self.engines, in_good_order);
        if !is_first {
            self.driver.lock().remove_comm(self.id);
        }
    }
}
