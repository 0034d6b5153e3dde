//! Discovery by a beacon that rank 0 publishes in a store that anyccl does not serve: the process manager's
//! or the caller's.

use super::listeners;
use super::meeting::{Discovery, KeyAndStore};
use crate::base::{Error, Result};
use crate::bootstrap::job::key::JobKey;
use crate::bootstrap::store::beacon::{Beacon, BeaconChannel};
use crate::bootstrap::store::tcp::client::{Client, Joined};
use crate::bootstrap::store::waiting::Waiting;

impl Discovery<'_> {
    /// Publishes the beacon on rank 0, reads it on the others. If nobody answers at the addresses of a
    /// beacon, it is left over from an earlier job. It is read again until it is replaced.
    pub fn by_beacon(&self, channel: &mut dyn BeaconChannel) -> Result<KeyAndStore> {
        if self.seat.rank == 0 {
            let key = self.given.clone().map_or_else(JobKey::random, Ok)?;
            let store = self.serve(&key, listeners::open(self.config)?, |addresses| {
                let beacon = Beacon { key: key.clone(), addresses: addresses.to_vec() };
                channel.publish(&beacon.to_text()).map(|()| None)
            })?;
            return Ok((key, Box::new(store)));
        }
        let mut waiting = Waiting::new(self.deadline);
        loop {
            let Some(Beacon { key, addresses }) = Beacon::parse(&channel.read()?) else {
                let detail =
                    format!("what rank 0 has left in {} is not an address of anyccl's", channel.name());
                return Err(Error::Bootstrap(detail));
            };
            let absence = match Client::try_join(&self.applicant(&key), &addresses, self.deadline)? {
                Joined::Client(client) => return Ok((key, Box::new(client))),
                Joined::Absent(absence) => absence,
            };
            let at: Vec<String> = addresses.iter().map(ToString::to_string).collect();
            let (at, rank) = (at.join(", "), format!("rank {}", self.seat.rank));
            if !waiting.pause(&rank, &format_args!("rank 0 at {at}, as told by {}", channel.name()), &absence)
            {
                let detail =
                    format!("rank 0, as told by {}, does not answer at {at} ({absence})", channel.name());
                return Err(Error::Timeout { waited: waiting.waited(), detail });
            }
        }
    }
}
