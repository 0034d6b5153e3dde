//! What the library is asked to do in a call.

use super::*;

#[test]
fn a_complex_number_is_two_floats_and_what_is_unknown_is_bytes() {
    let _test = alone();
    let (comm, mut buffer) = (communicator(true, Box::new(NoStream)), [0.0; 2]);
    for (collective, datatype, op) in [
        (Collective::AllReduce, Datatype::Complex64, Some(ReduceOp::Sum)),
        (Collective::Reduce, Datatype::Bfloat16, Some(ReduceOp::Min)),
        (Collective::Broadcast, Datatype::Float8E4m3, None),
        (Collective::AllGather, Datatype::Complex128, None),
        (Collective::ReduceScatter, Datatype::Uint64, Some(ReduceOp::Product)),
    ] {
        run(&comm, &call(collective, datatype, op, &mut buffer)).unwrap();
    }
    let expected = [
        "all_reduce 2 of 7 by 0",
        "reduce 1 of 9 by 3 to 2",
        "broadcast 1 of 1 from 2",
        "all_gather 16 of 1",
        "reduce_scatter 1 of 5 by 1",
    ];
    assert_eq!(noted(), expected);
}

#[test]
fn an_average_is_the_librarys_or_a_sum_that_is_divided() {
    let _test = alone();
    let mut buffer = [0.0; 2];
    let both = UniformCall {
        count: 2,
        ..call(Collective::AllReduce, Datatype::Float32, Some(ReduceOp::Avg), &mut buffer)
    };
    run(&communicator(true, Box::new(NoStream)), &both).unwrap();
    assert_eq!((&noted()[..1], buffer), (&["all_reduce 2 of 7 by 4".to_string()][..], [12.0; 2]));
    run(&communicator(false, Box::new(NoStream)), &both).unwrap();
    assert_eq!((&noted()[0][..], buffer), ("all_reduce 2 of 7 by 0", [4.0; 2]));
}

#[test]
fn messages_are_one_group_that_is_closed_even_if_one_is_refused() {
    let _test = alone();
    let (comm, mut buffer) = (communicator(true, Box::new(NoStream)), [0_u8; 8]);
    let data = buffer.as_mut_ptr();
    let messages = [Exchange::Receive { from: 0, data, bytes: 5 }, Exchange::Send { to: 2, data, bytes: 8 }];
    let wait = || -> Result<()> {
        // SAFETY: the fake library touches no buffer of a message.
        let mut started = unsafe { comm.exchange(&messages) }?;
        while !started.test()? {
            thread::yield_now();
        }
        Ok(())
    };
    wait().unwrap();
    assert_eq!(noted(), ["start", "recv 5 of 1 from 0", "send 8 of 1 to 2", "end"]);
    ANSWER.store(5, Ordering::SeqCst);
    let text = wait().unwrap_err().to_string();
    assert_eq!(text, "NCCL failed in pncclGroupEnd: invalid usage (5): because it says so");
    assert_eq!(noted().last().map(String::as_str), Some("end"));
    ANSWER.store(0, Ordering::SeqCst);
}

#[test]
fn a_call_on_a_stream_is_waited_for_and_an_error_there_ends_the_wait() {
    let _test = alone();
    let mut buffer = [0.0; 2];
    let call = call(Collective::Broadcast, Datatype::Float32, None, &mut buffer);
    // It has ended after it was asked this many times.
    let slow = |times| {
        let left = AtomicU32::new(times);
        let count = move || left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        communicator(true, Box::new(EndsWhen(move || count().is_err())))
    };
    run(&slow(3), &call).unwrap();
    ANSWER.store(NCCL.in_progress, Ordering::SeqCst);
    run(&slow(3), &call).unwrap();
    ANSWER.store(0, Ordering::SeqCst);
    ASYNCHRONOUS.store(6, Ordering::SeqCst);
    let text = run(&slow(u32::MAX), &call).unwrap_err().to_string();
    assert!(text.starts_with("NCCL failed in pncclCommGetAsyncError: remote error (6)"), "{text}");
}
