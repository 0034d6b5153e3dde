//! Making the direct way of a communicator: the ranks find out together whether they have it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use super::kernels::{Work, most_table_bytes};
use super::mappings::{Importer, Number, Owner, adopt, listen, serve_all};
use super::pieces::{DirectPieces, Piece};
use super::place::{Place, PlaceInUse, Told};
use crate::backend::OobExchange;
use crate::base::{Error, Rank, Result};
use crate::comm::communicator::{CommConfig, Communicator};
use crate::comm::create::backends::BuiltinExchange;
use crate::config::DeviceMapChoice;
use crate::device::direct::{Bounce, IpcHandle, Kernels, Leases, SharedBounce, check_moves, enable_peer};
use crate::device::kernels::MOST_RANKS;
use crate::device::{CallStream, CudaContext, CudaDriver, Entered, Ordinal, Uuid};
use crate::log_line;

/// The rank that carries out the calls.
pub const EXECUTOR: Rank = 0;

/// Slots of a bounce buffer. Each has room for input and output.
const SLOTS: usize = 8;
/// Bytes of one side of a slot.
const SLOT_BYTES: usize = 8 << 20;
/// Tables on the device of the executor.
const TABLES: usize = 32;

/// Longest text by which a rank says why it has no direct way.
const SENTENCE_BYTES: usize = 256;

/// What a rank has for the direct way.
pub struct DirectWay {
    pub driver: &'static CudaDriver,
    pub context: CudaContext,
    pub device: Ordinal,
    size: usize,
    /// Whether this rank shares the process of the executor, and so its addresses.
    pub is_local: bool,
    /// Whether the executor has the same device.
    pub shares_device: bool,
    /// Memory of this rank that the executor can address, if the ranks are several processes or have several
    /// devices.
    bounce: Option<Bounce>,
    pub slots: Arc<Leases>,
    executor: Option<Executor>,
    /// The connection to the executor in another process, which maps buffers. Unset at the end.
    owner: Mutex<Option<Arc<Owner>>>,
    /// The ranks again, for what the executor tells at the end of a call: a kernel may end after the next
    /// calls have begun.
    pub endings: Communicator,
    /// Number of buffers of this rank that calls have used where they are, and that have moved.
    pub in_place: AtomicU64,
    pub moved: AtomicU64,
    /// Numbers of the next calls to begin, and to end, in this communicator.
    begun: AtomicU64,
    ended: AtomicU64,
}

/// What only the executor has.
struct Executor {
    kernels: &'static Kernels,
    tables: Bounce,
    table_bytes: usize,
    places: Arc<Leases>,
    /// The bounce buffers of the ranks in other processes.
    bounces: Vec<Option<SharedBounce>>,
    /// The connections to the ranks in other processes, whose buffers it maps. None at the end.
    importers: Mutex<Vec<Option<Arc<Importer>>>>,
}

/// What a rank tells of itself.
struct Introduction {
    /// A number that all ranks of a process share.
    process: [u8; 16],
    uuid: Uuid,
    /// Context of the rank. It means something in its own process only.
    context: u64,
    has_device: bool,
}

impl Introduction {
    const BYTES: usize = 41;

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.process.to_vec();
        bytes.extend(self.uuid);
        bytes.extend(self.context.to_le_bytes());
        bytes.push(u8::from(self.has_device));
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Introduction {
        let part = |at: usize| std::array::from_fn(|i| bytes[at + i]);
        Introduction {
            process: part(0),
            uuid: part(16),
            context: u64::from_le_bytes(std::array::from_fn(|i| bytes[32 + i])),
            has_device: bytes[Introduction::BYTES - 1] != 0,
        }
    }
}

impl Communicator {
    /// Makes the direct way, if the ranks can have one and want it. Collective. A rank that cannot tells the
    /// others, and all are staged.
    pub(in crate::comm) fn set_up_direct_way(&mut self, may_have: bool) -> Result<()> {
        self.may_be_direct = may_have;
        if !may_have || self.has_device_engine() {
            return Ok(());
        }
        let exchange = BuiltinExchange(self);
        let me = introduce();
        let all = exchange.all_gather(
            &me.as_ref()
                .map_or_else(|_| vec![0; Introduction::BYTES], |(_, introduction)| introduction.to_bytes()),
        )?;
        let all: Vec<Introduction> = all.iter().map(|bytes| Introduction::from_bytes(bytes)).collect();
        if let Some(rank) = all.iter().position(|other| !other.has_device) {
            self.log_no_direct_way(&format!("rank {rank} had no device when the communicator was made"));
            return Ok(());
        }
        if self.topology.hosts() > 1 || all.len() > MOST_RANKS {
            self.log_no_direct_way(&format!("it serves up to {MOST_RANKS} ranks of one host"));
            return Ok(());
        }
        let prepared = me.and_then(|(driver, _)| Prepared::new(self, driver, &all));
        let choice = self.device_map;
        let mut sentence = prepared.as_ref().err().map(Error::to_string).unwrap_or_default().into_bytes();
        sentence.resize(SENTENCE_BYTES, 0);
        let handle = prepared.as_ref().map_or([0; 64], |prepared| prepared.handle);
        sentence.extend(handle);
        let told = exchange.all_gather(&sentence)?;
        if let Some(refusal) = refusal(&told) {
            self.log_no_direct_way(&refusal);
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
            self.log_no_direct_way(&refusal);
            return Ok(());
        }
        prepared.adopt(&told);
        let mut context = [0; 4];
        if self.rank == EXECUTOR {
            context = self.new_context()?.to_le_bytes();
        }
        exchange.broadcast(EXECUTOR, &mut context)?;
        let ranks: Vec<Rank> = (0..self.size()).collect();
        let own = CommConfig { name: Some(format!("{}.endings", self.name)), ..CommConfig::default() };
        let endings = self.form_with_context(u32::from_le_bytes(context), &ranks, &own)?;
        self.direct = Some(Arc::new(prepared.with(endings)));
        Ok(())
    }

    fn log_no_direct_way(&self, why: &str) {
        if self.rank == EXECUTOR {
            log_line!(Info, "\"{}\" has no direct way for memory of devices: {why}", self.name);
        }
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

/// A number that only this process has.
fn process_token() -> Result<[u8; 16]> {
    static TOKEN: std::sync::OnceLock<[u8; 16]> = std::sync::OnceLock::new();
    if let Some(token) = TOKEN.get() {
        return Ok(*token);
    }
    let mut token = [0; 16];
    getrandom::fill(&mut token)
        .map_err(|error| Error::Unsupported(format!("no random bytes to be had: {error}")))?;
    Ok(*TOKEN.get_or_init(|| token))
}

fn introduce() -> Result<(&'static CudaDriver, Introduction)> {
    let driver = CudaDriver::get()?;
    let Some((context, device)) = driver.current()? else {
        return Err(Error::Unsupported("this thread has no device".into()));
    };
    let introduction = Introduction {
        process: process_token()?,
        uuid: driver.uuid(device)?,
        context: context.to_address(),
        has_device: true,
    };
    Ok((driver, introduction))
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
            Some(_) if comm.rank == EXECUTOR && comm.device_map != DeviceMapChoice::Off => {
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

impl DirectWay {
    /// Number of ranks.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Bytes that a piece may have on one side of a rank, if there is a limit.
    pub fn slot_bytes(&self) -> Option<usize> {
        self.has_slots().then_some(SLOT_BYTES)
    }

    /// Whether ranks may have slots in memory that the executor can address. Equal on all ranks.
    pub fn has_slots(&self) -> bool {
        self.bounce.is_some()
    }

    /// Whether the executor has a kernel for the pieces of a call.
    pub fn has_kernel(&self, pieces: &DirectPieces) -> bool {
        Work::of(&pieces.whole(), self.size).is_some()
    }

    /// The stream of a call in the context of this rank.
    pub fn stream(
        &self,
        stream: impl FnOnce(&'static CudaDriver, CudaContext) -> Result<CallStream>,
    ) -> Result<CallStream> {
        let entered = Entered::for_device(self.driver, self.device)?;
        let stream = stream(self.driver, entered.context())?;
        self.driver.refuse_capture(stream.stream)?;
        Ok(stream)
    }

    /// Number of pieces that have begun.
    pub fn begun(&self) -> u64 {
        self.begun.load(Ordering::Relaxed)
    }

    /// A number for the next call that begins in this communicator. The same on all ranks.
    pub fn begin(&self) -> u64 {
        self.begun.fetch_add(1, Ordering::Relaxed)
    }

    /// Whether it is the turn of the call with this number to end. Then it is the next one's.
    pub fn takes_turn_to_end(&self, number: u64) -> bool {
        self.ended.compare_exchange(number, number + 1, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Input and output of a slot of this rank, as this rank addresses them.
    pub fn own_slot(&self, slot: usize) -> Option<(u64, u64)> {
        self.bounce.as_ref().map(|bounce| slot_at(bounce.address(), slot))
    }

    /// Input and output of a slot of another rank, as the executor addresses them.
    pub fn slot_of(&self, rank: Rank, slot: u64) -> Option<(u64, u64)> {
        let bounce = self.executor.as_ref()?.bounces.get(rank as usize)?.as_ref()?;
        (slot < SLOTS as u64).then(|| slot_at(bounce.address(), slot as usize))
    }

    /// Where a rank in another process has its buffers of a piece, as the executor addresses them, and the
    /// use of what it has mapped. `None`: the rank has told nonsense, or has withdrawn its buffers.
    pub fn foreign_place(
        &self,
        rank: Rank,
        told: &Told,
        piece: &Piece,
    ) -> Option<(Place, Option<PlaceInUse>)> {
        let importer = self.executor.as_ref()?.importers.lock().get(rank as usize).cloned().flatten();
        if let Some(importer) = importer.as_ref().filter(|_| told.has_wish) {
            importer.note_wish();
        }
        let blocks = [piece.input_blocks(self.size, rank), piece.output_blocks(self.size, rank)];
        let step = piece.call.count * piece.call.datatype.bytes() as u64;
        let (mut sides, mut mapped) = ([(0, 0); 2], Vec::new());
        for (i, (token, offset)) in told.mapped.into_iter().enumerate() {
            if token == 0 {
                let (input, output) = self.slot_of(rank, told.slot)?;
                sides[i] = ([input, output][i], piece.bytes() as u64);
                continue;
            }
            let span = blocks[i].saturating_sub(1) as u64 * step + piece.bytes() as u64;
            let (address, allocation) = importer.as_ref()?.address(token, offset, span)?;
            sides[i] = (address, step);
            mapped.push(allocation);
        }
        let in_use = match mapped.is_empty() {
            true => None,
            false => Some(PlaceInUse::Mapped(importer?.take(told.offer)?, mapped)),
        };
        let [(input, input_step), (output, output_step)] = sides;
        Some((Place { input, input_step, output, output_step }, in_use))
    }

    /// The connection to an executor in another process, which maps buffers of this one.
    pub fn owner(&self) -> Option<Arc<Owner>> {
        self.owner.lock().clone()
    }

    /// Whether the executor has not been told yet that this process has asked it for something.
    pub fn takes_wish(&self) -> bool {
        self.owner().is_some_and(|owner| owner.takes_wish())
    }

    /// On the executor, maps what the other ranks have asked for, if it can be done now.
    pub fn serve_owners(&self) {
        if let Some(executor) = &self.executor {
            serve_all(executor.importers.lock().iter().flatten());
        }
    }

    /// Ends the mappings of this communicator's ranks, unless another communicator has them, too. Every call
    /// has ended.
    pub fn end_mappings(&self) {
        *self.owner.lock() = None;
        if let Some(executor) = &self.executor {
            executor.importers.lock().clear();
            serve_all(std::iter::empty());
        }
    }

    /// The work of a piece, and the multiprocessors of the executor's device.
    pub fn work(&self, piece: &Piece) -> Option<(Work, u32)> {
        Some((Work::of(piece, self.size)?, self.executor.as_ref()?.kernels.multiprocessors()))
    }

    /// The kernels, and a place for a table with its address. `None`: this rank is not the executor.
    pub fn executor(&self) -> Option<(&'static Kernels, &Arc<Leases>, impl Fn(usize) -> u64 + '_)> {
        let executor = self.executor.as_ref()?;
        let address = |place| executor.tables.address() + (place * executor.table_bytes) as u64;
        Some((executor.kernels, &executor.places, address))
    }
}

impl Drop for DirectWay {
    fn drop(&mut self) {
        self.end_mappings();
    }
}

fn slot_at(start: u64, slot: usize) -> (u64, u64) {
    let input = start + (2 * slot * SLOT_BYTES) as u64;
    (input, input + SLOT_BYTES as u64)
}
