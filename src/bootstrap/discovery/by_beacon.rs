//! Discovery by a beacon that rank 0 publishes in a store that anyccl does not serve: the process manager's
//! or the caller's.

use std::net::SocketAddr;

use super::listeners;
use super::meeting::{Discovery, KeyAndStore};
use crate::base::{Error, Result};
use crate::bootstrap::auth::absence::{Absence, Found};
use crate::bootstrap::job::key::JobKey;
use crate::bootstrap::store::beacon::{Beacon, BeaconChannel};
use crate::bootstrap::store::lookup::Lookup;

impl Discovery<'_> {
    /// Publishes the beacon on rank 0, reads it on the others.
    pub fn by_beacon(&self, channel: &mut dyn BeaconChannel) -> Result<KeyAndStore> {
        if self.seat.rank != 0 {
            return self.find(&mut PublishedBeacon { channel, seen: Vec::new() });
        }
        let key = self.given.clone().map_or_else(JobKey::random, Ok)?;
        self.serve(key.clone(), listeners::open(self.config)?, |addresses| {
            let beacon = Beacon { key, addresses: addresses.to_vec() };
            channel.publish(&beacon.to_text()).map(|()| None)
        })
    }
}

/// The beacon in its channel. If nobody answers at its addresses, it is left over from an earlier job. It is
/// read again until it is replaced.
struct PublishedBeacon<'a> {
    channel: &'a mut dyn BeaconChannel,
    /// The addresses that were read last.
    seen: Vec<SocketAddr>,
}

impl PublishedBeacon<'_> {
    fn addresses(&self) -> String {
        let seen: Vec<String> = self.seen.iter().map(ToString::to_string).collect();
        seen.join(", ")
    }
}

impl Lookup for PublishedBeacon<'_> {
    fn look_up(&mut self) -> Result<Found<Beacon>> {
        let Some(beacon) = Beacon::parse(&self.channel.read()?) else {
            let detail =
                format!("what rank 0 has left in {} is not an address of anyccl's", self.channel.name());
            return Err(Error::Bootstrap(detail));
        };
        self.seen.clone_from(&beacon.addresses);
        Ok(Ok(beacon))
    }

    fn waits_for(&self, absence: &Absence) -> (String, String) {
        let what = format!("rank 0 at {}, as told by {}", self.addresses(), self.channel.name());
        (what, absence.to_string())
    }

    fn sentence(&self, absence: &Absence) -> String {
        let (name, at) = (self.channel.name(), self.addresses());
        format!("rank 0, as told by {name}, does not answer at {at} ({absence})")
    }
}
