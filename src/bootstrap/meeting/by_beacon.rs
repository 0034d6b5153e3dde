//! By a beacon that rank 0 shows at a place of somebody else's: a process manager's, a caller's store.

use std::time::Instant;

use super::{Meeting, Met};
use crate::base::{Error, Result};
use crate::bootstrap::beacon::{Beacon, Shown};
use crate::bootstrap::reach::Backoff;
use crate::bootstrap::tcp_store::Client;
use crate::bootstrap::{JobKey, doors};

impl Meeting<'_> {
    /// Shows the beacon at `place`, or sees it there. One that does not answer is left over from a job before: we look
    /// again until it is replaced.
    pub fn by_beacon(&self, place: &mut dyn Shown) -> Result<Met> {
        if self.seat.rank == 0 {
            let key = self.given.clone().map_or_else(JobKey::random, Ok)?;
            let store = self.serve(&key, doors::open(self.config)?, |addresses| {
                let beacon = Beacon { key: key.clone(), addresses: addresses.to_vec() };
                place.show(&beacon.to_text()).map(|()| None)
            })?;
            return Ok((key, Box::new(store)));
        }
        let (start, mut backoff) = (Instant::now(), Backoff::new());
        loop {
            let Some(Beacon { key, addresses }) = Beacon::parse(&place.see()?) else {
                let detail =
                    format!("what rank 0 has left in {} is not an address of anyccl's", place.place());
                return Err(Error::Bootstrap(detail));
            };
            if let Some(client) = Client::try_join(&self.applicant(&key), &addresses, self.deadline)? {
                return Ok((key, Box::new(client)));
            }
            if !backoff.sleep(self.deadline) {
                let at: Vec<String> = addresses.iter().map(ToString::to_string).collect();
                let detail =
                    format!("rank 0, as told by {}, does not answer at {}", place.place(), at.join(", "));
                return Err(Error::Timeout { waited: start.elapsed(), detail });
            }
        }
    }
}
