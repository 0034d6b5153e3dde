//! Streams that record a graph: a call on one is refused and leaves no trace in the graph, and a call beside
//! one disturbs nothing.

use std::sync::{Barrier, Mutex};

use crate::common;
use anyccl_engine::base::{Collective, Datatype, Error, ReduceOp, Result};
use anyccl_engine::comm::{CallSpec, Communicator, Operation, enqueue_on};
use anyccl_engine::device::CudaStream;
use anyccl_engine::p2p::{OutgoingMessage, RecvBuffer, Selector};
use common::case::Case;
use common::device::{Arena, Stream, both_paths, double, have_device};
use common::graphs::CaptureMode;
use common::proc_fs::wait_until;
use common::ranks::{TRANSPORTS, config, on_failing_ranks, on_ranks, on_ranks_after};

/// More than the first region of the pinned pool has.
const LARGE: usize = 17 << 20;
/// One test at a time: a capture in the global mode regards all threads of the process.
static ALONE: Mutex<()> = Mutex::new(());

fn sum_in_place(buffer: u64, bytes: usize) -> Operation {
    let place = std::ptr::with_exposed_provenance_mut::<u8>(buffer as usize);
    let case = Case::reducing(Collective::AllReduce, Datatype::Uint8, ReduceOp::Sum, 0, bytes);
    Operation { call: case.call(), send: place.cast_const(), recv: place }
}

#[track_caller]
fn is_refused(outcome: Result<()>) {
    let error = outcome.unwrap_err();
    assert!(matches!(error, Error::Unsupported(_)), "{error}");
    assert!(error.to_string().contains("records a graph"), "{error}");
}

/// Every kind of call, on a buffer of the device.
fn is_refused_in_every_form(comm: &Communicator, buffer: u64) {
    let operation = sum_in_place(buffer, 100);
    // SAFETY: the buffer outlives the calls.
    is_refused(unsafe { comm.run(&operation) });
    // SAFETY: as above.
    is_refused(unsafe { comm.start(&operation) }.map(drop));
    let data = operation.recv;
    let what = OutgoingMessage {
        data: data.cast_const(),
        count: 100,
        datatype: Datatype::Uint8,
        to: comm.rank(),
        tag: 1,
        is_synchronous: false,
    };
    // SAFETY: as above.
    is_refused(unsafe { comm.start(&what) }.map(drop));
    let buffer = RecvBuffer { data, count: 100, datatype: Datatype::Uint8, is_lenient: false };
    // SAFETY: as above.
    is_refused(unsafe { comm.start(CallSpec::Receive(Selector::ANY, buffer)) }.map(drop));
}

#[test]
fn a_captured_call_runs_at_each_launch_and_eager_calls_between() {
    let _alone = ALONE.lock();
    double();
    let have_memory = Barrier::new(2);
    let check = |comm: &Communicator, nodes: usize| {
        double();
        let (mut arena, stream) = (Arena::new(1 << 16), Stream::new());
        // An allocation would wait for the stream of a rank that is ahead, and that for this rank.
        have_memory.wait();
        let buffer = arena.take(100);
        comm.set_stream(Some(stream.handle()));
        let operation = sum_in_place(buffer, 100);
        stream.begin_capture(CaptureMode::ThreadLocal);
        double().fill(buffer, 3, 100, &stream);
        // SAFETY: the buffer outlives the graph.
        unsafe { comm.run(&operation) }.unwrap();
        // SAFETY: as above.
        let mut started = unsafe { comm.start(&operation) }.unwrap();
        assert!(started.test().unwrap(), "a captured call has completed");
        double().fill(buffer, 4, 50, &stream);
        let graph = stream.end_capture().expect("a valid capture");
        assert_eq!(graph.nodes(), 2 + 2 * nodes);
        for _ in 0..3 {
            graph.launch(&stream);
            // SAFETY: the buffer lives until the stream has passed the call.
            unsafe { comm.run(&operation) }.unwrap();
            stream.synchronize();
            assert_eq!(double().read(buffer, 100), [[8; 50], [24; 50]].concat());
        }
    };
    let [staged, direct] = both_paths(&config(TRANSPORTS[0]));
    // A copy, a launch, a wait, a store and a copy for each call; then only a launch and a wait.
    on_ranks_after(2, &staged, have_device, |comm| check(comm, 5));
    on_ranks_after(2, &direct, have_device, |comm| check(comm, 2));
}

#[test]
fn captured_messages_pass_at_each_launch() {
    let _alone = ALONE.lock();
    double();
    let have_memory = Barrier::new(2);
    on_ranks(2, &config(TRANSPORTS[0]), |comm| {
        double();
        let (mut arena, stream) = (Arena::new(1 << 16), Stream::new());
        have_memory.wait();
        let buffer = arena.take(100);
        let data = std::ptr::with_exposed_provenance_mut::<u8>(buffer as usize);
        comm.set_stream(Some(stream.handle()));
        stream.begin_capture(CaptureMode::ThreadLocal);
        let what = OutgoingMessage {
            data: data.cast_const(),
            count: 100,
            datatype: Datatype::Uint8,
            to: 1,
            tag: 1,
            is_synchronous: false,
        };
        let place = RecvBuffer { data, count: 100, datatype: Datatype::Uint8, is_lenient: false };
        let call = if comm.rank() == 0 { (&what).into() } else { CallSpec::Receive(Selector::ANY, place) };
        // SAFETY: the buffers outlive the graph.
        is_refused(unsafe { comm.start(call) }.map(drop));
        // SAFETY: as above.
        let enqueued = unsafe { enqueue_on(comm, &call, stream.handle()) };
        enqueued.expect("device memory").unwrap().wait().unwrap();
        let graph = stream.end_capture().expect("a valid capture");
        for round in 1..=3 {
            double().write(buffer, &[if comm.rank() == 0 { round } else { 0 }; 100]);
            graph.launch(&stream);
            stream.synchronize();
            assert_eq!(double().read(buffer, 100), [round; 100]);
        }
    });
}

#[test]
fn a_launch_without_its_communicator_gives_bytes_that_are_no_result() {
    let _alone = ALONE.lock();
    double();
    let objects = double().live("user_objects");
    on_failing_ranks(1, &config(TRANSPORTS[0]), |comm| {
        double();
        let (mut arena, stream, comm) = (Arena::new(1 << 16), Stream::new(), comm.shared());
        let buffer = arena.take(100);
        comm.set_stream(Some(stream.handle()));
        stream.begin_capture(CaptureMode::ThreadLocal);
        // SAFETY: the buffer outlives the graph.
        unsafe { comm.run(&sum_in_place(buffer, 100)) }.unwrap();
        let graph = stream.end_capture().expect("a valid capture");
        let launch = |expected: u8| {
            double().write(buffer, &[7; 100]);
            graph.launch(&stream);
            stream.synchronize();
            assert_eq!(double().read(buffer, 100), [expected; 100]);
        };
        launch(7);
        comm.finalize().unwrap();
        launch(0xFF);
        drop(comm);
        launch(0xFF);
    });
    wait_until("the graph has given back what it kept", || double().live("user_objects") == objects);
}

#[test]
fn a_failure_to_capture_fails_no_communicator() {
    let _alone = ALONE.lock();
    double();
    on_ranks(1, &config(TRANSPORTS[0]), |comm| {
        double();
        let (mut arena, stream) = (Arena::new(1 << 16), Stream::new());
        let buffer = arena.take(100);
        comm.set_stream(Some(stream.handle()));
        for function in
            ["cuUserObjectCreate", "cuGraphRetainUserObject", "cuLaunchHostFunc", "cuStreamWriteValue32"]
        {
            stream.begin_capture(CaptureMode::ThreadLocal);
            double().set_faults(&format!("{function}:1"), "");
            // SAFETY: the buffer outlives the graph.
            let error = unsafe { comm.run(&sum_in_place(buffer, 100)) }.unwrap_err();
            double().set_faults("", "");
            assert!(error.to_string().contains(function), "{error}");
            assert!(comm.failure().is_none());
            // What is in the graph ends, and gives no result.
            let graph = stream.end_capture().expect("a valid capture");
            double().write(buffer, &[7; 100]);
            graph.launch(&stream);
            stream.synchronize();
            // SAFETY: the buffer lives until the stream has passed the call.
            unsafe { comm.run(&sum_in_place(buffer, 100)) }.unwrap();
            stream.synchronize();
        }
    });
}

#[test]
fn the_legacy_stream_beside_a_capture_is_refused_and_leaves_the_capture_valid() {
    let _alone = ALONE.lock();
    double();
    on_ranks(1, &config(TRANSPORTS[0]), |comm| {
        double();
        let (mut arena, stream) = (Arena::new(1 << 16), Stream::blocking());
        let buffer = arena.take(100);
        comm.set_stream(Some(CudaStream::LEGACY));
        stream.begin_capture(CaptureMode::ThreadLocal);
        double().fill(buffer, 3, 100, &stream);
        is_refused_in_every_form(comm, buffer);
        assert_eq!(stream.end_capture().expect("a valid capture").nodes(), 1);
        // SAFETY: the buffer lives until the stream has passed the call.
        unsafe { comm.run(&sum_in_place(buffer, 100)) }.unwrap();
        double().read(buffer, 100);
    });
}

#[test]
fn calls_on_other_streams_leave_a_capture_of_their_thread_valid() {
    let _alone = ALONE.lock();
    double();
    on_ranks(1, &config(TRANSPORTS[0]), |comm| {
        double();
        let mut arena = Arena::new(2 * LARGE);
        let (captured, other) = (Stream::new(), Stream::new());
        let (small, large) = (arena.take(100), arena.take(LARGE));
        captured.begin_capture(CaptureMode::Global);
        double().fill(small, 3, 100, &captured);
        // The pool grows for the second call; the others have a stream of the library.
        for buffer in [sum_in_place(small, 100), sum_in_place(large, LARGE)] {
            comm.set_stream(Some(other.handle()));
            // SAFETY: the buffers live until the streams have passed the calls.
            unsafe { comm.run(&buffer) }.unwrap();
            comm.set_stream(None);
            // SAFETY: as above.
            unsafe { comm.run(&buffer) }.unwrap();
        }
        assert_eq!(captured.end_capture().expect("a valid capture").nodes(), 1);
        other.synchronize();
    });
}

#[test]
fn memory_that_others_can_map_may_be_made_beside_a_capture() {
    let _alone = ALONE.lock();
    double();
    let stream = Stream::new();
    stream.begin_capture(CaptureMode::Global);
    let memory = anyccl_engine::device::Exportable::allocate(0, 1).unwrap();
    drop(memory);
    assert_eq!(stream.end_capture().expect("a valid capture").nodes(), 0);
}
