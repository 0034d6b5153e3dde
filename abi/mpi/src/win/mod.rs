//! Windows: one-sided communication (MPI 5.0, chapter 12).
//!
//! A [`Win`] has a communicator of the engine for its collective calls and its messages. For each rank it
//! has a [`Target`]. The memory of a rank of this host is read and written without that rank's help. This
//! process has mapped memory of the library, as `MPI_Win_allocate` and `MPI_Alloc_mem` give it. Other
//! memory is
//! that of another process, which the kernel reads and writes for this one. Such an access is complete
//! when its function returns, so a flush has nothing to wait for.
//!
//! Ranks of other hosts get messages. The target serves them whenever a thread of it waits or tests, or in a
//! thread of the library (`progress`). A flush waits for the answers.
//!
//! Accumulates of all forms hold a lock of their target, in memory that all ranks of its host share; so
//! does the
//! target when it serves others. Fences, and post, start, complete and wait, are collectives and messages.
//!
//! - `create` makes windows and frees them, `dynamic` attaches memory; `shared` answers for shared memory.
//! - `control` has the words of the locks, which `locks` takes by `wait`. `epoch` has what a rank may access
//!   now, which `checks` asks.
//! - `target` reads and writes memory of a rank, `remote` typed elements in it.
//! - `access` has put and get, `accumulate` the atomic ones with `combine`; `calls` and `request_calls`
//!   are MPI's functions. `quick` has the common case of accesses and flushes within a host.
//! - `far` has the state for other hosts. `distant` sends accesses to other hosts in the form of `wire`.
//!   `outbox` keeps them until their answers come, and `countdown` tells the end of one. `pending` has the
//!   locks that were asked for. `inbox` takes in what others send, `apply` does it, and `grants` has those
//!   who wait for the lock of this rank.
//! - `fence`, `active` and `passive` have MPI's functions for synchronization.
//! - `inquiry` answers queries, `numbers` has the numbers of other ABIs.

pub mod access;
mod accumulate;
pub mod active;
mod apply;
pub mod calls;
mod checks;
mod combine;
mod control;
mod countdown;
pub mod create;
mod distant;
pub mod dynamic;
mod epoch;
mod far;
pub mod fence;
mod grants;
mod inbox;
pub mod inquiry;
mod local;
mod locks;
mod memory;
pub mod numbers;
mod outbox;
pub mod passive;
mod pending;
mod progress;
mod quick;
mod remote;
pub mod request_calls;
pub mod shared;
mod target;
mod wait;
mod wire;
mod with;

use std::ffi::CString;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicIsize, AtomicU32};

use anyccl_edge::ObjectRef;
use anyccl_engine::base::Rank;
use anyccl_engine::comm::Communicator;
use parking_lot::Mutex;

use self::control::{Control, Ticket};
use self::epoch::Epochs;
use self::far::Distant;
use self::memory::Shared;
use self::target::Target;
use crate::arguments::WinHandle;
use crate::attribute::Attributes;
use crate::errhandler::Errhandler;
use crate::error::{Class, Error, Result};
use crate::group::Group;
use crate::info::Pairs;
use crate::table::Table;

/// A window.
pub struct Win {
    /// Number of the window, from which a door makes the handle.
    pub id: u32,
    engine: Communicator,
    group: Arc<Group>,
    /// `MPI_WIN_FLAVOR_CREATE` or another, in the standard ABI's numbers.
    flavor: i32,
    /// Address of this rank's memory; 0 in a dynamic window.
    base: usize,
    /// Memory of each rank.
    targets: Vec<Target>,
    control: Control,
    /// Set if some ranks are on other hosts.
    distant: Option<Distant>,
    /// Tickets of this rank, for locks on ranks of this host, for which it does not wait any more.
    given_up: Mutex<Vec<(Rank, Ticket)>>,
    /// Memory of the library that this rank has allocated or mapped for the window.
    _memory: Vec<Shared>,
    epoch: Epochs,
    /// Memory that this rank has attached to a dynamic window: first byte and length.
    attached: Mutex<Vec<(usize, usize)>>,
    /// Number of calls since one has looked for failures.
    calls_since_look: AtomicU32,
    info: Mutex<Pairs>,
    name: Mutex<Option<CString>>,
    values: Values,
    /// Current error handler.
    pub errhandler: Mutex<Errhandler>,
    /// Attributes that the program keeps with it.
    pub attributes: Attributes,
}

/// Predefined attributes whose value is an address of a number.
#[derive(Default)]
struct Values {
    size: AtomicIsize,
    disp_unit: AtomicI32,
    flavor: AtomicI32,
    model: AtomicI32,
}

static WINS: Table<Win> = Table::new("window", Class::WIN);

impl Win {
    /// The window of a handle.
    pub fn from_handle(handle: WinHandle) -> Result<ObjectRef<'static, Win>> {
        if handle.is_null() {
            return Err(Error::new(Class::WIN, "the window is MPI_WIN_NULL"));
        }
        WINS.get(handle.0)
    }

    /// Name in messages to people.
    pub fn title(&self) -> String {
        match &*self.name.lock() {
            Some(name) => name.to_string_lossy().into_owned(),
            None => format!("window {:#x}", self.id),
        }
    }

    /// Rank of this process.
    fn rank(&self) -> u32 {
        self.engine.rank()
    }

    /// A rank of the window from the program, which is not `MPI_PROC_NULL`.
    fn check_rank(&self, rank: i32) -> Result<u32> {
        let size = self.engine.size();
        let text = || format!("rank {rank}; {} has ranks 0 to {}", self.title(), size - 1);
        u32::try_from(rank).ok().filter(|rank| *rank < size).ok_or_else(|| Error::new(Class::RANK, text()))
    }
}
