//! Communicators of one group, made from others (MPI 5.0, section 7.4.2).

use anyccl_engine::comm::Communicator;

use super::hosts::leaders;
use super::parent::{adopt, named, parent};
use super::{Comm, Formed, agreement, intercomm};
use crate::arguments::{CommHandle, GroupHandle, InfoHandle, Output};
use crate::constants as c;
use crate::error::{Class, Error, Result};
use crate::group::Group;
use crate::info::Pairs;
use crate::topology::Topology;

/// `MPI_Comm_dup`.
pub unsafe fn dup(comm: CommHandle, newcomm: Output<CommHandle>) -> Result<()> {
    duplicate(comm, Pairs::default(), &newcomm)
}

/// `MPI_Comm_dup_with_info`.
pub unsafe fn dup_with_info(comm: CommHandle, info: InfoHandle, newcomm: Output<CommHandle>) -> Result<()> {
    duplicate(comm, Pairs::of_handle_or_null(info)?.known_hints(), &newcomm)
}

fn duplicate(comm: CommHandle, info: Pairs, newcomm: &Output<CommHandle>) -> Result<()> {
    let parent = parent(comm)?;
    let (engine, local) = parent.duplicate_engines("dup")?;
    let local = local.map_or_else(Formed::default, Formed::from);
    // After the engine's duplicate: a copy function that fails on one process must not make another process
    // wait.
    let attributes = parent.attributes.copy(parent.id)?;
    newcomm.set(Comm::publish(|id| parent.twin(id, engine.into(), local, attributes, info)));
    Ok(())
}

impl Comm {
    /// New communicators of the engine with the same processes: of all, and of the local group if there are
    /// two groups. Collective.
    pub fn duplicate_engines(&self, how: &str) -> Result<(Communicator, Option<Communicator>)> {
        let all = self.engine.dup(&named(self, how))?;
        let local = self.inter().map(|inter| inter.local.dup(&named(self, &format!("{how}.local"))));
        Ok((all, local.transpose()?))
    }
}

/// `MPI_Comm_split`.
pub unsafe fn split(comm: CommHandle, color: i32, key: i32, newcomm: Output<CommHandle>) -> Result<()> {
    let parent = parent(comm)?;
    if color < 0 && color != c::UNDEFINED {
        return Err(Error::new(Class::ARG, format!("color {color}; it is at least 0, or MPI_UNDEFINED")));
    }
    let color = u32::try_from(color).ok();
    newcomm.set(match parent.inter() {
        None => part(&parent, color, key, "split", |_| None)?,
        Some(_) => intercomm::split(&parent, color, key)?,
    });
    Ok(())
}

/// The communicator of all processes that pass the same color, if this process passes one.
pub fn part(
    parent: &Comm,
    color: Option<u32>,
    key: i32,
    how: &str,
    arrange: impl FnOnce(&Communicator) -> Option<Topology>,
) -> Result<CommHandle> {
    let made = parent.engine.split(color, key, &named(parent, how))?;
    Ok(made.map_or(CommHandle::NULL, |engine| {
        let topology = arrange(&engine);
        adopt(parent, engine, topology)
    }))
}

/// `MPI_Comm_split_type`.
pub unsafe fn split_type(
    comm: CommHandle,
    split_type: i32,
    key: i32,
    info: InfoHandle,
    newcomm: Output<CommHandle>,
) -> Result<()> {
    let parent = parent(comm)?;
    let info = Pairs::of_handle_or_null(info)?;
    let resource = info.get("mpi_hw_resource_type");
    let wants_memory = match split_type {
        c::COMM_TYPE_SHARED => true,
        c::COMM_TYPE_HW_GUIDED | c::COMM_TYPE_RESOURCE_GUIDED => resource == Some("mpi_shared_memory"),
        // The hardware below a host is unknown here, so there is no such part of it.
        c::COMM_TYPE_HW_UNGUIDED | c::UNDEFINED => false,
        other => return Err(Error::new(Class::ARG, format!("{other} is no way to split a communicator"))),
    };
    // A process that wants no communicator does not know what the others want, so all do the same. Ranks of a
    // host that reach each other by TCP only share no memory.
    let host = parent.engine.split_by_host(&named(&parent, "host"))?;
    let leader = leaders(&host)?[host.rank() as usize];
    if parent.inter().is_some() {
        let color = wants_memory.then(|| host.world_ranks()[leader as usize]);
        newcomm.set(intercomm::split(&parent, color, key)?);
        return Ok(());
    }
    let made = host.split(wants_memory.then_some(leader), key, &named(&parent, "shared"))?;
    newcomm.set(made.map_or(CommHandle::NULL, |engine| adopt(&parent, engine, None)));
    Ok(())
}

/// `MPI_Comm_create`.
pub unsafe fn create(comm: CommHandle, group: GroupHandle, newcomm: Output<CommHandle>) -> Result<()> {
    let parent = parent(comm)?;
    let group = Group::from_handle(group)?;
    check_subset(&parent, &group)?;
    let own = parent.group.members()[parent.rank as usize];
    let position = group.position(own);
    if parent.inter().is_some() {
        let color = position.map(|_| 0);
        newcomm.set(intercomm::split(&parent, color, position.unwrap_or(0).cast_signed())?);
        return Ok(());
    }
    // Groups of several processes are equal or disjoint: the first member identifies a group.
    let color = position.and_then(|_| parent.group.position(group.members()[0]));
    newcomm.set(part(&parent, color, position.unwrap_or(0).cast_signed(), "create", |_| None)?);
    Ok(())
}

fn check_subset(parent: &Comm, group: &Group) -> Result<()> {
    match group.members().iter().find(|member| !parent.group.has(**member)) {
        None => Ok(()),
        Some(process) => {
            let text = format!("the group has process {process} of the world, {} has not", parent.title());
            Err(Error::new(Class::GROUP, text))
        }
    }
}

/// `MPI_Comm_create_group`: only the members take part. The first member sends the context to the others.
pub unsafe fn create_group(
    comm: CommHandle,
    group: GroupHandle,
    tag: i32,
    newcomm: Output<CommHandle>,
) -> Result<()> {
    let parent = parent(comm)?;
    parent.check_intra()?;
    let group = Group::from_handle(group)?;
    check_subset(&parent, &group)?;
    if tag < 0 {
        return Err(Error::new(Class::TAG, format!("tag {tag}; a tag is at least 0")));
    }
    let own = parent.group.members()[parent.rank as usize];
    if !group.has(own) {
        newcomm.set(CommHandle::NULL);
        return Ok(());
    }
    let tag = agreement::create_group_tag(tag);
    // All are members of the parent, as was checked.
    let ranks: Vec<u32> =
        group.members().iter().filter_map(|member| parent.group.position(*member)).collect();
    let context = if ranks[0] == parent.rank {
        let context = agreement::new_context()?;
        let sends: Result<Vec<_>> = ranks[1..]
            .iter()
            .map(|rank| agreement::start_send(&parent.engine, *rank, tag, &[context]))
            .collect();
        for mut send in sends? {
            send.wait()?;
        }
        context
    } else {
        agreement::receive(&parent.engine, ranks[0], tag, 1)?[0]
    };
    let engine = agreement::form(context, group.members(), &format!("{}.group", parent.title()))?;
    newcomm.set(adopt(&parent, engine, None));
    Ok(())
}
