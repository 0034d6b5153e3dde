//! Communicators.
//!
//! A communicator consists of the engine's communicator of its processes and of the state that MPI adds. The
//! engine's communicator of an intercommunicator has the processes of both sides, those of the first side
//! first.
//!
//! - [`create`] makes communicators of one group, [`intercomm`] those of two, [`nonblocking`] duplicates,
//!   [`from_group`] those that are made from groups alone. With [`agreement`] the members agree on what the
//!   engine needs to form one.
//! - [`inquiry`] answers queries, [`hosts`] says who shares memory; [`end`] frees communicators;
//!   [`failures`] goes on without lost processes.

pub mod agreement;
pub mod create;
pub mod end;
pub mod failures;
mod formed;
pub mod from_group;
pub mod hosts;
pub mod inquiry;
pub mod intercomm;
mod lost;
pub mod nonblocking;
mod parent;
pub mod turns;

use std::ffi::CString;
use std::sync::Arc;

use anyccl_edge::ObjectRef;
use anyccl_engine::base;
use anyccl_engine::comm::Communicator;
use parking_lot::Mutex;

pub use formed::Formed;
pub use parent::parent;
pub use turns::Turn;

use self::lost::Failures;
use crate::arguments::CommHandle;
use crate::attribute::Attributes;
use crate::constants::{COMM_NULL, COMM_SELF, COMM_WORLD, PROC_NULL};
use crate::errhandler::Errhandler;
use crate::error::{Class, Error, Result};
use crate::group::Group;
use crate::info::Pairs;
use crate::state;
use crate::table::Table;
use crate::topology::Topology;

/// A communicator.
pub struct Comm {
    /// Number of the communicator, from which a door makes the handle.
    pub id: u32,
    /// The engine's communicator. It has the processes of both groups, if there are two.
    engine: Formed,
    /// The local group: this process and those on its side.
    group: Arc<Group>,
    /// This process's rank in `group`.
    rank: u32,
    /// Set for an intercommunicator.
    inter: Option<Inter>,
    /// First rank in `engine` of the processes to which messages go.
    peer_offset: u32,
    /// Number of these processes.
    peers: u32,
    /// Current error handler.
    pub errhandler: Mutex<Errhandler>,
    /// Attributes that the program keeps with it.
    pub attributes: Attributes,
    /// Virtual topology of its processes.
    topology: Option<Arc<Topology>>,
    /// Hints that the program has set.
    info: Mutex<Pairs>,
    name: Mutex<Option<CString>>,
    failures: Failures,
}

/// The additional state of an intercommunicator.
pub struct Inter {
    /// The processes on the other side.
    pub remote: Arc<Group>,
    /// A communicator of this side alone, for the inner parts of collectives.
    pub local: Formed,
    /// Whether this side has the lower ranks in the engine's communicator.
    pub is_first: bool,
}

/// All communicators for which the program has handles.
static COMMS: Table<Comm> = Table::new("communicator", Class::COMM);

impl Comm {
    /// A communicator of one group.
    pub fn intra(id: u32, engine: Communicator, group: Arc<Group>, errhandler: Errhandler) -> Comm {
        let rank = engine.rank();
        Comm::of_parts(id, engine.into(), group, rank, errhandler)
    }

    fn of_parts(id: u32, engine: Formed, group: Arc<Group>, rank: u32, errhandler: Errhandler) -> Comm {
        let peers = group.size();
        Comm {
            id,
            engine,
            group,
            rank,
            inter: None,
            peer_offset: 0,
            peers,
            errhandler: Mutex::new(errhandler),
            attributes: Attributes::new(),
            topology: None,
            info: Mutex::default(),
            name: Mutex::new(None),
            failures: Failures::default(),
        }
    }

    /// Adds the other side. The engine's communicator must have the processes of both.
    fn with_remote(self, inter: Inter) -> Comm {
        let peer_offset = if inter.is_first { self.size() } else { 0 };
        Comm { peer_offset, peers: inter.remote.size(), inter: Some(inter), ..self }
    }

    /// Makes the communicator known to the program.
    fn publish(make: impl FnOnce(u32) -> Comm) -> CommHandle {
        CommHandle(COMMS.insert_with(make))
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

    /// The local group.
    pub fn group(&self) -> &Arc<Group> {
        &self.group
    }

    /// The additional state of an intercommunicator; `None` for any other.
    #[inline]
    pub fn inter(&self) -> Option<&Inter> {
        self.inter.as_ref()
    }

    /// The additional state of an intercommunicator; an error for any other.
    pub fn intercommunicator(&self) -> Result<&Inter> {
        let text = || format!("{} is no intercommunicator", self.title());
        self.inter().ok_or_else(|| Error::new(Class::COMM, text()))
    }

    /// Refuses an intercommunicator.
    pub fn check_intra(&self) -> Result<()> {
        if self.inter.is_none() {
            return Ok(());
        }
        Err(Error::new(Class::COMM, format!("{} is an intercommunicator", self.title())))
    }

    /// Virtual topology, if there is one.
    #[inline]
    pub fn topology(&self) -> Option<&Arc<Topology>> {
        self.topology.as_ref()
    }

    /// Sets the virtual topology.
    fn with_topology(self, topology: Option<Arc<Topology>>) -> Comm {
        Comm { topology, ..self }
    }

    /// The error handler for communicators that are made from this one.
    fn handler(&self) -> Errhandler {
        self.errhandler.lock().clone()
    }

    /// Rank of this process in the local group.
    #[inline]
    pub fn rank(&self) -> u32 {
        self.rank
    }

    /// Number of processes in the local group.
    #[inline]
    pub fn size(&self) -> u32 {
        self.group.size()
    }

    /// The engine's rank of a process to which a message may go, or from which one may come. `None`:
    /// `MPI_PROC_NULL`.
    #[inline]
    pub fn peer(&self, rank: i32) -> Result<Option<base::Rank>> {
        if rank.cast_unsigned() < self.peers {
            return Ok(Some(self.peer_offset + rank.cast_unsigned()));
        }
        if rank == PROC_NULL { self.check_not_revoked().map(|()| None) } else { Err(self.no_peer(rank)) }
    }

    #[cold]
    fn no_peer(&self, rank: i32) -> Error {
        let text = format!("rank {rank}; {} has ranks 0 to {}", self.title(), i64::from(self.peers) - 1);
        Error::new(Class::RANK, text)
    }

    /// First rank in the engine's communicator of the processes from which messages come.
    #[inline]
    pub fn first_peer(&self) -> u32 {
        self.peer_offset
    }

    /// The rank in this communicator of the sender of a message.
    #[inline]
    pub fn rank_of_peer(&self, engine_rank: base::Rank) -> i32 {
        engine_rank.wrapping_sub(self.peer_offset).cast_signed()
    }

    /// Name in messages to people.
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
        // Only the first call of MPI_Finalize gets here, and the program may not free them.
        let _ = COMMS.remove(id);
    }
}

#[cold]
fn explain(handle: CommHandle, error: Error) -> Error {
    match handle.0 {
        COMM_NULL => Error::new(Class::COMM, "the communicator is MPI_COMM_NULL"),
        COMM_WORLD | COMM_SELF => state::no_world(),
        _ => error,
    }
}
