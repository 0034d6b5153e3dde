//! Streams that record graphs: what is recorded, what is prohibited meanwhile, and what a launch runs.

mod common;

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};

use common::{Context, Pinned, Stream, bytes_of, device_memory, free, given, live, ok};
use cuda::allocation::cuMemAlloc_v2;
use cuda::argument::Out;
use cuda::capture::api::{
    cuStreamBeginCapture_v2, cuStreamEndCapture, cuStreamGetCaptureInfo_v2, cuStreamIsCapturing,
    cuThreadExchangeStreamCaptureMode,
};
use cuda::context::api::{cuCtxSetCurrent, cuCtxSynchronize};
use cuda::copy::api::{cuMemcpyDtoHAsync_v2, cuMemcpyHtoD_v2, cuMemcpyHtoDAsync_v2};
use cuda::copy::fill::cuMemsetD8Async;
use cuda::event::{cuEventCreate, cuEventDestroy_v2, cuEventQuery, cuEventRecord};
use cuda::graph::api::{
    cuGraphDestroy, cuGraphExecDestroy, cuGraphGetNodes, cuGraphInstantiateWithFlags, cuGraphLaunch,
    cuGraphNodeGetType,
};
use cuda::graph::objects::{cuGraphRetainUserObject, cuUserObjectCreate, cuUserObjectRelease};
use cuda::graph::update::{UpdateResult, cuGraphExecUpdate_v2};
use cuda::host_function::{cuLaunchHostFunc, cuStreamAddCallback};
use cuda::pool::cuMemAllocAsync;
use cuda::status::Status;
use cuda::stream::api::{cuStreamQuery, cuStreamSynchronize, cuStreamWaitEvent};
use cuda::value::api::{cuStreamWaitValue32_v2, cuStreamWriteValue32_v2};

const BLOCKING: u32 = 0;
const NON_BLOCKING: u32 = 1;
const GLOBAL: u32 = 0;
const THREAD_LOCAL: u32 = 1;
const RELAXED: u32 = 2;
const EQUAL: u32 = 1;

/// A status of a capture.
const NONE: u32 = 0;
const ACTIVE: u32 = 1;
const INVALIDATED: u32 = 2;

fn begin(stream: &Stream, mode: u32) {
    ok(cuStreamBeginCapture_v2(stream.0, mode));
}

fn end(stream: &Stream) -> (Status, usize) {
    let mut graph = 77;
    (cuStreamEndCapture(stream.0, Out::to(&mut graph)), graph)
}

fn status(stream: &Stream) -> u32 {
    given(|status| cuStreamIsCapturing(stream.0, status))
}

/// Ends a capture that is invalid.
#[track_caller]
fn end_invalid(stream: &Stream) {
    assert_eq!(status(stream), INVALIDATED);
    assert_eq!(end(stream), (Status::STREAM_CAPTURE_INVALIDATED, 0));
    assert_eq!(status(stream), NONE);
}

/// A graph that was captured, and can be launched.
struct Executable(usize);

impl Executable {
    /// Ends the capture of a stream.
    fn captured(stream: &Stream) -> Executable {
        let (status, graph) = end(stream);
        ok(status);
        let executable = Executable(given(|place| cuGraphInstantiateWithFlags(place, graph, 0)));
        ok(cuGraphDestroy(graph));
        executable
    }

    fn launch(&self, stream: &Stream) {
        ok(cuGraphLaunch(self.0, stream.0));
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        cuGraphExecDestroy(self.0);
    }
}

/// An event that is destroyed at the end.
struct Event(usize);

impl Event {
    fn new() -> Event {
        Event(given(|event| cuEventCreate(event, 2)))
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        cuEventDestroy_v2(self.0);
    }
}

extern "C" fn count(counter: *mut c_void) {
    // SAFETY: the tests give the address of a counter that lives.
    unsafe { AtomicU32::from_ptr(counter.cast()) }.fetch_add(1, Ordering::SeqCst);
}

extern "C" fn never(_: usize, _: Status, _: *mut c_void) {}

#[test]
fn a_graph_runs_what_was_recorded_each_time_it_is_launched_and_never_before() {
    let _context = Context::current();
    let graphs = live("graphs");
    let (stream, host, calls) = (Stream::new(NON_BLOCKING), Pinned::new(8), AtomicU32::new(0));
    let memory = device_memory(&[0; 8]);
    begin(&stream, GLOBAL);
    ok(cuMemcpyHtoDAsync_v2(memory, host.address, 4, stream.0));
    ok(cuMemsetD8Async(memory, 9, 1, stream.0));
    ok(cuMemcpyDtoHAsync_v2(host.address + 4, memory, 4, stream.0));
    ok(cuLaunchHostFunc(stream.0, Some(count), calls.as_ptr().cast()));
    assert_eq!(status(&stream), ACTIVE);
    let (ended, graph) = end(&stream);
    ok(ended);
    let mut nodes = [0; 8];
    let mut known = nodes.len();
    ok(cuGraphGetNodes(graph, Out::to(&mut nodes[0]), Out::to(&mut known)));
    let kinds: Vec<u32> =
        nodes[..known].iter().map(|node| given(|kind| cuGraphNodeGetType(*node, kind))).collect();
    assert_eq!(kinds, [1, 2, 1, 3]);
    let executable = Executable(given(|place| cuGraphInstantiateWithFlags(place, graph, 0)));
    ok(cuGraphDestroy(graph));
    stream.synchronize();
    assert_eq!((bytes_of(memory, 4), calls.load(Ordering::SeqCst)), (vec![0; 4], 0));
    for round in 1..=3 {
        host.fill(round);
        executable.launch(&stream);
        stream.synchronize();
        assert_eq!(host.bytes()[4..], [9, round, round, round]);
        assert_eq!(calls.load(Ordering::SeqCst), u32::from(round));
    }
    drop(executable);
    free(memory);
    assert_eq!(live("graphs"), graphs);
}

#[test]
fn a_stream_joins_by_an_event_and_must_be_joined_back() {
    let _context = Context::current();
    let (first, second, third) =
        (Stream::new(NON_BLOCKING), Stream::new(NON_BLOCKING), Stream::new(NON_BLOCKING));
    let (fork, join, outside) = (Event::new(), Event::new(), Event::new());
    let host = Pinned::new(64);
    let memory = device_memory(&[0; 64]);
    let fork_into_second = || {
        ok(cuEventRecord(fork.0, first.0));
        ok(cuStreamWaitEvent(second.0, fork.0, 0));
        ok(cuMemsetD8Async(memory, 7, 32, second.0));
    };

    begin(&first, GLOBAL);
    fork_into_second();
    assert_eq!((status(&second), status(&third)), (ACTIVE, NONE));
    let id = |stream: &Stream| {
        let mut id = 0;
        let mut status = 0;
        let (id_place, none) = (Out::to(&mut id), Out::null);
        ok(cuStreamGetCaptureInfo_v2(stream.0, Out::to(&mut status), id_place, none(), none(), none()));
        id
    };
    assert!(id(&first) != 0 && id(&first) == id(&second) && id(&third) == 0);
    ok(cuMemsetD8Async(memory + 32, 8, 32, first.0));
    ok(cuEventRecord(join.0, second.0));
    ok(cuStreamWaitEvent(first.0, join.0, 0));
    ok(cuMemcpyDtoHAsync_v2(host.address, memory, 64, first.0));
    let executable = Executable::captured(&first);
    assert_eq!(status(&second), NONE);
    for _ in 0..20 {
        host.fill(0);
        executable.launch(&third);
        third.synchronize();
        assert_eq!(host.bytes(), [[7; 32], [8; 32]].concat());
        ok(cuMemsetD8Async(memory, 0, 64, third.0));
    }

    begin(&first, GLOBAL);
    fork_into_second();
    assert_eq!(end(&first), (Status::STREAM_CAPTURE_UNJOINED, 0));
    assert_eq!((status(&first), status(&second)), (NONE, NONE));

    begin(&first, GLOBAL);
    fork_into_second();
    assert_eq!(end(&second).0, Status::STREAM_CAPTURE_UNMATCHED);
    end_invalid(&first);

    begin(&first, GLOBAL);
    ok(cuEventRecord(outside.0, third.0));
    assert_eq!(cuStreamWaitEvent(first.0, outside.0, 0), Status::STREAM_CAPTURE_ISOLATION);
    end_invalid(&first);

    begin(&first, GLOBAL);
    begin(&third, GLOBAL);
    ok(cuEventRecord(fork.0, first.0));
    assert_eq!(cuStreamWaitEvent(third.0, fork.0, 0), Status::STREAM_CAPTURE_MERGE);
    end_invalid(&first);
    end_invalid(&third);
    third.synchronize();
    free(memory);
}

#[test]
fn a_call_that_a_capturing_stream_cannot_take_invalidates_the_capture() {
    let _context = Context::current();
    let (stream, event) = (Stream::new(NON_BLOCKING), Event::new());
    let memory = device_memory(&[0; 4]);
    let relaxed = given(|mode| {
        let mut wanted = RELAXED;
        ok(cuThreadExchangeStreamCaptureMode(Out::to(&mut wanted)));
        mode.set_if_asked(wanted);
        Status::SUCCESS
    });
    let unsupported = Status::STREAM_CAPTURE_UNSUPPORTED;
    type Refused<'a> = &'a dyn Fn() -> Status;
    let refused: [(Status, Refused); 6] = [
        (unsupported, &|| cuStreamSynchronize(stream.0)),
        (unsupported, &|| cuStreamQuery(stream.0)),
        (unsupported, &|| cuCtxSynchronize()),
        (unsupported, &|| cuStreamAddCallback(stream.0, Some(never), std::ptr::null_mut(), 0)),
        (unsupported, &|| cuMemAllocAsync(Out::to(&mut 0), 8, stream.0)),
        (Status::CAPTURED_EVENT, &|| {
            ok(cuEventRecord(event.0, stream.0));
            cuEventQuery(event.0)
        }),
    ];
    for (at, (error, call)) in refused.into_iter().enumerate() {
        begin(&stream, GLOBAL);
        ok(cuMemsetD8Async(memory, 1, 4, stream.0));
        assert_eq!(call(), error, "call {at}");
        let after = cuMemsetD8Async(memory, 1, 4, stream.0);
        assert_eq!(after, Status::STREAM_CAPTURE_INVALIDATED, "after call {at}");
        end_invalid(&stream);
    }
    assert_eq!(bytes_of(memory, 4), [0; 4]);
    let mut mode = relaxed;
    ok(cuThreadExchangeStreamCaptureMode(Out::to(&mut mode)));
    assert_eq!(mode, RELAXED);
    free(memory);
}

#[test]
fn the_legacy_stream_cannot_be_used_while_a_blocking_stream_captures() {
    let _context = Context::current();
    let memory = device_memory(&[0; 4]);
    let implicit = Status::STREAM_CAPTURE_IMPLICIT;
    assert_eq!(cuStreamBeginCapture_v2(0, RELAXED), Status::STREAM_CAPTURE_UNSUPPORTED);

    let blocking = Stream::new(BLOCKING);
    begin(&blocking, RELAXED);
    assert_eq!(cuStreamIsCapturing(0, Out::to(&mut 0)), implicit);
    assert_eq!(status(&blocking), ACTIVE);
    assert_eq!(cuMemsetD8Async(memory, 1, 4, 0), implicit);
    end_invalid(&blocking);
    begin(&blocking, RELAXED);
    assert_eq!(cuMemcpyHtoD_v2(memory, [5u8; 4].as_ptr() as u64, 4), implicit);
    end_invalid(&blocking);

    let other = Stream::new(NON_BLOCKING);
    begin(&other, RELAXED);
    ok(cuMemsetD8Async(memory, 1, 4, 0));
    ok(cuStreamSynchronize(0));
    let (ended, graph) = end(&other);
    ok(ended);
    ok(cuGraphDestroy(graph));
    assert_eq!(bytes_of(memory, 4), [1; 4]);
    free(memory);
}

#[test]
fn unsafe_calls_are_refused_by_the_modes_of_the_capture_and_of_the_thread() {
    let context = Context::current();
    // The mode of the capture, whether its own thread calls, the mode of the thread, and whether it may.
    let cases = [
        (GLOBAL, true, GLOBAL, false),
        (GLOBAL, true, THREAD_LOCAL, false),
        (GLOBAL, true, RELAXED, true),
        (GLOBAL, false, GLOBAL, false),
        (GLOBAL, false, THREAD_LOCAL, true),
        (GLOBAL, false, RELAXED, true),
        (THREAD_LOCAL, true, GLOBAL, false),
        (THREAD_LOCAL, true, RELAXED, true),
        (THREAD_LOCAL, false, GLOBAL, true),
        (RELAXED, true, GLOBAL, true),
        (RELAXED, false, GLOBAL, true),
    ];
    let allocate = |mode: u32| {
        ok(cuCtxSetCurrent(context.handle));
        let mut wanted = mode;
        ok(cuThreadExchangeStreamCaptureMode(Out::to(&mut wanted)));
        let mut address = 0;
        let outcome = cuMemAlloc_v2(Out::to(&mut address), 16);
        ok(cuThreadExchangeStreamCaptureMode(Out::to(&mut wanted)));
        (outcome, address)
    };
    for case in cases {
        let (capture, is_own_thread, mode, may) = case;
        let stream = Stream::new(NON_BLOCKING);
        begin(&stream, capture);
        let (outcome, address) = if is_own_thread {
            allocate(mode)
        } else {
            std::thread::scope(|scope| scope.spawn(|| allocate(mode)).join().unwrap())
        };
        assert_eq!(outcome == Status::SUCCESS, may, "{case:?}");
        if may {
            let (ended, graph) = end(&stream);
            ok(ended);
            ok(cuGraphDestroy(graph));
            free(address);
        } else {
            assert_eq!(outcome, Status::STREAM_CAPTURE_UNSUPPORTED);
            end_invalid(&stream);
        }
    }
}

#[test]
fn only_the_thread_of_a_capture_ends_it_unless_it_is_relaxed() {
    let context = Context::current();
    let stream = Stream::new(NON_BLOCKING);
    let end_elsewhere = || {
        let end = || {
            ok(cuCtxSetCurrent(context.handle));
            end(&stream)
        };
        std::thread::scope(|scope| scope.spawn(end).join().unwrap())
    };
    begin(&stream, GLOBAL);
    assert_eq!(cuStreamBeginCapture_v2(stream.0, GLOBAL), Status::INVALID_VALUE);
    assert_eq!(end_elsewhere().0, Status::STREAM_CAPTURE_WRONG_THREAD);
    ok(cuGraphDestroy(end(&stream).1));
    begin(&stream, RELAXED);
    let (ended, graph) = end_elsewhere();
    ok(ended);
    ok(cuGraphDestroy(graph));
    assert_eq!(end(&stream).0, Status::ILLEGAL_STATE);
}

#[test]
fn a_value_wait_in_a_graph_waits_at_each_launch_and_launches_run_one_after_the_other() {
    let _context = Context::current();
    let (first, second) = (Stream::new(NON_BLOCKING), Stream::new(NON_BLOCKING));
    let words = Pinned::new(8);
    let calls = AtomicU32::new(0);
    begin(&first, GLOBAL);
    ok(cuStreamWaitValue32_v2(first.0, words.address, 1, EQUAL));
    ok(cuLaunchHostFunc(first.0, Some(count), calls.as_ptr().cast()));
    ok(cuStreamWriteValue32_v2(first.0, words.address, 0, 0));
    ok(cuStreamWriteValue32_v2(first.0, words.address + 4, 1, 0));
    let executable = Executable::captured(&first);
    // Two launches in two streams: the second waits for the end of the first.
    executable.launch(&first);
    executable.launch(&second);
    for round in 1..=2 {
        assert_eq!(cuStreamQuery(second.0), Status::NOT_READY);
        assert_eq!(calls.load(Ordering::SeqCst), round - 1);
        words.word(1).store(0, Ordering::SeqCst);
        words.word(0).store(1, Ordering::SeqCst);
        while words.word(1).load(Ordering::SeqCst) == 0 {
            std::thread::yield_now();
        }
        assert_eq!(calls.load(Ordering::SeqCst), round);
    }
    second.synchronize();
}

#[test]
fn a_user_object_lives_until_its_graph_its_executable_and_their_launches_have_gone() {
    let _context = Context::current();
    let (stream, ended, word) = (Stream::new(NON_BLOCKING), AtomicU32::new(0), Pinned::new(4));
    begin(&stream, GLOBAL);
    ok(cuStreamWaitValue32_v2(stream.0, word.address, 1, EQUAL));
    let (mut status, mut graph, mut number) = (0, 0, 0);
    let none = || Out::null();
    ok(cuStreamGetCaptureInfo_v2(
        stream.0,
        Out::to(&mut status),
        Out::to(&mut number),
        Out::to(&mut graph),
        none(),
        Out::null(),
    ));
    let data = ended.as_ptr().cast();
    assert_eq!(cuUserObjectCreate(none(), data, Some(count), 1, 1), Status::INVALID_VALUE);
    let object = given(|object| cuUserObjectCreate(object, data, Some(count), 1, 1));
    assert_eq!(cuGraphRetainUserObject(graph, object, 2, 1), Status::INVALID_VALUE);
    ok(cuGraphRetainUserObject(graph, object, 1, 1));
    assert_eq!(cuUserObjectRelease(object, 1), Status::INVALID_VALUE);
    let executable = Executable::captured(&stream);
    executable.launch(&stream);
    drop(executable);
    assert_eq!((live("user_objects"), ended.load(Ordering::SeqCst)), (1, 0));
    word.word(0).store(1, Ordering::SeqCst);
    stream.synchronize();
    while ended.load(Ordering::SeqCst) == 0 {
        std::thread::yield_now();
    }
    assert_eq!(live("user_objects"), 0);
}

#[test]
fn an_update_changes_later_launches_if_the_graphs_have_the_same_shape() {
    let _context = Context::current();
    let (stream, word) = (Stream::new(NON_BLOCKING), Pinned::new(4));
    let (first, second) = (AtomicU32::new(0), AtomicU32::new(0));
    let counting = |counter: &AtomicU32, has_fill: bool| {
        begin(&stream, GLOBAL);
        ok(cuStreamWaitValue32_v2(stream.0, word.address, 1, EQUAL));
        if has_fill {
            ok(cuMemsetD8Async(word.address, 1, 1, stream.0));
        } else {
            ok(cuLaunchHostFunc(stream.0, Some(count), counter.as_ptr().cast()));
        }
        let (ended, graph) = end(&stream);
        ok(ended);
        graph
    };
    let of_first = counting(&first, false);
    let executable = Executable(given(|place| cuGraphInstantiateWithFlags(place, of_first, 0)));
    executable.launch(&stream);
    let (of_second, other_kind) = (counting(&second, false), counting(&second, true));
    let mut result = UpdateResult::default();
    ok(cuGraphExecUpdate_v2(executable.0, of_second, Out::to(&mut result)));
    assert_eq!(result, UpdateResult::default());
    // Refused, and without effect.
    let refused = cuGraphExecUpdate_v2(executable.0, other_kind, Out::to(&mut result));
    assert_eq!((refused, result.result), (Status::GRAPH_EXEC_UPDATE_FAILURE, 3));
    begin(&stream, GLOBAL);
    let shorter = end(&stream).1;
    let refused = cuGraphExecUpdate_v2(executable.0, shorter, Out::to(&mut result));
    assert_eq!((refused, result.result), (Status::GRAPH_EXEC_UPDATE_FAILURE, 2));
    executable.launch(&stream);
    word.word(0).store(1, Ordering::SeqCst);
    stream.synchronize();
    // The launch before the update goes on as it was.
    assert_eq!((first.load(Ordering::SeqCst), second.load(Ordering::SeqCst)), (1, 1));
    for graph in [of_first, of_second, other_kind, shorter] {
        ok(cuGraphDestroy(graph));
    }
}
