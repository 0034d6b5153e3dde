//! Tests that bytes arrive where matching says, for any order of starts and turns and for all sizes.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::p2p::protocol::WINDOW_BYTES;

#[derive(Clone, Debug)]
struct Exchange {
    /// The sender.
    from: usize,
    tag: Tag,
    len: usize,
    is_synchronous: bool,
    any_source: bool,
    any_tag: bool,
}

impl Exchange {
    fn selector(&self) -> Selector {
        let source = (!self.any_source).then_some(self.from as Rank);
        Selector::new(source, (!self.any_tag).then_some(self.tag))
    }
}

fn exchange() -> impl Strategy<Value = Exchange> {
    let len = prop_oneof![
        Just(0),
        1..100usize,
        1..60_000usize,
        WINDOW_BYTES - 1..WINDOW_BYTES + 2,
        WINDOW_BYTES..3 * WINDOW_BYTES
    ];
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    (0..2usize, 0..3, len, flags).prop_map(|(from, tag, len, (is_synchronous, any_source, any_tag))| {
        Exchange { from, tag, len, is_synchronous, any_source, any_tag }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 60 }))]

    /// Receives are started in the order of their messages, and each accepts its own, so they match in that
    /// order.
    #[test]
    fn the_nth_receive_gets_the_nth_message(
        exchanges in vec(exchange(), 1..20),
        turns in vec(0..6u8, 0..200),
    ) {
        let mut pair = Pair::new();
        let sent: Vec<Vec<u8>> = exchanges.iter().enumerate().map(|(i, e)| bytes(i, e.len)).collect();
        // Some receives have more room than the message needs.
        let mut rooms: Vec<Vec<u8>> =
            exchanges.iter().enumerate().map(|(i, e)| vec![0; e.len + i % 3]).collect();
        let of = |side: usize, sends: bool| {
            let on = move |e: &Exchange| (e.from == side) == sends;
            exchanges.iter().enumerate().filter(move |(_, e)| on(e)).map(|(i, _)| i).collect::<VecDeque<_>>()
        };
        let mut to_send = [of(0, true), of(1, true)];
        let mut to_receive = [of(0, false), of(1, false)];
        let mut tickets = vec![[None; 2]; exchanges.len()];
        // After the random turns, everything is started.
        let rest = (0..4 * exchanges.len()).map(|i| (i % 4) as u8);
        for turn in turns.into_iter().chain(rest) {
            let side = usize::from(turn % 2);
            match turn / 2 {
                0 => if let Some(i) = to_send[side].pop_front() {
                    let e = &exchanges[i];
                    tickets[i][0] = Some(pair.start(side, e.tag, &sent[i], e.is_synchronous));
                },
                1 => if let Some(i) = to_receive[side].pop_front() {
                    tickets[i][1] = Some(pair.receive(side, exchanges[i].selector(), &mut rooms[i]));
                },
                _ => drop(pair.step(side).unwrap()),
            }
        }
        pair.settle();
        for (i, e) in exchanges.iter().enumerate() {
            prop_assert!(pair.status(e.from, tickets[i][0].unwrap()).is_some(), "send {i} has not ended");
            let status = pair.status(1 - e.from, tickets[i][1].unwrap());
            let Some(status) = status else { panic!("receive {i} has not ended") };
            prop_assert_eq!((status.source, status.tag, status.bytes), (e.from as Rank, e.tag, e.len));
            prop_assert!(rooms[i][..e.len] == sent[i][..], "message {i}");
        }
        for side in &mut pair.sides {
            prop_assert_eq!(side.incoming.iter().count(), 0);
            prop_assert!(side.peers.iter().all(|p| p.expected == 0 && p.unfinished.is_empty()));
            side.watched(&mut Vec::new());
            prop_assert!(side.is_idle());
        }
    }
}

#[test]
fn a_small_message_passes_a_large_one_that_waits_for_its_receive() {
    let mut pair = Pair::new();
    let (large, small) = (bytes(1, 4 * WINDOW_BYTES), bytes(2, 10));
    let mut room = vec![0; 10];
    let slow = pair.send(0, 1, &large);
    let quick = pair.send(0, 2, &small);
    let receive = pair.receive(1, from(0, 2), &mut room);
    pair.settle();
    assert!(pair.status(1, receive).is_some() && pair.status(0, quick).is_some());
    assert!(pair.status(0, slow).is_none());
    assert_eq!(room, small);
}

#[test]
fn a_message_that_began_on_the_fast_path_ends_on_the_general_path() {
    let mut pair = Pair::new();
    let (data, after) = (bytes(1, 2 * FRAGMENT_BYTES + 100), bytes(2, 10));
    let (mut room, mut next) = (vec![0; data.len()], vec![0; 10]);
    // The first message from a rank never takes the fast path.
    pair.send(0, 5, &after);
    let first = pair.receive(1, from(0, 5), &mut next);
    pair.settle();
    assert!(pair.status(1, first).is_some());
    let (send, last) = (pair.send(0, 5, &data), pair.send(0, 5, &after));
    assert!(pair.step(0).unwrap());
    let fast = pair.sides[1].fast_receive(0, 5, Datatype::Byte, data.len() as u64, data.len());
    let fast = fast.expect("nothing is in the way");
    assert_eq!(pair.links[1].head().unwrap(), Some(fast.header));
    let mut done = 0;
    while done < FRAGMENT_BYTES {
        // SAFETY: the rest of the room, which is a vector's.
        done += unsafe { pair.links[1].take(room[done..].as_mut_ptr(), data.len() - done, false) }.unwrap();
    }
    // SAFETY: the room is kept, and looked at after the outcome.
    let begun = unsafe { pair.sides[1].continue_fast_receive(0, from(0, 5), buffer(&mut room), &fast, done) };
    let second = pair.receive(1, from(0, 5), &mut next);
    pair.settle();
    let status = pair.status(1, begun).expect("it has ended");
    assert_eq!((status.source, status.tag, status.bytes), (0, 5, data.len()));
    assert!(
        pair.status(1, second).is_some() && pair.status(0, send).is_some() && pair.status(0, last).is_some()
    );
    assert!(room == data && next == after);
    assert!(pair.sides[1].peers.iter().all(|p| p.expected == 0 && p.unfinished.is_empty()));
}

#[test]
fn only_a_posted_receive_that_is_alone_ends_on_the_fast_path() {
    let mut pair = Pair::new();
    let (data, mut room, mut other) = (bytes(1, 10), vec![0; 10], vec![0; 10]);
    let alone = |pair: &Pair, receive| pair.sides[1].fast_end(receive).is_some();
    let receive = pair.receive(1, from(0, 5), &mut room);
    assert!(alone(&pair, receive));
    let second = pair.receive(1, from(0, 6), &mut other);
    assert!(!alone(&pair, receive) && !alone(&pair, second));
    assert!(pair.sides[1].cancel(second) && alone(&pair, receive));
    // A send that waits for the peer, and a message that nobody receives.
    let send = pair.send(1, 7, &data);
    assert!(!alone(&pair, receive));
    pair.settle();
    assert!(pair.status(1, send).is_some() && alone(&pair, receive));
    pair.send(0, 8, &data);
    pair.settle();
    assert!(!alone(&pair, receive));
    let any = pair.receive(1, Selector::ANY, &mut other);
    assert!(pair.status(1, any).is_some() && alone(&pair, receive));
    let end = pair.sides[1].fast_end(receive).expect("it is alone");
    pair.sides[1].note_fast_end(receive, &end);
    assert!(!alone(&pair, receive));
    let status = pair.status(1, receive).expect("it has ended");
    assert_eq!((status.source, status.tag, status.bytes), (0, 5, 10));
    assert!(pair.sides[1].is_idle() && pair.sides[1].peers.iter().all(|p| p.expected == 0));
}

#[test]
fn a_receive_that_has_matched_an_unreadable_message_depends_on_its_sender() {
    for is_early in [true, false] {
        for selector in [from(0, 5), Selector::ANY] {
            let mut pair = Pair::new();
            let (data, mut room) = (bytes(1, 1000), vec![0; 1000]);
            pair.send(0, 5, &data);
            pair.step(0).unwrap();
            pair.links[1].is_broken = true;
            if is_early {
                // No receive has matched it yet: the message blocks nothing, and is no failure.
                let pulled = pair.sides[1].pull(0, &mut pair.links[1], Drain::Everything);
                assert!(matches!(pulled, Err(Fault::Link(_))) && !pair.sides[1].depends_on(0));
            }
            let ticket = pair.receive(1, selector, &mut room);
            assert!(matches!(pair.step(1), Err(Fault::Link(_))), "{selector:?}");
            assert!(pair.sides[1].depends_on(0), "{selector:?}");
            assert!(!pair.sides[1].has_outcome(ticket));
        }
    }
}
