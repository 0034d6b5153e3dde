//! Files (MPI 5.0, chapter 14).
//!
//! A [`File`] is an open file of the file system on every process of a group, and a communicator of the
//! engine for its collective calls. Its view maps positions to bytes of the file.
//!
//! - `open` opens, closes and deletes files; `hints` are those of the standard's info keys.
//! - `transfer` has accesses, with their memory in `elements`; `access` has MPI's functions for accesses of
//!   one rank, `collective` those for accesses of all ranks, of which `two_phase` does the work,
//!   with `aggregator`.
//! - `nonblocking` has non-blocking accesses, `split` those that one function begins and another ends.
//! - `pointer` has the individual file pointer; `shared` has the shared one, `shared_calls` its uses.
//! - `disk` reads and writes ranges of bytes, and gives errors a class and the path.
//! - `inquiry` answers queries and changes the size.
//! - `view` and `view_calls` have views, `representation` their forms of data.
//! - `agree` gives all ranks of a collective call one outcome.
//! - `romio` has the numbers of MPICH and Open MPI.

pub mod access;
mod aggregator;
pub mod agree;
mod amode;
pub mod collective;
mod disk;
mod elements;
mod exchange;
mod hints;
pub mod inquiry;
mod lock;
pub mod nonblocking;
pub mod open;
pub mod pointer;
mod representation;
pub mod romio;
mod shared;
pub mod shared_calls;
pub mod split;
mod state;
mod transfer;
mod two_phase;
mod view;
pub mod view_calls;
mod with;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyccl_engine::comm::Communicator;
use parking_lot::Mutex;

use self::agree::{agree, agree_on};
use self::disk::Disk;
use self::hints::Hints;
use self::shared::SharedPointer;
use self::state::State;
use crate::arguments::FileHandle;
use crate::errhandler::Errhandler;
use crate::error::{Class, Error, Result};
use crate::group::Group;
use crate::table::Table;

/// An open file.
pub struct File {
    /// Number of the file, from which a door makes the handle.
    pub id: u32,
    engine: Communicator,
    group: Arc<Group>,
    disk: Disk,
    amode: i32,
    is_atomic: AtomicBool,
    /// Held by an access in atomic mode: locks exclude other processes only.
    atomic_turn: Mutex<()>,
    state: Mutex<State>,
    /// `None`: some rank could not make it.
    shared: Option<SharedPointer>,
    hints: Mutex<Hints>,
    /// Current error handler.
    pub errhandler: Mutex<Errhandler>,
}

static FILES: Table<File> = Table::new("file", Class::FILE);

impl File {
    /// The file of a handle.
    pub fn from_handle(handle: FileHandle) -> Result<Arc<File>> {
        if handle.is_null() {
            return Err(Error::new(Class::FILE, "the file is MPI_FILE_NULL"));
        }
        FILES.get(handle.0).map(|file| file.share())
    }

    /// Name in messages to people.
    pub fn title(&self) -> String {
        format!("the file {}", self.disk.path().display())
    }
}
