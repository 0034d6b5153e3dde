//! Tests of messages whose memory is not one run of bytes, on all paths of a message.

use super::*;
use crate::base::Error;
use crate::p2p::protocol::WINDOW_BYTES;

/// Memory in which each byte of the message is followed by a byte that must not change.
struct EveryOther {
    memory: Mutex<Vec<u8>>,
}

const GAP: u8 = 0xa5;

impl EveryOther {
    fn holding(data: &[u8]) -> Arc<EveryOther> {
        Arc::new(EveryOther { memory: Mutex::new(data.iter().flat_map(|byte| [*byte, GAP]).collect()) })
    }

    fn held(&self) -> Vec<u8> {
        let memory = self.memory.lock();
        assert!(memory.chunks(2).all(|pair| pair[1] == GAP), "something was written into a gap");
        memory.chunks(2).map(|pair| pair[0]).collect()
    }
}

impl Noncontiguous for EveryOther {
    fn bytes(&self) -> usize {
        self.memory.lock().len() / 2
    }

    unsafe fn gather(&self, position: usize, dst: *mut u8, bytes: usize) {
        for (at, pair) in self.memory.lock()[2 * position..][..2 * bytes].chunks(2).enumerate() {
            // SAFETY: the caller vouches for `bytes` bytes at `dst`.
            unsafe { dst.wrapping_add(at).write(pair[0]) };
        }
    }

    unsafe fn scatter(&self, position: usize, src: *const u8, bytes: usize) {
        for (at, pair) in self.memory.lock()[2 * position..][..2 * bytes].chunks_mut(2).enumerate() {
            // SAFETY: the caller vouches for `bytes` bytes at `src`.
            pair[0] = unsafe { src.wrapping_add(at).read() };
        }
    }
}

impl Pair {
    fn send_noncontiguous(
        &mut self,
        from: usize,
        tag: Tag,
        memory: &Arc<EveryOther>,
        is_synchronous: bool,
    ) -> Ticket {
        let what = OutgoingMessage {
            to: 1 - from as Rank,
            tag,
            datatype: Datatype::Byte,
            count: memory.bytes() as u64,
            data: std::ptr::null(),
            is_synchronous,
        };
        // SAFETY: the memory is behind a lock.
        unsafe { self.sides[from].start_send_noncontiguous(&what, memory.clone()) }
    }

    fn receive_noncontiguous(&mut self, at: usize, selector: Selector, memory: &Arc<EveryOther>) -> Ticket {
        // SAFETY: the memory is behind a lock.
        unsafe { self.sides[at].start_receive_noncontiguous(selector, room(memory), memory.clone()) }.unwrap()
    }
}

fn room(memory: &Arc<EveryOther>) -> RecvBuffer {
    let (datatype, count) = (Datatype::Byte, memory.bytes() as u64);
    RecvBuffer { data: std::ptr::null_mut(), datatype, count, is_lenient: true }
}

const LENGTHS: [usize; 7] = [0, 1, 1000, 70_001, WINDOW_BYTES, WINDOW_BYTES + 1, 3 * WINDOW_BYTES + 5];

#[test]
fn noncontiguous_memory_arrives_in_its_like_or_in_one_buffer_whichever_side_is_first() {
    for len in LENGTHS {
        for (is_early, is_synchronous) in [(true, false), (false, false), (true, true), (false, true)] {
            for (from_noncontiguous, to_noncontiguous) in [(true, true), (true, false), (false, true)] {
                let mut pair = Pair::new();
                let message = bytes(1, len);
                let (source, target) = (EveryOther::holding(&message), EveryOther::holding(&vec![0; len]));
                let mut room = vec![0; len];
                let mut receive = |pair: &mut Pair| match to_noncontiguous {
                    true => pair.receive_noncontiguous(1, from(0, 3), &target),
                    false => pair.receive(1, from(0, 3), &mut room),
                };
                let early = is_early.then(|| receive(&mut pair));
                let send = match from_noncontiguous {
                    true => pair.send_noncontiguous(0, 3, &source, is_synchronous),
                    false => pair.start(0, 3, &message, is_synchronous),
                };
                for _ in 0..100 {
                    pair.step(0).unwrap();
                    pair.drain(1);
                }
                let receive = early.unwrap_or_else(|| receive(&mut pair));
                pair.settle();
                let status = pair.status(1, receive).expect("it has ended");
                assert_eq!((status.bytes, status.count), (len, len as u64));
                assert!(pair.status(0, send).is_some());
                assert!(if to_noncontiguous { target.held() == message } else { room == message }, "{len}");
            }
        }
    }
}

#[test]
fn a_message_without_credit_leaves_its_memory_alone_until_a_receive_matches() {
    let mut pair = Pair::new();
    let message = bytes(1, WINDOW_BYTES);
    let source = EveryOther::holding(&message);
    let sends: Vec<Ticket> = (0..12).map(|tag| pair.send_noncontiguous(0, tag, &source, false)).collect();
    for _ in 0..1000 {
        pair.step(0).unwrap();
        pair.drain(1);
    }
    for tag in (0..12).rev() {
        let target = EveryOther::holding(&vec![0; WINDOW_BYTES]);
        let receive = pair.receive_noncontiguous(1, from(0, tag), &target);
        pair.settle();
        assert!(pair.status(1, receive).is_some());
        assert!(target.held() == message);
    }
    assert!(sends.into_iter().all(|send| pair.status(0, send).is_some()));
}

#[test]
fn a_message_that_is_too_long_for_its_memory_fails_only_its_receive() {
    for len in [10, 3 * WINDOW_BYTES] {
        for is_early in [true, false] {
            let mut pair = Pair::new();
            let message = bytes(1, len);
            let (source, target) = (EveryOther::holding(&message), EveryOther::holding(&[0; 7]));
            let early = is_early.then(|| pair.receive_noncontiguous(1, from(0, 3), &target));
            let send = pair.send_noncontiguous(0, 3, &source, false);
            for _ in 0..100 {
                pair.step(0).unwrap();
                pair.drain(1);
            }
            let receive = early.unwrap_or_else(|| pair.receive_noncontiguous(1, from(0, 3), &target));
            pair.settle();
            assert!(matches!(pair.sides[1].take_outcome(receive), Some(Err(Error::Truncated { .. }))));
            assert!(pair.status(0, send).is_some());
            assert_eq!(target.held(), message[..7]);
        }
    }
}

#[test]
fn a_claimed_message_goes_into_noncontiguous_memory() {
    for len in LENGTHS {
        let mut pair = Pair::new();
        let message = bytes(1, len);
        let (source, target) = (EveryOther::holding(&message), EveryOther::holding(&vec![0; len]));
        pair.send_noncontiguous(0, 3, &source, false);
        for _ in 0..100 {
            pair.step(0).unwrap();
            pair.drain(1);
        }
        let (claimed, _) = pair.sides[1].claim(Selector::ANY).unwrap();
        // SAFETY: the memory is behind a lock.
        let receive = unsafe {
            pair.sides[1].start_claimed_noncontiguous(claimed, self::room(&target), target.clone())
        };
        pair.settle();
        assert!(pair.status(1, receive.unwrap()).is_some());
        assert!(target.held() == message);
    }
}

#[test]
fn after_a_failure_noncontiguous_memory_is_left_alone_and_dropped() {
    let mut pair = Pair::new();
    let (source, target) = (EveryOther::holding(&bytes(1, 200_000)), EveryOther::holding(&[0; 10]));
    let send = pair.send_noncontiguous(0, 3, &source, false);
    let receive = pair.receive_noncontiguous(0, from(1, 3), &target);
    pair.step(0).unwrap();
    let rests: Vec<usize> = pair.sides[0].under_way().map(|(_, _, _, bytes)| bytes).collect();
    assert!(rests.iter().all(|bytes| *bytes <= 65_536), "{rests:?}");
    pair.sides[0].fail(&Error::Aborted("over".into()));
    for ticket in [send, receive] {
        assert!(matches!(pair.sides[0].take_outcome(ticket), Some(Err(Error::Aborted(_)))));
    }
    assert_eq!((Arc::strong_count(&source), Arc::strong_count(&target)), (1, 1));
}
