//! What goes wrong: wrong lengths, different calls, panics, aborts, and requests that nobody waits for.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use anyccl::{Communicator, ErrorKind, Op, Result};

/// Whether the call is refused on every rank, with a text that has these parts, and the next one works.
fn is_refused(parts: &[&str], call: impl Fn(&Communicator) -> Result<()> + Sync) {
    anyccl::threads(2, |comm| {
        let error = call(comm).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
        let text = error.to_string();
        assert!(text.starts_with(&format!("rank {} of \"comm\"", comm.rank())), "{text}");
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
        comm.barrier()
    })
    .unwrap();
}

#[test]
fn a_wrong_length_is_refused_with_the_length_that_was_needed() {
    is_refused(&["all_reduce", "recv", "3 elements", "takes 2"], |comm| {
        comm.all_reduce(&[1, 2], &mut [0; 3], Op::Sum)
    });
    is_refused(&["all_gather", "recv", "takes 4"], |comm| comm.all_gather(&[1, 2], &mut [0; 5]));
    is_refused(&["all_gather", "recv"], |comm| comm.all_gather_in_place(&mut [0; 5]));
    is_refused(&["reduce_scatter", "send", "takes 2"], |comm| {
        comm.reduce_scatter(&[1; 3], &mut [0; 1], Op::Sum)
    });
    is_refused(&["all_to_all", "send", "2 ranks"], |comm| comm.all_to_all(&[1; 3], &mut [0; 3]));
    is_refused(&["all_gather_v", "3 counts for 2 ranks"], |comm| {
        comm.all_gather_v(&[1; 3], &mut [0; 3], &[1; 3])
    });
    is_refused(&["all_gather_v", "recv", "add up to 4"], |comm| {
        comm.all_gather_v(&[1; 2], &mut [0; 3], &[2; 2])
    });
    is_refused(&["all_gather_v", "send", "the count of this rank is 2"], |comm| {
        comm.all_gather_v(&[1; 1], &mut [0; 4], &[2; 2])
    });
    is_refused(&["all_to_all_v", "add up to"], |comm| {
        comm.all_to_all_v(&[1; 2], &[1; 2], &mut [0; 2], &[usize::MAX; 2])
    });
    is_refused(&["broadcast", "root", "2 ranks"], |comm| comm.broadcast(&mut [0; 3], 2));
    is_refused(&["send", "receiver", "7"], |comm| comm.send(&[0; 3], 7, 0));
    is_refused(&["send", "tag", "-1"], |comm| comm.send(&[0; 3], 0, -1));
    is_refused(&["receive", "source"], |comm| comm.receive(&mut [0; 3], 9, 0).map(drop));
    is_refused(&["all_reduce", "recv"], |comm| {
        comm.start_all_reduce(vec![1; 2], vec![0; 3], Op::Sum).map(drop)
    });
    is_refused(&["create_from_ranks", "ranks"], |comm| comm.create_from_ranks(&[1 << 40]).map(drop));
}

#[test]
fn different_calls_are_a_mismatch_on_all_ranks() {
    anyccl::threads(2, |comm| {
        let error = match comm.rank() {
            0 => comm.all_reduce_in_place(&mut [1.0f32; 4], Op::Sum),
            _ => comm.all_reduce_in_place(&mut [1.0f64; 4], Op::Sum),
        };
        let error = error.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Mismatch);
        assert!(error.to_string().contains("float32") && error.to_string().contains("float64"), "{error}");
        assert_eq!(comm.failure().map(|error| error.kind()), Some(ErrorKind::Mismatch));
        Ok(())
    })
    .unwrap();
}

#[test]
fn an_abort_ends_a_request_and_its_buffers_come_back() {
    // An abort may overtake a barrier of the communicator.
    let is_started = std::sync::Barrier::new(2);
    anyccl::threads(2, |comm| {
        if comm.rank() == 0 {
            is_started.wait();
            comm.abort("enough");
            return Ok(());
        }
        let request = comm.start_receive(vec![3u8; 1000], 0, 0)?;
        is_started.wait();
        let error = request.wait().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Aborted);
        assert!(error.to_string().contains("enough"), "{error}");

        let copies = comm.start_all_reduce_in_place(vec![1u8; 4], Op::Sum);
        assert_eq!(copies.unwrap_err().kind(), ErrorKind::Aborted);
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_late_rank_is_a_timeout_that_gives_the_buffers_back() {
    anyccl::threads(2, |comm| {
        if comm.rank() == 1 {
            // It only learns of the failure.
            while comm.failure().is_none() {
                let _ = comm.try_probe(0, 0);
            }
            return Ok(());
        }
        comm.set_timeout(Some(Duration::from_millis(50)));
        let request = comm.start_all_reduce(vec![1.0; 100_000], vec![0.0; 100_000], Op::Sum)?;
        let (buffers, outcome) = request.wait_outcome();
        assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Timeout);
        assert_eq!(buffers.unwrap().0, vec![1.0; 100_000]);
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_request_that_is_dropped_or_forgotten_harms_nobody() {
    for size in 1..=4 {
        anyccl::threads(size, |comm| {
            drop(comm.start_all_reduce_in_place(vec![1u64; 5000], Op::Sum)?);
            std::mem::forget(comm.start_all_reduce_in_place(vec![1u64; 5000], Op::Sum)?);
            let mut prepared = comm.persistent_all_reduce_in_place(vec![1u64; 5000], Op::Sum)?;
            prepared.start()?;
            std::mem::forget(prepared);
            for _ in 0..10 {
                assert_eq!(comm.start_all_reduce_in_place(vec![2u64; 5000], Op::Max)?.wait()?, [2; 5000]);
            }
            Ok(())
        })
        .unwrap();
    }
}

#[test]
fn a_rank_that_panics_ends_the_calls_of_the_others() {
    let panic = catch_unwind(AssertUnwindSafe(|| {
        anyccl::threads(3, |comm| {
            assert!(comm.rank() != 1, "rank 1 gives up");
            let error = comm.barrier().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Aborted, "{error}");
            Ok(())
        })
    }));
    let text = panic.unwrap_err();
    assert!(text.downcast_ref::<&str>().is_some_and(|text| text.contains("rank 1 gives up")));
}

#[test]
fn a_panic_during_a_call_does_not_wait_for_ranks_that_never_come() {
    anyccl::threads(2, |comm| {
        let other = 1 - comm.rank();
        let panic = catch_unwind(AssertUnwindSafe(|| {
            let mut prepared = comm.persistent_receive(vec![0u8; 3], other, 1).unwrap();
            prepared.start().unwrap();
            let _receive = comm.start_receive(vec![0u8; 3], other, 0).unwrap();
            panic!("out of the call");
        }));
        assert!(panic.is_err());
        assert_eq!(comm.failure().map(|error| error.kind()), Some(ErrorKind::Aborted));
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_rank_that_returns_an_error_ends_the_calls_of_the_others_and_its_error_is_reported() {
    let error = anyccl::threads(3, |comm| {
        if comm.rank() == 2 {
            comm.broadcast(&mut [0u8], 77)?;
        }
        comm.barrier()
    });
    let error = error.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.to_string().contains("rank 2 of"), "{error}");
}

#[test]
fn a_scope_that_panics_ends_its_calls_first() {
    anyccl::threads(2, |comm| {
        let mut data = vec![0u8; 100];
        let panic = catch_unwind(AssertUnwindSafe(|| {
            comm.scope(|scope| -> Result<()> {
                let _receive = scope.receive(&mut data, 1 - comm.rank(), 0)?;
                panic!("out of the scope");
            })
        }));
        assert!(panic.is_err());
        data.fill(1);
        assert_eq!(comm.failure().map(|error| error.kind()), Some(ErrorKind::Aborted));
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_communicator_needs_a_rank_below_its_size() {
    let id = anyccl::UniqueId::new().unwrap();
    for (size, rank) in [(0, 0), (2, 2), (usize::MAX, 0)] {
        let error = Communicator::from_id(&id, size, rank).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
    }
    assert_eq!(anyccl::threads(0, |_| Ok(())).unwrap_err().kind(), ErrorKind::InvalidArgument);
    let nonsense = anyccl::UniqueId::from_bytes([7; anyccl::UniqueId::BYTES]);
    assert!(Communicator::from_id(&nonsense, 1, 0).is_err());
}
