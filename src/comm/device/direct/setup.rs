//! Making the direct path of a communicator: the ranks find out together whether they have it.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use parking_lot::Mutex;

use super::bounce::Bounce;
use super::direct_path::{DirectPath, LEADER, Leader, Peer, TABLES};
use super::introduction::{Introduction, introduce};
use super::ipc_cache::{Importer, Number, Owner, adopt, listen};
use super::kernels::table_bytes;
use super::leases::Leases;
use crate::backend::OobExchange;
use crate::base::{Error, Rank, Result};
use crate::comm::communicator::{CommConfig, Communicator};
use crate::comm::create::backends::BuiltinExchange;
use crate::config::DeviceMapChoice;
use crate::device::direct::{DeviceMemory, Kernels, check_moves, enable_peer};
use crate::device::kernels::MOST_RANKS;
use crate::device::{CudaContext, CudaDriver, Ordinal};
use crate::log_line;

/// Longest text by which a rank says why it has no direct path.
const SENTENCE_BYTES: usize = 256;

/// Makes the direct path, if the ranks can have one and want it. Collective. A rank that cannot reports that
/// to the others, and all calls are staged.
pub(in crate::comm) fn set_up_direct_path(comm: &mut Communicator, may_have: bool) -> Result<()> {
    comm.devices.may_be_direct = may_have;
    if !may_have || comm.engines.serve_devices() || needs_fixed_bits(comm) {
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
    let mut sentence = sentence_of(prepared.as_ref().map(drop));
    sentence.extend(prepared.as_ref().map_or([0; 16], |prepared| prepared.name));
    let answers = exchange.all_gather(&sentence)?;
    if let Some(refusal) = refusal(&answers) {
        log_no_direct_path(comm, &refusal);
        return Ok(());
    }
    let mut prepared = prepared?;
    let name = |bytes: &Vec<u8>| std::array::from_fn(|i| bytes[SENTENCE_BYTES + i]);
    let names: Vec<Number> = answers.iter().map(name).collect();
    let opened = prepared.open(&all);
    let numbers = prepared.connect(&all, &names);
    prepared.find_bounce();
    let mut sentence = sentence_of(opened.as_ref().map(drop));
    sentence.extend(numbers.concat());
    let answers = exchange.all_gather(&sentence)?;
    if let Some(refusal) = refusal(&answers) {
        log_no_direct_path(comm, &refusal);
        return Ok(());
    }
    prepared.adopt(comm.rank, &answers);
    if prepared.bounce.is_some()
        && let Some(refusal) = map_bounces(&exchange, &mut prepared)?
    {
        log_no_direct_path(comm, &refusal);
        return Ok(());
    }
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

/// Has the leader map the bounce buffers of the ranks in other processes. Returns why that cannot be.
fn map_bounces(exchange: &BuiltinExchange, prepared: &mut Prepared) -> Result<Option<String>> {
    if prepared.leader.is_some() {
        let _ignored = prepared.driver.ignore_captures();
        prepared.importers.iter().flatten().for_each(|importer| importer.serve_now());
    }
    // The leader has answered all that was asked before it comes here.
    exchange.broadcast(LEADER, &mut [0])?;
    let is_mapped = match prepared.find_bounce() {
        true => Ok(()),
        false => Err(&Error::Unsupported("rank 0 cannot map the bounce buffer of this rank".into())),
    };
    Ok(refusal(&exchange.all_gather(&sentence_of(is_mapped))?))
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

/// Whether reductions must have the same bits in every call, which kernels of the direct path do not give.
fn needs_fixed_bits(comm: &Communicator) -> bool {
    if comm.is_deterministic() {
        log_no_direct_path(comm, "its kernels do not give fixed bits (ANYCCL_DETERMINISTIC)");
    }
    comm.is_deterministic()
}

fn log_no_direct_path(comm: &Communicator, why: &str) {
    if comm.rank == LEADER {
        log_line!(Info, "\"{}\" has no direct path for device memory: {why}", comm.name);
    }
}

/// The text by which this rank says why it has no direct path: zeros if it can have one.
fn sentence_of(outcome: std::result::Result<(), &Error>) -> Vec<u8> {
    let mut sentence = outcome.err().map(Error::to_string).unwrap_or_default().into_bytes();
    sentence.resize(SENTENCE_BYTES, 0);
    sentence
}

fn refusal(answers: &[Vec<u8>]) -> Option<String> {
    let rank = answers.iter().position(|bytes| bytes[0] != 0)?;
    let text = String::from_utf8_lossy(&answers[rank][..SENTENCE_BYTES]);
    Some(format!("rank {rank}: {}", text.trim_end_matches('\0')))
}

fn log_no_mappings(error: &Error) {
    log_line!(Info, "buffers on devices cannot be mapped: {error}");
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
    map: DeviceMapChoice,
    /// Where ranks in other processes connect. Zeros: nowhere.
    name: Number,
    leader: Option<Leader>,
    peers: Vec<Peer>,
    owners: Vec<Option<Arc<Owner>>>,
    importers: Vec<Option<Arc<Importer>>>,
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
            false => Some(Bounce::attach(driver, (context, device))?),
        };
        let is_local = me.process == leader.process;
        if let Some(bounce) = bounce.as_ref().filter(|_| is_local && me.uuid != leader.uuid) {
            bounce.let_access(driver, CudaContext::from_address(leader.context))?;
        }
        let peer = |other: &Introduction| Peer {
            is_local: other.process == me.process,
            shares_device: other.uuid == me.uuid,
        };
        let peers: Vec<Peer> = all.iter().map(peer).collect();
        let map = comm.devices.map;
        let maps = comm.rank == LEADER || map != DeviceMapChoice::Off;
        let listens = maps && peers.iter().any(|peer| !peer.is_local);
        let name = if listens { listen().inspect_err(log_no_mappings).unwrap_or_default() } else { [0; 16] };
        let leader_state = if comm.rank == LEADER {
            let table_bytes = table_bytes(size).next_multiple_of(256);
            let tables = DeviceMemory::private(driver, context, TABLES * table_bytes)?;
            let kernels = Kernels::of(driver, context, device)?;
            let (table_slots, launch_tables) = (Leases::of(0..TABLES - 1), Leases::of(TABLES - 1..TABLES));
            Some(Leader { kernels, tables, table_bytes, table_slots, launch_tables })
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
            map,
            name,
            leader: leader_state,
            peers,
            owners: Vec::new(),
            importers: Vec::new(),
        })
    }

    /// Connects to the ranks in other processes, so that they can map memory of this one. Returns the number
    /// of each connection.
    fn connect(&mut self, all: &[Introduction], names: &[Number]) -> Vec<Number> {
        let owner = |((other, name), peer): ((&Introduction, &Number), &Peer)| {
            if peer.is_local || *name == [0; 16] {
                return None;
            }
            Owner::of((other.process, other.context), name).inspect_err(log_no_mappings).ok()
        };
        self.owners = all.iter().zip(names).zip(&self.peers).map(owner).collect();
        let number = |owner: &Option<Arc<Owner>>| owner.as_ref().map_or([0; 16], |owner| owner.number());
        self.owners.iter().map(number).collect()
    }

    /// Adopts the connections to this rank that the ranks have reported.
    fn adopt(&mut self, rank: Rank, answers: &[Vec<u8>]) {
        let at = SENTENCE_BYTES + rank as usize * size_of::<Number>();
        let number = |bytes: &Vec<u8>| std::array::from_fn(|i| bytes[at + i]);
        let place = (self.context, self.device);
        self.importers = answers.iter().map(|bytes| adopt(self.driver, place, &number(bytes))).collect();
    }

    /// Asks the leader of another process to map the bounce buffers of this rank. Returns whether it has
    /// mapped all.
    fn find_bounce(&mut self) -> bool {
        let Some(bounce) = self.bounce.as_mut().filter(|_| !self.is_local) else { return true };
        let owner = self.owners.get(LEADER as usize).and_then(Option::as_ref);
        owner.is_some_and(|owner| bounce.find_all(self.driver, owner))
    }

    /// On the leader, lets its kernels address other devices of its process.
    fn open(&mut self, all: &[Introduction]) -> Result<()> {
        if self.leader.is_none() {
            return Ok(());
        }
        let _ignored = self.driver.ignore_captures();
        let me = &all[LEADER as usize];
        for other in all.iter().filter(|other| other.process == me.process && other.uuid != me.uuid) {
            enable_peer(self.driver, CudaContext::from_address(other.context))?;
        }
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
            has_slots: self.bounce.is_some(),
            bounce: Mutex::new(self.bounce),
            map: self.map,
            starting: Arc::default(),
            leader: self.leader,
            peers: self.peers,
            owners: Mutex::new(self.owners),
            importers: Mutex::new(self.importers),
            endings,
            in_place: AtomicU64::new(0),
            moved: AtomicU64::new(0),
            begun: Mutex::new(0),
            ended: Mutex::new(0),
        }
    }
}
