//! A store that a rank looks for: how long it waits, and what it says when it gives up.

use std::time::Duration;

use super::waiting::LONG;
use crate::bootstrap::auth::absence::Absence;

/// A store that a rank looks for, as messages name it.
pub(crate) struct Sought<'a> {
    /// Address at which the store is looked for.
    pub at: &'a str,
    /// The process that should serve there.
    pub server: &'a str,
    /// Whether ANYCCL_STORE names this one place. If so, and something else is there, waiting makes no sense.
    pub is_one_place: bool,
}

impl Sought<'_> {
    /// How long the absence must last before further waiting makes no sense. `None`: it may always change.
    ///
    /// For a moment, a store that is ending or swamped by strangers looks like one with another key.
    pub fn certain_after(absence: &Absence) -> Option<Duration> {
        match absence {
            Absence::NoSuchName(_) | Absence::Short(_) => Some(Duration::ZERO),
            Absence::OtherProgram | Absence::WrongKey => Some(LONG),
            _ => None,
        }
    }

    /// The sentence for a rank that gives up.
    pub fn sentence(&self, absence: &Absence) -> String {
        let Sought { at, server, .. } = self;
        let same = match self.is_one_place {
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
            Absence::WrongKey if self.is_one_place => format!(
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
}
