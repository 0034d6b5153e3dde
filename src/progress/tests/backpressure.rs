//! Tests of calls ahead of a slow rank: the kept data is bounded, and nothing else waits for it.

use super::*;
use crate::endpoint::CONTROL_READ_BYTES;
use crate::p2p::{OutgoingMessage, RecvBuffer, Selector};
use crate::progress::backpressure::HELD_BYTES;
use crate::sys::clock;
use crate::transport::FIRST_CONTEXT;

const CALLS: usize = 60;
const COUNT: usize = 1 << 18;
const CALL_BYTES: usize = 4 * COUNT;
/// Bytes that a link or a socket holds, and a message that the kernel copies.
const ON_THE_WAY: usize = (8 << 20) + CALL_BYTES;

fn broadcast(driver: &Driver, rank: Rank, data: &[i32], room: &mut [i32]) -> Result<()> {
    let size = 2;
    let job = TestCall {
        collective: Collective::Broadcast,
        algorithm: "binomial",
        size,
        rank,
        root: 0,
        count: COUNT,
    };
    job.run(driver, data, room, LONG)
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let start = clock::now();
    while !is_so() {
        assert!(clock::since(start) < LONG, "never: {what}");
        thread::yield_now();
    }
}

fn stashed(driver: &Driver) -> usize {
    driver.lock().endpoints[0].inbox.stashed_cost(FIRST_CONTEXT)
}

#[test]
fn a_root_that_is_ahead_is_held_and_a_message_passes_it() {
    for kind in KINDS {
        let drivers = world(2, kind);
        let [root, other] = [0, 1].map(|rank: usize| &drivers[rank]);
        let is_held = || !root.lock().endpoints[1].held_by_peer.is_empty();
        thread::scope(|scope| {
            let ahead = scope.spawn(|| {
                for call in 0..CALLS {
                    let mut data = vec![call as i32; COUNT];
                    let sent = data.clone();
                    broadcast(root, 0, &sent, &mut data).unwrap();
                }
            });
            let waits = scope.spawn(|| {
                let mut room = [0u8];
                let buffer = RecvBuffer {
                    data: room.as_mut_ptr(),
                    datatype: Datatype::Byte,
                    count: 1,
                    is_lenient: false,
                };
                let selector = Selector::new(Some(0), Some(7));
                // SAFETY: the room is borrowed for the whole call.
                unsafe { other.receive(CommId::FIRST, selector, buffer, Some(LONG)) }.unwrap();
                room[0]
            });
            wait_until("the root is held", is_held);
            // This is sent behind everything else, by another thread.
            let data = [9u8];
            let (datatype, data) = (Datatype::Byte, data.as_ptr());
            let message = OutgoingMessage { to: 1, tag: 7, datatype, count: 1, data, is_synchronous: false };
            // SAFETY: the data outlives the call.
            unsafe { root.send(CommId::FIRST, &message, Some(LONG)) }.unwrap();
            assert_eq!(waits.join().unwrap(), 9);
            let kept = stashed(other);
            assert!(kept > HELD_BYTES, "{kind:?}: {kept}");
            assert!(kept <= HELD_BYTES + CONTROL_READ_BYTES + ON_THE_WAY, "{kind:?}: {kept}");
            assert!(kept < CALLS * CALL_BYTES / 2 && !ahead.is_finished());
            for call in 0..CALLS {
                let mut room = vec![0; COUNT];
                broadcast(other, 1, &[], &mut room).unwrap();
                assert!(room.iter().all(|x| *x == call as i32), "{kind:?}, call {call}");
            }
            ahead.join().unwrap();
        });
        assert_eq!(stashed(other), 0);
        assert!(other.lock().endpoints[0].held_here.is_empty());
        root.lock().read_control();
        assert!(!is_held());
    }
}
