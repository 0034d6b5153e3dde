//! MPI's functions on groups.

use std::sync::Arc;

use super::Group;
use super::operations::ranks_of_ranges;
use crate::arguments::{CommHandle, GroupHandle, InputOutput, Inputs, Output, Outputs};
use crate::comm::Comm;
use crate::constants::UNDEFINED;
use crate::error::{Class, Error, Result};
use crate::state;

/// Length of an array, which must not be negative.
fn length(n: i32) -> Result<usize> {
    usize::try_from(n).map_err(|_| Error::new(Class::ARG, format!("n is {n}, less than 0")))
}

fn give(group: Group, newgroup: &Output<GroupHandle>) -> Result<()> {
    newgroup.set(Arc::new(group).handle());
    Ok(())
}

/// `MPI_Comm_group`.
pub unsafe fn of_comm(comm: CommHandle, group: Output<GroupHandle>) -> Result<()> {
    group.set(Arc::clone(Comm::from_handle(comm)?.group()).handle());
    Ok(())
}

/// `MPI_Comm_remote_group`.
pub unsafe fn of_remote(comm: CommHandle, group: Output<GroupHandle>) -> Result<()> {
    let comm = Comm::from_handle(comm)?;
    group.set(Arc::clone(&comm.intercommunicator()?.remote).handle());
    Ok(())
}

/// `MPI_Group_size`.
pub unsafe fn size(group: GroupHandle, size: Output<i32>) -> Result<()> {
    size.set(Group::from_handle(group)?.size().cast_signed());
    Ok(())
}

/// `MPI_Group_rank`.
pub unsafe fn rank(group: GroupHandle, rank: Output<i32>) -> Result<()> {
    let group = Group::from_handle(group)?;
    let own = group.position(state::world()?.rank());
    rank.set(own.map_or(UNDEFINED, u32::cast_signed));
    Ok(())
}

/// `MPI_Group_translate_ranks`.
pub unsafe fn translate_ranks(
    group1: GroupHandle,
    n: i32,
    ranks1: Inputs<i32>,
    group2: GroupHandle,
    ranks2: Outputs<i32>,
) -> Result<()> {
    let (from, to) = (Group::from_handle(group1)?, Group::from_handle(group2)?);
    let ranks = ranks1.read(length(n)?)?;
    let translated: Result<Vec<i32>> = ranks.into_iter().map(|rank| from.translate(rank, &to)).collect();
    ranks2.set_all(translated?.into_iter())
}

/// `MPI_Group_compare`.
pub unsafe fn compare(group1: GroupHandle, group2: GroupHandle, result: Output<i32>) -> Result<()> {
    result.set(Group::from_handle(group1)?.compare(&*Group::from_handle(group2)?));
    Ok(())
}

/// `MPI_Group_union`.
pub unsafe fn union(group1: GroupHandle, group2: GroupHandle, newgroup: Output<GroupHandle>) -> Result<()> {
    give(Group::from_handle(group1)?.union(&*Group::from_handle(group2)?), &newgroup)
}

/// `MPI_Group_intersection`.
pub unsafe fn intersection(
    group1: GroupHandle,
    group2: GroupHandle,
    newgroup: Output<GroupHandle>,
) -> Result<()> {
    give(Group::from_handle(group1)?.intersection(&*Group::from_handle(group2)?), &newgroup)
}

/// `MPI_Group_difference`.
pub unsafe fn difference(
    group1: GroupHandle,
    group2: GroupHandle,
    newgroup: Output<GroupHandle>,
) -> Result<()> {
    give(Group::from_handle(group1)?.difference(&*Group::from_handle(group2)?), &newgroup)
}

/// `MPI_Group_incl`.
pub unsafe fn include(
    group: GroupHandle,
    n: i32,
    ranks: Inputs<i32>,
    newgroup: Output<GroupHandle>,
) -> Result<()> {
    give(Group::from_handle(group)?.include(&ranks.read(length(n)?)?)?, &newgroup)
}

/// `MPI_Group_excl`.
pub unsafe fn exclude(
    group: GroupHandle,
    n: i32,
    ranks: Inputs<i32>,
    newgroup: Output<GroupHandle>,
) -> Result<()> {
    give(Group::from_handle(group)?.exclude(&ranks.read(length(n)?)?)?, &newgroup)
}

/// `MPI_Group_range_incl`.
pub unsafe fn range_include(
    group: GroupHandle,
    n: i32,
    ranges: Inputs<[i32; 3]>,
    newgroup: Output<GroupHandle>,
) -> Result<()> {
    let group = Group::from_handle(group)?;
    let ranks = ranks_of_ranges(&ranges.read(length(n)?)?, group.size())?;
    give(group.include(&ranks)?, &newgroup)
}

/// `MPI_Group_range_excl`.
pub unsafe fn range_exclude(
    group: GroupHandle,
    n: i32,
    ranges: Inputs<[i32; 3]>,
    newgroup: Output<GroupHandle>,
) -> Result<()> {
    let group = Group::from_handle(group)?;
    let ranks = ranks_of_ranges(&ranges.read(length(n)?)?, group.size())?;
    give(group.exclude(&ranks)?, &newgroup)
}

/// `MPI_Group_free`.
pub unsafe fn free(group: InputOutput<GroupHandle>) -> Result<()> {
    Group::free(group.get())?;
    group.set(GroupHandle::NULL);
    Ok(())
}
