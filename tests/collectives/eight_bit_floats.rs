//! Reductions of 8-bit floats are rounded once, whatever the algorithm and the number of ranks.

use std::sync::Arc;

use crate::common;
use anyccl_engine::algo::{ALGORITHMS, Algorithm};
use anyccl_engine::base::{Call, CallKind, Collective, Datatype, Rank, ReduceOp};
use anyccl_engine::comm::{
    CallSpec, CommConfig, Communicator, List, Operation, Operator, Part, Persistent, Places,
};
use anyccl_engine::comm::{Scalar, Unequal};
use anyccl_engine::config::{Config, TransportChoice};
use anyccl_engine::plan::{Block, BlockLayout};
use common::numbers::{decode, encode};
use common::ranks::{config, on_ranks};
use common::sample::{ALL_LEVELS, Coverage, points};

const FORMATS: [Datatype; 2] = [Datatype::Float8E4m3, Datatype::Float8E5m2];
const OPS: [ReduceOp; 2] = [ReduceOp::Sum, ReduceOp::Avg];
/// Content of memory that no call may write.
const UNTOUCHED: u8 = 0x55;

/// Values that both formats hold exactly. Their sums are not exact, and round differently in another order.
const VALUES: [f64; 8] = [12.0, 6.0, 2.0, 10.0, 3.0, 5.0, 14.0, 7.0];

fn value(rank: Rank, index: usize) -> f64 {
    VALUES[(rank as usize + index) % VALUES.len()]
}

fn input(datatype: Datatype, rank: Rank, elements: usize) -> Vec<u8> {
    (0..elements).map(|index| encode(datatype, value(rank, index)) as u8).collect()
}

/// The result that the given ranks have at an index.
fn result(datatype: Datatype, op: ReduceOp, ranks: std::ops::Range<Rank>, index: usize) -> u8 {
    let count = f64::from(ranks.len() as u32);
    let sum: f64 = ranks.map(|rank| value(rank, index)).sum();
    encode(datatype, if op == ReduceOp::Avg { sum / count } else { sum }) as u8
}

fn forced(algorithm: &Algorithm, transport: TransportChoice) -> Config {
    let name = format!("{}:{}", algorithm.collective.name(), algorithm.name);
    Config { algorithm: Some(name), chunk_bytes: 100, ..config(transport) }
}

/// The expected output of a rank.
fn expected(call: &Call, collective: Collective, rank: Rank, size: u32) -> Vec<u8> {
    let (datatype, op, count) = (call.datatype, call.op.unwrap(), call.count as usize);
    let written = collective.output_elements(size as usize, rank, call.root, count);
    let (ranks, first) = match collective {
        Collective::ReduceScatter => (0..size, rank as usize * count),
        Collective::Scan => (0..rank + 1, 0),
        Collective::Exscan => (0..rank, 0),
        _ => (0..size, 0),
    };
    let mut output = vec![UNTOUCHED; count];
    for (index, place) in output.iter_mut().enumerate().take(written) {
        *place = result(datatype, op, ranks.clone(), first + index);
    }
    output
}

fn check(comm: &Communicator, collective: Collective, datatype: Datatype, op: ReduceOp, count: usize) {
    let (rank, size) = (comm.rank(), comm.size());
    let root = if collective.has_root() { size - 1 } else { 0 };
    let kind = CallKind::Collective(collective);
    let call = Call { kind, datatype, op: Some(op), root, count: count as u64 };
    let send = input(datatype, rank, collective.input_elements(size as usize, rank, root, count));
    let expected = expected(&call, collective, rank, size);
    for is_started in [false, true] {
        let mut recv = vec![UNTOUCHED; count];
        let operation = Operation { call, send: send.as_ptr(), recv: recv.as_mut_ptr() };
        if is_started {
            // SAFETY: the buffers are as long as the collective says, and live until the call has ended.
            unsafe { comm.start(&operation) }.unwrap().wait().unwrap();
        } else {
            // SAFETY: as above.
            unsafe { comm.run(&operation) }.unwrap();
        }
        assert_eq!(recv, expected, "{call} of rank {rank}, {}", if is_started { "started" } else { "run" });
    }
    if matches!(collective, Collective::AllReduce | Collective::Scan) {
        let mut data = send.clone();
        let operation = Operation { call, send: data.as_ptr(), recv: data.as_mut_ptr() };
        // SAFETY: as above, in place.
        unsafe { comm.run(&operation) }.unwrap();
        assert_eq!(data, expected, "{call} in place");
    }
}

/// Checks blocks of unequal lengths. One element that is not sent lies between the blocks of the input.
fn check_unequal(comm: &Communicator, datatype: Datatype, op: ReduceOp) {
    let (rank, size) = (comm.rank(), comm.size());
    let length = |rank: Rank| (rank as usize * 5 + 3) % 11;
    let mut blocks = Vec::new();
    let mut offset = 0;
    for rank in 0..size {
        blocks.push(Block { offset, len: length(rank) });
        offset += length(rank) + 1;
    }
    let send = input(datatype, rank, offset);
    let mut recv = vec![UNTOUCHED; length(rank) + 2];
    let results = [Block { offset: 1, len: length(rank) }];
    let layout = BlockLayout { input: &blocks, output: &results, ..BlockLayout::NONE };
    let places = Places::Buffers { send: send.as_ptr(), recv: recv.as_mut_ptr() };
    let collective = Collective::ReduceScatterV;
    let operation = Unequal { collective, datatype, op: Some(op), root: 0, layout, places };
    // SAFETY: the blocks lie in buffers that live until the call has ended.
    unsafe { comm.run(&operation) }.unwrap();
    let mut expected = vec![UNTOUCHED; length(rank) + 2];
    for index in 0..length(rank) {
        expected[1 + index] = result(datatype, op, 0..size, blocks[rank as usize].offset + index);
    }
    assert_eq!(recv, expected, "reduce_scatter_v of rank {rank}");
}

#[test]
fn every_algorithm_rounds_8_bit_floats_once_on_every_number_of_ranks() {
    println!("{Coverage}");
    for (row, algorithm) in ALGORITHMS.iter().filter(|row| row.collective.reduces()).enumerate() {
        for size in 2..=8 {
            let points = points(8 * row + size as usize, ALL_LEVELS, [4, FORMATS.len(), OPS.len()]);
            on_ranks(size, &forced(algorithm, TransportChoice::Auto), |comm| {
                for [count, format, op] in &points {
                    let (datatype, op) = (FORMATS[*format], OPS[*op]);
                    let count = [0, 1, size as usize + 1, 257][*count];
                    match algorithm.collective.has_layout() {
                        true => check_unequal(comm, datatype, op),
                        false => check(comm, algorithm.collective, datatype, op, count),
                    }
                }
            });
        }
    }
}

#[test]
fn twelve_and_six_and_two_is_twenty_in_e5m2_and_their_average_seven() {
    on_ranks(3, &config(TransportChoice::Tcp), |comm| {
        for (op, expected) in [(ReduceOp::Sum, 20.0), (ReduceOp::Avg, 7.0)] {
            let datatype = Datatype::Float8E5m2;
            let kind = CallKind::Collective(Collective::AllReduce);
            let call = Call { kind, datatype, op: Some(op), root: 0, count: 1 };
            let mut data = input(datatype, comm.rank(), 1);
            let operation = Operation { call, send: data.as_ptr(), recv: data.as_mut_ptr() };
            // SAFETY: one element, in place.
            unsafe { comm.run(&operation) }.unwrap();
            assert_eq!(decode(datatype, u128::from(data[0])), expected);
        }
    });
}

#[test]
fn lists_and_persistent_calls_and_scaled_sums_round_once_too() {
    on_ranks(3, &config(TransportChoice::Auto), |comm| {
        let (datatype, counts) = (Datatype::Float8E5m2, [3, 1, 20_000, 5]);
        let sends: Vec<Vec<u8>> = counts.iter().map(|count| input(datatype, comm.rank(), *count)).collect();
        let mut recvs: Vec<Vec<u8>> = counts.iter().map(|count| vec![UNTOUCHED; *count]).collect();
        let expected = |count: usize| -> Vec<u8> {
            (0..count).map(|index| result(datatype, ReduceOp::Sum, 0..3, index)).collect()
        };
        let pairs = sends.iter().zip(&mut recvs);
        let part = |(send, recv): (&Vec<u8>, &mut Vec<u8>)| Part {
            send: send.as_ptr(),
            recv: recv.as_mut_ptr(),
            count: send.len(),
            datatype,
        };
        let parts: Vec<Part> = pairs.map(part).collect();
        let list =
            List { collective: Collective::AllReduce, op: Some(ReduceOp::Sum), root: 0, parts: &parts };
        // SAFETY: the buffers live until the calls have ended.
        unsafe { comm.start(&list) }.unwrap().wait().unwrap();
        recvs.iter().zip(counts).for_each(|(recv, count)| assert_eq!(*recv, expected(count)));

        // SAFETY: the operator holds its scalar by value; the scalar is one.
        let operator = unsafe { Operator::premul_sum(datatype, Scalar::Immediate([0x3c; Scalar::BYTES])) };
        let mut recv = vec![UNTOUCHED; 3];
        let kind = CallKind::Collective(Collective::AllReduce);
        let call = Call { kind, datatype, op: Some(ReduceOp::PremulSum), root: 0, count: 3 };
        let operation = Operation { call, send: sends[0].as_ptr(), recv: recv.as_mut_ptr() };
        // SAFETY: as above.
        unsafe { comm.run(CallSpec::Collective(&operation, Some(&Arc::new(operator.unwrap())))) }.unwrap();
        assert_eq!(recv, expected(3));

        let comm = Arc::new(comm.dup(&CommConfig::default()).unwrap());
        let mut recv = vec![UNTOUCHED; 3];
        let call = Call { op: Some(ReduceOp::Sum), ..call };
        let operation = Operation { call, send: sends[0].as_ptr(), recv: recv.as_mut_ptr() };
        // SAFETY: as above.
        let mut persistent = unsafe { Persistent::new(comm, &operation) }.unwrap();
        for _ in 0..2 {
            recv.fill(UNTOUCHED);
            persistent.start().unwrap();
            persistent.wait().unwrap();
            assert_eq!(recv, expected(3));
        }
    });
}

#[test]
fn results_that_are_too_large_saturate_where_the_communicator_says_so() {
    // The sum of two largest numbers, and of infinity and NaN, as NVIDIA's types and IEEE 754 define it.
    let cases = [
        (Datatype::Float8E4m3, 0x7e, 0x7e, 0x7f),
        (Datatype::Float8E5m2, 0x7b, 0x7b, 0x7c),
        (Datatype::Float8E5m2, 0xfb, 0xfb, 0xfc),
        (Datatype::Float8E5m2, 0x7c, 0x7b, 0x7c),
        (Datatype::Float8E4m3, 0x7f, 0x7f, 0x7f),
        (Datatype::Float8E5m2, 0x7e, 0x7e, 0x7e),
    ];
    for saturates in [false, true] {
        on_ranks(2, &config(TransportChoice::Auto), |comm| {
            if saturates {
                comm.set_saturating();
            }
            let part = comm.dup(&CommConfig::default()).unwrap();
            for comm in [comm, &part] {
                for (datatype, code, saturated, plain) in cases {
                    let kind = CallKind::Collective(Collective::AllReduce);
                    let call = Call { kind, datatype, op: Some(ReduceOp::Sum), root: 0, count: 1 };
                    let mut data = [code];
                    let operation = Operation { call, send: data.as_ptr(), recv: data.as_mut_ptr() };
                    // SAFETY: one element, in place.
                    unsafe { comm.run(&operation) }.unwrap();
                    let expected = if saturates { saturated } else { plain };
                    assert_eq!(data, [expected], "{} of two {code:#x}", datatype.name());
                }
            }
        });
    }
}
