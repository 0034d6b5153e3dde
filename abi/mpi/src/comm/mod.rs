//! Communicators.

use std::ffi::CString;
use std::sync::Arc;

use anyccl_edge::ObjectRef;
use anyccl_engine::base;
use anyccl_engine::comm::Communicator;
use parking_lot::Mutex;

use crate::arguments::{CommHandle, Output};
use crate::attribute::Attributes;
use crate::constants::{COMM_NULL, COMM_SELF, COMM_WORLD, PROC_NULL};
use crate::environment;
use crate::errhandler::Errhandler;
use crate::error::{Class, Error, Result};
use crate::group::Group;
use crate::table::Table;

/// A communicator.
pub struct Comm {
    /// Its number, of which a door makes the handle.
    pub id: u32,
    /// The ranks of both groups, where there are two; else of the one.
    engine: Arc<Communicator>,
    /// This process and those on its side.
    group: Arc<Group>,
    /// This process's rank in `group`.
    rank: u32,
    /// Set for an intercommunicator.
    inter: Option<Inter>,
    /// First rank in `engine` of the processes that messages go to.
    peer_offset: u32,
    /// Number of these processes.
    peers: u32,
    /// Its current error handler.
    pub errhandler: Mutex<Errhandler>,
    /// What the program keeps with it.
    pub attributes: Attributes,
    name: Mutex<Option<CString>>,
}

/// What an intercommunicator has in addition.
pub struct Inter {
    /// The processes on the other side.
    pub remote: Arc<Group>,
    /// A communicator of this side alone, for the inner parts of collectives.
    pub local: Arc<Communicator>,
    /// Whether this side has the lower ranks in the engine's communicator of both.
    pub is_first: bool,
}

/// All communicators that the program has handles of.
static COMMS: Table<Comm> = Table::new("communicator", Class::COMM);

impl Comm {
    /// A communicator of one group.
    pub fn intra(id: u32, engine: Communicator, group: Arc<Group>, errhandler: Errhandler) -> Comm {
        let (rank, peers) = (engine.rank(), engine.size());
        Comm {
            id,
            engine: Arc::new(engine),
            group,
            rank,
            inter: None,
            peer_offset: 0,
            peers,
            errhandler: Mutex::new(errhandler),
            attributes: Attributes::new(),
            name: Mutex::new(None),
        }
    }

    /// The communicator of a handle.
    #[inline]
    pub fn from_handle(handle: CommHandle) -> Result<ObjectRef<'static, Comm>> {
        COMMS.get(handle.0).map_err(|error| explain(handle, error))
    }

    /// The engine's communicator, for communication.
    #[inline]
    pub fn engine(&self) -> &Arc<Communicator> {
        &self.engine
    }

    /// The processes on this side.
    pub fn group(&self) -> &Arc<Group> {
        &self.group
    }

    /// What it has where it is an intercommunicator.
    #[inline]
    pub fn inter(&self) -> Option<&Inter> {
        self.inter.as_ref()
    }

    /// My rank in the local group.
    #[inline]
    pub fn rank(&self) -> u32 {
        self.rank
    }

    /// Number of processes in the local group.
    #[inline]
    pub fn size(&self) -> u32 {
        self.group.size()
    }

    /// The engine's rank of a process that a message may go to or come from. `None`: `MPI_PROC_NULL`.
    #[inline]
    pub fn peer(&self, rank: i32) -> Result<Option<base::Rank>> {
        if rank.cast_unsigned() < self.peers {
            return Ok(Some(self.peer_offset + rank.cast_unsigned()));
        }
        if rank == PROC_NULL { Ok(None) } else { Err(self.no_peer(rank)) }
    }

    #[cold]
    fn no_peer(&self, rank: i32) -> Error {
        let text = format!("rank {rank}; {} has ranks 0 to {}", self.title(), i64::from(self.peers) - 1);
        Error::new(Class::RANK, text)
    }

    /// First rank in the engine's communicator of the processes that messages come from.
    #[inline]
    pub fn first_peer(&self) -> u32 {
        self.peer_offset
    }

    /// The rank in this communicator of a process that has sent a message.
    #[inline]
    pub fn rank_of_peer(&self, engine_rank: base::Rank) -> i32 {
        engine_rank.wrapping_sub(self.peer_offset).cast_signed()
    }

    /// Its name, as it is called in messages.
    pub fn title(&self) -> String {
        match (&*self.name.lock(), self.id) {
            (Some(name), _) => name.to_string_lossy().into_owned(),
            (None, COMM_WORLD) => "MPI_COMM_WORLD".into(),
            (None, COMM_SELF) => "MPI_COMM_SELF".into(),
            (None, id) => format!("communicator {id:#x}"),
        }
    }
}

/// Makes `MPI_COMM_WORLD` and `MPI_COMM_SELF` known.
pub fn insert_predefined(comms: [Comm; 2]) {
    for comm in comms {
        COMMS.insert_at(comm.id, Arc::new(comm));
    }
}

/// Makes the predefined communicators unknown.
pub fn remove_predefined() {
    for id in [COMM_SELF, COMM_WORLD] {
        // Only the first call of MPI_Finalize comes here, and nobody else may free them.
        let _ = COMMS.remove(id);
    }
}

#[cold]
fn explain(handle: CommHandle, error: Error) -> Error {
    match handle.0 {
        COMM_NULL => Error::new(Class::COMM, "the communicator is MPI_COMM_NULL"),
        COMM_WORLD | COMM_SELF => environment::no_world(),
        _ => error,
    }
}

/// `MPI_Comm_rank`.
pub unsafe fn rank(comm: CommHandle, rank: Output<i32>) -> Result<()> {
    rank.set(Comm::from_handle(comm)?.rank() as i32);
    Ok(())
}

/// `MPI_Comm_size`.
pub unsafe fn size(comm: CommHandle, size: Output<i32>) -> Result<()> {
    size.set(Comm::from_handle(comm)?.size() as i32);
    Ok(())
}
