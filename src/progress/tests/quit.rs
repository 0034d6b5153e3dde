//! Tests of a rank that leaves the communicator on its own after its calls have ended.

use super::messages::{buffer, from, receive, send};
use super::*;
use crate::base::Error;

const COUNT: usize = 50_000;

/// A broadcast from rank 0 along a binomial tree.
fn broadcast(rank: Rank, size: u32, count: usize) -> TestCall<'static> {
    TestCall { collective: Collective::Broadcast, algorithm: "binomial", size, rank, root: 0, count }
}

/// Rank 0 broadcasts to all and quits when it is done, before some of the others have begun.
fn quit_after_a_broadcast(drivers: &mut Vec<Arc<Driver>>, count: usize) {
    let size = drivers.len() as u32;
    let root = drivers.remove(0);
    let data = input(0, count);
    broadcast(0, size, 1).run(&root, &[1], &mut [0], LONG).unwrap();
    broadcast(0, size, count).run(&root, &data, &mut vec![0; count], LONG).unwrap();
    assert!(root.quit(CommId::FIRST, "enough"));
    // Its process ends.
    let mut engine = root.lock();
    engine.remove_comm(CommId::FIRST);
    engine.say_bye();
}

#[test]
fn data_of_a_rank_that_has_quit_is_delivered_and_only_later_calls_fail() {
    for kind in KINDS {
        // This count fits into rings and sockets, so the root can end before any other rank begins.
        let (mut drivers, count) = (world(3, kind), 5_000);
        quit_after_a_broadcast(&mut drivers, count);
        let errors = on_all(&drivers, move |at, driver| {
            let (rank, mut room) = (at + 1, vec![0; count]);
            broadcast(rank, 3, 1).run(driver, &[], &mut room[..1], LONG).unwrap();
            broadcast(rank, 3, count).run(driver, &[], &mut room, LONG).unwrap();
            assert!(room == input(0, count));
            broadcast(rank, 3, 1).run(driver, &[], &mut room[..1], LONG).unwrap_err()
        });
        for error in errors {
            assert!(matches!(error, Error::Aborted(_)), "{error}");
            assert!(error.to_string().contains("after its call #1 (enough)"), "{error}");
        }
    }
}

#[test]
fn a_call_that_does_not_need_the_rank_that_has_quit_succeeds() {
    for kind in KINDS {
        let mut drivers = world(3, kind);
        quit_after_a_broadcast(&mut drivers, 10);
        on_all(&drivers, |at, driver| {
            let mut room = [0; 10];
            broadcast(at + 1, 3, 1).run(driver, &[], &mut room[..1], LONG).unwrap();
            broadcast(at + 1, 3, 10).run(driver, &[], &mut room, LONG).unwrap();
            match at {
                0 => send(driver, 2, 4, &input(1, COUNT)).unwrap(),
                _ => {
                    let mut room = vec![0; COUNT];
                    receive(driver, from(1, 4), &mut room, LONG).unwrap();
                    assert!(room == input(1, COUNT));
                }
            }
        });
    }
}

#[test]
fn messages_of_a_rank_that_has_quit_arrive_and_one_that_it_never_sent_is_an_error() {
    for kind in KINDS {
        let drivers = world(2, kind);
        send(&drivers[0], 1, 1, &input(0, 1000)).unwrap();
        assert!(drivers[0].quit(CommId::FIRST, "enough"));
        let mut room = vec![0; 1000];
        receive(&drivers[1], from(0, 1), &mut room, LONG).unwrap();
        assert!(room == input(0, 1000));
        let error = receive(&drivers[1], from(0, 1), &mut room, LONG).unwrap_err();
        assert!(error.to_string().contains("(enough)"), "{error}");
    }
}

#[test]
fn a_rank_with_a_call_under_way_or_without_any_call_cannot_quit() {
    let drivers = world(2, Kind::Shm);
    assert!(!drivers[0].quit(CommId::FIRST, "enough"));
    let mut room = [0];
    // SAFETY: the room lives until the receive is waited for, below.
    let started = unsafe { drivers[0].start_receive(CommId::FIRST, from(1, 1), buffer(&mut room)) }.unwrap();
    let Started::Running(ticket) = started else { panic!("nobody has sent") };
    assert!(!drivers[0].quit(CommId::FIRST, "enough"));
    send(&drivers[1], 0, 1, &[7]).unwrap();
    drivers[0].wait(ticket, Some(LONG)).unwrap();
    assert!(drivers[0].quit(CommId::FIRST, "enough"));
    drivers[0].lock().remove_comm(CommId::FIRST);
    assert!(!drivers[0].quit(CommId::FIRST, "twice"));
}

#[test]
fn the_calls_of_a_join_are_none_of_the_program_however_many_there_are() {
    for joining in [1, 2] {
        let drivers = world(2, Kind::Shm);
        drivers.iter().for_each(|driver| driver.lock().begin_joining(joining));
        for _ in 0..joining {
            broadcast(0, 2, 1).run(&drivers[0], &[1], &mut [0], LONG).unwrap();
            broadcast(1, 2, 1).run(&drivers[1], &[], &mut [0], LONG).unwrap();
        }
        assert!(!drivers[0].quit(CommId::FIRST, "enough"), "{joining}");
        drivers.iter().for_each(|driver| driver.lock().all_have_met());
        broadcast(0, 2, 1).run(&drivers[0], &[1], &mut [0], LONG).unwrap();
        assert!(drivers[0].quit(CommId::FIRST, "enough"));
        broadcast(1, 2, 1).run(&drivers[1], &[], &mut [0], LONG).unwrap();
        let error = broadcast(1, 2, 1).run(&drivers[1], &[], &mut [0], LONG).unwrap_err();
        assert!(error.to_string().contains("after its call #1 (enough)"), "{joining}: {error}");
        assert!(error.to_string().contains("#2"), "{joining}: {error}");
    }
}

#[test]
fn a_companion_can_be_left_before_any_call() {
    for kind in KINDS {
        let drivers = world(2, kind);
        assert!(drivers[1].quit_companion(CommId::FIRST, "enough"));
        // A root needs no other rank.
        broadcast(0, 2, 1).run(&drivers[0], &[1], &mut [0], LONG).unwrap();
        let error = all_reduce("one_shot", 2, 0, 1).run(&drivers[0], &[1], &mut [0], LONG).unwrap_err();
        assert!(matches!(error, Error::Aborted(_)), "{error}");
        assert!(error.to_string().contains("before its first collective call (enough)"), "{error}");
    }
}

#[test]
fn a_goodbye_waits_for_no_rank_after_one_has_quit() {
    for kind in KINDS {
        let mut drivers = world(3, kind);
        quit_after_a_broadcast(&mut drivers, 1);
        on_all(&drivers, |at, driver| {
            for _ in 0..2 {
                broadcast(at + 1, 3, 1).run(driver, &[], &mut [0], LONG).unwrap();
            }
            assert!(driver.lock().begin_goodbye(CommId::FIRST));
            all_reduce("one_shot", 3, at + 1, 1).run(driver, &[1], &mut [0], LONG).unwrap();
            assert!(driver.lock().failure(CommId::FIRST).is_none());
        });
    }
}
