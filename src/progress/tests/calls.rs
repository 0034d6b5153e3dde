//! Tests of calls of every length, many in a row, in place, and to oneself.

use super::*;
use crate::transport::control::ControlMessage;
use crate::transport::{FIRST_CONTEXT, Header};

#[test]
fn an_exchange_in_place_larger_than_every_ring_and_buffer_is_right() {
    for kind in KINDS {
        for count in [1, 5, 1000, 1_000_003] {
            let results = on_all(&world(2, kind), move |rank, driver| {
                let mut data = input(rank, count);
                all_reduce("one_shot", 2, rank, count).run_in_place(driver, &mut data).unwrap();
                data
            });
            let expected: Vec<i32> = (0..count).map(|i| sum(2, i)).collect();
            assert!(results.iter().all(|data| *data == expected), "{kind:?}, {count} elements");
        }
    }
}

#[test]
fn many_small_calls_in_a_row_do_not_mix() {
    for kind in KINDS {
        for size in [2, 3, 5] {
            let sums = on_all(&world(size, kind), move |rank, driver| {
                let job = all_reduce("one_shot", size, rank, 1);
                let one = |round| {
                    let mut out = [0];
                    job.run(driver, &[(rank as i32 + 1) * round], &mut out, LONG).unwrap();
                    out[0]
                };
                (0..200).map(one).collect::<Vec<_>>()
            });
            let triangle = (size * (size + 1) / 2) as i32;
            for sums in sums {
                assert_eq!(sums, (0..200).map(|round| triangle * round).collect::<Vec<_>>());
            }
        }
    }
}

#[test]
fn calls_started_together_complete_whatever_the_order_in_which_the_ranks_wait_for_them() {
    for kind in KINDS {
        let results = on_all(&world(4, kind), |rank, driver| {
            let mut outputs = vec![vec![0; 40_000]; 3];
            let inputs: Vec<Vec<i32>> = (0..3).map(|k| input(rank + 10 * k, 40_000)).collect();
            let names = ["ring", "recursive_doubling", "two_shot"];
            let mut tickets = Vec::new();
            for ((output, input), name) in outputs.iter_mut().zip(&inputs).zip(names) {
                let job = all_reduce(name, 4, rank, 40_000);
                let buffers = Buffers { input: input.as_ptr().cast(), output: output.as_mut_ptr().cast() };
                let key = Key::new(&job.call(), false);
                // SAFETY: the buffers live until every ticket is waited for.
                tickets.push(
                    unsafe {
                        driver.start_and_remember(
                            CommId::FIRST,
                            &key,
                            job.prepared(job.program(false)),
                            buffers,
                        )
                    }
                    .unwrap(),
                );
            }
            tickets.rotate_left(rank as usize % 3);
            for ticket in tickets {
                driver.wait(ticket, Some(LONG)).unwrap();
            }
            outputs
        });
        for outputs in results {
            for (k, output) in outputs.iter().enumerate() {
                let sum =
                    |i| (0..4).fold(0i32, |sum, rank| sum.wrapping_add(element(rank + 10 * k as u32, i)));
                assert!(output.iter().enumerate().all(|(i, x)| *x == sum(i)), "{kind:?}, call {k}");
            }
        }
    }
}

#[test]
fn a_small_call_does_not_wait_for_a_large_one_that_fills_the_connection() {
    const LARGE: usize = 8 << 20;
    let results = on_all(&world(2, Kind::Tcp), |rank, driver| {
        let (large, mut sums) = (input(rank, LARGE), vec![0; LARGE]);
        let job = all_reduce("one_shot", 2, rank, LARGE);
        let buffers = Buffers { input: large.as_ptr().cast(), output: sums.as_mut_ptr().cast() };
        let key = Key::new(&job.call(), false);
        // SAFETY: the buffers live until the ticket is waited for.
        let ticket = unsafe {
            driver.start_and_remember(CommId::FIRST, &key, job.prepared(job.program(false)), buffers)
        }
        .unwrap();
        let mut small = [0];
        all_reduce("one_shot", 2, rank, 1).run(driver, &input(rank, 1), &mut small, LONG).unwrap();
        let overtaken = driver.lock().take_outcome(ticket).is_none();
        if overtaken {
            driver.wait(ticket, Some(LONG)).unwrap();
        }
        (overtaken, small[0], sums)
    });
    let expected: Vec<i32> = (0..LARGE).map(|i| sum(2, i)).collect();
    for (overtaken, small, sums) in results {
        assert!(overtaken, "32 fragments went before 4 bytes");
        assert!(small == sum(2, 0) && sums == expected);
    }
}

/// Starts `calls` all-reduces of one element, and waits for all of them, the last one first if `backwards`.
/// Returns their sums.
fn sums_of_many(driver: &Driver, size: u32, rank: Rank, calls: usize, backwards: bool) -> Vec<i32> {
    let job = all_reduce("recursive_doubling", size, rank, 1);
    let (inputs, mut outputs) = (input(rank, calls), vec![0; calls]);
    let prepared = job.prepared(job.program(false));
    let room = outputs.as_mut_ptr();
    let start = |at: usize| {
        let output = room.wrapping_add(at).cast();
        let buffers = Buffers { input: inputs[at..].as_ptr().cast(), output };
        // SAFETY: the buffers live until every ticket is waited for, and each call has elements of its own.
        unsafe { driver.start_once(CommId::FIRST, Arc::clone(&prepared), buffers) }.unwrap()
    };
    let mut tickets: Vec<_> = (0..calls).map(start).collect();
    if backwards {
        tickets.reverse();
    }
    for ticket in tickets {
        driver.wait(ticket, Some(LONG)).unwrap();
    }
    outputs
}

#[test]
fn any_number_of_calls_may_be_under_way() {
    const CALLS: usize = 3_000;
    for kind in KINDS {
        for size in 1..=4 {
            for backwards in [false, true] {
                let sums = on_all(&world(size, kind), move |rank, driver| {
                    sums_of_many(driver, size, rank, CALLS, backwards)
                });
                let expected: Vec<i32> = (0..CALLS).map(|i| sum(size, i)).collect();
                assert!(sums.iter().all(|sums| *sums == expected), "{kind:?}, {size} ranks");
            }
        }
    }
}

#[test]
fn a_call_that_ended_elsewhere_is_no_disagreement_while_its_data_lies_behind_that_of_another() {
    let drivers = world(2, Kind::Shm);
    let job = |rank| all_reduce("recursive_doubling", 2, rank, 1);
    let (inputs, mut sums) = ([[1], [2]], [[0]; 2]);
    let mut start = |rank: usize| {
        let (driver, job) = (&drivers[rank], job(rank as Rank));
        let buffers = Buffers { input: inputs[rank].as_ptr().cast(), output: sums[rank].as_mut_ptr().cast() };
        // SAFETY: the buffers live until the ticket is waited for.
        unsafe { driver.start_once(CommId::FIRST, job.prepared(job.program(false)), buffers) }.unwrap()
    };
    let waiting = start(1);
    // Rank 0 sends for the next call first, which rank 1 has not made.
    let header = Header { context: FIRST_CONTEXT, sequence: 1, call: job(0).call().pack() };
    let link = |engine: &mut Engine, data: [u8; 4]| {
        // SAFETY: the bytes live during the call, and are copied.
        unsafe { engine.endpoints[1].inbox.link.send(&header, data.as_ptr(), 4, SingleCopy::Never) }
    };
    assert_eq!(link(&mut drivers[0].lock(), [0; 4]).unwrap(), Some(4));
    drivers[0].wait(start(0), Some(LONG)).unwrap();
    let ended = ControlMessage::Ended { context: FIRST_CONTEXT, sequence: 0, sent: 0 };
    drivers[0].lock().endpoints[1].control.as_mut().unwrap().send(&ended);
    drivers[1].lock().read_control();
    drivers[1].wait(waiting, Some(LONG)).unwrap();
    assert_eq!(sums, [[3]; 2]);
}
