//! Tests of the rest of the protocol: synchronous sends, probes, cancels, contradictions, nonsense.

use super::*;
use crate::base::Error;
use crate::p2p::protocol::{self, ProtocolMessage, WINDOW_BYTES};
use crate::transport::SingleCopy;

const ANY: Selector = Selector::ANY;

#[test]
fn a_synchronous_send_ends_when_a_receive_has_matched_it_and_not_before() {
    for len in [0, 5, 3 * WINDOW_BYTES] {
        let mut pair = Pair::new();
        let message = bytes(1, len);
        let send = pair.start(0, 1, &message, true);
        for _ in 0..100 {
            pair.step(0).unwrap();
            pair.drain(1);
        }
        assert!(pair.status(0, send).is_none(), "{len}");
        let mut room = vec![0; len];
        pair.receive(1, from(0, 1), &mut room);
        pair.settle();
        assert!(pair.status(0, send).is_some(), "{len}");
        assert!(room == message);
    }
}

#[test]
fn a_probe_shows_the_message_that_a_receive_would_get_and_leaves_it_there() {
    let mut pair = Pair::new();
    let probe = pair.sides[1].start_probe(from(0, 7), false);
    assert!(pair.sides[1].find(ANY).is_none());
    pair.send(0, 6, &[1]);
    let message = bytes(3, 2 * WINDOW_BYTES);
    pair.send(0, 7, &message);
    pair.settle();
    let found = pair.status(1, probe).unwrap();
    assert_eq!((found.source, found.tag, found.count), (0, 7, 2 * WINDOW_BYTES as u64));
    assert_eq!(pair.sides[1].find(ANY).unwrap().tag, 6);
    assert_eq!(pair.sides[1].find(from(0, 7)), Some(found));
}

#[test]
fn a_claimed_message_matches_no_other_receive() {
    for (is_early, len) in [(true, 5), (false, 5), (false, 2 * WINDOW_BYTES), (false, 0)] {
        let mut pair = Pair::new();
        let (first, second) = (bytes(1, len), bytes(2, 5));
        let probe = is_early.then(|| pair.sides[1].start_probe(ANY, true));
        pair.send(0, 7, &first);
        pair.send(0, 7, &second);
        for _ in 0..100 {
            pair.step(0).unwrap();
            pair.drain(1);
        }
        let claimed = match probe {
            Some(probe) => pair.sides[1].take_outcome(probe).unwrap().unwrap().message.unwrap(),
            None => pair.sides[1].claim(ANY).unwrap().0,
        };
        let (mut room, mut other) = (vec![0; len], vec![0; 5]);
        let receive = pair.receive(1, from(0, 7), &mut other);
        // SAFETY: the room lives until the end of the test.
        let own = unsafe { pair.sides[1].start_claimed(claimed, buffer(&mut room)) }.unwrap();
        pair.settle();
        assert!(pair.status(1, receive).is_some() && pair.status(1, own).is_some());
        assert!(room == first && other == second);
    }
}

#[test]
fn a_claimed_message_that_has_come_is_taken_with_its_bytes_and_gives_its_credit_back() {
    let mut pair = Pair::new();
    // Together they need more credit than there is.
    for round in 0..20 {
        for (len, is_synchronous) in [(0, false), (5, true), (WINDOW_BYTES, false)] {
            let message = bytes(round, len);
            let send = pair.start(0, 7, &message, is_synchronous);
            for _ in 0..100 {
                pair.step(0).unwrap();
                pair.drain(1);
            }
            let claimed = pair.sides[1].claim(ANY).unwrap().0;
            let taken = pair.sides[1].take_claimed(claimed);
            assert!(taken.is_ok_and(|taken| taken == message), "round {round}, {len} bytes");
            pair.settle();
            assert!(pair.status(0, send).is_some(), "round {round}, {len} bytes");
        }
    }
    assert!(pair.sides.iter().all(Conversation::is_over));
}

#[test]
fn a_claimed_message_whose_rest_waits_for_a_receive_is_given_back() {
    let mut pair = Pair::new();
    let (message, mut room) = (bytes(1, 2 * WINDOW_BYTES), vec![0; 2 * WINDOW_BYTES]);
    pair.send(0, 7, &message);
    for _ in 0..100 {
        pair.step(0).unwrap();
        pair.drain(1);
    }
    let claimed = pair.sides[1].claim(ANY).unwrap().0;
    let claimed = pair.sides[1].take_claimed(claimed).unwrap_err();
    // SAFETY: the room lives until the end of the test.
    let receive = unsafe { pair.sides[1].start_claimed(claimed, buffer(&mut room)) }.unwrap();
    pair.settle();
    assert!(pair.status(1, receive).is_some() && room == message);
}

#[test]
fn a_cancelled_receive_gets_nothing_and_a_matched_one_cannot_be_cancelled() {
    let mut pair = Pair::new();
    let (mut first, mut second) = ([0; 1], [0; 1]);
    let cancelled = pair.receive(1, ANY, &mut first);
    let other = pair.receive(1, ANY, &mut second);
    assert!(pair.sides[1].cancel(cancelled));
    assert!(pair.status(1, cancelled).unwrap().is_cancelled);
    pair.send(0, 3, &[9]);
    pair.settle();
    assert!(!pair.sides[1].cancel(other));
    assert!(!pair.status(1, other).unwrap().is_cancelled);
    assert_eq!((first, second), ([0], [9]));
}

/// The outcome of rank 1 when it receives `len` bytes into `buffer`.
fn outcome(len: usize, buffer: RecvBuffer) -> (Result<Status, Error>, bool) {
    let mut pair = Pair::new();
    let message = bytes(1, len);
    let send = pair.send(0, 4, &message);
    // SAFETY: the caller's room lives until this function returns.
    let receive = unsafe { pair.sides[1].start_receive(from(0, 4), buffer) }.unwrap();
    loop {
        match (pair.step(0), pair.step(1)) {
            (Ok(false), Ok(false)) => break,
            (_, Err(Fault::Contradiction(error))) => {
                pair.sides[1].fail(&error);
                assert!(matches!(pair.sides[1].take_outcome(receive), Some(Err(Error::Mismatch(_)))));
                return (Err(error), false);
            }
            (sent, received) => assert!(sent.is_ok() && received.is_ok()),
        }
    }
    let received = pair.sides[1].take_outcome(receive).unwrap().map(|ended| ended.status);
    (received, pair.status(0, send).is_some())
}

#[test]
fn a_message_that_is_too_long_fails_everything_or_only_a_lenient_receive() {
    for len in [10, 3 * WINDOW_BYTES] {
        let mut room = [0; 7];
        let (received, _) = outcome(len, buffer(&mut room));
        let error = received.unwrap_err().to_string();
        assert!(error.contains(&format!("sent {len} elements of byte")), "{error}");
        assert!(error.contains("receives at most 7 of byte"), "{error}");
        let (received, sent) = outcome(len, RecvBuffer { is_lenient: true, ..buffer(&mut room) });
        assert!(matches!(received, Err(Error::Truncated { .. })) && sent);
        assert_eq!(room, bytes(1, len)[..7]);
    }
}

#[test]
fn another_datatype_fails_everything_or_is_received_byte_by_byte() {
    let mut room = [0; 8];
    let wide = RecvBuffer { datatype: Datatype::Float64, count: 1, ..buffer(&mut room) };
    let error = outcome(8, wide).0.unwrap_err().to_string();
    assert!(error.contains("8 elements of byte") && error.contains("rank 1 receives float64"), "{error}");
    let (received, sent) = outcome(8, RecvBuffer { is_lenient: true, ..wide });
    assert_eq!(received.unwrap().bytes, 8);
    assert!(sent && room == bytes(1, 8)[..]);
}

#[test]
fn meaningless_headers_are_errors_and_no_panics() {
    let header = |sequence, message: ProtocolMessage| Header { context: 9, sequence, call: message.pack() };
    let violation = [
        header(0, ProtocolMessage::ClearToSend { limit: u64::MAX }),
        header(5, ProtocolMessage::Matched),
        header(0, ProtocolMessage::Credit { bytes: 1 }),
        Header { context: 9, sequence: 0, call: [77, 0] },
        Header { context: 9, sequence: 3, call: announcement(1, protocol::Protocol::Eager) },
        Header { context: 9, sequence: 0, call: announcement(u64::MAX, protocol::Protocol::Eager) },
        Header {
            context: 9,
            sequence: 0,
            call: announcement(WINDOW_BYTES as u64 + 1, protocol::Protocol::Eager),
        },
        Header { context: 9, sequence: 0, call: announcement(5, protocol::Protocol::EagerWindow) },
    ];
    for header in violation {
        let mut pair = Pair::new();
        // SAFETY: nothing is read.
        unsafe { pair.links[0].send(&header, std::ptr::null(), 0, SingleCopy::Never) }.unwrap();
        let pulled = pair.sides[1].pull(0, &mut pair.links[1], Drain::Everything);
        assert!(matches!(pulled, Err(Fault::Link(_))), "{header:?}");
    }
}

fn announcement(count: u64, protocol: protocol::Protocol) -> [u64; 2] {
    let datatype = Datatype::Byte;
    let announcement = protocol::Announcement { tag: 0, datatype, count, protocol, is_synchronous: false };
    ProtocolMessage::Data(announcement).pack()
}

#[test]
fn a_failure_ends_everything_and_is_the_answer_to_every_later_call() {
    let mut pair = Pair::new();
    let mut room = [0; 1];
    let receive = pair.receive(1, ANY, &mut room);
    let probe = pair.sides[1].start_probe(from(0, 9), true);
    let send = pair.send(1, 1, &[1]);
    pair.sides[1].fail(&Error::Aborted("over".into()));
    let later = [pair.send(1, 1, &[1]), pair.receive(1, ANY, &mut room)];
    for ticket in [receive, probe, send].into_iter().chain(later) {
        assert!(matches!(pair.sides[1].take_outcome(ticket), Some(Err(Error::Aborted(_)))));
    }
    assert!(pair.sides[1].is_idle());
}
