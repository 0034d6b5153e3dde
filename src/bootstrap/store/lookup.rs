//! The way by which every rank gets to the store of its job, wherever it looks for it.
//!
//! A rank looks up where the store may be, and tries the addresses. It does so again, with growing pauses,
//! until a store that proves the job key has let it in, or until its deadline. A long wait is logged once.
//! What differs is the [`Lookup`]: a place that all ranks know, a file, or a beacon in a store that anyccl
//! does not serve.

use std::time::{Duration, Instant};

use super::beacon::Beacon;
use super::tcp::client::Client;
use super::waiting::Waiting;
use crate::base::{Error, Result};
use crate::bootstrap::auth::absence::{Absence, Found};
use crate::bootstrap::job::key::JobKey;
use crate::bootstrap::job::seat::Seat;
use crate::sys::clock;

/// Where a rank looks for the store of its job.
pub(crate) trait Lookup {
    /// Key and addresses of the store as they are known now. An absence may end; an error is final.
    fn look_up(&mut self) -> Result<Found<Beacon>>;

    /// What the rank waits for, and why it is not there, for the log.
    fn waits_for(&self, absence: &Absence) -> (String, String);

    /// The sentence for a rank that gives up.
    fn sentence(&self, absence: &Absence) -> String;

    /// How long the absence must last before further waiting makes no sense. `None`: it may always change.
    fn certain_after(&self, _absence: &Absence) -> Option<Duration> {
        None
    }
}

/// Joins the store to which `lookup` leads.
pub(crate) fn join(lookup: &mut dyn Lookup, seat: Seat, deadline: Instant) -> Result<(JobKey, Client)> {
    let mut waiting = Waiting::new(deadline);
    // Result of the last complete try.
    let mut previous: Option<Absence> = None;
    // Time since which all tries have had the same result.
    let mut since = clock::now();
    let rank = format!("rank {}", seat.rank);
    loop {
        let found = match lookup.look_up()? {
            Ok(Beacon { key, addresses }) => {
                Client::try_join(&key, seat, &addresses, deadline)?.map(|client| (key, client))
            }
            Err(absence) => Err(absence),
        };
        let absence = match (found, &previous) {
            (Ok(found), _) => return Ok(found),
            // The deadline may have cut the last try short.
            (Err(absence), Some(previous)) if clock::now() >= deadline => absence.max(previous.clone()),
            (Err(absence), _) => absence,
        };
        if previous.as_ref() != Some(&absence) {
            since = clock::now();
        }
        if lookup.certain_after(&absence).is_some_and(|after| clock::since(since) >= after) {
            return Err(Error::Bootstrap(lookup.sentence(&absence)));
        }
        let (what, why) = lookup.waits_for(&absence);
        if !waiting.pause(&rank, &what, &why) {
            let detail = lookup.sentence(&absence);
            return Err(Error::Timeout { waited: waiting.waited(), detail });
        }
        previous = Some(absence);
    }
}
