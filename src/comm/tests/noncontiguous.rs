//! Tests of messages whose memory is not one run of bytes, through real links.

use std::sync::Arc;

use super::*;
use crate::p2p::Noncontiguous;

/// Blocks of `block` bytes, one in every `stride`, in a vector.
pub(super) struct Strided {
    memory: Vec<u8>,
    block: usize,
    stride: usize,
}

impl Strided {
    pub fn new(blocks: usize, block: usize, stride: usize, fill: impl Fn(usize) -> u8) -> Arc<Strided> {
        let mut memory = vec![0xa5; blocks * stride];
        for at in 0..blocks * block {
            memory[at / block * stride + at % block] = fill(at);
        }
        Arc::new(Strided { memory, block, stride })
    }

    pub fn holds(&self, value: impl Fn(usize) -> u8) -> bool {
        self.memory.iter().enumerate().all(|(at, byte)| {
            let (block, inside) = (at / self.stride, at % self.stride);
            *byte == if inside < self.block { value(block * self.block + inside) } else { 0xa5 }
        })
    }

    /// Calls `copy` for each part of a block, with its address, its position in the run, and its length.
    fn parts(&self, position: usize, bytes: usize, copy: impl Fn(*mut u8, usize, usize)) {
        let start = self.memory.as_ptr().cast_mut();
        let mut done = 0;
        while done < bytes {
            let (block, inside) = ((position + done) / self.block, (position + done) % self.block);
            let n = (self.block - inside).min(bytes - done);
            copy(start.wrapping_add(block * self.stride + inside), done, n);
            done += n;
        }
    }
}

impl Noncontiguous for Strided {
    fn bytes(&self) -> usize {
        self.memory.len() / self.stride * self.block
    }

    unsafe fn gather(&self, position: usize, dst: *mut u8, bytes: usize) {
        self.parts(position, bytes, |address, at, n| {
            // SAFETY: a part of the vector; the caller vouches for `dst`.
            unsafe { std::ptr::copy_nonoverlapping(address, dst.wrapping_add(at), n) };
        });
    }

    unsafe fn scatter(&self, position: usize, src: *const u8, bytes: usize) {
        self.parts(position, bytes, |address, at, n| {
            // SAFETY: a part of the vector, which the test reads after the message; the caller vouches for
            // `src`.
            unsafe { std::ptr::copy_nonoverlapping(src.wrapping_add(at), address, n) };
        });
    }
}

fn value(seed: usize) -> impl Fn(usize) -> u8 {
    move |at| (at / 253 + at * 3 + seed) as u8
}

fn from(source: u32) -> Selector {
    Selector::new(Some(source), Some(4))
}

#[test]
fn vectors_go_round_a_ring_of_ranks_through_shared_memory_and_sockets() {
    for transport in [TransportChoice::Auto, TransportChoice::Tcp] {
        // A rank of a size-1 communicator sends to itself.
        for size in [1, 2, 3] {
            on_ranks(size, transport, |comm| {
                let (next, previous) = ((comm.rank() + 1) % size, (comm.rank() + size - 1) % size);
                for blocks in [0, 1, 3, 1000, 20_000, 131_072, 400_000] {
                    for is_synchronous in [false, true] {
                        let mine = Strided::new(blocks, 8, 16, value(comm.rank() as usize));
                        let theirs = Strided::new(blocks, 8, 24, |_| 0);
                        // SAFETY: both live until the requests have ended, and nobody uses them until then.
                        let mut send =
                            unsafe { comm.start_send_noncontiguous(next, 4, is_synchronous, mine) }.unwrap();
                        // SAFETY: as above.
                        let status =
                            unsafe { comm.receive_noncontiguous(from(previous), theirs.clone()) }.unwrap();
                        send.wait().unwrap();
                        assert_eq!(status.bytes, 8 * blocks);
                        assert!(theirs.holds(value(previous as usize)), "{blocks} blocks");
                    }
                }
                comm.finalize().unwrap();
            });
        }
    }
}

#[test]
fn persistent_and_matched_messages_use_noncontiguous_memory() {
    for transport in [TransportChoice::Auto, TransportChoice::Tcp] {
        let config = config(transport);
        let id = UniqueId::create(&config).unwrap();
        thread::scope(|scope| {
            for rank in 0..2 {
                let config = &config;
                scope.spawn(move || {
                    let own = CommConfig::default();
                    let comm = Arc::new(Communicator::create(&id, 2, rank, config, &own).unwrap());
                    let blocks = 50_000;
                    let mine = Strided::new(blocks, 8, 16, value(rank as usize));
                    let theirs = Strided::new(blocks, 8, 16, |_| 0);
                    // SAFETY: both live until the end of the test, and are used between runs only.
                    let send = unsafe {
                        Persistent::send_noncontiguous(comm.clone(), 1 - rank, 4, false, mine.clone())
                    };
                    // SAFETY: as above.
                    let recv = unsafe {
                        Persistent::receive_noncontiguous(comm.clone(), from(1 - rank), theirs.clone())
                    };
                    let (mut send, mut recv) = (send.unwrap(), recv.unwrap());
                    for _ in 0..3 {
                        recv.start().unwrap();
                        send.start().unwrap();
                        send.wait().unwrap();
                        recv.wait().unwrap();
                        assert_eq!(recv.status().unwrap().bytes, 8 * blocks);
                        assert!(theirs.holds(value(1 - rank as usize)));
                    }
                    // SAFETY: as above.
                    let mut send =
                        unsafe { comm.start_send_noncontiguous(1 - rank, 4, false, mine) }.unwrap();
                    let (message, _) = comm.matched_probe(from(1 - rank)).unwrap();
                    let other = Strided::new(blocks, 4, 5, |_| 0);
                    // SAFETY: as above.
                    let recv = unsafe { comm.start_matched_receive_noncontiguous(message, other.clone()) };
                    // The receive has half the room.
                    let error = recv.unwrap().wait().unwrap_err();
                    assert!(matches!(error, Error::Truncated { .. }), "{error}");
                    assert!(other.holds(value(1 - rank as usize)));
                    send.wait().unwrap();
                    comm.finalize().unwrap();
                });
            }
        });
    }
}

#[test]
fn a_failure_in_the_middle_of_noncontiguous_memory_leaves_other_communicators_alone() {
    for transport in [TransportChoice::Auto, TransportChoice::Tcp] {
        on_ranks(2, transport, |comm| {
            let dup = comm.dup(&CommConfig::default()).unwrap();
            if comm.rank() == 0 {
                let large = Strided::new(1_000_000, 8, 16, value(0));
                // SAFETY: it lives until the request has ended.
                let mut send = unsafe { dup.start_send_noncontiguous(1, 4, false, large) }.unwrap();
                dup.abort("test");
                send.wait().unwrap_err();
            }
            for _ in 0..50 {
                let mut data = vec![1; 10_000];
                all_reduce(comm, Datatype::Int32, ReduceOp::Sum, &mut data).unwrap();
                assert!(data.iter().all(|x| *x == 2));
            }
            comm.finalize().unwrap();
        });
    }
}
