//! Communicators made from others: some or all of their ranks, with a private context on the same links.

use std::ffi::c_int;
use std::sync::Arc;

use anyccl_edge::check::{self, invalid};
use anyccl_edge::{ObjectRef, Out};
use anyccl_engine::base::Result;
use anyccl_engine::comm::{CommConfig, Communicator};

use crate::comm::{COMMS, Comm, NONE, anyccl_comm_t, to_c};
use crate::config::{self, anyccl_config_t};
use crate::status::{anyccl_status_t, edge};

/// Color of a rank that takes part in anyccl_comm_split() and becomes a member of no new communicator.
pub const ANYCCL_COLOR_NONE: c_int = -1;

/// Splits a communicator: the ranks with the same color form a new one.
///
/// \param[in]  parent  Communicator to split, or ANYCCL_WORLD. It stays usable.
/// \param[in]  color   0 or more; or ANYCCL_COLOR_NONE.
/// \param[in]  key     Ranks are numbered in ascending order of their keys. Equal keys keep the order of
///                     parent.
/// \param[in]  config  Settings. NULL: the timeout of parent, and a name made from the name of parent.
/// \param[out] comm    Owned by the caller; release with anyccl_comm_destroy(). ANYCCL_COMM_NONE for the
///                     color ANYCCL_COLOR_NONE.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT for a color below ANYCCL_COLOR_NONE, a NULL comm, an
///          invalid parent or an invalid config; otherwise one of \ref failures of parent.
///
/// Collective over parent. The new communicator uses the connections of parent, so the call costs about as
/// much as an all_gather of 32 bytes. It may outlive parent. Replacement for MPI_Comm_split and
/// ncclCommSplit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_comm_split(
    parent: anyccl_comm_t,
    color: c_int,
    key: c_int,
    config: *const anyccl_config_t,
    comm: *mut anyccl_comm_t,
) -> anyccl_status_t {
    // SAFETY: the caller's promises, handed on.
    edge("anyccl_comm_split", || unsafe {
        form(parent, config, comm, |parent, own| {
            let color = match color {
                ANYCCL_COLOR_NONE => None,
                color => match u32::try_from(color) {
                    Ok(color) => Some(color),
                    Err(_) => return invalid("color", format!("{color}; at least 0, or ANYCCL_COLOR_NONE")),
                },
            };
            parent.split(color, key, own)
        })
    })
}

/// Splits a communicator by host: the ranks that share memory with each other form a new one, in the order of
/// parent.
///
/// \param[in]  parent  Communicator to split, or ANYCCL_WORLD.
/// \param[in]  config  Settings, as for anyccl_comm_split().
/// \param[out] comm    Owned by the caller; release with anyccl_comm_destroy().
/// \returns As anyccl_comm_split().
///
/// Collective over parent. Replacement for MPI_Comm_split_type with MPI_COMM_TYPE_SHARED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_comm_split_by_host(
    parent: anyccl_comm_t,
    config: *const anyccl_config_t,
    comm: *mut anyccl_comm_t,
) -> anyccl_status_t {
    // SAFETY: the caller's promises, handed on.
    edge("anyccl_comm_split_by_host", || unsafe {
        form(parent, config, comm, |parent, own| parent.split_by_host(own).map(Some))
    })
}

/// Makes a communicator of the same ranks whose calls and messages are separate from those of parent.
///
/// \param[in]  parent  Communicator to duplicate, or ANYCCL_WORLD.
/// \param[in]  config  Settings, as for anyccl_comm_split().
/// \param[out] comm    Owned by the caller; release with anyccl_comm_destroy().
/// \returns As anyccl_comm_split().
///
/// Collective over parent. Replacement for MPI_Comm_dup.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_comm_dup(
    parent: anyccl_comm_t,
    config: *const anyccl_config_t,
    comm: *mut anyccl_comm_t,
) -> anyccl_status_t {
    // SAFETY: the caller's promises, handed on.
    edge("anyccl_comm_dup", || unsafe { form(parent, config, comm, |parent, own| parent.dup(own).map(Some)) })
}

/// Makes a communicator of some ranks of another one.
///
/// \param[in]  parent  Communicator that has the ranks, or ANYCCL_WORLD.
/// \param[in]  ranks   Array of count ranks of parent, each at most once. The first becomes rank 0, and so
///                     on. The same on every rank of parent, members or not.
/// \param[in]  count   Length of the array: 0 to the size of parent. With 0, ranks may be NULL.
/// \param[in]  config  Settings, as for anyccl_comm_split().
/// \param[out] comm    Owned by the caller; release with anyccl_comm_destroy(). ANYCCL_COMM_NONE on a rank
///                     that is not in the array.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT for a rank that is out of range or listed twice;
///          ANYCCL_ERR_MISMATCH on all ranks when the arrays differ: no communicator is made then, and parent
///          stays usable; otherwise as anyccl_comm_split().
///
/// Collective over parent. Replacement for MPI_Comm_create and torch.distributed.new_group.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_comm_create_from_ranks(
    parent: anyccl_comm_t,
    ranks: *const c_int,
    count: c_int,
    config: *const anyccl_config_t,
    comm: *mut anyccl_comm_t,
) -> anyccl_status_t {
    let listed = |parent: &Communicator| -> Result<Vec<u32>> {
        let count = match usize::try_from(count) {
            Ok(count) if count <= parent.size() as usize => count,
            _ => return invalid("count", format!("{count}; accepted: 0 to {}", parent.size())),
        };
        if count == 0 {
            return Ok(Vec::new());
        }
        check::not_null(ranks, "ranks")?;
        // SAFETY: not NULL; the caller promises `count` readable numbers, which nobody changes during the
        // call.
        let ranks = unsafe { std::slice::from_raw_parts(ranks, count) };
        ranks.iter().map(|rank| check::rank(*rank, parent.size(), "ranks")).collect()
    };
    // SAFETY: the caller's promises, handed on.
    edge("anyccl_comm_create_from_ranks", || unsafe {
        form(parent, config, comm, |parent, own| parent.create_from_ranks(&listed(parent)?, own))
    })
}

/// Makes a new communicator of the ranks that are still alive, to go on after a failure.
///
/// \param[in]  parent  Communicator, or ANYCCL_WORLD. It may have failed. It must still be destroyed.
/// \param[in]  config  Settings, as for anyccl_comm_split().
/// \param[out] comm    Owned by the caller; release with anyccl_comm_destroy(). Its ranks are in the order of
///                     parent.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_TIMEOUT when a rank that is alive did not make the call in time (the
///          message names it); ANYCCL_ERR_ABORTED when the other ranks go on without this one.
///
/// Collective over the ranks of parent whose processes have not ended and that have not destroyed it. All of
/// them get the same ranks, even if more ranks die during the call. Operations that were running in parent
/// are not continued. Replacement for MPIX_Comm_shrink of User-Level Failure Mitigation and ncclCommShrink.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_comm_shrink(
    parent: anyccl_comm_t,
    config: *const anyccl_config_t,
    comm: *mut anyccl_comm_t,
) -> anyccl_status_t {
    // SAFETY: the caller's promises, handed on.
    edge("anyccl_comm_shrink", || unsafe {
        form(parent, config, comm, |parent, own| parent.shrink(own).map(Some))
    })
}

/// # Safety
/// See [`config::read`] for `config`, and [`Out::new`] for `comm`.
unsafe fn form(
    parent: anyccl_comm_t,
    config: *const anyccl_config_t,
    comm: *mut anyccl_comm_t,
    how: impl FnOnce(&Communicator, &CommConfig) -> Result<Option<Communicator>>,
) -> Result<()> {
    // SAFETY: handed on.
    let comm = unsafe { Out::new(comm, "comm") }?;
    let parent: ObjectRef<Comm> = Comm::from_handle(parent)?;
    // SAFETY: handed on.
    let (_, own) = unsafe { config::read(config) }?;
    comm.set(match how(&parent.engine, &own)? {
        Some(engine) => to_c(COMMS.insert(Arc::new(Comm { engine: engine.shared(), is_world: false }))),
        None => to_c(NONE),
    });
    Ok(())
}
