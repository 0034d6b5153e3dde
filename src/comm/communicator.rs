//! The communicator: who is in it, its settings, and its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::call::operation::Operation;
use super::call::plan_cache::PlanCache;
use super::foreign::engine::{AttachedEngine, DeviceEngine};
use super::timeout::Timeout;
use crate::algo::Algorithm;
use crate::backend::BackendChoice;
use crate::base::{Call, CallKind, Collective, Datatype, Error, Rank, Result};
use crate::device::Kinds;
use crate::progress::CommId;
use crate::progress::wait::{Driver, ProgressHook};
use crate::topology::Topology;

/// Longest wait of a rank that leaves for the goodbyes of the others.
const BYE_TIME: Duration = Duration::from_secs(5);

/// Settings of one communicator.
#[derive(Clone, Debug, Default)]
pub struct CommConfig {
    /// Name in texts of errors and logs; "world" or "comm" when unset.
    pub name: Option<String>,
    /// Longest time without progress of every wait; unset: `ANYCCL_TIMEOUT_MS`. Zero waits for ever.
    pub timeout: Option<Duration>,
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
    /// Its number in the engine.
    pub(super) id: CommId,
    pub(super) finalized: AtomicBool,
    /// The engines that were asked for.
    pub(super) choice: BackendChoice,
    /// The engine of somebody else that serves memory of the processor.
    pub(super) foreign: Option<Box<AttachedEngine>>,
    /// The engine that serves memory of a device. Unset until a call first has such buffers.
    pub(super) on_device: DeviceEngine,
    /// Tells memory of a device from that of the processor.
    pub(super) kinds: Kinds,
}

impl Communicator {
    /// Its name, as in texts of errors and logs.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// My rank.
    pub fn rank(&self) -> Rank {
        self.rank
    }

    /// Number of ranks.
    pub fn size(&self) -> u32 {
        self.topology.size()
    }

    /// The rank of each of its ranks in the communicator by which this process joined the job.
    pub fn world_ranks(&self) -> &[Rank] {
        self.plan_cache.endpoints()
    }

    /// My position among the ranks of my host.
    pub fn local_rank(&self) -> u32 {
        self.topology.local_rank(self.rank)
    }

    /// Number of ranks on my host.
    pub fn local_size(&self) -> u32 {
        self.topology.local_size(self.rank)
    }

    /// Name of the transport to a rank below the size; "self" for this one.
    pub fn transport(&self, peer: Rank) -> &'static str {
        self.transports[peer as usize]
    }

    /// The algorithm that this communicator uses for a collective call. Local; equal on all ranks.
    pub fn algorithm(&self, call: &Call) -> Result<&'static Algorithm> {
        self.plan_cache.algorithm(call, &self.topology)
    }

    /// Predicted microseconds of a collective call or a message. Local.
    pub fn predicted_us(&self, call: &Call) -> Result<f64> {
        self.plan_cache.predicted_us(call, &self.topology)
    }

    /// Changes the longest time without progress, for what begins from now on. `None`: no limit.
    pub fn set_timeout(&self, limit: Option<Duration>) {
        self.timeout.set(limit);
    }

    /// Sets what goes on while a thread waits in any communicator that shares the links of this one. The
    /// first hook that is set stays.
    pub fn set_progress_hook(&self, hook: Arc<dyn ProgressHook>) {
        self.driver.set_progress_hook(hook);
    }

    /// Reductions of 8-bit floats, here and in communicators made from this one, give the largest finite
    /// number where a result is larger, as NVIDIA's types do. All ranks say so before the first call, or none
    /// does.
    pub fn set_saturating(&self) {
        self.plan_cache.set_saturating();
    }

    #[inline]
    pub(super) fn check_usable(&self) -> Result<()> {
        if self.finalized.load(Ordering::Relaxed) {
            return Err(Error::InvalidUsage("the communicator is finalized".into()));
        }
        Ok(())
    }

    /// The engines of others that it has.
    pub(super) fn foreign_engines(&self) -> impl Iterator<Item = &AttachedEngine> {
        let on_device = self.on_device.get().and_then(|outcome| outcome.as_deref().ok());
        self.foreign.as_deref().into_iter().chain(on_device)
    }

    /// Fails the communicator on all ranks; blocked calls return at once. From any thread.
    pub fn abort(&self, reason: &str) {
        self.foreign_engines().for_each(AttachedEngine::stop);
        self.driver.abort(self.id, &format!("rank {}: {reason}", self.rank));
    }

    /// Makes this communicator, the first of its process, stand for the job: when it is aborted, every
    /// communicator that was made from it fails on all ranks. Failures are logged at level info alone,
    /// because the caller tells of them.
    pub fn lead_job(&self) {
        self.driver.lock().lead_job();
    }

    /// Leaves the communicator without waiting for any rank. If this rank has done its part in all its calls,
    /// calls that others are still finishing succeed, and later calls that need this rank fail. Otherwise all
    /// ranks fail, as by [`Communicator::abort`]. Returns `true` where this rank needs its links no more, but
    /// others may: see [`Communicator::linger`].
    pub fn quit(&self, reason: &str) -> bool {
        if self.foreign_engines().next().is_some() || !self.driver.quit(self.id, reason) {
            self.abort(reason);
            return false;
        }
        // Otherwise another thread is about to remove it.
        let is_mine = !self.finalized.swap(true, Ordering::Relaxed);
        let mut engine = self.driver.lock();
        let is_last = is_mine && engine.remove_comm(self.id);
        if is_last {
            engine.say_bye();
        }
        is_last
    }

    /// Keeps the links open until the other ranks have left, but no longer than some seconds.
    pub fn linger(&self) {
        self.driver.wait_for_byes(BYE_TIME);
    }

    /// Leaves the communicator. Collective for one that was made by joining: it waits for the other ranks.
    /// Local for one that was made from another, and after a failure; a rank that still waits for this one in
    /// a call is told.
    ///
    /// An error says why the ranks could not leave in good order, or that they have made different calls and
    /// no call has found that out. The communicator has ended in any case.
    pub fn finalize(&self) -> Result<()> {
        if self.finalized.swap(true, Ordering::Relaxed) {
            return Err(Error::InvalidUsage("the communicator is already finalized".into()));
        }
        let is_first = self.id == CommId::FIRST;
        let in_good_order = is_first && self.driver.lock().begin_goodbye(self.id);
        let outcome = if in_good_order { self.final_barrier() } else { Ok(()) };
        if outcome.is_ok() && (in_good_order || !is_first) {
            self.close_foreign();
        }
        let patience = (in_good_order && outcome.is_ok()).then_some(BYE_TIME);
        let parted = self.driver.leave(self.id, patience);
        outcome.and(parted)
    }

    /// Closes the engines of others. After a failure they stay open until the process ends.
    fn close_foreign(&self) {
        if self.foreign_engines().next().is_some() && self.driver.lock().failure(self.id).is_none() {
            self.foreign_engines().for_each(AttachedEngine::close);
        }
    }

    /// A barrier that ends when all ranks have come to their last call. Left out where a rank has quit.
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
        let key = barrier.key(self.rank);
        let prepared = self.plan_cache.get(&key, &barrier, self.rank, &self.topology)?;
        // SAFETY: a barrier touches no buffer.
        unsafe { self.driver.run_once(self.id, prepared, barrier.buffers(), self.timeout.get()) }
    }

    /// Why this communicator can no longer be used, if it cannot.
    pub fn failure(&self) -> Option<Error> {
        if self.finalized.load(Ordering::Relaxed) {
            return None;
        }
        self.driver.lock().failure(self.id).cloned()
    }
}

impl Drop for Communicator {
    fn drop(&mut self) {
        // The others take it for a crash when the first communicator ends without a goodbye, and it is one.
        if self.id != CommId::FIRST && !self.finalized.swap(true, Ordering::Relaxed) {
            self.close_foreign();
            self.driver.lock().remove_comm(self.id);
        }
    }
}
