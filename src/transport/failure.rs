//! Failure notices: how a rank tells the others of a failure, and which error a notice becomes there.

use std::time::Duration;

use super::control::ControlMessage;
use crate::base::{Error, Rank};

const PEER_LOST: u8 = 1;
const TIMEOUT: u8 = 2;
const MISMATCH: u8 = 3;
const ABORTED: u8 = 4;
const OTHER: u8 = 5;

/// Beginning of the text of an abort that no caller asked for.
pub(crate) const ANOTHER_FAILED: &str = "another rank failed";

/// The notice that tells the other ranks of `error`. Rank `origin` of the communicator noticed it.
pub(crate) fn notice(error: &Error, context: u32, origin: Rank) -> ControlMessage {
    let (kind, subject, text) = match error {
        Error::PeerLost { rank, detail } => (PEER_LOST, *rank, detail.clone()),
        Error::Timeout { waited, detail } => (TIMEOUT, waited.as_millis() as u32, detail.clone()),
        Error::Mismatch(text) => (MISMATCH, 0, text.clone()),
        Error::Aborted(text) => (ABORTED, 0, text.clone()),
        other => (OTHER, 0, other.to_string()),
    };
    ControlMessage::Notice { context, kind, origin, subject, text }
}

/// The error that a received notice becomes. `origin` is the label of the rank that noticed the failure.
pub(crate) fn from_notice(kind: u8, subject: u32, text: &str, origin: &str) -> Error {
    // An error of a call that has failed on one rank names the rank.
    let reported = match text.contains(origin) {
        true => text.into(),
        false => format!("{text} (reported by {origin})"),
    };
    match kind {
        PEER_LOST => Error::PeerLost { rank: subject, detail: reported },
        TIMEOUT => Error::Timeout { waited: Duration::from_millis(u64::from(subject)), detail: reported },
        MISMATCH => Error::Mismatch(reported),
        ABORTED => Error::Aborted(reported),
        _ => Error::Aborted(format!("{ANOTHER_FAILED}: {reported}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_keeps_its_kind_and_its_text_in_a_notice() {
        let errors = [
            Error::PeerLost { rank: 3, detail: "it died".into() },
            Error::Timeout { waited: Duration::from_secs(2), detail: "it died".into() },
            Error::Mismatch("it died".into()),
            Error::Aborted("it died".into()),
        ];
        for error in errors {
            let ControlMessage::Notice { kind, subject, text, .. } = notice(&error, 2, 7) else {
                panic!("not a notice")
            };
            let told = from_notice(kind, subject, &text, "rank 7");
            assert_eq!(std::mem::discriminant(&told), std::mem::discriminant(&error));
            assert!(told.to_string().contains("it died") && told.to_string().contains("rank 7"));
        }
    }
}
