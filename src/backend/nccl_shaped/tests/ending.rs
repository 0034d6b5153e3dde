//! How a communicator of the library ends: in good order, or by an abort while calls are under way.

use super::*;

#[test]
fn a_call_whose_stream_was_ended_by_an_abort_fails() {
    let _test = alone();
    let ends_with_abort = || {
        wait_until(|| is_noted("abort"));
        true
    };
    let comm = communicator(true, Box::new(EndsWhen(ends_with_abort)));
    thread::scope(|scope| {
        let stuck = scope.spawn(|| {
            let mut buffer = [0.0; 2];
            run(&comm, &call(Collective::Broadcast, Datatype::Float32, None, &mut buffer))
        });
        wait_until(|| !CALLS.lock().is_empty());
        comm.abort();
        let text = stuck.join().unwrap().unwrap_err().to_string();
        assert_eq!(text, "the communicator was aborted while NCCL served it");
    });
}

#[test]
fn a_started_call_ends_no_sooner_than_the_abort_has_ended_it() {
    let _test = alone();
    let comm = communicator(true, Box::new(EndsWhen(|| false)));
    let mut buffer = [0.0; 2];
    let call = call(Collective::Broadcast, Datatype::Float32, None, &mut buffer);
    // SAFETY: the buffer lives until the end, and the fake library touches no buffer of a broadcast.
    let mut started = unsafe { comm.start(&call) }.unwrap();
    wait_until(|| !CALLS.lock().is_empty());
    IS_HELD.store(true, Ordering::SeqCst);
    let early = thread::scope(|scope| {
        scope.spawn(|| comm.abort());
        wait_until(|| is_noted("abort"));
        let mut test = || {
            thread::yield_now();
            started.test()
        };
        let early = (0..100).map(|_| test()).find(|outcome| !matches!(outcome, Ok(false)));
        IS_HELD.store(false, Ordering::SeqCst);
        early
    });
    assert!(early.is_none(), "{early:?}, and the library still uses the buffer");
    let error = loop {
        match started.test() {
            Ok(false) => thread::yield_now(),
            Ok(true) => panic!("an aborted call has succeeded"),
            Err(error) => break error,
        }
    };
    assert_eq!(error.to_string(), "the communicator was aborted while NCCL served it");
}

/// A stream that holds a call before the library gets it, until the communicator was aborted.
struct HoldsCalls {
    is_entered: AtomicBool,
    goes_on: AtomicBool,
}

impl Stream for Arc<HoldsCalls> {
    fn enter(&self) -> Result<()> {
        self.is_entered.store(true, Ordering::SeqCst);
        wait_until(|| self.goes_on.load(Ordering::SeqCst));
        Ok(())
    }

    fn handle(&self) -> *mut c_void {
        ptr::null_mut()
    }

    fn has_ended(&self) -> Result<bool> {
        Ok(true)
    }
}

#[test]
fn a_call_that_has_its_turn_does_not_reach_the_library_after_an_abort() {
    let _test = alone();
    let stream = Arc::new(HoldsCalls { is_entered: false.into(), goes_on: false.into() });
    let comm = communicator(true, Box::new(Arc::clone(&stream)));
    thread::scope(|scope| {
        let late = scope.spawn(|| {
            let mut buffer = [0.0; 2];
            run(&comm, &call(Collective::Broadcast, Datatype::Float32, None, &mut buffer))
        });
        wait_until(|| stream.is_entered.load(Ordering::SeqCst));
        comm.abort();
        stream.goes_on.store(true, Ordering::SeqCst);
        let text = late.join().unwrap().unwrap_err().to_string();
        assert_eq!(text, "the communicator was aborted while NCCL served it");
    });
    assert_eq!(noted(), ["abort"]);
}

#[test]
fn a_communicator_leaves_once_and_is_not_left_after_an_abort() {
    let _test = alone();
    let comm = communicator(true, Box::new(NoStream));
    comm.close();
    comm.close();
    comm.abort();
    drop(comm);
    assert_eq!(noted(), ["finalize", "destroy"]);
    let comm = communicator(true, Box::new(NoStream));
    comm.abort();
    comm.abort();
    let mut buffer = [0.0; 2];
    let refused = run(&comm, &call(Collective::Broadcast, Datatype::Float32, None, &mut buffer)).unwrap_err();
    assert_eq!(refused.to_string(), "the communicator was aborted while NCCL served it");
    comm.close();
    drop(comm);
    assert_eq!(noted(), ["abort"]);
}
