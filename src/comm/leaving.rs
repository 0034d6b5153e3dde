//! The end of a communicator: in good order, in the background, or alone.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;

use super::call::operation::{Operation, Variant};
use super::communicator::Communicator;
use super::foreign::ending::{close, drain};
use super::lingering;
use crate::base::{Call, CallKind, Collective, Datatype, Error, Result};
use crate::log_line;
use crate::observe::profile::{RankProfile, write_table};
use crate::progress::CommId;

/// Longest time for which a leaving rank waits for the goodbyes of the others.
const BYE_TIME: Duration = Duration::from_secs(5);

/// A rank has begun to leave, and has not said goodbye.
struct Begun {
    /// How its calls in other engines have ended.
    drained: Result<()>,
    /// Whether all ranks leave together.
    in_good_order: bool,
}

impl Communicator {
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
        let begun = self.begin_leaving()?;
        self.say_goodbye(begun)
    }

    /// Leaves the communicator as [`Communicator::finalize`] does, but waits only for the calls of this rank.
    /// A thread says goodbye to the other ranks, and passes the outcome to `then`. If the process exits
    /// before that, this rank quits, so the others do not take the exit for a crash.
    pub fn leave_in_background(
        self: &Arc<Communicator>,
        then: impl FnOnce(Result<()>) + Send + 'static,
    ) -> Result<()> {
        let begun = self.begin_leaving()?;
        lingering::add_goodbye(&self.driver, self.id);
        // Kept apart from the thread: where none can be started, this one says goodbye.
        let goodbye = Arc::new(Mutex::new(Some((begun, then))));
        let (comm, kept) = (Arc::clone(self), Arc::clone(&goodbye));
        let started =
            thread::Builder::new().name("anyccl goodbye".into()).spawn(move || comm.end_goodbye(&kept));
        if let Err(error) = started {
            log_line!(
                Warn,
                "\"{}\": no thread for its goodbye, so this call waits for it: {error}",
                self.name()
            );
            self.end_goodbye(&goodbye);
        }
        Ok(())
    }

    /// Says a goodbye that nobody has said yet, and passes on the outcome.
    fn end_goodbye<F: FnOnce(Result<()>)>(&self, goodbye: &Mutex<Option<(Begun, F)>>) {
        let Some((begun, then)) = goodbye.lock().take() else { return };
        let parted = self.say_goodbye(begun);
        lingering::remove(&self.driver);
        then(parted);
    }

    /// Ends the part of this rank in the communicator. Waits for no other rank, apart from calls under way.
    fn begin_leaving(&self) -> Result<Begun> {
        self.devices.drain();
        if self.finalized.swap(true, Ordering::Relaxed) {
            return Err(Error::InvalidUsage("the communicator is already finalized".into()));
        }
        let drained = drain(self, &self.engines, self.timeout.get());
        self.end_device_part();
        let in_good_order = self.id == CommId::FIRST && self.driver.lock().begin_goodbye(self.id);
        Ok(Begun { drained, in_good_order })
    }

    /// Leaves together with the other ranks, if the communicator was made by joining and has not failed.
    fn say_goodbye(&self, Begun { drained, in_good_order }: Begun) -> Result<()> {
        if self.has_profile {
            self.report_profile(in_good_order && !self.driver.lock().is_over(self.id));
        }
        let outcome = if in_good_order { self.final_barrier() } else { Ok(()) };
        let is_first = self.id == CommId::FIRST;
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
}
