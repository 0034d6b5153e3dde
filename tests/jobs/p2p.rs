//! Messages between ranks, over both transports and for every size, through the calls that a program makes.

use crate::common;
use anyccl_engine::base::{Collective, Datatype, Error, Rank, Result};
use anyccl_engine::comm::{CallSpec, CommConfig, Communicator, Request, wait_all};
use anyccl_engine::config::TransportChoice;
use anyccl_engine::observe::log;
use anyccl_engine::p2p::{OutgoingMessage, RecvBuffer, Selector, Status, Tag};
use common::attempt::{Attempt, Placement};
use common::case::Case;
use common::ranks::{TRANSPORTS, config, on_failing_ranks, on_ranks};

const SIZES: [u32; 6] = [1, 2, 3, 4, 5, 8];
const ODD: usize = 1009;

fn outgoing(to: Rank, tag: Tag, data: &[u64]) -> OutgoingMessage {
    let (data, count) = (data.as_ptr().cast(), data.len() as u64);
    OutgoingMessage { to, tag, datatype: Datatype::Uint64, count, data, is_synchronous: false }
}

fn buffer(room: &mut [u64]) -> RecvBuffer {
    let (data, count) = (room.as_mut_ptr().cast(), room.len() as u64);
    RecvBuffer { data, datatype: Datatype::Uint64, count, is_lenient: false }
}

fn send(comm: &Communicator, to: Rank, tag: Tag, data: &[u64]) -> Result<()> {
    // SAFETY: the data is borrowed for the whole call.
    unsafe { comm.send(&outgoing(to, tag, data)) }
}

fn receive(comm: &Communicator, selector: Selector, room: &mut [u64]) -> Result<Status> {
    // SAFETY: the room is borrowed for the whole call.
    unsafe { comm.receive(selector, buffer(room)) }
}

fn from(source: Rank, tag: Tag) -> Selector {
    Selector::new(Some(source), Some(tag))
}

#[test]
fn messages_around_a_ring_arrive_in_order_for_every_size_and_count() {
    for transport in TRANSPORTS {
        for size in SIZES {
            on_ranks(size, &config(transport), |comm| {
                let (me, size) = (comm.rank(), comm.size());
                let (next, previous) = ((me + 1) % size, (me + size - 1) % size);
                // The largest message exceeds every buffer on the way.
                for count in [0usize, 1, ODD, 300_000] {
                    let content = |rank: Rank, turn: u64| vec![u64::from(rank) << 32 | turn; count];
                    let sent = [content(me, 1), content(me, 2)];
                    let mut received = [vec![0; count], vec![0; count]];
                    let mut requests: Vec<Request> = Vec::new();
                    for (data, room) in sent.iter().zip(&mut received) {
                        // SAFETY: `received` outlives the requests.
                        requests.push(
                            unsafe { comm.start(CallSpec::Receive(from(previous, 3), buffer(room))) }
                                .unwrap(),
                        );
                        // SAFETY: `sent` outlives the requests.
                        requests.push(unsafe { comm.start(&outgoing(next, 3, data)) }.unwrap());
                    }
                    wait_all(&mut requests.iter_mut().collect::<Vec<_>>()).expect("both ways");
                    assert_eq!(requests[0].status().unwrap().source, previous);
                    drop(requests);
                    assert_eq!(received, [content(previous, 1), content(previous, 2)], "{count} on {me}");
                }
            });
        }
    }
}

#[test]
fn blocking_calls_meet_where_one_rank_sends_first() {
    for transport in TRANSPORTS {
        on_ranks(2, &config(transport), |comm| {
            let me = comm.rank();
            for count in [1usize, ODD, 300_000] {
                for sender in [0, 1] {
                    let data = vec![u64::from(sender) + 7; count];
                    let mut room = vec![0; count];
                    if me == sender {
                        send(comm, 1 - me, 0, &data).expect("a send");
                    } else {
                        let status = receive(comm, from(sender, 0), &mut room).expect("a receive");
                        assert_eq!((status.count, room == data), (count as u64, true));
                    }
                }
            }
        });
    }
}

#[test]
fn messages_of_all_lengths_are_right_whether_they_are_fetched_or_not() {
    on_ranks(2, &config(TransportChoice::Auto), |comm| {
        let me = comm.rank();
        // The turns suffice for a trial of each length and for the transfers after it.
        for turn in 0..40u64 {
            for count in [4096usize, 5000, 8191, 16_384, 40_000, 131_071, 131_072, 140_000] {
                let content = |sender: u64| (0..count as u64).map(|at| at * 31 + sender + turn).collect();
                let (mine, theirs): (Vec<u64>, Vec<u64>) = (content(me.into()), content((1 - me).into()));
                let mut room = vec![0; count];
                if me == 0 {
                    send(comm, 1, 1, &mine).expect("a send");
                    receive(comm, from(1, 1), &mut room).expect("a receive");
                } else {
                    receive(comm, from(0, 1), &mut room).expect("a receive");
                    send(comm, 0, 1, &mine).expect("a send");
                }
                assert!(room == theirs, "{count} elements, turn {turn}, on {me}");
            }
        }
    });
}

#[test]
fn a_rank_that_waits_for_one_message_takes_in_another_that_comes_first() {
    on_ranks(2, &config(TransportChoice::Auto), |comm| {
        for turn in 0..30u64 {
            let (long, short) = (vec![turn; 30_000], vec![turn + 1; 10]);
            if comm.rank() == 0 {
                // The peer waits for tag 2 and would fetch that message. The first send must end
                // nevertheless.
                std::thread::sleep(std::time::Duration::from_micros(200));
                send(comm, 1, 1, &long).expect("a message that nobody waits for");
                send(comm, 1, 2, &short).expect("the one that is waited for");
                receive(comm, from(1, 3), &mut [0]).expect("an answer");
            } else {
                let (mut first, mut second) = (vec![0; 30_000], vec![0; 10]);
                receive(comm, from(0, 2), &mut second).expect("the second");
                receive(comm, from(0, 1), &mut first).expect("the first");
                assert!(first == long && second == short, "turn {turn}");
                send(comm, 0, 3, &[turn]).expect("an answer");
            }
        }
    });
}

#[test]
fn rank_0_serves_whoever_comes_first_and_answers_by_name() {
    for transport in TRANSPORTS {
        on_ranks(5, &config(transport), |comm| {
            let me = comm.rank();
            const QUESTIONS: u64 = 50;
            if me == 0 {
                let mut answered = [0; 5];
                for _ in 0..4 * QUESTIONS {
                    let found = comm.probe(Selector::ANY).unwrap();
                    let mut room = vec![0; found.count as usize];
                    receive(comm, from(found.source, found.tag), &mut room).unwrap();
                    assert_eq!(room[0], answered[found.source as usize], "in order from each");
                    answered[found.source as usize] += 1;
                    send(comm, found.source, found.tag + 1, &[room.len() as u64]).unwrap();
                }
                assert!(comm.try_probe(Selector::ANY).unwrap().is_none());
            } else {
                for question in 0..QUESTIONS {
                    let len = 1 + (question * u64::from(me) * 37) % 2000;
                    send(comm, 0, 10, &vec![question; len as usize]).unwrap();
                    let mut room = [0];
                    receive(comm, from(0, 11), &mut room).unwrap();
                    assert_eq!(room[0], len);
                }
            }
        });
    }
}

#[test]
fn communicators_of_the_same_ranks_do_not_see_each_others_messages() {
    for transport in TRANSPORTS {
        on_ranks(3, &config(transport), |comm| {
            let other = comm.dup(&CommConfig::default()).unwrap();
            let (next, previous) = ((comm.rank() + 1) % 3, (comm.rank() + 2) % 3);
            let (mine, theirs) = (u64::from(comm.rank()), u64::from(previous));
            send(comm, next, 1, &[mine]).unwrap();
            send(&other, next, 1, &[mine + 100]).unwrap();
            let (mut first, mut second) = ([0], [0]);
            receive(&other, Selector::ANY, &mut second).unwrap();
            receive(comm, Selector::ANY, &mut first).unwrap();
            assert_eq!((first, second), ([theirs], [theirs + 100]));
            other.finalize().unwrap();
        });
    }
}

#[test]
fn a_message_that_is_longer_than_its_receive_fails_both_sides() {
    log::set_level(log::Level::Off);
    for transport in TRANSPORTS {
        for count in [6, 100_000] {
            on_failing_ranks(2, &config(transport), |comm| {
                let first = if comm.rank() == 0 {
                    send(&comm, 1, 4, &vec![1; count])
                } else {
                    receive(&comm, from(0, 4), &mut [0; 5]).map(drop)
                };
                // A small send ends before the peer has compared it.
                let barrier = || Attempt::on(&comm, Case::barrier(), Placement::Apart).run(&comm);
                let error = first.and_then(|()| barrier()).and_then(|()| barrier()).unwrap_err();
                assert!(matches!(error, Error::Mismatch(_)), "{error:?}");
                let text = error.to_string();
                assert!(text.contains(&format!("rank 0 sent {count} elements of uint64")), "{text}");
                assert!(text.contains("rank 1 receives at most 5 of uint64"), "{text}");
            });
        }
    }
}

#[test]
fn invalid_arguments_are_refused_before_anything_is_sent() {
    on_ranks(2, &config(TRANSPORTS[0]), |comm| {
        let what = |outcome: Result<()>| match outcome {
            Err(Error::InvalidArgument { what, .. }) => what,
            other => panic!("not refused: {other:?}"),
        };
        assert_eq!(what(send(comm, 2, 0, &[])), "peer");
        assert_eq!(what(receive(comm, from(2, 0), &mut []).map(drop)), "peer");
        let endless = OutgoingMessage { count: u64::MAX / 8, ..outgoing(1, 0, &[]) };
        // SAFETY: the call refuses the message before it reads anything.
        assert_eq!(what(unsafe { comm.send(&endless) }), "count");
        Attempt::on(comm, Case::plain(Collective::AllReduce, 0, 5), Placement::Apart).run(comm).unwrap();
    });
}

#[test]
fn a_request_of_a_communicator_that_was_given_up_says_so() {
    on_ranks(2, &config(TRANSPORTS[0]), |comm| {
        let part = comm.dup(&CommConfig::default()).unwrap();
        let mut room = [0];
        // SAFETY: the room outlives the request.
        let mut request = unsafe { part.start(CallSpec::Receive(Selector::ANY, buffer(&mut room))) }.unwrap();
        part.finalize().unwrap();
        assert!(matches!(request.wait(), Err(Error::InvalidUsage(_))));
    });
}

#[test]
fn a_cancelled_receive_says_so_and_takes_no_message() {
    for transport in TRANSPORTS {
        on_ranks(2, &config(transport), |comm| {
            let peer = 1 - comm.rank();
            let (mut first, mut second) = ([0], [0]);
            // SAFETY: the room outlives the request.
            let mut request =
                unsafe { comm.start(CallSpec::Receive(from(peer, 1), buffer(&mut first))) }.unwrap();
            request.cancel();
            request.wait().unwrap();
            assert!(request.status().unwrap().is_cancelled);
            drop(request);
            Attempt::on(comm, Case::barrier(), Placement::Apart).run(comm).unwrap();
            send(comm, peer, 1, &[7]).unwrap();
            receive(comm, from(peer, 1), &mut second).unwrap();
            assert_eq!((first, second), ([0], [7]));
        });
    }
}
