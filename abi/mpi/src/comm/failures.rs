//! Going on after the loss of processes: User-Level Failure Mitigation, which MPICH and Open MPI have as
//! extensions.
//!
//! A communicator fails as a whole: when a call needs a lost process, every later call on it fails, on all
//! ranks. What is left to the survivors are the functions here. By [`shrink`] they get a communicator without
//! the lost processes, and by [`agree`] they agree on bits, as often as they like. Both work on communicators
//! that have failed or were revoked, by the engine's agreement of survivors.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyccl_engine::base::{self, Rank};
use anyccl_engine::comm::{self as engine, Survivors};
use anyccl_engine::sys::clock;

use super::Comm;
use super::lost::Lost;
use super::parent::{adopt, named, parent};
use crate::arguments::{CommHandle, GroupHandle, InputOutput, Output, RequestHandle};
use crate::error::{Class, Error, REVOKED, Result};
use crate::group::Group;
use crate::request::{self, Active, Steps};
use crate::state;
use crate::status::Status;

/// Whether the program can go on without processes that are lost, so that their absence is no error at the
/// end.
static IS_TOLERANT: AtomicBool = AtomicBool::new(false);

/// Whether the program has called a function of this module.
pub fn is_tolerant() -> bool {
    IS_TOLERANT.load(Ordering::Relaxed)
}

/// The communicator of a handle, for a function of this module.
fn tolerant(handle: CommHandle) -> Result<Arc<Comm>> {
    IS_TOLERANT.store(true, Ordering::Relaxed);
    Ok(Comm::from_handle(handle)?.share())
}

impl Comm {
    /// Whether this rank, or another one as far as is known, has revoked the communicator.
    fn is_revoked(&self) -> bool {
        self.failures.is_revoked.load(Ordering::Relaxed)
            || matches!(self.engine.failure(), Some(base::Error::Aborted(text)) if text.contains(REVOKED))
    }

    /// Refuses calls that need no other process, if the communicator is revoked.
    #[cold]
    pub(super) fn check_not_revoked(&self) -> Result<()> {
        if !self.is_revoked() {
            return Ok(());
        }
        Err(Error::new(Class::REVOKED, format!("{} was {REVOKED}", self.title())))
    }

    /// Runs `read` on the lost processes that are known now.
    fn with_lost<T>(&self, read: impl FnOnce(&mut Lost) -> T) -> Result<T> {
        let now = self.engine.lost_ranks()?;
        let mut lost = self.failures.lost.lock();
        for rank in now {
            if !lost.ranks.contains(&rank) {
                lost.ranks.push(rank);
            }
        }
        Ok(read(&mut lost))
    }

    /// The group of these ranks of the engine.
    fn group_of(&self, ranks: &[Rank]) -> GroupHandle {
        let world = self.engine.world_ranks();
        Arc::new(Group::new(ranks.iter().map(|rank| world[*rank as usize]).collect())).handle()
    }

    /// The lost processes that the program has acknowledged, by their ranks in the engine.
    fn acknowledged(&self) -> Vec<Rank> {
        let lost = self.failures.lost.lock();
        lost.ranks[..lost.acknowledged].to_vec()
    }

    /// The error of an agreement if a process is lost that some process has not acknowledged. All get it.
    fn check_acknowledged(&self, survivors: &Survivors) -> Result<()> {
        if survivors.is_acknowledged {
            return Ok(());
        }
        let lost: Vec<String> = (0..self.engine.size())
            .filter(|rank| !survivors.ranks.contains(rank))
            .map(|rank| rank.to_string())
            .collect();
        let text = format!(
            "not all processes have acknowledged what is lost of {}: {}",
            self.title(),
            lost.join(", ")
        );
        Err(Error::new(Class::PROC_FAILED, text).on(self.id))
    }
}

/// `MPIX_Comm_revoke`.
pub unsafe fn revoke(comm: CommHandle) -> Result<()> {
    let comm = tolerant(comm)?;
    comm.failures.is_revoked.store(true, Ordering::Relaxed);
    comm.engine.abort(REVOKED);
    if let Some(inter) = comm.inter() {
        inter.local.abort(REVOKED);
    }
    Ok(())
}

/// `MPIX_Comm_is_revoked`.
pub unsafe fn is_revoked(comm: CommHandle, flag: Output<bool>) -> Result<()> {
    flag.set(tolerant(comm)?.is_revoked());
    Ok(())
}

/// `MPIX_Comm_shrink`.
pub unsafe fn shrink(comm: CommHandle, newcomm: Output<CommHandle>) -> Result<()> {
    tolerant(comm)?;
    let parent = parent(comm)?;
    if parent.inter().is_some() {
        let text = "this function is not implemented by anyccl for intercommunicators";
        return Err(Error::new(Class::UNSUPPORTED_OPERATION, text));
    }
    let engine = parent.engine.shrink(&named(&parent, "shrink"))?;
    newcomm.set(adopt(&parent, engine, None));
    Ok(())
}

/// `MPIX_Comm_agree`.
pub unsafe fn agree(comm: CommHandle, flag: InputOutput<i32>) -> Result<()> {
    let comm = tolerant(comm)?;
    let survivors = comm.engine.agree(flag.get().cast_unsigned(), comm.acknowledged())?;
    flag.set(survivors.outcome.cast_signed());
    comm.check_acknowledged(&survivors)
}

/// An agreement that goes on while the program does something else.
struct Agreeing {
    comm: Arc<Comm>,
    since: Instant,
    agreement: engine::Agreement,
    flag: *mut i32,
}

// SAFETY: the program leaves its flag to the request until it is complete, on whatever thread.
unsafe impl Send for Agreeing {}

impl Agreeing {
    /// The error of an agreement that has not ended within the time limit.
    fn overdue(&self) -> Option<Error> {
        let waited = clock::since(self.since);
        state::time_limit().filter(|limit| waited >= *limit)?;
        let text =
            format!("MPIX_Comm_iagree on {}: not all ranks have agreed within {waited:?}", self.comm.title());
        Some(Error::new(Class::OTHER, text).on(self.comm.id))
    }
}

impl Steps for Agreeing {
    fn poll(&mut self) -> Option<Result<Status>> {
        let survivors = match self.comm.engine.poll_agreement(&mut self.agreement) {
            Ok(Some(survivors)) => survivors,
            Ok(None) => return self.overdue().map(Err),
            Err(error) => return Some(Err(Error::from(error).on(self.comm.id))),
        };
        // SAFETY: the program passes a place that is valid until the request is complete.
        unsafe { self.flag.write(survivors.outcome.cast_signed()) };
        Some(self.comm.check_acknowledged(&survivors).map(|()| Status::EMPTY))
    }

    fn current(&self) -> Option<&engine::Request> {
        None
    }
}

/// `MPIX_Comm_iagree`.
pub unsafe fn iagree(comm: CommHandle, flag: *mut c_void, request: Output<RequestHandle>) -> Result<()> {
    let comm = tolerant(comm)?;
    let flag = flag.cast::<i32>();
    if flag.is_null() {
        return Err(Error::new(Class::ARG, "flag is NULL"));
    }
    // SAFETY: the program passes a place that is valid until the request is complete.
    let bits = unsafe { flag.read() }.cast_unsigned();
    let agreement = comm.engine.begin_agreement(bits, comm.acknowledged())?;
    let id = comm.id;
    request.set(request::create(
        id,
        Active::Steps(Box::new(Agreeing { comm, since: clock::now(), agreement, flag })),
    ));
    Ok(())
}

/// `MPIX_Comm_failure_ack`.
pub unsafe fn failure_ack(comm: CommHandle) -> Result<()> {
    tolerant(comm)?.with_lost(|lost| lost.acknowledged = lost.ranks.len())
}

/// `MPIX_Comm_ack_failed`.
pub unsafe fn ack_failed(comm: CommHandle, num_to_ack: i32, num_acked: Output<i32>) -> Result<()> {
    let acknowledge = |lost: &mut Lost| {
        let wanted = usize::try_from(num_to_ack).unwrap_or(0).min(lost.ranks.len());
        lost.acknowledged = lost.acknowledged.max(wanted);
        lost.acknowledged as i32
    };
    num_acked.set(tolerant(comm)?.with_lost(acknowledge)?);
    Ok(())
}

/// `MPIX_Comm_failure_get_acked`.
pub unsafe fn failure_get_acked(comm: CommHandle, failedgrp: Output<GroupHandle>) -> Result<()> {
    let comm = tolerant(comm)?;
    failedgrp.set(comm.group_of(&comm.acknowledged()));
    Ok(())
}

/// `MPIX_Comm_get_failed`.
pub unsafe fn get_failed(comm: CommHandle, failedgrp: Output<GroupHandle>) -> Result<()> {
    let comm = tolerant(comm)?;
    let lost = comm.with_lost(|lost| lost.ranks.clone())?;
    failedgrp.set(comm.group_of(&lost));
    Ok(())
}
