//! Communicators made from others: some of their ranks, or all, with a private context on the same links.

use std::ffi::c_int;
use std::sync::Arc;

use anyccl_edge::check::{self, invalid};
use anyccl_edge::{ObjectRef, Out};
use anyccl_engine::base::Result;
use anyccl_engine::comm::{CommConfig, Communicator};

use crate::comm::{COMMS, Comm, NONE, anyccl_comm_t, to_c};
use crate::config::{self, anyccl_config_t};
use crate::status::{anyccl_status_t, edge};

/// A color for anyccl_comm_split: this rank takes part in the call, and is in none of the communicators.
pub const ANYCCL_COLOR_NONE: c_int = -1;

/// Splits a communicator: ranks that pass the same color come together.
///
/// \param parent  [in] Borrowed; it works on as before. ANYCCL_WORLD: the whole job.
/// \param color   [in] 0 or more; or ANYCCL_COLOR_NONE.
/// \param key     [in] Ranks are numbered in ascending order of it, equal ones in the order of their ranks in
///                parent.
/// \param config  [in] Read during the call. NULL: the parent's timeout, and a name made from the parent's.
/// \param comm    [out] Owned by the caller; release with anyccl_comm_destroy(); ANYCCL_COMM_NONE where color
///                is ANYCCL_COLOR_NONE. Written only on ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT for a color below ANYCCL_COLOR_NONE, a NULL comm, a
///          parent that is none or a config that cannot be understood, all before anything is sent; else as a
///          collective of parent.
///
/// Collective over parent. The new communicator uses the parent's connections, so this costs about as much as
/// an all_gather of 32 bytes. It may outlive its parent. Any thread. Replacement for MPI_Comm_split and
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

/// Splits a communicator by hosts: the ranks that share this rank's memory come together, in the order of
/// their ranks.
///
/// \param parent  [in] Borrowed. ANYCCL_WORLD: the whole job.
/// \param config  [in] See anyccl_comm_split.
/// \param comm    [out] Owned by the caller; release with anyccl_comm_destroy(). Written only on
///                ANYCCL_SUCCESS.
/// \returns See anyccl_comm_split.
///
/// Collective over parent. Any thread. Replacement for MPI_Comm_split_type with MPI_COMM_TYPE_SHARED.
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

/// Makes a communicator of the same ranks with a context of its own: what goes on in one is not seen in the
/// other.
///
/// \param parent  [in] Borrowed. ANYCCL_WORLD: the whole job.
/// \param config  [in] See anyccl_comm_split.
/// \param comm    [out] Owned by the caller; release with anyccl_comm_destroy(). Written only on
///                ANYCCL_SUCCESS.
/// \returns See anyccl_comm_split.
///
/// Collective over parent. Any thread. Replacement for MPI_Comm_dup.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn anyccl_comm_dup(
    parent: anyccl_comm_t,
    config: *const anyccl_config_t,
    comm: *mut anyccl_comm_t,
) -> anyccl_status_t {
    // SAFETY: the caller's promises, handed on.
    edge("anyccl_comm_dup", || unsafe { form(parent, config, comm, |parent, own| parent.dup(own).map(Some)) })
}

/// Makes a communicator of some ranks.
///
/// \param parent  [in] Borrowed. ANYCCL_WORLD: the whole job.
/// \param ranks   [in] count ranks of parent, each at most once; the first becomes rank 0, and so on. The
///                same on every rank of parent, members or not. Read during the call.
/// \param count   [in] 0 to the size of parent. With 0, ranks may be NULL.
/// \param config  [in] See anyccl_comm_split.
/// \param comm    [out] Owned by the caller; release with anyccl_comm_destroy(); ANYCCL_COMM_NONE on a rank
///                that is not in the list. Written only on ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT for ranks that are none, or are listed twice, before
///          anything is sent; ANYCCL_ERR_MISMATCH, on all ranks, when the lists differ: nothing is made then,
///          and parent works on; else as anyccl_comm_split.
///
/// Collective over parent. Any thread. Replacement for MPI_Comm_create and torch.distributed.new_group.
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

/// Goes on after a failure: makes a communicator of those ranks that are still there.
///
/// \param parent  [in] Borrowed. It may have failed, and still has to be destroyed. ANYCCL_WORLD: the whole
///                job.
/// \param config  [in] See anyccl_comm_split.
/// \param comm    [out] Owned by the caller; release with anyccl_comm_destroy(). Its ranks are in the order
///                of their ranks in parent. Written only on ANYCCL_SUCCESS.
/// \returns ANYCCL_SUCCESS; ANYCCL_ERR_TIMEOUT when a rank that lives has not called it in time, which the
///          sentence names; ANYCCL_ERR_ABORTED when the others go on without this rank.
///
/// Collective over those ranks of parent whose processes have not ended and that have not destroyed it. All
/// of them get the same ranks, also when more of them die during the call. What was under way in parent is
/// not continued. Any thread. Replacement for MPIX_Comm_shrink of User-Level Failure Mitigation and
/// ncclCommShrink.
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
        Some(engine) => to_c(COMMS.insert(Arc::new(Comm { engine: Arc::new(engine), is_world: false }))),
        None => to_c(NONE),
    });
    Ok(())
}
