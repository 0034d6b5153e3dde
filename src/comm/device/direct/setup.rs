//! Making the direct path of a communicator: the ranks find out together whether they have it.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use parking_lot::Mutex;

use super::direct_path::{DirectPath, LEADER, Leader, SLOT_BYTES, SLOTS, TABLES};
use super::introduction::{Introduction, introduce};
use super::ipc_cache::{Number, Owner, adopt, listen};
use super::kernels::most_table_bytes;
use super::leases::Leases;
use crate::backend::OobExchange;
use crate::base::{Error, Result};
use crate::comm::communicator::{CommConfig, Communicator};
use crate::comm::create::backends::BuiltinExchange;
use crate::config::DeviceMapChoice;
use crate::device::direct::{Bounce, IpcHandle, Kernels, SharedBounce, check_moves, enable_peer};
use crate::device::kernels::MOST_RANKS;
use crate::device::{CudaContext, CudaDriver, Ordinal};
use crate::log_line;

/// Longest text by which a rank says why it has no direct path.
const SENTENCE_BYTES: usize = 256;

/// Makes the direct path, if the ranks can have one and want it. Collective. A rank that cannot reports that
/// to the others, and all calls are staged.
pub(in crate::comm) fn set_up_direct_path(comm: &mut Communicator, may_have: bool) -> Result<()> {
    comm.devices.may_be_direct = may_have;
    if !may_have || comm.engines.serve_devices() {
        return Ok(());
    }
    let exchange = BuiltinExchange(comm);
    let me = introduce();
    let all = exchange.all_gather(
        &me.as_ref()
            .map_or_else(|_| vec![0; Introduction::BYTES], |(_, introduction)| introduction.to_bytes()),
    )?;
    let all: Vec<Introduction> = all.iter().map(|bytes| Introduction::from_bytes(bytes)).collect();
    note_threads(comm, &all);
    if let Some(rank) = all.iter().position(|other| !other.has_device) {
        log_no_direct_path(comm, &format!("rank {rank} had no device when the communicator was made"));
        return Ok(());
    }
    if comm.topology.hosts() > 1 || all.len() > MOST_RANKS {
        log_no_direct_path(comm, &format!("it serves up to {MOST_RANKS} ranks of one host"));
        return Ok(());
    }
    let prepared = me.and_then(|(driver, _)| Prepared::new(comm, driver, &all));
    let choice = comm.devices.map;
    let mut sentence = prepared.as_ref().err().map(Error::to_string).unwrap_or_default().into_bytes();
    sentence.resize(SENTENCE_BYTES, 0);
    let handle = prepared.as_ref().map_or([0; 64], |prepared| prepared.handle);
    sentence.extend(handle);
    let answers = exchange.all_gather(&sentence)?;
    if let Some(refusal) = refusal(&answers) {
        log_no_direct_path(comm, &refusal);
        return Ok(());
    }
    let mut prepared = prepared?;
    let handles: Vec<IpcHandle> =
        answers.iter().map(|bytes| std::array::from_fn(|i| bytes[SENTENCE_BYTES + i])).collect();
    let opened = prepared.open(&all, &handles);
    let mut sentence = opened.err().map(|error| error.to_string()).unwrap_or_default().into_bytes();
    sentence.resize(SENTENCE_BYTES, 0);
    sentence.extend(prepared.connect(&all[LEADER as usize], &handles[LEADER as usize], choice));
    let answers = exchange.all_gather(&sentence)?;
    if let Some(refusal) = refusal(&answers) {
        log_no_direct_path(comm, &refusal);
        return Ok(());
    }
    prepared.adopt(&answers);
    let mut context = [0; 4];
    if comm.rank == LEADER {
        context = comm.new_context()?.to_le_bytes();
    }
    exchange.broadcast(LEADER, &mut context)?;
    let own = CommConfig { name: Some(format!("{}.endings", comm.name)), ..CommConfig::default() };
    let endings = comm.form_for_own_calls(u32::from_le_bytes(context), &own)?;
    comm.devices.direct = Some(Arc::new(prepared.with(endings)));
    Ok(())
}

/// Notes whether other ranks are threads of this process, on the same device.
fn note_threads(comm: &Communicator, all: &[Introduction]) {
    let me = &all[comm.rank as usize];
    let is_thread =
        |other: &&Introduction| other.has_device && (other.process, other.uuid) == (me.process, me.uuid);
    if me.has_device && all.iter().filter(is_thread).count() > 1 {
        comm.devices.queue.note_threads();
    }
}

fn log_no_direct_path(comm: &Communicator, why: &str) {
    if comm.rank == LEADER {
        log_line!(Info, "\"{}\" has no direct path for device memory: {why}", comm.name);
    }
}

fn refusal(answers: &[Vec<u8>]) -> Option<String> {
    let rank = answers.iter().position(|bytes| bytes[0] != 0)?;
    let text = String::from_utf8_lossy(&answers[rank][..SENTENCE_BYTES]);
    Some(format!("rank {rank}: {}", text.trim_end_matches('\0')))
}

fn log_no_mappings(error: &Error) {
    log_line!(Info, "buffers on devices are not mapped, and their calls use a bounce buffer: {error}");
}

/// The direct path of a rank, before the ranks have found out whether all of them have it.
struct Prepared {
    driver: &'static CudaDriver,
    context: CudaContext,
    device: Ordinal,
    size: usize,
    is_local: bool,
    shares_device: bool,
    bounce: Option<Bounce>,
    /// Handle of the bounce buffer, for the leader in another process.
    handle: IpcHandle,
    leader: Option<Leader>,
    owner: Option<Arc<Owner>>,
}

impl Prepared {
    fn new(comm: &Communicator, driver: &'static CudaDriver, all: &[Introduction]) -> Result<Prepared> {
        let (me, leader) = (&all[comm.rank as usize], &all[LEADER as usize]);
        let Some((context, device)) = driver.current()? else {
            return Err(Error::Unsupported("this thread has no device any more".into()));
        };
        check_moves()?;
        let _ignored = driver.ignore_captures();
        let size = all.len();
        let is_like_leader =
            |other: &Introduction| other.process == leader.process && other.uuid == leader.uuid;
        let bounce = match all.iter().all(is_like_leader) {
            true => None,
            false => Some(Bounce::allocate(driver, context, 2 * SLOTS * SLOT_BYTES)?),
        };
        let is_local = me.process == leader.process;
        let mut handle = [0; 64];
        match &bounce {
            Some(bounce) if !is_local => handle = bounce.handle()?,
            Some(_) if comm.rank == LEADER && comm.devices.map != DeviceMapChoice::Off => {
                let name = listen().inspect_err(log_no_mappings).unwrap_or_default();
                handle[..name.len()].copy_from_slice(&name);
            }
            _ => {}
        }
        let leader_state = if comm.rank == LEADER {
            let table_bytes = most_table_bytes(size).next_multiple_of(256);
            let tables = Bounce::allocate(driver, context, TABLES * table_bytes)?;
            let kernels = Kernels::of(driver, context, device)?;
            let (table_slots, bounces, importers) = (Leases::new(TABLES), Vec::new(), Mutex::default());
            Some(Leader { kernels, tables, table_bytes, table_slots, bounces, importers })
        } else {
            None
        };
        let shares_device = me.uuid == leader.uuid;
        Ok(Prepared {
            driver,
            context,
            device,
            size,
            is_local,
            shares_device,
            bounce,
            handle,
            leader: leader_state,
            owner: None,
        })
    }

    /// Connects to the leader in another process, so that it can map buffers. Returns the number of the
    /// connection. Without one, all calls use the bounce buffer.
    fn connect(&mut self, leader: &Introduction, handle: &IpcHandle, choice: DeviceMapChoice) -> Number {
        let name: Number = std::array::from_fn(|i| handle[i]);
        if self.is_local || name == [0; 16] || choice == DeviceMapChoice::Off {
            return [0; 16];
        }
        let key = (leader.process, leader.context);
        self.owner = Owner::of(key, &name, choice).inspect_err(log_no_mappings).ok();
        self.owner.as_ref().map_or([0; 16], |owner| owner.number())
    }

    /// On the leader, adopts the connections that the ranks have reported.
    fn adopt(&mut self, answers: &[Vec<u8>]) {
        let Some(leader) = &mut self.leader else { return };
        let number = |bytes: &Vec<u8>| std::array::from_fn(|i| bytes[SENTENCE_BYTES + i]);
        let place = (self.context, self.device);
        *leader.importers.get_mut() =
            answers.iter().map(|bytes| adopt(self.driver, place, &number(bytes))).collect();
    }

    /// On the leader, maps the memory of the other ranks.
    fn open(&mut self, all: &[Introduction], handles: &[IpcHandle]) -> Result<()> {
        let Some(leader) = &mut self.leader else { return Ok(()) };
        let _ignored = self.driver.ignore_captures();
        let me = &all[LEADER as usize];
        for other in all.iter().filter(|other| other.process == me.process && other.uuid != me.uuid) {
            enable_peer(self.driver, CudaContext::from_address(other.context))?;
        }
        let others = all.iter().zip(handles);
        let foreign = others.map(|(other, handle)| (other.process != me.process).then_some(*handle));
        let foreign: Vec<Option<IpcHandle>> = foreign.collect();
        let bytes = 2 * SLOTS * SLOT_BYTES;
        leader.bounces = SharedBounce::open_all(self.driver, self.context, &foreign, bytes)?;
        Ok(())
    }

    fn with(self, endings: Communicator) -> DirectPath<Communicator> {
        DirectPath {
            driver: self.driver,
            context: self.context,
            device: self.device,
            size: self.size,
            is_local: self.is_local,
            shares_device: self.shares_device,
            bounce: self.bounce,
            slots: Leases::new(SLOTS),
            starting: Arc::default(),
            leader: self.leader,
            owner: Mutex::new(self.owner),
            endings,
            in_place: AtomicU64::new(0),
            moved: AtomicU64::new(0),
            begun: AtomicU64::new(0),
            ended: AtomicU64::new(0),
        }
    }
}
