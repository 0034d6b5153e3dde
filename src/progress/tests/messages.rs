//! Tests of messages over real links, for what the tests of the conversation cannot show.

use super::*;
use crate::base::Error;
use crate::p2p::{OutgoingMessage, RecvBuffer, Selector, Status};

pub(super) fn outgoing(to: Rank, tag: i32, data: &[i32]) -> OutgoingMessage {
    let count = data.len() as u64;
    OutgoingMessage {
        to,
        tag,
        datatype: Datatype::Int32,
        count,
        data: data.as_ptr().cast(),
        is_synchronous: false,
    }
}

pub(super) fn buffer(room: &mut [i32]) -> RecvBuffer {
    let (data, count) = (room.as_mut_ptr().cast(), room.len() as u64);
    RecvBuffer { data, datatype: Datatype::Int32, count, is_lenient: false }
}

pub(super) fn send(driver: &Driver, to: Rank, tag: i32, data: &[i32]) -> Result<()> {
    // SAFETY: the data is borrowed for the whole call.
    unsafe { driver.send(CommId::FIRST, &outgoing(to, tag, data), Some(LONG)) }
}

pub(super) fn receive(
    driver: &Driver,
    selector: Selector,
    room: &mut [i32],
    timeout: Duration,
) -> Result<Status> {
    // SAFETY: the room is borrowed for the whole call.
    unsafe { driver.receive(CommId::FIRST, selector, buffer(room), Some(timeout)) }
}

pub(super) fn from(source: Rank, tag: i32) -> Selector {
    Selector::new(Some(source), Some(tag))
}

#[test]
fn a_message_to_oneself_may_be_sent_before_its_receive_whatever_its_size() {
    let driver = &world(1, Kind::Shm)[0];
    for count in [0, 3, 1_000_000] {
        let data = input(0, count);
        let mut room = vec![0; count];
        send(driver, 0, 5, &data).unwrap();
        assert_eq!(receive(driver, from(0, 5), &mut room, LONG).unwrap().count, count as u64);
        assert!(room == data);
    }
}

#[test]
fn messages_of_all_sizes_come_back_in_order_on_the_fast_path_and_off_it() {
    for kind in KINDS {
        let outcomes = on_all(&world(2, kind), move |rank, driver| {
            // Small messages take the fast path, unless something is in the way: one in five is received in
            // another order.
            for count in (0..40).map(|i| i * i * i * i / 3) {
                let (mut first, mut second) = (vec![0; count], vec![0; 1]);
                for turn in 0..5 {
                    if rank == 0 {
                        send(driver, 1, turn, &input(7, count)).unwrap();
                        send(driver, 1, 9, &[turn]).unwrap();
                    } else if turn == 3 && count < 10_000 {
                        receive(driver, from(0, 9), &mut second, LONG).unwrap();
                        receive(driver, from(0, turn), &mut first, LONG).unwrap();
                    } else {
                        receive(driver, from(0, turn), &mut first, LONG).unwrap();
                        receive(driver, from(0, 9), &mut second, LONG).unwrap();
                    }
                    if rank == 1 {
                        assert!(first == input(7, count) && second == [turn], "{kind:?} {count} {turn}");
                        first.fill(0);
                    }
                }
            }
            // No rank leaves before everything has arrived.
            if rank == 0 {
                receive(driver, from(1, 0), &mut [], LONG).map(drop)
            } else {
                send(driver, 0, 0, &[])
            }
        });
        assert!(outcomes.iter().all(Result::is_ok));
    }
}

/// Waits for the end of a started send.
fn finish(driver: &Driver, started: Started) {
    if let Started::Running(ticket) = started {
        driver.wait(ticket, Some(LONG)).unwrap();
    }
}

#[test]
fn a_synchronous_send_ends_though_its_receiver_computes_after_the_receive() {
    for kind in KINDS {
        let drivers = world(2, kind);
        let (data, mut room) = ([5], [0]);
        let message = OutgoingMessage { is_synchronous: true, ..outgoing(1, 7, &data) };
        // SAFETY: the data outlives the send.
        let started = unsafe { drivers[0].start_send(CommId::FIRST, &message) }.unwrap();
        let claimed = loop {
            if let Some((message, _)) = drivers[1].claim(CommId::FIRST, from(0, 7)).unwrap() {
                break message;
            }
            drivers[0].try_move_on();
        };
        // SAFETY: the room outlives the receive.
        let receive = unsafe { drivers[1].start_claimed(CommId::FIRST, claimed, buffer(&mut room)) };
        drivers[1].wait(receive.unwrap(), Some(LONG)).unwrap();
        finish(&drivers[0], started);
        assert_eq!(room, data, "{kind:?}");
    }
}

#[test]
fn a_receive_that_waits_alone_and_one_that_does_not_get_their_messages() {
    for kind in KINDS {
        let outcomes = on_all(&world(2, kind), move |rank, driver| {
            let other = 1 - rank;
            for turn in 0..200 {
                let count = [0, 1, 100, 5000, 100_000][turn as usize % 5];
                let (mut first, mut second) = (vec![0; count], vec![0; 1]);
                // SAFETY: both rooms live until the receives have ended.
                let start = |tag, room: &mut [i32]| unsafe {
                    match driver.start_receive(CommId::FIRST, from(other, tag), buffer(room)).unwrap() {
                        Started::Running(ticket) => Some(ticket),
                        Started::Ended(_) => None,
                    }
                };
                let end = |ticket: Option<Ticket>| {
                    let Some(ticket) = ticket else { return };
                    let mut outcome = None;
                    while turn % 3 == 0 && outcome.is_none() {
                        outcome = driver.test(ticket);
                    }
                    outcome.unwrap_or_else(|| driver.wait(ticket, Some(LONG))).unwrap();
                };
                // The receive of one rank is posted before the message is sent, that of the other perhaps.
                let (is_first, is_alone) = (turn % 2 == i32::from(rank == 0), turn % 4 < 2);
                let one = start(turn, &mut first);
                let two = if is_alone { None } else { start(9, &mut second) };
                if !is_first {
                    end(one);
                }
                send(driver, other, turn, &input(rank, count)).unwrap();
                send(driver, other, 9, &[turn]).unwrap();
                if is_first {
                    end(one);
                }
                end(if is_alone { start(9, &mut second) } else { two });
                assert!(first == input(other, count) && second == [turn], "{kind:?}, turn {turn}");
            }
            Ok::<(), Error>(())
        });
        assert!(outcomes.iter().all(Result::is_ok));
    }
}

#[test]
fn a_collective_and_messages_without_a_receive_do_not_block_each_other() {
    for kind in KINDS {
        let results = on_all(&world(3, kind), |rank, driver| {
            let (right, left) = ((rank + 1) % 3, (rank + 2) % 3);
            let data = input(rank, 200_000);
            let mut room = vec![0; 200_000];
            let what = outgoing(right, 1, &data);
            // SAFETY: the data lives until the send is waited for.
            let large = unsafe { driver.start_send(CommId::FIRST, &what) }.unwrap();
            send(driver, right, 2, &data[..100]).unwrap();
            let mut sums = vec![0; 1000];
            all_reduce("ring", 3, rank, 1000).run(driver, &input(rank, 1000), &mut sums, LONG).unwrap();
            assert!(sums.iter().enumerate().all(|(i, got)| *got == sum(3, i)));
            let found = receive(driver, Selector::new(None, Some(2)), &mut room, LONG).unwrap();
            assert_eq!((found.source, found.count), (left, 100));
            assert!(room[..100] == input(left, 100));
            receive(driver, from(left, 1), &mut room, LONG).unwrap();
            finish(driver, large);
            room == input(left, 200_000)
        });
        assert_eq!(results, [true; 3]);
    }
}

#[test]
fn several_threads_may_send_and_receive_at_once_and_each_keeps_its_order() {
    for kind in KINDS {
        let drivers = world(2, kind);
        on_all(&drivers, |rank, driver| {
            let peer = 1 - rank;
            thread::scope(|scope| {
                for tag in 0..4 {
                    scope.spawn(move || {
                        (0..300).for_each(|i| send(driver, peer, tag, &vec![i; i as usize * 5]).unwrap());
                    });
                    scope.spawn(move || {
                        let mut room = vec![0; 1500];
                        for i in 0..300 {
                            let status = receive(driver, from(peer, tag), &mut room, LONG).unwrap();
                            assert_eq!(status.count, i * 5);
                            assert!(room[..status.count as usize].iter().all(|x| *x == i as i32));
                        }
                    });
                }
            });
        });
    }
}

#[test]
fn a_timeout_names_the_silent_rank_and_the_messages_that_were_not_received() {
    let drivers = world(2, Kind::Shm);
    send(&drivers[1], 0, 5, &[1, 2]).unwrap();
    let short = Duration::from_millis(200);
    let error = receive(&drivers[0], from(1, 6), &mut [0; 4], short).unwrap_err();
    assert!(matches!(error, Error::Timeout { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("recv(int32, at most 4, from rank 1, tag 6)"), "{text}");
    assert!(text.contains("rank 1 has sent no such message"), "{text}");
    assert!(text.contains("no receive has matched: tag 5 from rank 1 (2 of int32)"), "{text}");
}

#[test]
fn a_receive_from_any_rank_survives_the_loss_of_one_sender_but_not_of_all() {
    for kind in KINDS {
        let mut drivers = world(3, kind);
        drop(drivers.remove(1));
        let (waiting, sender) = (drivers[0].clone(), drivers.remove(1));
        let receiver = thread::spawn(move || {
            let mut room = [0];
            let first = receive(&waiting, Selector::ANY, &mut room, LONG).map(|status| status.source);
            let second = receive(&waiting, Selector::ANY, &mut room, LONG).unwrap_err();
            (first, second)
        });
        send(&sender, 0, 1, &[7]).unwrap();
        drop(sender);
        let (first, second) = receiver.join().unwrap();
        assert_eq!(first.unwrap(), 2);
        assert!(matches!(second, Error::PeerLost { .. }), "{second}");
        assert!(second.to_string().contains("recv(int32, at most 1, from any rank, any tag)"), "{second}");
    }
}

#[test]
fn a_receive_from_a_rank_that_is_gone_fails_and_names_it() {
    for kind in KINDS {
        let mut drivers = world(3, kind);
        drop(drivers.remove(1));
        let error = receive(&drivers[0], from(1, 0), &mut [0], LONG).unwrap_err();
        assert!(matches!(error, Error::PeerLost { rank: 1, .. }), "{error}");
    }
}

#[test]
fn abort_ends_a_blocked_receive_and_a_blocked_send() {
    let drivers = world(2, Kind::Tcp);
    let blocked = drivers[0].clone();
    let waiter = thread::spawn(move || {
        thread::scope(|scope| {
            let receiver = scope.spawn(|| receive(&blocked, from(1, 0), &mut [0], LONG).unwrap_err());
            let data = input(0, 1_000_000);
            (send(&blocked, 1, 0, &data).unwrap_err(), receiver.join().unwrap())
        })
    });
    drivers[1].abort(CommId::FIRST, "enough");
    let (sent, received) = waiter.join().unwrap();
    assert!(matches!((sent, received), (Error::Aborted(_), Error::Aborted(_))));
}

#[test]
fn messages_for_a_communicator_wait_until_it_is_made() {
    for kind in KINDS {
        let drivers = world(2, kind);
        let context = drivers[0].lock().lead().unwrap();
        on_all(&drivers, move |rank, driver| {
            let add = || driver.lock().add_comm(context, "part".into(), rank, &[0, 1], None);
            if rank == 0 {
                let (comm, data) = (add(), input(0, 100_000));
                let small = outgoing(1, 4, &data[..10]);
                let large = outgoing(1, 5, &data);
                // SAFETY: the data lives until the call is over.
                unsafe { driver.send(comm, &small, Some(LONG)) }.unwrap();
                // SAFETY: the data lives until the send is waited for, below.
                let ticket = unsafe { driver.start_send(comm, &large) }.unwrap();
                send(driver, 1, 0, &[1]).unwrap();
                finish(driver, ticket);
                return;
            }
            // By then, something of the other communicator has come.
            receive(driver, from(0, 0), &mut [0], LONG).unwrap();
            let comm = add();
            let mut room = vec![0; 100_000];
            for (tag, count) in [(4, 10), (5, 100_000)] {
                let buffer = buffer(&mut room);
                // SAFETY: the room lives until the call is over.
                let status = unsafe { driver.receive(comm, from(0, tag), buffer, Some(LONG)) }.unwrap();
                assert_eq!(status.count, count);
                assert!(room[..count as usize] == input(0, count as usize));
            }
        });
    }
}
