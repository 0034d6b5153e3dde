//! Making the direct way of a communicator: the ranks find out together whether they have it.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use parking_lot::Mutex;

use super::direct_way::{DirectWay, EXECUTOR, Executor, SLOT_BYTES, SLOTS, TABLES};
use super::introduction::{Introduction, introduce};
use super::kernels::most_table_bytes;
use super::mappings::{Number, Owner, adopt, listen};
use crate::backend::OobExchange;
use crate::base::{Error, Result};
use crate::comm::communicator::{CommConfig, Communicator};
use crate::comm::create::backends::BuiltinExchange;
use crate::config::DeviceMapChoice;
use crate::device::direct::{Bounce, IpcHandle, Kernels, Leases, SharedBounce, check_moves, enable_peer};
use crate::device::kernels::MOST_RANKS;
use crate::device::{CudaContext, CudaDriver, Ordinal};
use crate::log_line;

/// Longest text by which a rank says why it has no direct way.
const SENTENCE_BYTES: usize = 256;

/// Makes the direct way, if the ranks can have one and want it. Collective. A rank that cannot tells the
/// others, and all are staged.
pub(in crate::comm) fn set_up_direct_way(comm: &mut Communicator, may_have: bool) -> Result<()> {
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
    if let Some(rank) = all.iter().position(|other| !other.has_device) {
        log_no_direct_way(comm, &format!("rank {rank} had no device when the communicator was made"));
        return Ok(());
    }
    if comm.topology.hosts() > 1 || all.len() > MOST_RANKS {
        log_no_direct_way(comm, &format!("it serves up to {MOST_RANKS} ranks of one host"));
        return Ok(());
    }
    let prepared = me.and_then(|(driver, _)| Prepared::new(comm, driver, &all));
    let choice = comm.devices.map;
    let mut sentence = prepared.as_ref().err().map(Error::to_string).unwrap_or_default().into_bytes();
    sentence.resize(SENTENCE_BYTES, 0);
    let handle = prepared.as_ref().map_or([0; 64], |prepared| prepared.handle);
    sentence.extend(handle);
    let told = exchange.all_gather(&sentence)?;
    if let Some(refusal) = refusal(&told) {
        log_no_direct_way(comm, &refusal);
        return Ok(());
    }
    let mut prepared = prepared?;
    let handles: Vec<IpcHandle> =
        told.iter().map(|bytes| std::array::from_fn(|i| bytes[SENTENCE_BYTES + i])).collect();
    let opened = prepared.open(&all, &handles);
    let mut sentence = opened.err().map(|error| error.to_string()).unwrap_or_default().into_bytes();
    sentence.resize(SENTENCE_BYTES, 0);
    sentence.extend(prepared.connect(&all[EXECUTOR as usize], &handles[EXECUTOR as usize], choice));
    let told = exchange.all_gather(&sentence)?;
    if let Some(refusal) = refusal(&told) {
        log_no_direct_way(comm, &refusal);
        return Ok(());
    }
    prepared.adopt(&told);
    let mut context = [0; 4];
    if comm.rank == EXECUTOR {
        context = comm.new_context()?.to_le_bytes();
    }
    exchange.broadcast(EXECUTOR, &mut context)?;
    let own = CommConfig { name: Some(format!("{}.endings", comm.name)), ..CommConfig::default() };
    let endings = comm.form_for_own_calls(u32::from_le_bytes(context), &own)?;
    comm.devices.direct = Some(Arc::new(prepared.with(endings)));
    Ok(())
}

fn log_no_direct_way(comm: &Communicator, why: &str) {
    if comm.rank == EXECUTOR {
        log_line!(Info, "\"{}\" has no direct way for memory of devices: {why}", comm.name);
    }
}

fn refusal(told: &[Vec<u8>]) -> Option<String> {
    let rank = told.iter().position(|bytes| bytes[0] != 0)?;
    let text = String::from_utf8_lossy(&told[rank][..SENTENCE_BYTES]);
    Some(format!("rank {rank}: {}", text.trim_end_matches('\0')))
}

fn log_no_mappings(error: &Error) {
    log_line!(Info, "buffers on devices are not mapped, and their calls use a bounce buffer: {error}");
}

/// The direct way of a rank, before the ranks have found out whether all can go it.
struct Prepared {
    driver: &'static CudaDriver,
    context: CudaContext,
    device: Ordinal,
    size: usize,
    is_local: bool,
    shares_device: bool,
    bounce: Option<Bounce>,
    /// Handle of the bounce buffer, for the executor in another process.
    handle: IpcHandle,
    executor: Option<Executor>,
    owner: Option<Arc<Owner>>,
}

impl Prepared {
    fn new(comm: &Communicator, driver: &'static CudaDriver, all: &[Introduction]) -> Result<Prepared> {
        let (me, executor) = (&all[comm.rank as usize], &all[EXECUTOR as usize]);
        let Some((context, device)) = driver.current()? else {
            return Err(Error::Unsupported("this thread has no device any more".into()));
        };
        check_moves()?;
        let _ignored = driver.ignore_captures();
        let size = all.len();
        let is_like_executor =
            |other: &Introduction| other.process == executor.process && other.uuid == executor.uuid;
        let bounce = match all.iter().all(is_like_executor) {
            true => None,
            false => Some(Bounce::allocate(driver, context, 2 * SLOTS * SLOT_BYTES)?),
        };
        let is_local = me.process == executor.process;
        let mut handle = [0; 64];
        match &bounce {
            Some(bounce) if !is_local => handle = bounce.handle()?,
            Some(_) if comm.rank == EXECUTOR && comm.devices.map != DeviceMapChoice::Off => {
                let name = listen().inspect_err(log_no_mappings).unwrap_or_default();
                handle[..name.len()].copy_from_slice(&name);
            }
            _ => {}
        }
        let executor_side = if comm.rank == EXECUTOR {
            let table_bytes = most_table_bytes(size).next_multiple_of(256);
            let tables = Bounce::allocate(driver, context, TABLES * table_bytes)?;
            let kernels = Kernels::of(driver, context, device)?;
            let (places, bounces, importers) = (Leases::new(TABLES), Vec::new(), Mutex::default());
            Some(Executor { kernels, tables, table_bytes, places, bounces, importers })
        } else {
            None
        };
        let shares_device = me.uuid == executor.uuid;
        Ok(Prepared {
            driver,
            context,
            device,
            size,
            is_local,
            shares_device,
            bounce,
            handle,
            executor: executor_side,
            owner: None,
        })
    }

    /// Connects to the executor in another process, so that it can map buffers. Returns the number of the
    /// connection. Without one, all calls use the bounce buffer.
    fn connect(&mut self, executor: &Introduction, handle: &IpcHandle, choice: DeviceMapChoice) -> Number {
        let name: Number = std::array::from_fn(|i| handle[i]);
        if self.is_local || name == [0; 16] || choice == DeviceMapChoice::Off {
            return [0; 16];
        }
        let key = (executor.process, executor.context);
        self.owner = Owner::of(key, &name, choice).inspect_err(log_no_mappings).ok();
        self.owner.as_ref().map_or([0; 16], |owner| owner.number())
    }

    /// On the executor, takes the connections that the ranks have told.
    fn adopt(&mut self, told: &[Vec<u8>]) {
        let Some(executor) = &mut self.executor else { return };
        let number = |bytes: &Vec<u8>| std::array::from_fn(|i| bytes[SENTENCE_BYTES + i]);
        let place = (self.context, self.device);
        *executor.importers.get_mut() =
            told.iter().map(|bytes| adopt(self.driver, place, &number(bytes))).collect();
    }

    /// On the executor, maps the memory of the other ranks.
    fn open(&mut self, all: &[Introduction], handles: &[IpcHandle]) -> Result<()> {
        let Some(executor) = &mut self.executor else { return Ok(()) };
        let _ignored = self.driver.ignore_captures();
        let me = &all[EXECUTOR as usize];
        for other in all.iter().filter(|other| other.process == me.process && other.uuid != me.uuid) {
            enable_peer(self.driver, CudaContext::from_address(other.context))?;
        }
        let others = all.iter().zip(handles);
        let foreign = others.map(|(other, handle)| (other.process != me.process).then_some(*handle));
        let foreign: Vec<Option<IpcHandle>> = foreign.collect();
        let bytes = 2 * SLOTS * SLOT_BYTES;
        executor.bounces = SharedBounce::open_all(self.driver, self.context, &foreign, bytes)?;
        Ok(())
    }

    fn with(self, endings: Communicator) -> DirectWay {
        DirectWay {
            driver: self.driver,
            context: self.context,
            device: self.device,
            size: self.size,
            is_local: self.is_local,
            shares_device: self.shares_device,
            bounce: self.bounce,
            slots: Leases::new(SLOTS),
            executor: self.executor,
            owner: Mutex::new(self.owner),
            endings,
            in_place: AtomicU64::new(0),
            moved: AtomicU64::new(0),
            begun: AtomicU64::new(0),
            ended: AtomicU64::new(0),
        }
    }
}
