//! Tests of communicators made from others.

use super::*;
use crate::base::Rank;
use crate::sys::clock::tests::with_clock;

const TRANSPORTS: [TransportChoice; 2] = [TransportChoice::Auto, TransportChoice::Tcp];

/// The sum, over the ranks of `comm`, of their ranks in the world plus one.
fn sum_of(comm: &Communicator, world_rank: Rank) -> i32 {
    let mut data = [world_rank as i32 + 1];
    all_reduce(comm, Datatype::Int32, ReduceOp::Sum, &mut data).unwrap();
    data[0]
}

fn plain() -> CommConfig {
    CommConfig::default()
}

#[test]
fn split_makes_one_communicator_per_color_in_the_order_of_the_keys() {
    for transport in TRANSPORTS {
        let found = on_ranks(5, transport, |comm| {
            let color = (comm.rank() != 4).then_some(comm.rank() % 2);
            let part = comm.split(color, -(comm.rank() as i32), &plain()).unwrap();
            let found = part.as_ref().map(|part| (part.rank(), part.size(), sum_of(part, comm.rank())));
            comm.finalize().unwrap();
            found
        });
        assert_eq!(found, [Some((1, 2, 4)), Some((1, 2, 6)), Some((0, 2, 4)), Some((0, 2, 6)), None]);
    }
}

#[test]
fn dup_and_lists_of_ranks_make_communicators_that_do_not_disturb_each_other() {
    for transport in TRANSPORTS {
        on_ranks(4, transport, |comm| {
            let dup = comm.dup(&plain()).unwrap();
            let pair = comm.create_from_ranks(&[3, 1], &plain()).unwrap();
            assert_eq!(
                pair.as_ref().map(Communicator::rank),
                [None, Some(1), None, Some(0)][comm.rank() as usize]
            );
            for _ in 0..50 {
                assert_eq!(sum_of(&dup, comm.rank()), 10);
                if let Some(pair) = &pair {
                    assert_eq!(sum_of(pair, comm.rank()), 6);
                }
                assert_eq!(sum_of(comm, comm.rank()), 10);
            }
            dup.finalize().unwrap();
            comm.finalize().unwrap();
        });
    }
}

#[test]
fn communicators_of_communicators_outlive_their_parents() {
    let sums = on_ranks(4, TransportChoice::Auto, |comm| {
        let half = comm.split(Some(comm.rank() / 2), 0, &plain()).unwrap().unwrap();
        let own = half.split(Some(half.rank()), 0, &plain()).unwrap().unwrap();
        comm.finalize().unwrap();
        let sum = sum_of(&half, comm.rank());
        half.finalize().unwrap();
        (sum, own.size(), sum_of(&own, comm.rank()))
    });
    assert_eq!(sums, [(3, 1, 1), (3, 1, 2), (7, 1, 3), (7, 1, 4)]);
}

#[test]
fn finalize_does_not_wait_for_ranks_that_keep_other_communicators() {
    with_clock(|clock| {
        let both_are_done = std::sync::Barrier::new(2);
        on_ranks(2, TransportChoice::Auto, |comm| {
            let dup = comm.dup(&plain()).unwrap();
            if comm.rank() == 0 {
                dup.finalize().unwrap();
            }
            // A wait for a goodbye that does not come would not end.
            clock.stop();
            comm.finalize().unwrap();
            both_are_done.wait();
            drop(dup);
        });
    });
}

#[test]
fn lists_that_differ_are_an_error_on_all_ranks_and_change_nothing() {
    on_ranks(3, TransportChoice::Auto, |comm| {
        let list: &[Rank] = if comm.rank() == 2 { &[0, 2] } else { &[0, 1] };
        let error = comm.create_from_ranks(list, &plain()).err().unwrap();
        assert!(matches!(error, Error::Mismatch(_)) && error.to_string().contains("rank 2"), "{error}");
        assert!(matches!(comm.create_from_ranks(&[0, 0], &plain()), Err(Error::InvalidArgument { .. })));
        assert!(matches!(comm.create_from_ranks(&[3], &plain()), Err(Error::InvalidArgument { .. })));
        assert_eq!(sum_of(comm, comm.rank()), 6);
        comm.finalize().unwrap();
    });
}

#[test]
fn a_failure_in_one_communicator_leaves_the_others_alone() {
    for transport in TRANSPORTS {
        on_ranks(3, transport, |comm| {
            let pair = comm.split(Some(u32::from(comm.rank() == 2)), 0, &plain()).unwrap().unwrap();
            if comm.rank() < 2 {
                // Large enough that a transport stops in the middle of it.
                let mut data = vec![1; if comm.rank() == 0 { 3_000_000 } else { 2_000_000 }];
                let error = all_reduce(&pair, Datatype::Int32, ReduceOp::Sum, &mut data).unwrap_err();
                assert!(matches!(error, Error::Mismatch(_)), "{error}");
                assert!(pair.failure().is_some());
            }
            for _ in 0..20 {
                assert_eq!(sum_of(comm, comm.rank()), 6);
            }
            let mut data = vec![1; 1_000_000];
            all_reduce(comm, Datatype::Int32, ReduceOp::Sum, &mut data).unwrap();
            assert!(data.iter().all(|x| *x == 3));
            comm.finalize().unwrap();
        });
    }
}

#[test]
fn a_rank_that_waits_for_one_that_has_left_the_communicator_gets_an_error() {
    on_ranks(2, TransportChoice::Auto, |comm| {
        let dup = comm.dup(&plain()).unwrap();
        if comm.rank() == 0 {
            dup.finalize().unwrap();
        } else {
            let error = all_reduce(&dup, Datatype::Int32, ReduceOp::Sum, &mut [1]).unwrap_err();
            assert!(matches!(error, Error::PeerLost { rank: 0, .. }), "{error}");
            assert!(error.to_string().contains("already left"), "{error}");
        }
        assert_eq!(sum_of(comm, comm.rank()), 3);
        comm.finalize().unwrap();
    });
}

#[test]
fn survivors_of_a_crash_agree_and_go_on() {
    for transport in TRANSPORTS {
        for size in [2, 3, 5] {
            let config = config(transport);
            let id = UniqueId::create(&config).unwrap();
            thread::scope(|scope| {
                for rank in 0..size {
                    let config = &config;
                    scope.spawn(move || {
                        let comm = Communicator::create(&id, size, rank, config, &plain()).unwrap();
                        if rank == 1 {
                            return;
                        }
                        let error = all_reduce(&comm, Datatype::Int32, ReduceOp::Sum, &mut [1]).unwrap_err();
                        assert!(matches!(error, Error::PeerLost { rank: 1, .. }), "{error}");
                        let rest = comm.shrink(&plain()).unwrap();
                        assert_eq!(rest.size(), size - 1);
                        assert_eq!(rest.rank(), if rank == 0 { 0 } else { rank - 1 });
                        let all = (size * (size + 1) / 2) as i32;
                        assert_eq!(sum_of(&rest, rank), all - 2);
                        comm.finalize().unwrap();
                        assert_eq!(sum_of(&rest, rank), all - 2);
                        rest.finalize().unwrap();
                    });
                }
            });
        }
    }
}

#[test]
fn shrinking_goes_on_while_ranks_crash() {
    let size = 6;
    let config = config(TransportChoice::Auto);
    let id = UniqueId::create(&config).unwrap();
    thread::scope(|scope| {
        for rank in 0..size {
            let config = &config;
            scope.spawn(move || {
                let mut comm = Communicator::create(&id, size, rank, config, &plain()).unwrap();
                // In each turn the lowest rank crashes. Some ranks learn of it in a call, some in the
                // agreement.
                for turn in 0..size - 1 {
                    if rank == turn {
                        return;
                    }
                    if rank % 2 == 0 {
                        all_reduce(&comm, Datatype::Int32, ReduceOp::Sum, &mut [1]).unwrap_err();
                    }
                    loop {
                        comm = comm.shrink(&plain()).unwrap();
                        // A rank that was alive at first may have crashed since; then there is another turn.
                        if comm.size() == size - 1 - turn {
                            break;
                        }
                    }
                    assert_eq!(comm.rank(), rank - turn - 1);
                }
                assert_eq!(comm.size(), 1);
            });
        }
    });
}

#[test]
fn many_communicators_leave_nothing_behind() {
    on_ranks(2, TransportChoice::Auto, |comm| {
        for _ in 0..2000 {
            let dup = comm.dup(&plain()).unwrap();
            assert_eq!(sum_of(&dup, comm.rank()), 3);
        }
        assert_eq!(sum_of(comm, comm.rank()), 3);
        comm.finalize().unwrap();
    });
}

#[test]
fn threads_use_different_communicators_at_the_same_time() {
    for transport in TRANSPORTS {
        on_ranks(2, transport, |comm| {
            let parts: Vec<Communicator> = (0..3).map(|_| comm.dup(&plain()).unwrap()).collect();
            thread::scope(|scope| {
                for part in &parts {
                    let rank = comm.rank();
                    scope.spawn(move || {
                        for _ in 0..100 {
                            assert_eq!(sum_of(part, rank), 3);
                            let again = part.dup(&plain()).unwrap();
                            assert_eq!(sum_of(&again, rank), 3);
                        }
                    });
                }
            });
            comm.finalize().unwrap();
        });
    }
}

#[test]
fn progress_of_other_calls_does_not_postpone_the_deadline_of_a_stuck_one() {
    use std::sync::atomic::{AtomicBool, Ordering};
    for transport in TRANSPORTS {
        on_ranks(2, transport, |comm| {
            let impatient = CommConfig { timeout: Some(Duration::from_millis(200)), ..plain() };
            let dup = comm.dup(&impatient).unwrap();
            let is_over = AtomicBool::new(comm.rank() == 1);
            thread::scope(|scope| {
                if comm.rank() == 0 {
                    scope.spawn(|| {
                        let error = all_reduce(&dup, Datatype::Int32, ReduceOp::Sum, &mut [1]).unwrap_err();
                        assert!(matches!(error, Error::Timeout { .. }), "{error}");
                        is_over.store(true, Ordering::Relaxed);
                    });
                }
                loop {
                    let mut both = [i32::from(is_over.load(Ordering::Relaxed))];
                    all_reduce(comm, Datatype::Int32, ReduceOp::Min, &mut both).unwrap();
                    if both == [1] {
                        break;
                    }
                }
            });
            comm.finalize().unwrap();
        });
    }
}

/// Tells `others` the context of a communicator that is to be made.
fn tell(comm: &Communicator, context: u32, others: &[Rank]) {
    others.iter().for_each(|to| send_number(comm, *to, context).unwrap());
}

fn hear(comm: &Communicator, from: Rank) -> u32 {
    receive_number(comm, from).unwrap()
}

#[test]
fn members_with_a_context_make_a_communicator_without_the_other_ranks() {
    for transport in TRANSPORTS {
        on_ranks(4, transport, |comm| {
            let members = [3, 1, 2];
            if comm.rank() > 0 {
                let context = if comm.rank() == 1 {
                    let context = comm.new_context().unwrap();
                    tell(comm, context, &[2, 3]);
                    context
                } else {
                    hear(comm, 1)
                };
                let made = comm.form_with_context(context, &members, &plain()).unwrap();
                assert_eq!(made.world_ranks(), members);
                assert_eq!(members[made.rank() as usize], comm.rank());
                assert_eq!(sum_of(&made, comm.rank()), 9);
                let alone = made.new_context().unwrap();
                let alone = made.form_with_context(alone, &[made.rank()], &plain()).unwrap();
                assert_eq!((alone.size(), alone.world_ranks()), (1, &[comm.rank()][..]));
                alone.finalize().unwrap();
                made.finalize().unwrap();
            }
            comm.finalize().unwrap();
        });
    }
}

#[test]
fn messages_of_a_faster_member_wait_until_this_rank_has_made_the_communicator() {
    for transport in TRANSPORTS {
        let all_sent = Barrier::new(2);
        on_ranks(2, transport, |comm| {
            let context = if comm.rank() == 0 {
                let context = comm.new_context().unwrap();
                tell(comm, context, &[1]);
                context
            } else {
                hear(comm, 0)
            };
            if comm.rank() == 0 {
                let made = comm.form_with_context(context, &[0, 1], &plain()).unwrap();
                tell(&made, 77, &[1]);
                // This goes behind the message, so that rank 1 meets the message while it waits for something
                // else.
                tell(comm, 78, &[1]);
                let mut sum = [1];
                // SAFETY: the sum outlives the request.
                let mut request =
                    unsafe { start_all_reduce(&made, Datatype::Int32, ReduceOp::Sum, &mut sum) };
                all_sent.wait();
                request.wait().unwrap();
                assert_eq!(sum, [3]);
                made.finalize().unwrap();
            } else {
                all_sent.wait();
                assert_eq!(hear(comm, 0), 78);
                let made = comm.form_with_context(context, &[0, 1], &plain()).unwrap();
                assert_eq!(sum_of(&made, 1), 3);
                assert_eq!(hear(&made, 0), 77);
                made.finalize().unwrap();
            }
            comm.finalize().unwrap();
        });
    }
}

#[test]
fn a_context_serves_only_once_and_a_list_must_include_its_maker() {
    on_ranks(2, TransportChoice::Auto, |comm| {
        let context = comm.new_context().unwrap();
        let own = [comm.rank()];
        let refused = |context, ranks: &[Rank], what| {
            let error = comm.form_with_context(context, ranks, &plain()).err().unwrap();
            assert!(matches!(error, Error::InvalidArgument { what: named, .. } if named == what), "{error}");
        };
        refused(context, &[1 - comm.rank()], "ranks");
        refused(context, &[comm.rank(), comm.rank()], "ranks");
        refused(context, &[comm.rank(), 2], "ranks");
        refused(context | 1, &own, "context");
        refused(0, &own, "context");
        refused(u32::MAX - 1, &own, "context");
        let made = comm.form_with_context(context, &own, &plain()).unwrap();
        refused(context, &own, "context");
        made.finalize().unwrap();
        refused(context, &own, "context");
        comm.finalize().unwrap();
    });
}
