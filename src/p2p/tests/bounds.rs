//! Tests that messages without a receive take a bounded amount of memory, and that they block nothing else.

use super::*;
use crate::p2p::credit::LIMIT_BYTES;
use crate::p2p::protocol::WINDOW_BYTES;

impl Conversation {
    /// Bytes of messages that were not received.
    fn held_bytes(&self) -> usize {
        let held = |incoming: &operations::IncomingMessage| match &incoming.target {
            operations::RecvTarget::Heap(bytes) => bytes.capacity(),
            operations::RecvTarget::Buffer(_) => 0,
        };
        self.incoming.iter().map(held).sum()
    }
}

#[test]
#[cfg_attr(miri, ignore = "10 MB of messages")]
fn no_more_than_the_window_of_a_large_message_is_held() {
    let mut pair = Pair::new();
    let large = bytes(1, 10 * WINDOW_BYTES);
    let send = pair.send(0, 1, &large);
    for _ in 0..1000 {
        pair.step(0).unwrap();
        pair.drain(1);
    }
    assert_eq!(pair.sides[1].held_bytes(), WINDOW_BYTES);
    let mut room = vec![0; large.len()];
    let receive = pair.receive(1, from(0, 1), &mut room);
    assert_eq!(pair.sides[1].held_bytes(), 0);
    pair.settle();
    assert!(pair.status(1, receive).is_some() && pair.status(0, send).is_some());
    assert!(room == large);
}

#[test]
#[cfg_attr(miri, ignore = "18 MB of messages")]
fn many_messages_without_a_receive_are_held_up_to_the_limit_and_arrive_later_in_any_order() {
    let mut pair = Pair::new();
    let messages: Vec<Vec<u8>> = (0..300).map(|i| bytes(i, 60_000 + i)).collect();
    let sends: Vec<Ticket> = (0..300).map(|i| pair.send(0, i as Tag, &messages[i])).collect();
    for _ in 0..5000 {
        pair.step(0).unwrap();
        pair.drain(1);
    }
    let held = pair.sides[1].held_bytes();
    assert!(held <= LIMIT_BYTES && held > LIMIT_BYTES - 100_000, "{held}");
    assert_eq!(pair.sides[1].unexpected().count(), 300);
    for i in (0..300).rev() {
        let mut room = vec![0; messages[i].len()];
        let receive = pair.receive(1, from(0, i as Tag), &mut room);
        pair.settle();
        assert!(pair.status(1, receive).is_some(), "{i}");
        assert!(room == messages[i], "{i}");
    }
    assert!(sends.into_iter().all(|send| pair.status(0, send).is_some()));
    assert_eq!(pair.sides[1].held_bytes(), 0);
}

#[test]
#[cfg_attr(miri, ignore = "as many bytes as use up the credit three times")]
fn credit_is_returned_as_messages_are_received() {
    let mut pair = Pair::new();
    let message = bytes(1, 100_000);
    let mut room = vec![0; message.len()];
    for _ in 0..3 * LIMIT_BYTES / message.len() {
        let send = pair.send(0, 1, &message);
        pair.step(0).unwrap();
        pair.drain(1);
        // The sender has credit, so the message is sent at once.
        while pair.step(0).unwrap() {
            pair.drain(1);
        }
        pair.drain(0);
        assert!(pair.status(0, send).is_some());
        let receive = pair.receive(1, from(0, 1), &mut room);
        pair.step(1).unwrap();
        assert!(pair.status(1, receive).is_some());
    }
}

#[test]
fn the_time_to_match_thousands_of_receives_and_messages_grows_only_with_their_number() {
    let mut pair = Pair::new();
    let empty = [0u8; 0];
    const N: i32 = if cfg!(miri) { 200 } else { 20_000 };
    let receives: Vec<Ticket> = (0..N).map(|tag| pair.receive(1, from(0, tag), &mut [])).collect();
    for tag in (0..N).rev() {
        pair.send(0, tag, &empty);
    }
    pair.settle();
    assert!(receives.into_iter().all(|receive| pair.status(1, receive).is_some()));
}

#[test]
fn a_stream_with_posted_receives_stays_in_the_link_until_it_is_asked_for() {
    const MESSAGES: usize = 100;
    // The size makes the receiver return credit several times. A reply to send is no reason to read on.
    let message = bytes(4, 40_000);
    let mut pair = Pair::new();
    let sends: Vec<Ticket> = (0..MESSAGES).map(|_| pair.send(0, 3, &message)).collect();
    for _ in 0..MESSAGES {
        let mut room = vec![0; message.len()];
        let receive = pair.receive(1, Selector::new(Some(0), Some(3)), &mut room);
        pair.settle();
        assert!(pair.status(1, receive).is_some() && room == message);
        assert_eq!(pair.sides[1].held_bytes(), 0);
    }
    assert!(sends.into_iter().all(|send| pair.status(0, send).is_some()));
}
