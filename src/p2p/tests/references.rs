//! Tests of messages that are sent as references, and of receives that only claim their message.

use super::*;
use crate::p2p::protocol::WINDOW_BYTES;

const REFERENCE: Reference = [7; REFERENCE_BYTES];

impl Pair {
    fn refer(&mut self, tag: Tag, bytes: usize) -> Ticket {
        self.sides[0].start_reference(&announced(tag, bytes), &REFERENCE)
    }

    fn claim(&mut self, tag: Tag, room: usize) -> Ticket {
        let buffer = RecvBuffer { data: std::ptr::null_mut(), ..buffer(&mut vec![0; room]) };
        self.sides[1].start_claim(from(0, tag), buffer).unwrap()
    }

    fn completion(&mut self, at: usize, ticket: Ticket) -> Option<Completion> {
        self.sides[at].take_outcome(ticket).map(|outcome| outcome.unwrap())
    }

    /// Sends the elements that the receiver wants.
    fn send_wanted(&mut self, tag: Tag, message: &[u8], wanted: Wanted) -> Ticket {
        let what = OutgoingMessage { data: message.as_ptr(), ..announced(tag, message.len()) };
        // SAFETY: the tests keep the message until their end.
        unsafe { self.sides[0].start_wanted(&what, wanted) }
    }

    /// Lets rank 1 take in what comes before it has a receive.
    fn let_arrive(&mut self) {
        for _ in 0..100 {
            self.step(0).unwrap();
            self.drain(1);
        }
    }
}

fn announced(tag: Tag, bytes: usize) -> OutgoingMessage {
    let (datatype, data) = (Datatype::Byte, std::ptr::null());
    OutgoingMessage { to: 1, tag, datatype, count: bytes as u64, data, is_synchronous: false }
}

#[test]
fn a_claim_gets_the_reference_and_the_send_ends_when_the_elements_were_read() {
    for (is_early, bytes) in [(true, 1), (false, 1), (true, 5 << 20), (false, 5 << 20)] {
        let mut pair = Pair::new();
        let early = is_early.then(|| pair.claim(7, bytes));
        let send = pair.refer(7, bytes);
        pair.let_arrive();
        let claim = early.unwrap_or_else(|| pair.claim(7, bytes));
        pair.settle();
        let claimed = pair.completion(1, claim).unwrap();
        assert_eq!((claimed.status.bytes, claimed.status.tag), (bytes, 7));
        let message = claimed.message.unwrap();
        assert_eq!(pair.sides[1].reference(message), Some(REFERENCE));
        assert!(pair.sides[0].take_outcome(send).is_none());
        pair.sides[1].end_reference(message);
        pair.settle();
        assert!(pair.sides[1].has_replied(0));
        assert_eq!(pair.completion(0, send).unwrap().wanted, None);
        assert!(pair.sides.iter().all(|side| side.is_idle() && side.is_over()));
    }
}

#[test]
fn a_receive_with_memory_gets_the_elements_of_a_reference() {
    for (is_early, is_claimed, len) in
        [(true, false, 5), (false, false, 5), (false, false, 2 * WINDOW_BYTES), (true, true, 300_000)]
    {
        let mut pair = Pair::new();
        let message = bytes(1, len);
        let mut room = vec![0; len];
        let early = (is_early && !is_claimed).then(|| pair.receive(1, from(0, 7), &mut room));
        let send = pair.refer(7, len);
        pair.let_arrive();
        let receive = match early {
            Some(receive) => receive,
            None if is_claimed => {
                let claim = pair.claim(7, len);
                pair.settle();
                let claimed = pair.completion(1, claim).unwrap().message.unwrap();
                // SAFETY: the room lives until the end of the test.
                unsafe { pair.sides[1].start_claimed(claimed, buffer(&mut room)) }.unwrap()
            }
            None => pair.receive(1, from(0, 7), &mut room),
        };
        pair.settle();
        let wanted = pair.completion(0, send).unwrap().wanted.unwrap();
        assert!(pair.sides[1].take_outcome(receive).is_none());
        let send = pair.send_wanted(7, &message, wanted);
        pair.settle();
        assert!(pair.completion(0, send).is_some_and(|ended| ended.wanted.is_none()));
        assert_eq!(pair.status(1, receive).unwrap().bytes, len);
        assert!(room == message, "{len}");
        assert!(pair.sides.iter().all(|side| side.is_idle() && side.is_over()));
    }
}

#[test]
fn a_lenient_receive_gets_only_the_elements_of_a_reference_that_fit() {
    let mut pair = Pair::new();
    let message = bytes(1, 400_000);
    let mut room = vec![0; 100];
    let lenient = RecvBuffer { is_lenient: true, ..buffer(&mut room) };
    // SAFETY: the room lives until the end of the test.
    let receive = unsafe { pair.sides[1].start_receive(from(0, 7), lenient) }.unwrap();
    let send = pair.refer(7, message.len());
    pair.settle();
    let wanted = pair.completion(0, send).unwrap().wanted.unwrap();
    let send = pair.send_wanted(7, &message, wanted);
    pair.settle();
    assert!(pair.completion(0, send).is_some());
    assert!(pair.sides[1].take_outcome(receive).unwrap().is_err());
    assert_eq!(room, message[..100]);
}

#[test]
fn a_claim_takes_any_message_and_the_order_is_that_of_the_receives() {
    for (is_early, len) in
        [(true, 5), (false, 5), (true, 3 * WINDOW_BYTES), (false, 3 * WINDOW_BYTES), (true, 0)]
    {
        let mut pair = Pair::new();
        let (first, second) = (bytes(1, len), bytes(2, 5));
        let (mut room, mut other) = (vec![0; len], vec![0; 5]);
        let claim = is_early.then(|| pair.claim(7, len));
        let behind = is_early.then(|| pair.receive(1, from(0, 7), &mut other));
        pair.send(0, 7, &first);
        pair.send(0, 7, &second);
        pair.let_arrive();
        let claim = claim.unwrap_or_else(|| pair.claim(7, len));
        let behind = behind.unwrap_or_else(|| pair.receive(1, from(0, 7), &mut other));
        pair.settle();
        let claimed = pair.completion(1, claim).unwrap().message.unwrap();
        assert_eq!(pair.sides[1].reference(claimed), None);
        // SAFETY: the room lives until the end of the test.
        let receive = unsafe { pair.sides[1].start_claimed(claimed, buffer(&mut room)) }.unwrap();
        pair.settle();
        assert!(pair.status(1, receive).is_some() && pair.status(1, behind).is_some());
        assert!(room == first && other == second, "{len}");
    }
}

#[test]
fn a_claim_contradicts_a_message_that_is_too_long() {
    for is_early in [true, false] {
        let mut pair = Pair::new();
        pair.refer(7, 100);
        if !is_early {
            pair.let_arrive();
        }
        let room = RecvBuffer { data: std::ptr::null_mut(), ..buffer(&mut [0; 99]) };
        let started = pair.sides[1].start_claim(from(0, 7), room);
        let arrived = (0..100).find_map(|_| {
            let _ = pair.step(0);
            pair.step(1).err()
        });
        match (is_early, started, arrived) {
            (false, Err(error), _) | (true, Ok(_), Some(Fault::Contradiction(error))) => {
                assert!(error.to_string().contains("rank 0 sent 100"), "{error}");
            }
            _ => panic!("no contradiction"),
        }
    }
}
