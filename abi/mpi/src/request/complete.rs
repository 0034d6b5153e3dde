//! MPI's functions for one request: wait, test, start, free, cancel.

use std::sync::Arc;

use super::{
    Active, Ended, end, finished, generalized, in_place, is_active, length, look_at, orphans, requests, with,
};
use crate::arguments::{InputOutput, InputOutputs, Output, RequestHandle, StatusPlaces};
use crate::error::{Class, Error, Result};
use crate::status::Status;

/// `MPI_Wait`.
pub unsafe fn wait(request: InputOutput<RequestHandle>, status: StatusPlaces) -> Result<()> {
    let id = request.get();
    if id.is_null() {
        status.set(&Status::EMPTY);
        return Ok(());
    }
    let ended = wait_for(id)?;
    if ended.is_gone {
        request.set(RequestHandle::NULL);
    }
    status.tell(ended.outcome)
}

/// `MPI_Test`.
pub unsafe fn test_one(
    request: InputOutput<RequestHandle>,
    flag: Output<bool>,
    status: StatusPlaces,
) -> Result<()> {
    let id = request.get();
    if id.is_null() {
        flag.set(true);
        status.set(&Status::EMPTY);
        return Ok(());
    }
    let Some(ended) = test(id)? else {
        super::progress_staged();
        flag.set(false);
        return Ok(());
    };
    if ended.is_gone {
        request.set(RequestHandle::NULL);
    }
    flag.set(true);
    status.tell(ended.outcome)
}

/// `MPI_Start`.
pub unsafe fn start(request: InputOutput<RequestHandle>) -> Result<()> {
    start_one(request.get())
}

/// `MPI_Startall`.
pub unsafe fn start_all(count: i32, requests: InputOutputs<RequestHandle>) -> Result<()> {
    let count = length(count)?;
    requests.check(count)?;
    (0..count).try_for_each(|at| start_one(requests.get(at)))
}

fn start_one(id: RequestHandle) -> Result<()> {
    let not_persistent = || Error::new(Class::REQUEST, "only a persistent request can be started");
    if finished::is_finished(id) {
        return Err(not_persistent());
    }
    let (comm, restart) = with(id, |held| {
        let Some(restart) = &held.restart else { return Err(not_persistent()) };
        if held.active.is_some() {
            let text = "the request is active: it is waited for before it is started again";
            return Err(Error::new(Class::REQUEST, text));
        }
        Ok((held.comm, Arc::clone(restart)))
    })??;
    let active = restart.start().map_err(|error| error.on(comm))?;
    with(id, |held| held.put_back(active))
}

/// `MPI_Request_free`. The operation under way runs to its end.
pub unsafe fn free(request: InputOutput<RequestHandle>) -> Result<()> {
    let id = request.get();
    if id.is_null() {
        return Err(Error::new(Class::REQUEST, "the request is MPI_REQUEST_NULL"));
    }
    if finished::is_finished(id) {
        finished::take(id)?;
        request.set(RequestHandle::NULL);
        return Ok(());
    }
    let mut place = requests().find(id.0)?;
    let held = place.held_mut()?;
    if let (Some(restart), Some(_)) = (&held.restart, &held.active) {
        restart.check_free().map_err(|error| error.on(held.comm))?;
    }
    if let Some(Active::Generalized(generalized)) = held.active() {
        let generalized = Arc::clone(generalized);
        request.set(RequestHandle::NULL);
        return generalized::free(id, place, &generalized);
    }
    let active = held.take();
    requests().give_back(id.0, place);
    request.set(RequestHandle::NULL);
    match active {
        None | Some(Active::Complete(_) | Active::Failed(_)) => {}
        Some(active) => orphans::add(active),
    }
    Ok(())
}

/// `MPI_Cancel`.
pub unsafe fn cancel(request: InputOutput<RequestHandle>) -> Result<()> {
    let id = request.get();
    if !is_active(id)? {
        return Err(Error::new(Class::REQUEST, "only an active request can be cancelled"));
    }
    if finished::is_finished(id) {
        return Ok(());
    }
    let generalized = look_at(id, |held| match &held.active {
        Some(Active::Generalized(generalized)) => Some(Arc::clone(generalized)),
        active => {
            active.iter().for_each(Active::cancel);
            None
        }
    })?;
    // The program's function may complete the request.
    generalized.map_or(Ok(()), |generalized| generalized.cancel())
}

/// Waits for a request.
pub(super) fn wait_for(id: RequestHandle) -> Result<Ended> {
    if finished::is_finished(id) {
        return finished::take(id).map(|status| Ended { outcome: Ok(status), is_gone: true });
    }
    let mut place = requests().find(id.0)?;
    let held = place.held_mut()?;
    if in_place::is_needed(held) {
        drop(place);
        return in_place::wait_for_any(&[id]).map(|(_, ended)| ended);
    }
    let Some(mut active) = held.take() else {
        return Ok(Ended { outcome: Ok(Status::EMPTY), is_gone: false });
    };
    if let Active::Complete(status) = active {
        return Ok(end(id, place, Ok(status)));
    }
    held.has_waiter = true;
    drop(place);
    let outcome = active.wait();
    let mut place = requests().find(id.0)?;
    if let Some(held) = &mut place.held {
        held.put_back(active);
    }
    Ok(end(id, place, outcome))
}

/// The end of a request; `None`: it has not ended yet.
pub(super) fn test(id: RequestHandle) -> Result<Option<Ended>> {
    if finished::is_finished(id) {
        return wait_for(id).map(Some);
    }
    let mut place = requests().find(id.0)?;
    let held = place.held_mut()?;
    if held.active.is_none() {
        return Ok(Some(Ended { outcome: Ok(Status::EMPTY), is_gone: false }));
    }
    let Some(outcome) = held.poll() else { return Ok(None) };
    Ok(Some(end(id, place, outcome)))
}
