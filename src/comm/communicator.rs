//! The communicator: its members, its settings, and its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::call::operation::{Operation, Variant};
use super::call::plan_cache::PlanCache;
use super::device::{DevicePart, DevicePath};
use super::foreign::ending::{close, drain};
use super::foreign::engines::Engines;
use super::lingering;
use super::timeout::Timeout;
use crate::algo::Algorithm;
use crate::backend::{BackendName, Support};
use crate::base::{Call, CallKind, Collective, Datatype, Error, Rank, Result, WireFormat};
use crate::device::CudaStream;
use crate::observe::profile::{RankProfile, write_table};
use crate::progress::CommId;
use crate::progress::wait::{Driver, ProgressHook};
use crate::topology::Topology;

/// Longest time for which a leaving rank waits for the goodbyes of the others.
const BYE_TIME: Duration = Duration::from_secs(5);

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

    /// Leaves the communicator without waiting for any rank. If this rank has done its part in all its calls,
    /// calls that others are still finishing succeed, and later calls that need this rank fail. Otherwise all
    /// ranks fail, as by [`Communicator::abort`]. Returns `true` if this rank no longer needs its links but
    /// others may: see [`Communicator::linger`].
    pub fn quit(&self, reason: &str) -> bool {
        let may_quit = self.engines.are_none() && self.devices.quit(reason);
        if !may_quit || !self.driver.quit(self.id, reason) {
            self.abort(reason);
            return false;
        }
        self.end_device_part();
        // If it was finalized before, another thread is about to remove it.
        let is_mine = !self.finalized.swap(true, Ordering::Relaxed);
        let mut engine = self.driver.lock();
        let is_last = is_mine && engine.remove_comm(self.id);
        if is_last {
            engine.say_bye();
            drop(engine);
            lingering::add(&self.driver);
        }
        is_last
    }

    /// Keeps the links open until the other ranks have left, but only for a few seconds.
    pub fn linger(&self) {
        self.driver.wait_for_byes(BYE_TIME);
        lingering::remove(&self.driver);
    }

    /// Leaves the communicator. For one that was made by joining, this is collective and waits for the other
    /// ranks. For one that was made from another, and after a failure, it is local. A rank that still waits
    /// for this one in a call gets an error.
    ///
    /// An error says why the ranks could not leave in good order, or that they have made different calls and
    /// no call has noticed. The communicator has ended in any case.
    pub fn finalize(&self) -> Result<()> {
        self.devices.drain();
        if self.finalized.swap(true, Ordering::Relaxed) {
            return Err(Error::InvalidUsage("the communicator is already finalized".into()));
        }
        let drained = drain(self, &self.engines, self.timeout.get());
        self.end_device_part();
        let is_first = self.id == CommId::FIRST;
        let in_good_order = is_first && self.driver.lock().begin_goodbye(self.id);
        if self.has_profile {
            self.report_profile(in_good_order && !self.driver.lock().is_over(self.id));
        }
        let outcome = if in_good_order { self.final_barrier() } else { Ok(()) };
        close(self, &self.engines, outcome.is_ok() && (in_good_order || !is_first));
        let patience = (in_good_order && outcome.is_ok()).then_some(BYE_TIME);
        let parted = self.driver.leave(self.id, patience);
        drained.and(outcome).and(parted)
    }

    /// Every call on memory of devices has ended.
    fn end_device_part(&self) {
        self.devices.end(format_args!("rank {} of {} in \"{}\"", self.rank, self.size(), self.name));
    }

    /// Runs a barrier that ends when all ranks have reached their last call. Does nothing if a rank has quit.
    fn final_barrier(&self) -> Result<()> {
        if self.driver.lock().is_over(self.id) {
            return Ok(());
        }
        let call = Call {
            kind: CallKind::Collective(Collective::Barrier),
            datatype: Datatype::Byte,
            op: None,
            root: 0,
            count: 0,
        };
        let barrier = Operation { call, send: std::ptr::null(), recv: std::ptr::null_mut() };
        // A rank that makes another call learns that this one has ended the communicator.
        let signature = Some(Call { kind: CallKind::Goodbye, ..call });
        let (_, prepared) = self.plan(&barrier, &Variant { signature, callback: None })?;
        // SAFETY: a barrier touches no buffer.
        unsafe { self.driver.run_once(self.id, prepared, barrier.buffers(), self.timeout.get()) }
    }

    /// Collects the profiles of all ranks on rank 0, which writes them. `is_orderly`: all ranks end the
    /// communicator together. If not, or if they do not come together, rank 0 writes its own.
    fn report_profile(&self, is_orderly: bool) {
        let Some(mine) = self.driver.lock().take_profile() else { return };
        let all = if is_orderly { self.collect_profiles(&mine).ok() } else { None };
        if self.rank == 0 {
            let (name, size) = (self.name(), self.size());
            match all {
                Some(all) => write_table(&format!("\"{name}\", {size} ranks"), &all),
                None => write_table(&format!("\"{name}\", rank 0 of {size} alone"), &[mine]),
            }
        }
    }

    /// The profiles of all ranks, on rank 0.
    fn collect_profiles(&self, mine: &RankProfile) -> Result<Vec<RankProfile>> {
        let send = mine.to_words();
        let ranks = if self.rank == 0 { self.size() as usize } else { 0 };
        let mut recv = vec![0u64; ranks * RankProfile::WORDS];
        let call = Call {
            kind: CallKind::Collective(Collective::Gather),
            datatype: Datatype::Uint64,
            op: None,
            root: 0,
            count: RankProfile::WORDS as u64,
        };
        let gather = Operation { call, send: send.as_ptr().cast(), recv: recv.as_mut_ptr().cast() };
        // It is part of the end of the communicator.
        let signature = Some(Call { kind: CallKind::Goodbye, ..call });
        let (_, prepared) = self.plan(&gather, &Variant { signature, callback: None })?;
        // SAFETY: `send` has the words of one rank, and on the root `recv` has those of all. Both outlive the
        // call, which ends before this function does.
        unsafe { self.driver.run_once(self.id, prepared, gather.buffers(), self.timeout.get()) }?;
        Ok(recv.chunks_exact(RankProfile::WORDS).map(RankProfile::from_words).collect())
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
