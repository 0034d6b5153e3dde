//! Why no store was found at an address, and the sentences that say so.
//!
//! The handshake tells three causes apart, because the user must act differently on each. Nobody answers; the
//! program there is not an anyccl store; or the store has another job key. An acceptor answers nothing to
//! strangers. The last two causes are therefore concluded from how far the handshake got, and are taken for
//! certain only when they persist.

use std::fmt;
use std::time::Duration;

use crate::bootstrap::store::waiting::LONG;

/// Why no store was found. Ordered by how far the attempt got: of several addresses the greatest value tells
/// most.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Absence {
    /// The deadline came before any address could be tried.
    Untried,
    /// The resolver is certain that the host's name has no address.
    NoSuchName(String),
    /// The resolver cannot tell the host's address now.
    Unresolved(String),
    /// Nobody accepts the connection: it is refused, the host is unreachable, or no answer comes.
    NoAnswer(String),
    /// A process accepts the connection and sends nothing.
    Silent,
    /// A process accepts the connection and closes it without sending anything.
    HangsUp,
    /// Another program answers.
    OtherProgram,
    /// A process speaks as a store does, and closes when it sees our proof.
    WrongKey,
    /// The store is there, and its world is over or ending.
    Ending,
    /// The store is in this process, which cannot accept connections, for this reason.
    Short(String),
}

impl Absence {
    /// How long the absence must last before further waiting makes no sense. `None`: it may always change.
    ///
    /// For a moment, a store that is ending or swamped by strangers looks like one with another key.
    pub fn certain_after(&self) -> Option<Duration> {
        match self {
            Absence::NoSuchName(_) | Absence::Short(_) => Some(Duration::ZERO),
            Absence::OtherProgram | Absence::WrongKey => Some(LONG),
            _ => None,
        }
    }

    /// The sentence for a rank that gives up.
    pub fn sentence(&self, sought: &Sought<'_>) -> String {
        let Sought { at, server, .. } = sought;
        let same = match sought.is_one_place {
            true => " Do all ranks have the same ANYCCL_STORE and ANYCCL_JOB_KEY?",
            false => "",
        };
        match self {
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
            Absence::WrongKey if sought.is_one_place => format!(
                "cannot join: the anyccl store at {at} has another job key.{same} Without ANYCCL_JOB_KEY the key is \
                 derived from the text of ANYCCL_STORE"
            ),
            Absence::WrongKey => format!("cannot join: the anyccl store at {at} has another job key"),
            Absence::Short(why) => format!("cannot join: {why}"),
            _ => format!(
                "cannot join: no anyccl store answers at {at} ({self}). Is {server} running there?{same}"
            ),
        }
    }
}

/// A store that a rank looks for, as messages name it.
pub(crate) struct Sought<'a> {
    /// Address at which the store is looked for.
    pub at: &'a str,
    /// The process that should serve there.
    pub server: &'a str,
    /// Whether ANYCCL_STORE names this one place. If so, and something else is there, waiting makes no sense.
    pub is_one_place: bool,
}

impl fmt::Display for Absence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Absence::Untried => f.write_str("there was no time to ask"),
            Absence::NoSuchName(why) | Absence::Unresolved(why) => {
                write!(f, "the host's name does not resolve: {why}")
            }
            Absence::NoAnswer(why) => f.write_str(why),
            Absence::Silent => f.write_str("something accepts connections and says nothing"),
            Absence::HangsUp => f.write_str("something accepts connections and closes them"),
            Absence::OtherProgram => f.write_str("another program answers"),
            Absence::WrongKey => f.write_str("the store there has another job key"),
            Absence::Ending => f.write_str("the store there is ending"),
            Absence::Short(why) => f.write_str(why),
        }
    }
}
