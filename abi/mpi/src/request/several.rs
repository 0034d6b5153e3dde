//! MPI's functions for several requests: wait and test for all, any and some.

use super::complete::{test, wait_for};
use super::{Active, Ended, end, finished, in_place, is_active, length, requests, waiting, with};
use crate::arguments::{InputOutputs, Output, Outputs, RequestHandle, StatusPlaces};
use crate::constants::UNDEFINED;
use crate::error::{Class, Error, Result};
use crate::status::Status;

/// A count of requests whose list is not NULL.
fn checked(count: i32, list: &InputOutputs<RequestHandle>) -> Result<usize> {
    let count = length(count)?;
    list.check(count)?;
    Ok(count)
}

/// `MPI_Waitall`.
pub unsafe fn wait_all(count: i32, list: InputOutputs<RequestHandle>, statuses: StatusPlaces) -> Result<()> {
    let count = checked(count, &list)?;
    let mut failures = Failures::default();
    for at in 0..count {
        let id = list.get(at);
        let ended = if id.is_null() { nothing() } else { wait_for(id)? };
        finish(&list, at, ended, &statuses, at, &mut failures);
    }
    failures.outcome(&statuses, count)
}

/// `MPI_Testall`.
pub unsafe fn test_all(
    count: i32,
    list: InputOutputs<RequestHandle>,
    flag: Output<bool>,
    statuses: StatusPlaces,
) -> Result<()> {
    let count = checked(count, &list)?;
    for at in 0..count {
        if !has_ended(list.get(at))? {
            super::progress_staged();
            flag.set(false);
            return Ok(());
        }
    }
    flag.set(true);
    // SAFETY: the arguments are our caller's.
    unsafe { wait_all(count as i32, list, statuses) }
}

/// `MPI_Waitany`.
pub unsafe fn wait_any(
    count: i32,
    list: InputOutputs<RequestHandle>,
    index: Output<i32>,
    status: StatusPlaces,
) -> Result<()> {
    let count = checked(count, &list)?;
    let ended = match first_ended(&list, count)? {
        Some(ended) => Some(ended),
        None => wait_until_ended(&list, count)?,
    };
    tell(&list, ended, &index, &status)
}

/// `MPI_Testany`.
pub unsafe fn test_any(
    count: i32,
    list: InputOutputs<RequestHandle>,
    index: Output<i32>,
    flag: Output<bool>,
    status: StatusPlaces,
) -> Result<()> {
    let count = checked(count, &list)?;
    let ended = first_ended(&list, count)?;
    if ended.is_none() && any_active(&list, count)? {
        super::progress_staged();
        flag.set(false);
        index.set(UNDEFINED);
        return Ok(());
    }
    flag.set(true);
    tell(&list, ended, &index, &status)
}

/// `MPI_Waitsome`.
pub unsafe fn wait_some(
    count: i32,
    list: InputOutputs<RequestHandle>,
    found: Output<i32>,
    indices: Outputs<i32>,
    statuses: StatusPlaces,
) -> Result<()> {
    let count = checked(count, &list)?;
    indices.check(count)?;
    let first = match first_ended(&list, count)? {
        Some(ended) => Some(ended),
        None => wait_until_ended(&list, count)?,
    };
    some(&list, count, first, &found, &indices, &statuses)
}

/// `MPI_Testsome`.
pub unsafe fn test_some(
    count: i32,
    list: InputOutputs<RequestHandle>,
    found: Output<i32>,
    indices: Outputs<i32>,
    statuses: StatusPlaces,
) -> Result<()> {
    let count = checked(count, &list)?;
    indices.check(count)?;
    let first = first_ended(&list, count)?;
    if first.is_none() && any_active(&list, count)? {
        super::progress_staged();
        found.set(0);
        return Ok(());
    }
    some(&list, count, first, &found, &indices, &statuses)
}

/// The result for a null request or an inactive one.
fn nothing() -> Ended {
    Ended { outcome: Ok(Status::EMPTY), is_gone: false }
}

/// Whether a request has ended. It stays as it is.
fn has_ended(id: RequestHandle) -> Result<bool> {
    if id.is_null() {
        return Ok(true);
    }
    if finished::is_finished(id) {
        return finished::status(id).map(|_| true);
    }
    with(id, |held| match &held.active {
        None => true,
        // The function that ends the request calls its query function.
        Some(Active::Generalized(generalized)) => generalized.is_complete(),
        Some(_) => held.poll().is_some(),
    })
}

fn any_active(list: &InputOutputs<RequestHandle>, count: usize) -> Result<bool> {
    for at in 0..count {
        if is_active(list.get(at))? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The first active request that has ended, with its index.
fn first_ended(list: &InputOutputs<RequestHandle>, count: usize) -> Result<Option<(usize, Ended)>> {
    for at in 0..count {
        let id = list.get(at);
        if is_active(id)?
            && let Some(ended) = test(id)?
        {
            return Ok(Some((at, ended)));
        }
    }
    Ok(None)
}

/// Waits until an active request has ended; `None`: no request is active.
fn wait_until_ended(list: &InputOutputs<RequestHandle>, count: usize) -> Result<Option<(usize, Ended)>> {
    let mut active = Vec::new();
    let mut concerns_others = false;
    for at in 0..count {
        let id = list.get(at);
        if is_active(id)? {
            active.push((at, id));
            concerns_others |= with(id, |held| in_place::is_needed(held))?;
        }
    }
    if concerns_others {
        let ids: Vec<_> = active.iter().map(|(_, id)| *id).collect();
        return in_place::wait_for_any(&ids).map(|(place, ended)| Some((active[place].0, ended)));
    }
    let mut taken = Vec::new();
    for (at, id) in active {
        let active = with(id, |held| {
            held.has_waiter = true;
            held.active.take()
        })?;
        taken.extend(active.map(|active| (at, id, active)));
    }
    let mut first = None;
    if !taken.is_empty() {
        let mut actives: Vec<&mut Active> = taken.iter_mut().map(|(_, _, active)| active).collect();
        waiting::wait_for_any(&mut actives, |actives| {
            let mut all = actives.iter_mut().enumerate();
            first = all.find_map(|(place, active)| active.poll().map(|outcome| (place, outcome)));
            first.is_some()
        });
    }
    let mut found = None;
    for (place, (at, id, active)) in taken.into_iter().enumerate() {
        let mut slot = requests().find(id.0)?;
        if let Some(held) = &mut slot.held {
            held.has_waiter = false;
            held.active = Some(active);
        }
        if let Some((_, outcome)) = first.take_if(|(its, _)| *its == place) {
            found = Some((at, end(id, slot, outcome)));
        }
    }
    Ok(found)
}

/// Reports the one request that has ended.
fn tell(
    list: &InputOutputs<RequestHandle>,
    ended: Option<(usize, Ended)>,
    index: &Output<i32>,
    status: &StatusPlaces,
) -> Result<()> {
    let Some((at, ended)) = ended else {
        index.set(UNDEFINED);
        status.set(&Status::EMPTY);
        return Ok(());
    };
    if ended.is_gone {
        list.set(at, RequestHandle::NULL);
    }
    index.set(at as i32);
    status.tell(ended.outcome)
}

/// Reports all requests that have ended, of which `first` is the first.
fn some(
    list: &InputOutputs<RequestHandle>,
    count: usize,
    first: Option<(usize, Ended)>,
    found: &Output<i32>,
    indices: &Outputs<i32>,
    statuses: &StatusPlaces,
) -> Result<()> {
    let Some((start, ended)) = first else {
        found.set(UNDEFINED);
        return Ok(());
    };
    let mut failures = Failures::default();
    indices.set(0, start as i32);
    finish(list, start, ended, statuses, 0, &mut failures);
    let mut number = 1;
    for at in start + 1..count {
        let id = list.get(at);
        if is_active(id)?
            && let Some(ended) = test(id)?
        {
            indices.set(number, at as i32);
            finish(list, at, ended, statuses, number, &mut failures);
            number += 1;
        }
    }
    found.set(number as i32);
    failures.outcome(statuses, number)
}

/// The errors among several requests.
#[derive(Default)]
struct Failures {
    first: Option<Error>,
    /// Index and class of each error.
    all: Vec<(usize, Class)>,
}

impl Failures {
    /// The error of the whole function. The statuses of the successful requests get MPI_SUCCESS.
    fn outcome(self, statuses: &StatusPlaces, count: usize) -> Result<()> {
        let Some(first) = self.first else { return Ok(()) };
        let mut failed = self.all.into_iter().peekable();
        for at in 0..count {
            let class = failed.next_if(|(its, _)| *its == at).map_or(Class::SUCCESS, |(_, class)| class);
            statuses.set_error(at, class);
        }
        let whole = Error::new(Class::IN_STATUS, first.text.clone());
        Err(match first.comm {
            Some(comm) => whole.on(comm),
            None => whole,
        })
    }
}

fn finish(
    list: &InputOutputs<RequestHandle>,
    at: usize,
    ended: Ended,
    statuses: &StatusPlaces,
    place: usize,
    failures: &mut Failures,
) {
    if ended.is_gone {
        list.set(at, RequestHandle::NULL);
    }
    match ended.outcome {
        Ok(status) => statuses.set_at(place, &status),
        Err(error) => {
            statuses.set_at(place, &Status::of_failed(&error));
            failures.all.push((place, error.class));
            failures.first.get_or_insert(error);
        }
    }
}
