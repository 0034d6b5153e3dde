//! The other engines of a new communicator: those that the ranks chose and that all of them can open.
//!
//! The ranks compare their choices first ([`super::agreement`]). Then all ranks try each engine of the list
//! together. Each rank opens the engine and tells the others; then all connect to it and tell the others
//! again. If one rank cannot, all go on to the next engine of the list. If none is left, the error names the
//! rank and the reason.
//!
//! Nobody need name an engine for memory of devices. Ranks that each have a device of their own, current when
//! they make the communicator, try NCCL by themselves. `ANYCCL_BACKEND=cuda:builtin` prevents that.

use std::sync::Arc;
use std::time::Duration;

use crate::backend::nccl::device;
use crate::backend::registry;
use crate::backend::{BackendChoice, BackendName, MemoryKind, OobExchange};
use crate::base::{Call, CallKind, Collective, Datatype, Error, Rank, Result};
use crate::comm::call::operation::Operation;
use crate::comm::communicator::Communicator;
use crate::comm::foreign::co_progress::SharedProgress;
use crate::comm::foreign::engine::{AttachedEngine, DeviceEngine};
use crate::log_line;

/// Time that an engine has to find all ranks, even if the communicator's calls have less.
const CONNECT_TIME: Duration = Duration::from_secs(60);
/// Longest text by which a rank says why it cannot open an engine.
const SENTENCE_BYTES: usize = 1024;

impl Communicator {
    /// Opens the engines that were chosen. Where nobody has chosen one for memory of devices, and all ranks
    /// have a device, NCCL is tried. Collective.
    pub(in crate::comm) fn attach(&mut self, choice: BackendChoice, all_have_devices: bool) -> Result<()> {
        self.attach_sharing(choice, None)?;
        if all_have_devices && choice.named(MemoryKind::Cuda).is_none() && self.size() > 1 {
            self.try_nccl(None)?;
        }
        Ok(())
    }

    /// Lets NCCL make the calls on memory of devices that it has, if each rank has a device of its own and
    /// all can open it. Otherwise these stay with the builtin engine. An error is one of the communicator.
    fn try_nccl(&mut self, co_progress: Option<&Arc<SharedProgress>>) -> Result<()> {
        let found = device::check_own_devices(&BuiltinExchange(self)).and_then(|()| {
            let co_progress = co_progress.or(self.foreign.as_ref().map(|foreign| &foreign.co_progress));
            self.open_first(std::iter::once(BackendName::Nccl), MemoryKind::Cuda, co_progress)
        });
        match found {
            Ok(foreign) => {
                foreign.iter().for_each(|foreign| self.log_attached(foreign));
                if let Some(foreign) = foreign {
                    self.on_device = DeviceEngine::from(Ok(Box::new(foreign)));
                }
                Ok(())
            }
            Err(Error::Unsupported(why)) => {
                if self.rank == 0 {
                    log_line!(Info, "\"{}\": nccl does not make calls on cuda memory: {why}", self.name);
                }
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Whether this library itself, and not the user, has chosen the engine for memory of devices. That
    /// engine then gets the calls that it has, and the builtin engine the others.
    pub(in crate::comm) fn has_chosen_device_engine(&self) -> bool {
        self.choice.named(MemoryKind::Cuda).is_none() && matches!(self.on_device.get(), Some(Ok(_)))
    }

    /// Like `attach`. `co_progress` is shared with a communicator on the same links, if there is one.
    fn attach_sharing(
        &mut self,
        choice: BackendChoice,
        co_progress: Option<&Arc<SharedProgress>>,
    ) -> Result<()> {
        self.choice = choice;
        for memory in MemoryKind::ALL {
            // Memory without a named engine belongs to the builtin engine.
            let Some(named) = choice.named(memory) else { continue };
            let co_progress = co_progress.or(self.foreign.as_ref().map(|foreign| &foreign.co_progress));
            let foreign = self.open_first(named, memory, co_progress)?;
            foreign.iter().for_each(|foreign| self.log_attached(foreign));
            let foreign = foreign.map(Box::new);
            match memory {
                MemoryKind::Cpu => self.foreign = foreign,
                MemoryKind::Cuda => {
                    let builtin = || Error::Unsupported("the builtin engine serves it".into());
                    self.on_device = DeviceEngine::from(foreign.ok_or_else(builtin));
                }
            }
        }
        Ok(())
    }

    /// Whether memory of devices is left to another engine than the builtin one: the user has named it, and
    /// the ranks have not fallen back to the builtin one.
    pub(in crate::comm) fn has_device_engine(&self) -> bool {
        let names = |engine: BackendName| {
            self.choice.named(MemoryKind::Cuda).is_some_and(|mut all| all.any(|name| name == engine))
        };
        match self.on_device.get() {
            Some(Ok(_)) => true,
            Some(Err(_)) => names(BackendName::Nccl) && !names(BackendName::Builtin),
            None => names(BackendName::Nccl),
        }
    }

    /// The engine that serves memory of devices, if the user has named one. A communicator that was formed
    /// without messages looks for it at the first call in such memory, which is therefore collective.
    pub(in crate::comm) fn device_engine(&self) -> Option<&AttachedEngine> {
        let look = || {
            let co_progress = self.foreign.as_ref().map(|foreign| &foreign.co_progress);
            let found = self.open_first(std::iter::once(BackendName::Nccl), MemoryKind::Cuda, co_progress)?;
            let foreign = found.ok_or_else(|| Error::Internal("the builtin engine for a device".into()))?;
            self.log_attached(&foreign);
            Ok(Box::new(foreign))
        };
        self.on_device.get_or_init(look).as_deref().ok()
    }

    /// The engine that serves memory of devices, if it has been made.
    pub(in crate::comm) fn made_device_engine(&self) -> Option<&AttachedEngine> {
        self.on_device.get().and_then(|outcome| outcome.as_deref().ok())
    }

    fn log_attached(&self, foreign: &AttachedEngine) {
        log_line!(
            Info,
            "rank {} of {} in \"{}\": {} memory is served by {}: {}, {}",
            self.rank,
            self.size(),
            self.name,
            foreign.memory.name(),
            foreign.name.name(),
            foreign.engine.version(),
            foreign.engine.path()
        );
    }

    /// Like [`Communicator::attach`], for a communicator made from `parent`, with the parent's choice of
    /// engines.
    pub(in crate::comm) fn attach_like(&mut self, parent: &Communicator) -> Result<()> {
        match parent.foreign_engines().next() {
            // The parent may have fallen back to the builtin engine, and its children need not try again.
            None => Ok(()),
            Some(foreign) => {
                self.attach_sharing(parent.choice, Some(&foreign.co_progress))?;
                if parent.has_chosen_device_engine() {
                    self.try_nccl(Some(&foreign.co_progress))?;
                }
                Ok(())
            }
        }
    }

    fn open_first(
        &self,
        named: impl Iterator<Item = BackendName>,
        memory: MemoryKind,
        co_progress: Option<&Arc<SharedProgress>>,
    ) -> Result<Option<AttachedEngine>> {
        let mut refusals: Vec<String> = Vec::new();
        for name in named {
            if name == BackendName::Builtin {
                self.log_fallback(memory, name, &refusals);
                return Ok(None);
            }
            let Some(entry) = registry::entry(name) else {
                refusals.push(format!("backend {} is not part of this build", name.name()));
                continue;
            };
            let opened = entry.open();
            if let Some(refusal) = self.first_refusal(&opened)? {
                refusals.push(refusal);
                continue;
            }
            let engine = opened?;
            let connected = engine.connect(&BuiltinExchange(self));
            if let Some(refusal) = self.first_refusal(&connected)? {
                refusals.push(refusal);
                continue;
            }
            self.log_fallback(memory, name, &refusals);
            let comm = connected?;
            let co_progress = co_progress.map_or_else(|| SharedProgress::of(&self.driver, &comm), Arc::clone);
            return Ok(Some(AttachedEngine::new(name, engine, comm, memory, co_progress)));
        }
        Err(Error::Unsupported(refusals.join("; ")))
    }

    fn log_fallback(&self, memory: MemoryKind, to: BackendName, refusals: &[String]) {
        if !refusals.is_empty() && self.rank == 0 {
            let (memory, to, why) = (memory.name(), to.name(), refusals.join("; "));
            log_line!(Warn, "\"{}\": {memory} memory falls back to {to}: {why}", self.name);
        }
    }

    /// The refusal of the first rank that has failed. It is equal on all ranks. Collective.
    fn first_refusal<T>(&self, outcome: &Result<T>) -> Result<Option<String>> {
        let mut sentence = outcome.as_ref().err().map(Error::to_string).unwrap_or_default().into_bytes();
        sentence.resize(SENTENCE_BYTES, 0);
        let all = BuiltinExchange(self).all_gather(&sentence)?;
        let of = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).trim_end_matches('\0').to_string();
        let refusal = all.iter().position(|bytes| bytes[0] != 0);
        Ok(refusal.map(|rank| format!("rank {rank}: {}", of(&all[rank]))))
    }
}

/// The builtin engine as the out-of-band exchange of an engine that is being connected.
pub(in crate::comm) struct BuiltinExchange<'a>(pub &'a Communicator);

impl OobExchange for BuiltinExchange<'_> {
    fn rank(&self) -> Rank {
        self.0.rank
    }

    fn size(&self) -> u32 {
        self.0.size()
    }

    fn all_gather(&self, mine: &[u8]) -> Result<Vec<Vec<u8>>> {
        let mut all = vec![0; mine.len() * self.0.size() as usize];
        let call = of_bytes(Collective::AllGather, 0, mine.len());
        let operation = Operation { call, send: mine.as_ptr(), recv: all.as_mut_ptr() };
        // SAFETY: both buffers are as long as the call says, and outlive it.
        unsafe { self.0.run_builtin(&operation) }?;
        Ok(all.chunks_exact(mine.len().max(1)).map(<[u8]>::to_vec).collect())
    }

    fn broadcast(&self, root: Rank, bytes: &mut [u8]) -> Result<()> {
        let call = of_bytes(Collective::Broadcast, root, bytes.len());
        let recv = bytes.as_mut_ptr();
        let operation = Operation { call, send: recv.cast_const(), recv };
        // SAFETY: one buffer, in place, as long as the call says.
        unsafe { self.0.run_builtin(&operation) }
    }

    fn check(&self) -> Result<()> {
        self.0.driver.try_move_on();
        self.0.driver.lock().failure(self.0.id).map_or(Ok(()), |failure| Err(failure.clone()))
    }

    fn patience(&self) -> Option<Duration> {
        self.0.timeout.get().map(|limit| limit.max(CONNECT_TIME))
    }
}

fn of_bytes(collective: Collective, root: Rank, bytes: usize) -> Call {
    let kind = CallKind::Collective(collective);
    Call { kind, datatype: Datatype::Byte, op: None, root, count: bytes as u64 }
}
