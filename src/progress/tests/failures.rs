//! Tests of failures: all ranks learn of them, with names.

use super::*;
use crate::base::Error;
use crate::progress::{Subject, Survivors};

/// Takes part in a broadcast as a rank that is not the root.
fn receive_broadcast(driver: &Driver, size: u32, rank: Rank, root: Rank, timeout: Duration) -> Result<()> {
    let job =
        TestCall { collective: Collective::Broadcast, algorithm: "binomial", size, rank, root, count: 1 };
    job.run(driver, &[], &mut [0], timeout)
}

#[test]
fn different_counts_are_an_error_on_all_ranks_that_names_both_calls() {
    for kind in KINDS {
        let errors = on_all(&world(3, kind), |rank, driver| {
            let count = if rank == 1 { 4 } else { 5 };
            let job = all_reduce("one_shot", 3, rank, count);
            job.run(driver, &vec![1; count], &mut vec![0; count], LONG).unwrap_err()
        });
        for error in errors {
            assert!(matches!(error, Error::Mismatch(_)), "{error}");
            let text = error.to_string();
            assert!(text.contains("count 4") && text.contains("count 5"), "{text}");
        }
    }
}

#[test]
fn two_ranks_that_take_each_other_for_the_root_get_an_error_long_before_the_deadline() {
    for kind in KINDS {
        let errors = on_all(&world(2, kind), |rank, driver| {
            receive_broadcast(driver, 2, rank, 1 - rank, LONG).unwrap_err()
        });
        for error in errors {
            let text = error.to_string();
            assert!(matches!(error, Error::Mismatch(_)), "{text}");
            assert!(text.contains("root 0") && text.contains("root 1"), "{text}");
        }
    }
}

#[test]
fn a_timeout_names_the_ranks_that_have_not_arrived_and_fails_all() {
    let drivers = world(3, Kind::Shm);
    let errors = on_all(&drivers[1..], |at, driver| {
        receive_broadcast(driver, 3, at + 1, 0, Duration::from_millis(300)).unwrap_err()
    });
    for error in errors {
        let text = error.to_string();
        assert!(matches!(error, Error::Timeout { .. }), "{text}");
        assert!(text.contains("rank 0 has not arrived") && text.contains("broadcast"), "{text}");
    }
    let late = all_reduce("ring", 3, 0, 1).run(&drivers[0], &[1], &mut [0], LONG).unwrap_err();
    assert!(matches!(late, Error::Timeout { .. } | Error::Mismatch(_)), "{late}");
}

#[test]
fn a_rank_that_ends_without_a_goodbye_is_named() {
    for kind in KINDS {
        let mut drivers = world(3, kind);
        drop(drivers.remove(1));
        let errors = on_all(&drivers, |at, driver| {
            all_reduce("one_shot", 3, 2 * at, 1).run(driver, &[1], &mut [0], LONG).unwrap_err()
        });
        for error in errors {
            assert!(matches!(error, Error::PeerLost { rank: 1, .. }), "{error}");
        }
    }
}

#[test]
fn a_rank_that_writes_nonsense_to_one_of_the_others_is_cut_off_by_all_and_they_go_on() {
    for culprit in 0..3 {
        for victim in (0..3).filter(|victim| *victim != culprit) {
            let drivers = world(3, Kind::Shm);
            let said = |engine: &Engine| {
                let control = engine.endpoints()[victim as usize].control.as_ref().unwrap();
                control.socket().write(&[99]).unwrap();
            };
            said(&drivers[culprit as usize].lock());
            let outcomes = on_all(&drivers, move |rank, driver| {
                if rank != culprit {
                    let error = receive_broadcast(driver, 3, rank, culprit, LONG).unwrap_err();
                    assert!(matches!(error, Error::PeerLost { rank, .. } if rank == culprit), "{error}");
                }
                driver.agree(CommId::FIRST, Subject::Context, Some(LONG))
            });
            for (rank, outcome) in (0..).zip(outcomes) {
                if rank == culprit {
                    assert!(matches!(outcome, Err(Error::Aborted(_))), "{outcome:?}");
                } else {
                    let others: Vec<Rank> = (0..3).filter(|rank| *rank != culprit).collect();
                    assert_eq!(outcome.unwrap().ranks, others);
                }
            }
        }
    }
}

#[test]
fn ranks_agree_on_the_bits_that_all_of_them_have_set_as_often_as_they_like() {
    let drivers = world(3, Kind::Shm);
    let outcomes = on_all(&drivers, move |rank, driver| {
        let agreed = [0b1000, 0b10_0000].map(|bits| {
            let subject = Subject::Bits { bits: bits | 1 << rank, acknowledged: Vec::new() };
            let agreed = driver.agree(CommId::FIRST, subject, Some(LONG)).unwrap();
            assert!(agreed.is_acknowledged);
            (agreed.ranks, agreed.outcome)
        });
        assert!(driver.lost_ranks(CommId::FIRST).unwrap().is_empty());
        agreed
    });
    for outcome in outcomes {
        assert_eq!(outcome, [(vec![0, 1, 2], 0b1000), (vec![0, 1, 2], 0b10_0000)]);
    }
}

#[test]
fn survivors_agree_on_whether_all_of_them_had_acknowledged_a_loss() {
    for (by_0, by_2) in [(true, true), (true, false), (false, true), (false, false)] {
        let mut drivers = world(3, Kind::Shm);
        drop(drivers.remove(1));
        let outcomes = on_all(&drivers, move |at, driver| {
            let acknowledged = if [by_0, by_2][at as usize] { vec![1] } else { Vec::new() };
            driver.agree(CommId::FIRST, Subject::Bits { bits: 1, acknowledged }, Some(LONG)).unwrap()
        });
        for survivors in outcomes {
            let expected = Survivors { ranks: vec![0, 2], outcome: 1, is_acknowledged: by_0 && by_2 };
            assert_eq!(survivors, expected);
        }
    }
}

#[test]
fn data_of_a_failed_call_is_not_taken_by_a_rank_that_comes_late() {
    for kind in [Kind::Shm, Kind::Slots] {
        let drivers = world(3, kind);
        let exchange = |rank| TestCall {
            collective: Collective::AllToAll,
            algorithm: "spread",
            size: 3,
            rank,
            root: 0,
            count: 2,
        };
        on_all(&drivers[1..], move |at, driver| {
            let error =
                exchange(at + 1).run(driver, &[1; 6], &mut [0; 6], Duration::from_millis(200)).unwrap_err();
            assert!(matches!(error, Error::Timeout { .. }), "{error}");
        });
        let late = exchange(0).run(&drivers[0], &[1; 6], &mut [0; 6], LONG).unwrap_err();
        assert!(matches!(late, Error::Timeout { .. }), "{late}");
    }
}

#[test]
fn a_failed_communicator_repeats_its_error() {
    let mut drivers = world(2, Kind::Shm);
    drop(drivers.remove(1));
    let job = all_reduce("ring", 2, 0, 1);
    let first = job.run(&drivers[0], &[1], &mut [0], LONG).unwrap_err().to_string();
    assert_eq!(job.run(&drivers[0], &[1], &mut [0], LONG).unwrap_err().to_string(), first);
}

#[test]
fn abort_from_another_thread_ends_a_blocked_call_on_every_rank() {
    let drivers = world(3, Kind::Shm);
    let blocked = drivers.clone();
    let waiter = thread::spawn(move || {
        on_all(&blocked[1..], |at, driver| receive_broadcast(driver, 3, at + 1, 0, LONG).unwrap_err())
    });
    drivers[1].abort(CommId::FIRST, "enough");
    for error in waiter.join().unwrap() {
        assert!(matches!(error, Error::Aborted(_)) && error.to_string().contains("enough"), "{error}");
    }
}

#[test]
fn a_notice_from_a_rank_that_is_ahead_does_not_fail_the_joining() {
    let drivers = world(2, Kind::Shm);
    drivers[0].lock().begin_joining(1);
    let job = |rank| TestCall {
        collective: Collective::Broadcast,
        algorithm: "binomial",
        size: 2,
        rank,
        root: 1,
        count: 1,
    };
    let mut got = [0];
    job(1).run(&drivers[1], &[7], &mut [0], LONG).unwrap();
    drivers[1].abort(CommId::FIRST, "enough");
    drivers[0].lock().read_control();
    job(0).run(&drivers[0], &[], &mut got, LONG).unwrap();
    assert_eq!(got, [7]);
    drivers[0].lock().all_have_met();
    let error = job(0).run(&drivers[0], &[], &mut got, LONG).unwrap_err();
    assert!(matches!(error, Error::Aborted(_)), "{error}");
}

#[test]
fn a_joining_rank_that_waits_for_one_that_failed_gets_an_error() {
    let drivers = world(3, Kind::Shm);
    drivers[0].lock().begin_joining(1);
    drivers[1].abort(CommId::FIRST, "enough");
    let error = receive_broadcast(&drivers[0], 3, 0, 2, LONG).unwrap_err();
    assert!(matches!(error, Error::Aborted(_)), "{error}");
}

#[test]
fn a_rank_that_has_left_after_another_call_is_no_loss_but_a_disagreement() {
    for kind in KINDS {
        let mut drivers = world(2, kind);
        let one = drivers.remove(1);
        // Nothing is sent in this call.
        broadcast(1, 0, 1).run(&one, &[], &mut [], LONG).unwrap();
        one.leave(CommId::FIRST, None).unwrap();
        let zero = drivers.remove(0);
        let has_left = |engine: &Engine| engine.comms.get(CommId::FIRST).members[1].has_left;
        while !has_left(&zero.lock()) {
            zero.lock().read_control();
        }
        let error = broadcast(0, 3, 1).run(&zero, &[], &mut [0; 3], LONG).unwrap_err();
        assert!(matches!(error, Error::Mismatch(_)), "{kind:?}: {error}");
    }
}

/// A broadcast of `count` elements from `root`, on rank `rank` of two.
fn broadcast(rank: Rank, count: usize, root: Rank) -> TestCall<'static> {
    TestCall { collective: Collective::Broadcast, algorithm: "binomial", size: 2, rank, root, count }
}
