//! How a failure is told to the other ranks, and what they make of it.

use std::time::Duration;

use crate::base::{Error, Rank};
use crate::transport::control::Message;

const PEER_LOST: u8 = 1;
const TIMEOUT: u8 = 2;
const MISMATCH: u8 = 3;
const ABORTED: u8 = 4;
const OTHER: u8 = 5;

/// The notice that carries `error` to the other ranks.
pub(super) fn notice(error: &Error) -> Message {
    let (kind, rank, text) = match error {
        Error::PeerLost { rank, detail } => (PEER_LOST, *rank, detail.clone()),
        Error::Timeout { waited, detail } => (TIMEOUT, waited.as_millis() as u32, detail.clone()),
        Error::Mismatch(text) => (MISMATCH, 0, text.clone()),
        Error::Aborted(text) => (ABORTED, 0, text.clone()),
        other => (OTHER, 0, other.to_string()),
    };
    Message::Notice { kind, rank, text }
}

/// The error that a notice from `sender` means here.
pub(super) fn from_notice(kind: u8, rank: Rank, text: String, sender: &str) -> Error {
    let told = format!("{text} (reported by {sender})");
    match kind {
        PEER_LOST => Error::PeerLost { rank, detail: told },
        TIMEOUT => Error::Timeout { waited: Duration::from_millis(u64::from(rank)), detail: told },
        MISMATCH => Error::Mismatch(told),
        ABORTED => Error::Aborted(told),
        _ => Error::Aborted(format!("another rank failed: {told}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_keeps_its_kind_and_its_words_on_the_way() {
        let errors = [
            Error::PeerLost { rank: 3, detail: "it died".into() },
            Error::Timeout { waited: Duration::from_secs(2), detail: "it died".into() },
            Error::Mismatch("it died".into()),
            Error::Aborted("it died".into()),
        ];
        for error in errors {
            let Message::Notice { kind, rank, text } = notice(&error) else { panic!("not a notice") };
            let told = from_notice(kind, rank, text, "rank 7");
            assert_eq!(std::mem::discriminant(&told), std::mem::discriminant(&error));
            assert!(told.to_string().contains("it died") && told.to_string().contains("rank 7"));
        }
    }
}
