//! Bytes of others: a table of the engine's parsers of what another process, or a person, has written.
//!
//! `fuzz/` runs each row under libFuzzer, and `make test` replays each corpus with 10,000 mutations
//! ([`harness`]). A row calls the real parser, through a socket where it reads from one. For any bytes, the
//! parser must end without a panic, and must use no more memory than the bytes warrant ([`Target::run`]).
//! What is parsed and can be written is written and parsed again.
//!
//! The functions of the rows are in the files `foreign_bytes.rs` of the rooms, next to their parsers. The
//! tool and `anyccl-launch-report` have tables of their own.

pub mod harness;
#[cfg(test)]
mod tests;
mod texts;

use std::os::unix::net::UnixStream;

pub use harness::{Target, pieces, split};

use crate::sys::socket::Socket;
use crate::{bootstrap, comm, p2p, transport, tuning};

/// All rows.
pub fn targets() -> Vec<Target> {
    [
        bootstrap::foreign_bytes::AUTH,
        bootstrap::foreign_bytes::MESH,
        bootstrap::foreign_bytes::STORE,
        bootstrap::foreign_bytes::JOB,
        bootstrap::foreign_bytes::DISCOVERY,
        bootstrap::foreign_bytes::TCP,
        bootstrap::foreign_bytes::PMI,
        transport::foreign_bytes::TARGETS,
        p2p::foreign_bytes::TARGETS,
        comm::foreign_bytes::TARGETS,
        tuning::foreign_bytes::TARGETS,
        texts::TARGETS,
    ]
    .concat()
}

/// Two ends of a connection.
pub(crate) fn connection() -> [Socket; 2] {
    let (one, two) = UnixStream::pair().expect("a pair of sockets");
    [one, two].map(|end| Socket::from_fd(end.into(), false).expect("a socket that does not block"))
}

/// Writes as much as fits, which is all of an input of the usual length.
pub(crate) fn write(socket: &Socket, mut bytes: &[u8]) {
    while let Ok(Some(written)) = socket.write(bytes)
        && written > 0
    {
        bytes = &bytes[written..];
    }
}
