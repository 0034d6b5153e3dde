//! Random programs on several streams, ordered by events, give what the same program gives in one order.

mod common;

use common::{Context, Stream, bytes_of, device_memory, free, given, ok};
use cuda::copy::api::cuMemcpyDtoDAsync_v2;
use cuda::copy::fill::cuMemsetD8Async;
use cuda::delays::Random;
use cuda::event::{cuEventCreate, cuEventDestroy_v2, cuEventRecord};
use cuda::stream::api::cuStreamWaitEvent;

const BUFFERS: usize = 4;
const STREAMS: usize = 4;
const STEPS: usize = 60;
const BYTES: usize = 8192;
const NON_BLOCKING: u32 = 1;

/// One operation: fills a buffer, or copies another one into it.
struct Step {
    stream: usize,
    target: usize,
    source: Option<usize>,
    value: u8,
}

fn program(seed: u64) -> Vec<Step> {
    let mut random = Random::seeded(seed);
    let mut below = |bound: usize| random.below(bound as u64) as usize;
    let mut step = |index: usize| {
        let (stream, target, source) = (below(STREAMS), below(BUFFERS), below(BUFFERS));
        let copies = source != target && below(3) > 0;
        Step { stream, target, source: copies.then_some(source), value: index as u8 + 1 }
    };
    (0..STEPS).map(&mut step).collect()
}

/// What the buffers hold if the steps run one after the other.
fn in_one_order(program: &[Step]) -> [u8; BUFFERS] {
    let mut buffers = [0; BUFFERS];
    for step in program {
        buffers[step.target] = step.source.map_or(step.value, |source| buffers[source]);
    }
    buffers
}

/// What the buffers hold after a run on streams, with an event after each step that the next step waits for.
fn on_streams(program: &[Step], are_ordered: bool) -> Vec<Vec<u8>> {
    let buffers: Vec<u64> = (0..BUFFERS).map(|_| device_memory(&[0; BYTES])).collect();
    let streams: Vec<Stream> = (0..STREAMS).map(|_| Stream::new(NON_BLOCKING)).collect();
    let event = given(|event| cuEventCreate(event, 2));
    for step in program {
        let stream = streams[step.stream].0;
        if are_ordered {
            ok(cuStreamWaitEvent(stream, event, 0));
        }
        let target = buffers[step.target];
        match step.source {
            Some(source) => ok(cuMemcpyDtoDAsync_v2(target, buffers[source], BYTES, stream)),
            None => ok(cuMemsetD8Async(target, step.value, BYTES, stream)),
        }
        ok(cuEventRecord(event, stream));
    }
    streams.iter().for_each(Stream::synchronize);
    ok(cuEventDestroy_v2(event));
    let found = buffers.iter().map(|buffer| bytes_of(*buffer, BYTES)).collect();
    buffers.into_iter().for_each(free);
    found
}

#[test]
fn events_make_one_order_of_several_streams_and_without_them_there_is_none() {
    let _context = Context::current();
    let mut wrong = 0;
    for seed in 0..8 {
        let program = program(seed);
        let expected = in_one_order(&program).map(|value| vec![value; BYTES]).to_vec();
        assert_eq!(on_streams(&program, true), expected, "seed {seed}");
        wrong += u32::from(on_streams(&program, false) != expected);
    }
    assert!(wrong > 2, "{wrong} of 8 programs without an order were wrong");
}
