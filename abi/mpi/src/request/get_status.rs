//! MPI's functions that look at requests and leave them as they are.

use super::{finished, is_active, length, look_at};
use crate::arguments::{Inputs, Output, Outputs, RequestHandle, StatusPlaces};
use crate::constants::UNDEFINED;
use crate::error::Result;
use crate::status::Status;

/// `MPI_Request_get_status`.
pub unsafe fn one(request: RequestHandle, flag: Output<bool>, status: StatusPlaces) -> Result<()> {
    match look(request)? {
        Some(found) => {
            flag.set(true);
            status.set(&found);
        }
        None => flag.set(false),
    }
    Ok(())
}

/// `MPI_Request_get_status_all`.
pub unsafe fn all(
    count: i32,
    list: Inputs<RequestHandle>,
    flag: Output<bool>,
    statuses: StatusPlaces,
) -> Result<()> {
    let ids = list.read(length(count)?)?;
    let found = ids.iter().map(|id| look(*id)).collect::<Result<Option<Vec<Status>>>>()?;
    flag.set(found.is_some());
    found.iter().flatten().enumerate().for_each(|(at, status)| statuses.set_at(at, status));
    Ok(())
}

/// `MPI_Request_get_status_any`.
pub unsafe fn any(
    count: i32,
    list: Inputs<RequestHandle>,
    index: Output<i32>,
    flag: Output<bool>,
    status: StatusPlaces,
) -> Result<()> {
    let mut some_active = false;
    for (at, id) in list.read(length(count)?)?.into_iter().enumerate() {
        if !is_active(id)? {
            continue;
        }
        some_active = true;
        if let Some(found) = look(id)? {
            index.set(at as i32);
            flag.set(true);
            status.set(&found);
            return Ok(());
        }
    }
    index.set(UNDEFINED);
    flag.set(!some_active);
    if !some_active {
        status.set(&Status::EMPTY);
    }
    Ok(())
}

/// `MPI_Request_get_status_some`.
pub unsafe fn some(
    count: i32,
    list: Inputs<RequestHandle>,
    number: Output<i32>,
    indices: Outputs<i32>,
    statuses: StatusPlaces,
) -> Result<()> {
    let ids = list.read(length(count)?)?;
    indices.check(ids.len())?;
    let (mut found, mut some_active) = (0, false);
    for (at, id) in ids.into_iter().enumerate() {
        if !is_active(id)? {
            continue;
        }
        some_active = true;
        if let Some(status) = look(id)? {
            indices.set(found, at as i32);
            statuses.set_at(found, &status);
            found += 1;
        }
    }
    number.set(if some_active { found as i32 } else { UNDEFINED });
    Ok(())
}

/// The status of a request, if it has completed. The request stays as it is.
fn look(request: RequestHandle) -> Result<Option<Status>> {
    if request.is_null() {
        return Ok(Some(Status::EMPTY));
    }
    if finished::is_finished(request) {
        return finished::status(request).map(Some);
    }
    let outcome = look_at(request, |held| match held.active {
        // The thread that waits ends the request.
        _ if held.has_waiter => None,
        None => Some(Ok(Status::EMPTY)),
        Some(_) => held.poll().map(|outcome| outcome.map_err(|error| error.on(held.comm))),
    })?;
    super::progress_staged();
    outcome.transpose()
}
