//! Why no store was found at an address.
//!
//! The handshake tells three causes apart, because the user must act differently on each. Nobody answers; the
//! program there is not an anyccl store; or the store has another job key. An acceptor answers nothing to
//! strangers. The last two causes are therefore concluded from how far the handshake got, and are taken for
//! certain only when they persist.

use std::fmt;

/// Why no store was found. Ordered by how far the attempt got: of several addresses the greatest value tells
/// most.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Absence {
    /// Rank 0 has not said where its store is.
    Unannounced,
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

/// What was found at an address, or why nothing was.
pub(crate) type Found<T> = Result<T, Absence>;

impl fmt::Display for Absence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Absence::Unannounced => f.write_str("rank 0 has not said where its store is"),
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
