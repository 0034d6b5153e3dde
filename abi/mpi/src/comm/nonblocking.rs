//! `MPI_Comm_idup`: makes a duplicate while the program goes on.
//!
//! Rank 0 sends the contexts to the other ranks. The handle of the new communicator is known at once. The
//! engine's communicator is formed when the contexts have arrived, which completes the request. It may be
//! impossible to form it on this rank or on rank 0. Then the request fails, and so does each use of the new
//! communicator.

use std::sync::Arc;

use anyccl_engine::base::Datatype;
use anyccl_engine::comm::{CallSpec, Request};
use anyccl_engine::p2p::{RecvBuffer, Selector};

use super::parent::parent;
use super::{Comm, Formed, agreement};
use crate::arguments::{CommHandle, InfoHandle, Output, RequestHandle};
use crate::error::{Class, Error, Result};
use crate::info::Pairs;
use crate::request::{self, Active, Stage, Staged};
use crate::state;

/// The message that rank 0 sends when it has no contexts.
const NO_CONTEXT: u64 = u64::MAX;

/// `MPI_Comm_idup`.
pub unsafe fn idup(
    comm: CommHandle,
    newcomm: Output<CommHandle>,
    request: Output<RequestHandle>,
) -> Result<()> {
    start(comm, Pairs::default(), &newcomm, &request)
}

/// `MPI_Comm_idup_with_info`.
pub unsafe fn idup_with_info(
    comm: CommHandle,
    info: InfoHandle,
    newcomm: Output<CommHandle>,
    request: Output<RequestHandle>,
) -> Result<()> {
    start(comm, Pairs::of_handle_or_null(info)?.known_hints(), &newcomm, &request)
}

fn start(
    comm: CommHandle,
    info: Pairs,
    newcomm: &Output<CommHandle>,
    request: &Output<RequestHandle>,
) -> Result<()> {
    let parent = parent(comm)?;
    // The duplicate gets the attributes of this moment.
    let attributes = parent.attributes.copy(parent.id)?;
    let handle = Comm::publish(|id| parent.twin(id, Formed::default(), Formed::default(), attributes, info));
    let made = Comm::from_handle(handle)?.share();
    let active = match parent.engine.rank() {
        0 => lead(&parent, made)?,
        _ => follow(&parent, made)?,
    };
    newcomm.set(handle);
    request.set(request::create(parent.id, active));
    Ok(())
}

/// The operation of rank 0, which has the contexts. It is complete when all messages have been sent.
fn lead(parent: &Comm, made: Arc<Comm>) -> Result<Active> {
    let forming = Forming(made);
    let contexts = agreement::new_context().and_then(|first| Ok([first, agreement::new_context()?]));
    let told = contexts.as_ref().map_or([NO_CONTEXT; 2], |contexts| *contexts);
    let sends: Result<Vec<Request>> = (1..parent.engine.size())
        .map(|rank| agreement::start_send(&parent.engine, rank, agreement::DUPLICATE, &told))
        .collect();
    form(parent, &forming.0, contexts?)?;
    let stages = sends?.into_iter().map(|send| Box::new(move |_: &_| Ok(Some(send))) as Stage);
    Staged::start(stages)
}

/// The operation of every other rank: receives the contexts.
fn follow(parent: &Arc<Comm>, made: Arc<Comm>) -> Result<Active> {
    // The stage after the receive frees this. If that stage never runs, it must not be freed.
    let place = ReceivedContexts(Box::into_raw(Box::new([0u64; 2])));
    let buffer = RecvBuffer { data: place.0.cast(), datatype: Datatype::Byte, count: 16, is_lenient: true };
    let selector = Selector::new(Some(0), Some(agreement::DUPLICATE));
    // SAFETY: the place has 16 bytes and lives until the receive is complete.
    let receive = unsafe { parent.engine.start(CallSpec::Receive(selector, buffer)) }?;
    let parent = Arc::clone(parent);
    let forming = Forming(made);
    let last: Stage = Box::new(move |_| {
        form(&parent, &forming.0, place.take())?;
        Ok(None)
    });
    Staged::after(receive, 0, [last])
}

/// A communicator that is not formed yet. If its request fails, this is dropped, and the communicator fails.
struct Forming(Arc<Comm>);

impl Drop for Forming {
    fn drop(&mut self) {
        // Without a world no function can use the communicator.
        let Ok(world) = state::world() else { return };
        let reason = "MPI_Comm_idup has failed on this rank; its request has the error";
        self.0.engine.fail(&world, reason);
        if let Some(inter) = &self.0.inter {
            inter.local.fail(&world, reason);
        }
    }
}

/// Memory in which the contexts are received.
struct ReceivedContexts(*mut [u64; 2]);

// SAFETY: it owns what it points to.
unsafe impl Send for ReceivedContexts {}

impl ReceivedContexts {
    /// Returns the received contexts. Called once, after the receive.
    fn take(self) -> [u64; 2] {
        // SAFETY: from `Box::into_raw`; the receive is complete and nobody else knows it.
        *unsafe { Box::from_raw(self.0) }
    }
}

/// Forms the engine's communicators of the new communicator.
fn form(parent: &Comm, made: &Comm, contexts: [u64; 2]) -> Result<()> {
    if contexts.contains(&NO_CONTEXT) {
        return Err(Error::new(Class::OTHER, "rank 0 could not make a new communicator"));
    }
    let title = parent.title();
    let own = agreement::form(contexts[0], parent.engine.world_ranks(), &format!("{title}.idup"))?;
    if let Some(inter) = &made.inter {
        let name = format!("{title}.idup.local");
        inter.local.set(agreement::form(contexts[1], parent.group.members(), &name)?);
    }
    made.engine.set(own);
    Ok(())
}
