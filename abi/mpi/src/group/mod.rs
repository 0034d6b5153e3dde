//! Groups: ordered sets of processes. A process is its rank in the world.

pub mod calls;
mod operations;

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use anyccl_engine::base;

use crate::arguments::GroupHandle;
use crate::constants::{GROUP_EMPTY, GROUP_NULL};
use crate::error::{Class, Error, Result};
use crate::table::Table;

/// An ordered set of processes.
#[derive(Debug)]
pub struct Group {
    /// World ranks, in order.
    members: Vec<base::Rank>,
    /// Position by world rank, made on first use.
    positions: OnceLock<HashMap<base::Rank, u32>>,
    /// Number of the session from which it was made.
    session: Option<u32>,
}

/// All groups for which the program has handles.
static GROUPS: Table<Group> = Table::new("group", Class::GROUP);

impl Group {
    /// A group of these processes, each of which occurs once.
    pub fn new(members: Vec<base::Rank>) -> Group {
        Group { members, positions: OnceLock::new(), session: None }
    }

    /// This group, made from a session or from what was made from one.
    pub fn of_session(self, session: Option<u32>) -> Group {
        Group { session, ..self }
    }

    /// Number of the session from which it was made.
    pub fn session(&self) -> Option<u32> {
        self.session
    }

    /// World ranks, in order.
    pub fn members(&self) -> &[base::Rank] {
        &self.members
    }

    /// Number of processes.
    pub fn size(&self) -> u32 {
        self.members.len() as u32
    }

    /// Position of a process.
    pub fn position(&self, process: base::Rank) -> Option<u32> {
        let positions = || (0..).zip(&self.members).map(|(at, member)| (*member, at)).collect();
        self.positions.get_or_init(positions).get(&process).copied()
    }

    /// The group of a handle.
    pub fn from_handle(handle: GroupHandle) -> Result<Arc<Group>> {
        match handle.0 {
            GROUP_EMPTY => Ok(Arc::new(Group::new(Vec::new()))),
            GROUP_NULL => Err(Error::new(Class::GROUP, "the group is MPI_GROUP_NULL")),
            id => GROUPS.get(id).map(|group| group.share()),
        }
    }

    /// A handle to a group. An empty group has `MPI_GROUP_EMPTY`.
    pub fn handle(self: Arc<Group>) -> GroupHandle {
        if self.members.is_empty() { GroupHandle(GROUP_EMPTY) } else { GroupHandle(GROUPS.insert(self)) }
    }

    /// Frees a handle.
    pub fn free(handle: GroupHandle) -> Result<()> {
        match handle.0 {
            GROUP_EMPTY => Ok(()),
            GROUP_NULL => Err(Error::new(Class::GROUP, "the group is MPI_GROUP_NULL")),
            id => GROUPS.remove(id).map(drop),
        }
    }
}
