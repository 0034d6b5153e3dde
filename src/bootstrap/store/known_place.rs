//! A place of the store that the rank knows, or that its host's name leads to.

use std::net::SocketAddr;
use std::time::Duration;

use super::beacon::Beacon;
use super::lookup::Lookup;
use super::waiting::LONG;
use crate::base::Result;
use crate::bootstrap::auth::absence::{Absence, Found};
use crate::bootstrap::job::key::JobKey;

/// A place where a store should be.
pub(crate) struct KnownPlace<'a> {
    /// The job's secret.
    pub key: JobKey,
    /// The place, as messages name it.
    pub name: String,
    /// The process that should serve there.
    pub server: &'static str,
    /// Whether ANYCCL_STORE names this one place. If so, and something else is there, waiting makes no sense.
    pub is_only: bool,
    /// Finds the addresses of the place.
    pub addresses: Box<dyn FnMut() -> Found<Vec<SocketAddr>> + 'a>,
}

impl<'a> KnownPlace<'a> {
    /// One of several places where rank 0 may serve.
    pub fn of_rank_0(
        key: &JobKey,
        name: String,
        addresses: impl FnMut() -> Found<Vec<SocketAddr>> + 'a,
    ) -> KnownPlace<'a> {
        let (key, addresses) = (key.clone(), Box::new(addresses));
        KnownPlace { key, name, server: "rank 0", is_only: false, addresses }
    }
}

impl Lookup for KnownPlace<'_> {
    fn look_up(&mut self) -> Result<Found<Beacon>> {
        let key = self.key.clone();
        Ok((self.addresses)().map(|addresses| Beacon { key, addresses }))
    }

    fn waits_for(&self, absence: &Absence) -> (String, String) {
        (format!("the store at {}", self.name), absence.to_string())
    }

    fn sentence(&self, absence: &Absence) -> String {
        let KnownPlace { name: at, server, .. } = self;
        let same = match self.is_only {
            true => " Do all ranks have the same ANYCCL_STORE and ANYCCL_JOB_KEY?",
            false => "",
        };
        match absence {
            Absence::Untried => format!(
                "cannot join: the deadline came before the store at {at} could be asked. Is this host overloaded?"
            ),
            Absence::NoSuchName(why) | Absence::Unresolved(why) => {
                format!(
                    "cannot join: the host name of the store at {at} does not resolve ({why}). Is it right?"
                )
            }
            Absence::OtherProgram => {
                format!(
                    "cannot join: another program answers at {at}, not an anyccl store. Choose another port?"
                )
            }
            Absence::WrongKey if self.is_only => format!(
                "cannot join: the anyccl store at {at} has another job key.{same} Without ANYCCL_JOB_KEY the key is \
                 derived from the text of ANYCCL_STORE"
            ),
            Absence::WrongKey => format!("cannot join: the anyccl store at {at} has another job key"),
            Absence::Short(why) => format!("cannot join: {why}"),
            _ => format!(
                "cannot join: no anyccl store answers at {at} ({absence}). Is {server} running there?{same}"
            ),
        }
    }

    /// For a moment, a store that is ending or swamped by strangers looks like one with another key.
    fn certain_after(&self, absence: &Absence) -> Option<Duration> {
        match absence {
            Absence::Short(_) => Some(Duration::ZERO),
            Absence::NoSuchName(_) if self.is_only => Some(Duration::ZERO),
            Absence::OtherProgram | Absence::WrongKey if self.is_only => Some(LONG),
            _ => None,
        }
    }
}
