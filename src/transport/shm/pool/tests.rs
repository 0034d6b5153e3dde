//! Both sides on one thread.

use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;

fn ring(share: usize) -> Vec<AtomicU32> {
    (0..2 * share).map(|_| AtomicU32::new(0)).collect()
}

#[test]
fn the_area_that_was_read_last_is_filled_first() {
    let mut areas = BouncePool::new(0, 4);
    assert_eq!([areas.pop(), areas.pop()], [Some(0), Some(1)]);
    // A quarter of the share is one area.
    assert!(areas.release(1) && areas.release(6));
    assert_eq!([areas.pop(), areas.pop(), areas.pop()], [Some(6), Some(1), Some(2)]);
}

#[test]
fn an_area_comes_from_who_can_have_it_only() {
    let areas = BouncePool::new(1, 4);
    assert!((0..4).all(|area| areas.may_come(area)));
    assert!((4..=8).chain([u16::MAX]).all(|area| !areas.may_come(area)));
}

#[test]
fn who_has_more_than_half_as_much_again_gives_back_down_to_a_quarter_what_was_read_last() {
    let [from_peer, to_peer] = [ring(8), ring(8)];
    let mut areas = BouncePool::new(0, 8);
    let mut peer = BouncePool::new(1, 8);
    for area in 8..12 {
        assert_eq!(peer.pop(), Some(area));
        let is_due = areas.release(area);
        assert_eq!(is_due, area % 2 == 1, "a quarter of the share");
        assert!(!is_due || !areas.settle(0, &from_peer, &to_peer));
    }
    assert!(areas.settle(1, &from_peer, &to_peer), "one more is under way");
    assert_eq!(areas.free.len() + 1, 10);
    // The peer has four left, and finds three when it needs them, behind its own.
    assert!(peer.has(4, &to_peer) && peer.free.len() == 4);
    assert!(peer.has(7, &to_peer) && !peer.has(8, &to_peer));
    let order: Vec<u16> = std::iter::from_fn(|| peer.pop()).collect();
    assert_eq!(order, [12, 13, 14, 15, 9, 10, 11]);
}

#[test]
fn lies_of_the_peer_spoil_nothing() {
    let [from_peer, to_peer] = [ring(2), ring(2)];
    let mut areas = BouncePool::new(0, 2);
    for (at, area) in [1u32, 9, 2, 2].into_iter().enumerate() {
        from_peer[at].store(1 << 16 | area, Ordering::Relaxed);
    }
    assert!(areas.has(3, &from_peer) && !areas.has(4, &from_peer), "one of ours, one of nobody's, one twice");
    assert!(areas.release(2) && !areas.settle(0, &from_peer, &to_peer));
    assert_eq!(areas.free.len(), 3);
}

/// What one of the sides does.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Send,
    Read,
    /// It learns what the other has read.
    Hear,
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    /// However much more goes one way: no area is lost or in two places, and neither side ever has less than a quarter of its share.
    #[test]
    fn no_area_is_lost_and_neither_side_is_ever_without(
        runs in prop::collection::vec(
            (0..2usize, prop_oneof![Just(Deed::Send), Just(Deed::Read), Just(Deed::Hear)], 1..100usize), 0..40,
        ),
        share in prop_oneof![Just(4usize), Just(16), Just(64)],
    ) {
        let mut sides = [BouncePool::new(0, share), BouncePool::new(1, share)];
        let returns = [ring(share), ring(share)];
        // BouncePool under way from each side, and how many the other has read without that side knowing.
        let mut ways = [VecDeque::new(), VecDeque::new()];
        let mut unheard = [0, 0];
        for (side, deed, times) in runs {
            let other = 1 - side;
            for _ in 0..times {
                match deed {
                    Deed::Send => if ways[side].len() + unheard[side] < share && sides[side].has(1, &returns[other]) {
                        let area = sides[side].pop().unwrap();
                        prop_assert!(sides[other].may_come(area));
                        ways[side].push_back(area);
                    }
                    Deed::Read => if let Some(area) = ways[other].pop_front() {
                        // A sixteenth of the share goes unmentioned.
                        unheard[other] += 1;
                        if unheard[other] > share / 16 {
                            unheard[other] = 0;
                        }
                        if sides[side].release(area) {
                            let under_way = ways[side].len() + unheard[side];
                            sides[side].settle(under_way, &returns[other], &returns[side]);
                        }
                    }
                    Deed::Hear => unheard[side] = 0,
                }
            }
            let here: usize = [0, 1].map(|side| sides[side].free.len() + ways[side].len()).iter().sum();
            let given: u32 = [0, 1].map(|side| sides[side].given - sides[1 - side].got).iter().sum();
            prop_assert_eq!(here + given as usize, 2 * share);
            for (side, way) in ways.iter().enumerate() {
                let other = &sides[1 - side];
                let waiting = (other.given - sides[side].got) as usize;
                prop_assert!(sides[side].free.len() + way.len() + waiting >= share / 4);
            }
        }
    }
}
