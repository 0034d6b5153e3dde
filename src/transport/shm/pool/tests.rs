//! Tests of the pool: both sides on one thread.

use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;

fn ring(quota: usize) -> Vec<AtomicU32> {
    (0..2 * quota).map(|_| AtomicU32::new(0)).collect()
}

#[test]
fn the_buffer_that_was_read_last_is_filled_first() {
    let mut pool = BouncePool::new(0, 4);
    assert_eq!([pool.pop(), pool.pop()], [Some(0), Some(1)]);
    // A quarter of the quota is one buffer.
    assert!(pool.release(1) && pool.release(6));
    assert_eq!([pool.pop(), pool.pop(), pool.pop()], [Some(6), Some(1), Some(2)]);
}

#[test]
fn a_buffer_may_arrive_unless_it_is_free_on_this_side_or_does_not_exist() {
    let pool = BouncePool::new(1, 4);
    assert!((0..4).all(|buffer| pool.may_arrive(buffer)));
    assert!((4..=8).chain([u16::MAX]).all(|buffer| !pool.may_arrive(buffer)));
}

#[test]
fn a_side_with_over_one_and_a_half_quotas_returns_recently_read_buffers_down_to_one_and_a_quarter() {
    let [from_peer, to_peer] = [ring(8), ring(8)];
    let mut pool = BouncePool::new(0, 8);
    let mut peer = BouncePool::new(1, 8);
    for buffer in 8..12 {
        assert_eq!(peer.pop(), Some(buffer));
        let is_due = pool.release(buffer);
        assert_eq!(is_due, buffer % 2 == 1, "a quarter of the quota");
        assert!(!is_due || !pool.rebalance(0, &from_peer, &to_peer));
    }
    assert!(pool.rebalance(1, &from_peer, &to_peer), "one more is in flight");
    assert_eq!(pool.free.len() + 1, 10);
    // The peer has four free buffers left. It collects the three returned ones when it needs more, and fills
    // them after its own.
    assert!(peer.has(4, &to_peer) && peer.free.len() == 4);
    assert!(peer.has(7, &to_peer) && !peer.has(8, &to_peer));
    let order: Vec<u16> = std::iter::from_fn(|| peer.pop()).collect();
    assert_eq!(order, [12, 13, 14, 15, 9, 10, 11]);
}

#[test]
fn a_peer_that_returns_wrong_buffers_does_no_harm() {
    let [from_peer, to_peer] = [ring(2), ring(2)];
    let mut pool = BouncePool::new(0, 2);
    for (at, buffer) in [1u32, 9, 2, 2].into_iter().enumerate() {
        from_peer[at].store(1 << 16 | buffer, Ordering::Relaxed);
    }
    assert!(pool.has(3, &from_peer) && !pool.has(4, &from_peer), "one of ours, one of nobody's, one twice");
    assert!(pool.release(2) && !pool.rebalance(0, &from_peer, &to_peer));
    assert_eq!(pool.free.len(), 3);
}

/// One step of one of the sides.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Send,
    Read,
    /// The side learns how much the other has read.
    Hear,
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 500 }) })]

    /// However uneven the traffic is, no buffer is lost or in two places. Neither side ever has less than a
    /// quarter of its quota.
    #[test]
    fn no_buffer_is_lost_and_neither_side_runs_out_of_buffers(
        runs in prop::collection::vec(
            (0..2usize, prop_oneof![Just(Deed::Send), Just(Deed::Read), Just(Deed::Hear)], 1..100usize), 0..40,
        ),
        quota in prop_oneof![Just(4usize), Just(16), Just(64)],
    ) {
        let mut sides = [BouncePool::new(0, quota), BouncePool::new(1, quota)];
        let returns = [ring(quota), ring(quota)];
        // For each side: its buffers in flight, and the number of buffers that the other has read without
        // telling it.
        let mut ways = [VecDeque::new(), VecDeque::new()];
        let mut unheard = [0, 0];
        for (side, deed, times) in runs {
            let other = 1 - side;
            for _ in 0..times {
                match deed {
                    Deed::Send => if ways[side].len() + unheard[side] < quota && sides[side].has(1, &returns[other]) {
                        let buffer = sides[side].pop().unwrap();
                        prop_assert!(sides[other].may_arrive(buffer));
                        ways[side].push_back(buffer);
                    }
                    Deed::Read => if let Some(buffer) = ways[other].pop_front() {
                        // The reader reports only after more than a sixteenth of the quota.
                        unheard[other] += 1;
                        if unheard[other] > quota / 16 {
                            unheard[other] = 0;
                        }
                        if sides[side].release(buffer) {
                            let in_flight = ways[side].len() + unheard[side];
                            sides[side].rebalance(in_flight, &returns[other], &returns[side]);
                        }
                    }
                    Deed::Hear => unheard[side] = 0,
                }
            }
            let here: usize = [0, 1].map(|side| sides[side].free.len() + ways[side].len()).iter().sum();
            let returned: u32 = [0, 1].map(|side| sides[side].returned - sides[1 - side].collected).iter().sum();
            prop_assert_eq!(here + returned as usize, 2 * quota);
            for (side, way) in ways.iter().enumerate() {
                let other = &sides[1 - side];
                let waiting = (other.returned - sides[side].collected) as usize;
                prop_assert!(sides[side].free.len() + way.len() + waiting >= quota / 4);
            }
        }
    }
}
