//! Streams that record a graph: a call on one is refused and leaves no trace in the graph, and a call beside
//! one disturbs nothing.

use std::sync::{Barrier, Mutex};

use crate::common;
use anyccl_engine::base::{Collective, Datatype, Error, ReduceOp, Result};
use anyccl_engine::comm::{CallSpec, Communicator, Operation};
use anyccl_engine::device::CudaStream;
use anyccl_engine::p2p::{OutgoingMessage, RecvBuffer, Selector};
use common::case::Case;
use common::device::{Arena, Stream, double};
use common::graphs::CaptureMode;
use common::ranks::{TRANSPORTS, config, on_ranks};

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
fn a_call_on_a_capturing_stream_is_refused_and_the_graph_has_nothing_of_it() {
    let _alone = ALONE.lock();
    double();
    let have_memory = Barrier::new(2);
    on_ranks(2, &config(TRANSPORTS[0]), |comm| {
        double();
        let (mut arena, stream) = (Arena::new(1 << 16), Stream::new());
        // An allocation would wait for the stream of a rank that is ahead, and that for this rank.
        have_memory.wait();
        let buffer = arena.take(100);
        comm.set_stream(Some(stream.handle()));
        stream.begin_capture(CaptureMode::ThreadLocal);
        double().fill(buffer, 3, 100, &stream);
        is_refused_in_every_form(comm, buffer);
        let operation = sum_in_place(buffer, 100);
        let call = CallSpec::Collective(&operation, None);
        // SAFETY: the buffer lives as long as the rank.
        let enqueued = unsafe { comm.enqueue(&call, stream.handle()) };
        is_refused(enqueued.expect("device memory").map(drop));
        double().fill(buffer, 4, 50, &stream);
        let graph = stream.end_capture().expect("a valid capture");
        assert_eq!(graph.nodes(), 2);
        // The stream, the graph and the communicator work as before.
        for _ in 0..3 {
            graph.launch(&stream);
            // SAFETY: the buffer lives until the stream has passed the call.
            unsafe { comm.run(&operation) }.unwrap();
            stream.synchronize();
            assert_eq!(double().read(buffer, 100), [[8; 50], [6; 50]].concat());
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
