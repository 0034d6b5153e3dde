//! Sums that travel between hosts in a narrow form: how far a result may be off, which calls are concerned,
//! and what is refused. The bound is that of docs/wire.md.

use std::sync::Arc;

use crate::common;
use crate::fixed_bits::{FORMS, Form, on_layout, run_in_form};
use anyccl_engine::base::{Call, CallKind, Collective, Datatype, Error, Rank, ReduceOp, WireFormat};
use anyccl_engine::bootstrap::UniqueId;
use anyccl_engine::comm::{CommConfig, Communicator, Operation};
use anyccl_engine::config::{Config, TransportChoice};
use anyccl_engine::observe::log;
use common::numbers::{decode, encode};
use common::ranks::{TRANSPORTS, config, on_threads};
use common::values::noise;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Ranks on hosts. Each letter is the host of one rank.
const LAYOUTS: [&str; 7] = ["ab", "aab", "aabb", "abab", "abc", "aabbcc", "abcdefgh"];

fn narrow(transport: TransportChoice, format: WireFormat) -> Config {
    Config { wire: Some(format), ..config(transport) }
}

/// A call, and what it adds.
#[derive(Clone, Copy, Debug)]
struct Turn {
    collective: Collective,
    datatype: Datatype,
    op: ReduceOp,
    /// Numbers of a block.
    len: usize,
    seed: usize,
    form: Form,
}

impl Turn {
    /// Numbers that a rank contributes.
    fn input_len(&self, size: u32) -> usize {
        if self.collective == Collective::ReduceScatter { self.len * size as usize } else { self.len }
    }

    /// The numbers of the result of a rank.
    fn result(&self, rank: Rank) -> std::ops::Range<usize> {
        let start = if self.collective == Collective::ReduceScatter { rank as usize * self.len } else { 0 };
        start..start + self.len
    }

    /// Number `at` of a rank, rounded to the datatype. A hundred neighbours have about one size; sizes differ
    /// much.
    fn number(&self, rank: Rank, at: usize) -> f64 {
        let noise = noise(rank, at + self.seed);
        let fraction = (noise & 0xffff_ffff) as f64 / 2f64.powi(31) - 1.0;
        let sizes = if self.datatype == Datatype::Float16 { 12 } else { 60 };
        let size = (at + self.seed) / 100 * 7 % sizes;
        decode(self.datatype, encode(self.datatype, fraction * 2f64.powi(size as i32 - sizes as i32 / 2)))
    }
}

/// Most by which a number that travels is off, in a form whose blocks have no larger number than `largest`.
fn bound(format: WireFormat, number: f64, largest: f64) -> f64 {
    match format {
        WireFormat::Bf16 => number.abs() / 256.0,
        WireFormat::F8 => (number.abs() / 16.0).max(largest / 448.0 / 1024.0),
        WireFormat::Int8Block => largest / 254.0,
    }
}

/// For each number, the largest that may share its block.
fn largest(numbers: &[f64]) -> Vec<f64> {
    let near = |at: usize| {
        let block = WireFormat::BLOCK - 1;
        &numbers[at.saturating_sub(block)..numbers.len().min(at + block + 1)]
    };
    (0..numbers.len())
        .map(|at| near(at).iter().fold(0.0, |most: f64, number| most.max(number.abs())))
        .collect()
}

/// The exact sums, and the most by which each result may be off.
fn expected(turn: &Turn, format: WireFormat, layout: &str) -> Vec<(f64, f64)> {
    let len = turn.input_len(layout.len() as u32);
    let hosts: std::collections::BTreeSet<char> = layout.chars().collect();
    let mut exact = vec![0.0; len];
    let mut off = vec![0.0; len];
    let mut sizes = vec![0.0; len];
    for host in hosts {
        let ranks = (0..).zip(layout.chars()).filter(|(_, other)| *other == host).map(|(rank, _)| rank);
        let mut part = vec![0.0; len];
        for rank in ranks {
            for at in 0..len {
                let number = turn.number(rank, at);
                (part[at], sizes[at]) = (part[at] + number, sizes[at] + number.abs());
            }
        }
        for (at, largest) in largest(&part).into_iter().enumerate() {
            (exact[at], off[at]) = (exact[at] + part[at], off[at] + bound(format, part[at], largest));
        }
    }
    if turn.collective == Collective::AllReduce {
        let found: Vec<f64> = exact.iter().zip(&off).map(|(exact, off)| exact.abs() + off).collect();
        for (at, largest) in largest(&found).into_iter().enumerate() {
            off[at] += bound(format, found[at], largest);
        }
    }
    let by = if turn.op == ReduceOp::Avg { layout.len() as f64 } else { 1.0 };
    // What float32 rounds on the way, and the datatype at the end.
    let last = match turn.datatype {
        Datatype::Float16 => 2f64.powi(-11),
        Datatype::Bfloat16 => 2f64.powi(-8),
        _ => 0.0,
    };
    // At full width, numbers of 16 bits are rounded after each addition.
    let is_narrow = format.bytes() < turn.datatype.bytes() && len >= 1024;
    let additions = if is_narrow { 0.0 } else { layout.len() as f64 * last };
    let rounded = |at: usize| {
        let rest = sizes[at] * (2f64.powi(-20) + additions);
        off[at] + rest + (exact[at].abs() + off[at] + rest) * last
    };
    let tiny = if turn.datatype == Datatype::Float16 { 2f64.powi(-24) } else { 2f64.powi(-120) };
    (0..len).map(|at| (exact[at] / by, rounded(at) / by + tiny)).collect()
}

/// Makes the call, checks the result, and returns its bytes.
fn check(comm: &Arc<Communicator>, turn: &Turn, expected: &[(f64, f64)]) -> Vec<u8> {
    let output = run(comm, turn, |rank, at| turn.number(rank, at));
    for (found, at) in numbers(turn.datatype, &output).zip(turn.result(comm.rank())) {
        let (exact, off) = expected[at];
        assert!((found - exact).abs() <= off, "{turn:?}: number {at} is {found}, not {exact} to {off}");
    }
    output
}

fn numbers(datatype: Datatype, bytes: &[u8]) -> impl Iterator<Item = f64> + '_ {
    bytes.chunks_exact(datatype.bytes()).map(move |bytes| {
        let mut bits = [0; 16];
        bits[..bytes.len()].copy_from_slice(bytes);
        decode(datatype, u128::from_le_bytes(bits))
    })
}

fn run(comm: &Arc<Communicator>, turn: &Turn, number: impl Fn(Rank, usize) -> f64) -> Vec<u8> {
    let Turn { collective, datatype, op, len, form, .. } = *turn;
    let input = (0..turn.input_len(comm.size()))
        .flat_map(|at| encode(datatype, number(comm.rank(), at)).to_le_bytes()[..datatype.bytes()].to_vec());
    let input: Vec<u8> = input.collect();
    let mut output = vec![0xa5; len * datatype.bytes()];
    let mut send = input.as_ptr();
    if matches!(form, Form::InPlace) && collective == Collective::AllReduce {
        output.copy_from_slice(&input);
        send = output.as_ptr();
    }
    let kind = CallKind::Collective(collective);
    let call = Call { kind, datatype, op: Some(op), root: 0, count: len as u64 };
    run_in_form(comm, &Operation { call, send, recv: output.as_mut_ptr() }, form);
    output
}

/// Checks a call on all ranks of a layout, and that all_reduce gave all of them the same bytes.
fn check_everywhere(layout: &str, transport: TransportChoice, format: WireFormat, turns: &[Turn]) {
    let expected: Vec<_> = turns.iter().map(|turn| expected(turn, format, layout)).collect();
    let results = on_layout(
        layout,
        |_| narrow(transport, format),
        |comm| {
            let turns = turns.iter().zip(&expected);
            turns.map(|(turn, expected)| check(comm, turn, expected)).collect::<Vec<_>>()
        },
    );
    for (at, turn) in turns.iter().enumerate().filter(|(_, turn)| turn.collective == Collective::AllReduce) {
        assert!(results.iter().all(|of_rank| of_rank[at] == results[0][at]), "{turn:?} on {layout}");
    }
}

const FLOATS: [Datatype; 3] = [Datatype::Float32, Datatype::Float16, Datatype::Bfloat16];

fn any_turn() -> impl Strategy<Value = Turn> {
    let len = prop_oneof![1 => 0usize..1024, 3 => 1024usize..4000, 1 => 4000usize..100_000];
    let collective = prop::sample::select(vec![Collective::AllReduce, Collective::ReduceScatter]);
    let kind = (collective, prop::sample::select(FLOATS.to_vec()));
    let op = prop::sample::select(vec![ReduceOp::Sum, ReduceOp::Avg]);
    (kind, op, len, 0usize..1_000_000, prop::sample::select(FORMS.to_vec())).prop_map(
        |((collective, datatype), op, len, seed, form)| {
            let len = if collective == Collective::ReduceScatter { len / 4 } else { len };
            Turn { collective, datatype, op, len, seed, form }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24,
        // Communicators are expensive. A few dozen attempts find the shortest failing sequence.
        max_shrink_iters: 60,
        rng_seed: RngSeed::Fixed(59),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_result_is_off_by_more_than_the_bound_and_all_ranks_have_the_same(
        layout in prop::sample::select(LAYOUTS.to_vec()),
        format in prop::sample::select(WireFormat::ALL.to_vec()),
        is_tcp in any::<bool>(),
        turns in prop::collection::vec(any_turn(), 1..12),
    ) {
        check_everywhere(layout, TRANSPORTS[usize::from(is_tcp)], format, &turns);
    }
}

#[test]
fn every_form_of_call_is_within_the_bound() {
    for format in WireFormat::ALL {
        for (at, form) in FORMS.into_iter().enumerate() {
            let turn = |collective, datatype, len| Turn {
                collective,
                datatype,
                op: ReduceOp::Sum,
                len,
                seed: 977 * at,
                form,
            };
            let turns = [
                turn(Collective::AllReduce, Datatype::Float32, 70_001),
                turn(Collective::AllReduce, FLOATS[1 + at % 2], 5000),
                turn(Collective::ReduceScatter, Datatype::Float32, 9001),
            ];
            check_everywhere(LAYOUTS[at], TRANSPORTS[at % 2], format, &turns);
        }
    }
}

fn turn(collective: Collective, datatype: Datatype, op: ReduceOp, len: usize) -> Turn {
    Turn { collective, datatype, op, len, seed: 0, form: Form::Blocking }
}

#[test]
fn what_is_not_finite_reaches_all_ranks_and_spoils_no_neighbour() {
    for format in WireFormat::ALL {
        let len = 3000;
        let special = [(1, 5, f64::NAN), (0, 700, f64::INFINITY), (2, 2999, f64::NEG_INFINITY)];
        let number = |rank: Rank, at: usize| {
            let found = special.iter().find(|(of, place, _)| (*of, *place) == (rank, at));
            found.map_or(1.0, |(_, _, value)| *value)
        };
        let results = on_layout(
            "aab",
            |_| narrow(TransportChoice::Auto, format),
            |comm| run(comm, &turn(Collective::AllReduce, Datatype::Float32, ReduceOp::Sum, len), number),
        );
        for result in &results {
            assert!(*result == results[0]);
            for (at, value) in numbers(Datatype::Float32, result).enumerate() {
                let is_special = special.iter().any(|(_, place, _)| *place == at);
                assert_eq!(value.is_finite(), !is_special, "{}: {at} is {value}", format.name());
                assert!(is_special || (value - 3.0).abs() < 1e-5, "{}: {at} is {value}", format.name());
            }
        }
    }
}

#[test]
fn calls_that_are_no_long_sums_of_floats_and_ranks_of_one_host_are_exact() {
    use Collective::{AllReduce, Reduce, ReduceScatter};
    use Datatype::{Float32, Float64};
    use ReduceOp::{Max, Sum};
    // Odd numbers of 11 bits: no format has them.
    let number = |rank: Rank, at: usize| (2 * ((at * 31 + rank as usize * 7) % 1000) + 1) as f64;
    let exact = |turn: &Turn, size: u32, at: usize| {
        let numbers = (0..size).map(|rank| number(rank, at));
        if turn.op == Max { numbers.fold(0.0, f64::max) } else { numbers.sum() }
    };
    let are_exact = |comm: &Arc<Communicator>, turn: &Turn| {
        let result = run(comm, turn, number);
        let has_result = turn.collective != Reduce || comm.rank() == 0;
        let mut pairs = numbers(turn.datatype, &result).zip(turn.result(comm.rank()));
        !has_result || pairs.all(|(found, at)| found == exact(turn, comm.size(), at))
    };
    for format in WireFormat::ALL {
        let cases = [
            (turn(AllReduce, Float32, Sum, 1024), false),
            (turn(AllReduce, Float32, Sum, 1023), true),
            (turn(ReduceScatter, Float32, Sum, 1024), false),
            (turn(ReduceScatter, Float32, Sum, 255), true),
            (turn(AllReduce, Float32, Max, 5000), true),
            (turn(AllReduce, Float64, Sum, 5000), true),
            (turn(Reduce, Float32, Sum, 5000), true),
        ];
        for layout in ["aabb", "aaaa"] {
            on_layout(
                layout,
                |_| narrow(TransportChoice::Auto, format),
                |comm| {
                    for (turn, wanted) in &cases {
                        let wanted = *wanted || layout == "aaaa";
                        assert_eq!(
                            are_exact(comm, turn),
                            wanted,
                            "{turn:?} as {} on {layout}",
                            format.name()
                        );
                    }
                },
            );
        }
    }
}

#[test]
fn a_communicator_chooses_its_format_and_those_made_from_it_keep_it() {
    on_layout(
        "aabb",
        |_| config(TransportChoice::Auto),
        |comm| {
            let own = |wire| CommConfig { wire, ..CommConfig::default() };
            assert_eq!(comm.wire(), None);
            let dup = comm.dup(&own(Some(Some(WireFormat::F8)))).unwrap().shared();
            assert_eq!(dup.wire(), Some(WireFormat::F8));
            let turn = turn(Collective::AllReduce, Datatype::Float32, ReduceOp::Sum, 3000);
            check(&dup, &turn, &expected(&turn, WireFormat::F8, "aabb"));
            let call = Call {
                kind: CallKind::Collective(Collective::AllReduce),
                datatype: Datatype::Float32,
                op: Some(ReduceOp::Sum),
                root: 0,
                count: 3000,
            };
            assert_eq!(dup.algorithm(&call).unwrap().name, "f8");
            assert!(dup.predicted_us(&call).unwrap() > 0.0);
            let half = dup.split(Some(comm.rank() % 2), 0, &own(None)).unwrap().unwrap();
            assert_eq!(half.wire(), Some(WireFormat::F8));
            let full = dup.split(Some(0), 0, &own(Some(None))).unwrap().unwrap();
            assert_eq!(full.wire(), None);
            assert_eq!(dup.shrink(&own(None)).unwrap().wire(), Some(WireFormat::F8));
            let error = dup.shrink(&own(Some(None))).map(drop).unwrap_err();
            assert!(error.to_string().contains("config->wire"), "{error}");
        },
    );
}

#[test]
fn fixed_bits_and_narrow_sums_are_refused_together() {
    log::set_level(log::Level::Off);
    let id = UniqueId::create(&config(TransportChoice::Auto)).unwrap();
    let mut errors = on_threads(2, |rank| {
        let settings = Config { deterministic: true, ..narrow(TransportChoice::Auto, WireFormat::Bf16) };
        let own = CommConfig::default();
        Communicator::create(&id, 2, rank, &settings, &own).map(drop).expect_err("it is refused")
    });
    errors.extend(on_layout(
        "ab",
        |_| narrow(TransportChoice::Auto, WireFormat::Bf16),
        |comm| {
            let own = CommConfig { deterministic: Some(true), ..CommConfig::default() };
            comm.dup(&own).map(drop).expect_err("it is refused")
        },
    ));
    for error in errors {
        assert!(matches!(error, Error::Unsupported(_)), "{error}");
        let text = error.to_string();
        assert!(text.contains("ANYCCL_DETERMINISTIC") && text.contains("travel as bf16"), "{text}");
    }
}

#[test]
fn ranks_that_disagree_on_the_format_all_learn_who() {
    log::set_level(log::Level::Off);
    let id = UniqueId::create(&config(TransportChoice::Auto)).unwrap();
    let wire = |rank: Rank| (rank == 2).then_some(WireFormat::Int8Block);
    let errors = on_threads(3, |rank| {
        let settings = Config { wire: wire(rank), ..config(TransportChoice::Auto) };
        let own = CommConfig::default();
        Communicator::create(&id, 3, rank, &settings, &own).map(drop).expect_err("they disagree")
    });
    let split = on_layout(
        "aaa",
        |_| config(TransportChoice::Auto),
        |comm| {
            let own = CommConfig { wire: Some(wire(comm.rank())), ..CommConfig::default() };
            comm.split(Some(comm.rank()), 0, &own).unwrap();
            comm.split(Some(0), 0, &own).map(drop).expect_err("they disagree")
        },
    );
    for error in errors.into_iter().chain(split) {
        assert!(matches!(error, Error::Mismatch(_) | Error::Bootstrap(_)), "{error}");
        let text = error.to_string();
        assert!(text.contains("rank 0 travel as full") && text.contains("rank 2 as int8-block"), "{text}");
    }
}
