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

/// Refuses what contradicts the promise that reductions have the same bits in every call: engines of others,
/// and narrow forms, which round where hosts meet.
pub(in crate::comm) fn check_promises(comm: &Communicator) -> Result<()> {
    if !comm.is_deterministic() {
        return Ok(());
    }
    if let Some(format) = comm.wire() {
        return Err(Error::Unsupported(format!(
            "\"{}\": fixed bits (ANYCCL_DETERMINISTIC or the configuration) cannot be kept where sums travel as {} between \
             hosts (ANYCCL_WIRE or the configuration); ask for one of them",
            comm.name,
            format.name()
        )));
    }
    let choice = comm.engines.choice;
    let named = MemoryKind::ALL.into_iter().filter_map(|memory| choice.named(memory)).flatten();
    match named.into_iter().find(|engine| *engine != BackendName::Builtin) {
        None => Ok(()),
        Some(foreign) => Err(Error::Unsupported(format!(
            "fixed bits (ANYCCL_DETERMINISTIC or the configuration) need the builtin engine, but {choice} names {}",
            foreign.name()
        ))),
    }
}

/// Opens the engines that were chosen. Where nobody has chosen one for memory of devices, and all ranks have
/// a device, NCCL is tried. Collective.
pub(in crate::comm) fn attach(
    comm: &mut Communicator,
    choice: BackendChoice,
    all_have_devices: bool,
) -> Result<()> {
    attach_sharing(comm, choice, None)?;
    if all_have_devices && choice.named(MemoryKind::Cuda).is_none() && comm.size() > 1 {
        try_nccl(comm, None)?;
    }
    Ok(())
}

/// Like [`attach`], for a communicator made from `parent`, with the parent's choice of engines.
pub(in crate::comm) fn attach_like(comm: &mut Communicator, parent: &Communicator) -> Result<()> {
    match parent.engines.made().next() {
        // The parent may have fallen back to the builtin engine, and its children need not try again.
        None => Ok(()),
        Some(foreign) => {
            attach_sharing(comm, parent.engines.choice, Some(&foreign.co_progress))?;
            if parent.engines.serve_devices_unasked() {
                try_nccl(comm, Some(&foreign.co_progress))?;
            }
            Ok(())
        }
    }
}

/// Like [`attach`]. `co_progress` is shared with a communicator on the same links, if there is one.
fn attach_sharing(
    comm: &mut Communicator,
    choice: BackendChoice,
    co_progress: Option<&Arc<SharedProgress>>,
) -> Result<()> {
    comm.engines.choice = choice;
    for memory in MemoryKind::ALL {
        // Memory without a named engine belongs to the builtin engine.
        let Some(named) = choice.named(memory) else { continue };
        let co_progress = co_progress.or(co_progress_on_host(comm));
        let foreign = open_first(comm, named, memory, co_progress)?;
        foreign.iter().for_each(|foreign| log_attached(comm, foreign));
        let foreign = foreign.map(Box::new);
        match memory {
            MemoryKind::Cpu => comm.engines.on_host = foreign,
            MemoryKind::Cuda => {
                let builtin = || Error::Unsupported("the builtin engine serves it".into());
                comm.engines.on_device = DeviceEngine::from(foreign.ok_or_else(builtin));
            }
        }
    }
    Ok(())
}

/// Lets NCCL make the calls on memory of devices that it has, if each rank has a device of its own and all
/// can open it. Otherwise these stay with the builtin engine. An error is one of the communicator.
fn try_nccl(comm: &mut Communicator, co_progress: Option<&Arc<SharedProgress>>) -> Result<()> {
    let found = device::check_own_devices(&BuiltinExchange(comm)).and_then(|()| {
        let co_progress = co_progress.or(co_progress_on_host(comm));
        open_first(comm, std::iter::once(BackendName::Nccl), MemoryKind::Cuda, co_progress)
    });
    match found {
        Ok(foreign) => {
            foreign.iter().for_each(|foreign| log_attached(comm, foreign));
            if let Some(foreign) = foreign {
                comm.engines.on_device = DeviceEngine::from(Ok(Box::new(foreign)));
            }
            Ok(())
        }
        Err(Error::Unsupported(why)) => {
            if comm.rank == 0 {
                log_line!(Info, "\"{}\": nccl does not make calls on cuda memory: {why}", comm.name);
            }
            Ok(())
        }
        Err(error) => Err(error),
    }
}

/// The engine that serves memory of devices, if the user has named one. A communicator that was formed
/// without messages looks for it at the first call in such memory, which is therefore collective.
pub(in crate::comm) fn device_engine(comm: &Communicator) -> Option<&AttachedEngine> {
    let look = || {
        let co_progress = co_progress_on_host(comm);
        let found = open_first(comm, std::iter::once(BackendName::Nccl), MemoryKind::Cuda, co_progress)?;
        let foreign = found.ok_or_else(|| Error::Internal("the builtin engine for a device".into()))?;
        log_attached(comm, &foreign);
        Ok(Box::new(foreign))
    };
    comm.engines.on_device.get_or_init(look).as_deref().ok()
}

fn co_progress_on_host(comm: &Communicator) -> Option<&Arc<SharedProgress>> {
    comm.engines.on_host.as_ref().map(|foreign| &foreign.co_progress)
}

fn log_attached(comm: &Communicator, foreign: &AttachedEngine) {
    log_line!(
        Info,
        "rank {} of {} in \"{}\": {} memory is served by {}: {}, {}",
        comm.rank,
        comm.size(),
        comm.name,
        foreign.memory.name(),
        foreign.name.name(),
        foreign.engine.version(),
        foreign.engine.path()
    );
}

fn open_first(
    comm: &Communicator,
    named: impl Iterator<Item = BackendName>,
    memory: MemoryKind,
    co_progress: Option<&Arc<SharedProgress>>,
) -> Result<Option<AttachedEngine>> {
    let mut refusals: Vec<String> = Vec::new();
    for name in named {
        if name == BackendName::Builtin {
            log_fallback(comm, memory, name, &refusals);
            return Ok(None);
        }
        let Some(entry) = registry::entry(name) else {
            refusals.push(format!("backend {} is not part of this build", name.name()));
            continue;
        };
        let opened = entry.open();
        if let Some(refusal) = first_refusal(comm, &opened)? {
            refusals.push(refusal);
            continue;
        }
        let engine = opened?;
        let connected = engine.connect(&BuiltinExchange(comm));
        if let Some(refusal) = first_refusal(comm, &connected)? {
            refusals.push(refusal);
            continue;
        }
        log_fallback(comm, memory, name, &refusals);
        let connected = connected?;
        let co_progress =
            co_progress.map_or_else(|| SharedProgress::of(&comm.driver, &connected), Arc::clone);
        return Ok(Some(AttachedEngine::new(name, engine, connected, memory, co_progress)));
    }
    Err(Error::Unsupported(refusals.join("; ")))
}

fn log_fallback(comm: &Communicator, memory: MemoryKind, to: BackendName, refusals: &[String]) {
    if !refusals.is_empty() && comm.rank == 0 {
        let (memory, to, why) = (memory.name(), to.name(), refusals.join("; "));
        log_line!(Warn, "\"{}\": {memory} memory falls back to {to}: {why}", comm.name);
    }
}

/// The refusal of the first rank that has failed. It is equal on all ranks. Collective.
fn first_refusal<T>(comm: &Communicator, outcome: &Result<T>) -> Result<Option<String>> {
    let mut sentence = outcome.as_ref().err().map(Error::to_string).unwrap_or_default().into_bytes();
    sentence.resize(SENTENCE_BYTES, 0);
    let all = BuiltinExchange(comm).all_gather(&sentence)?;
    let of = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).trim_end_matches('\0').to_string();
    let refusal = all.iter().position(|bytes| bytes[0] != 0);
    Ok(refusal.map(|rank| format!("rank {rank}: {}", of(&all[rank]))))
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
        unsafe { self.0.run_uniform(&operation) }?;
        Ok(all.chunks_exact(mine.len().max(1)).map(<[u8]>::to_vec).collect())
    }

    fn broadcast(&self, root: Rank, bytes: &mut [u8]) -> Result<()> {
        let call = of_bytes(Collective::Broadcast, root, bytes.len());
        let recv = bytes.as_mut_ptr();
        let operation = Operation { call, send: recv.cast_const(), recv };
        // SAFETY: one buffer, in place, as long as the call says.
        unsafe { self.0.run_uniform(&operation) }
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
