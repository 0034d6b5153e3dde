//! Fixed bits: a reduction gives the bits of the fixed tree, however it is called and wherever its ranks are.
//!
//! Every rank draws its elements by their position in one long message. A call takes a slice of that message,
//! in some form. Its result must have the bits of the same slice of the whole result, which a tree of single
//! additions gives here. So a result that depends on the length, the offset, the form, the algorithm, the
//! transport or the hosts is found.

use std::sync::Arc;

use crate::common;
use anyccl_engine::algo;
use anyccl_engine::base::{Call, CallKind, Collective, Datatype, Error, Rank, ReduceOp};
use anyccl_engine::bootstrap::UniqueId;
use anyccl_engine::comm::{CommConfig, Communicator, List, Operation, Part, Persistent, Places, Unequal};
use anyccl_engine::config::{BackendChoice, Config, TransportChoice};
use anyccl_engine::observe::log;
use anyccl_engine::plan::{Block, BlockLayout};
use common::numbers::{decode, encode};
use common::ranks::{TRANSPORTS, config, on_threads};
use common::values::noise;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const FLOATS: [Datatype; 6] = [
    Datatype::Float16,
    Datatype::Bfloat16,
    Datatype::Float32,
    Datatype::Float64,
    Datatype::Float8E4m3,
    Datatype::Float8E5m2,
];

const REDUCING: [Collective; 6] = [
    Collective::AllReduce,
    Collective::Reduce,
    Collective::ReduceScatter,
    Collective::ReduceScatterV,
    Collective::Scan,
    Collective::Exscan,
];

/// Ranks on hosts. Each letter is the host of one rank.
const LAYOUTS: [&str; 10] =
    ["a", "ab", "aab", "aabb", "abab", "aaabb", "aabbcc", "aaaaaaa", "aaaabbbb", "abcdefgh"];

/// How a call is made.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    Blocking,
    InPlace,
    Started,
    Persistent,
    /// In several buffers of one list.
    Listed,
}

pub const FORMS: [Form; 5] = [Form::Blocking, Form::InPlace, Form::Started, Form::Persistent, Form::Listed];

/// A call on a slice of the message.
#[derive(Clone, Copy, Debug)]
struct Turn {
    collective: Collective,
    datatype: Datatype,
    op: ReduceOp,
    offset: usize,
    len: usize,
    root: Rank,
    form: Form,
}

/// Joins the ranks of `layout`, on the hosts that it names.
pub fn on_layout<R: Send>(
    layout: &str,
    settings: impl Fn(Rank) -> Config + Sync,
    body: impl Fn(&Arc<Communicator>) -> R + Sync,
) -> Vec<R> {
    let size = layout.len() as u32;
    let settings = |rank: Rank| {
        let host = layout[rank as usize..][..1].to_owned();
        Config { host_id: Some(host), ..settings(rank) }
    };
    let id = UniqueId::create(&settings(0)).expect("a unique id");
    on_threads(size, |rank| {
        let own = CommConfig::default();
        let comm = Communicator::create(&id, size, rank, &settings(rank), &own).expect("it joins").shared();
        let result = body(&comm);
        comm.finalize().expect("it ends in good order");
        result
    })
}

fn fixed(transport: TransportChoice) -> Config {
    Config { deterministic: true, ..config(transport) }
}

/// Bits of element `at` of the message of `rank`: a number whose sums are rounded in every format.
fn bits(datatype: Datatype, op: ReduceOp, rank: Rank, at: usize) -> u128 {
    let noise = noise(rank, at);
    let fraction = 1.0 + (noise & 0xffff_ffff_ffff) as f64 / 2f64.powi(48);
    let sign = if noise >> 63 == 0 { 1.0 } else { -1.0 };
    // float8_e4m3 ends at 448, and a product of nine factors must stay in the range.
    let exponents = if op == ReduceOp::Product { 2 } else { 6 };
    let exponent = (noise >> 50) % exponents;
    encode(datatype, sign * fraction * 2f64.powi(exponent as i32 - exponents as i32 / 2))
}

/// `a op b`, rounded as the datatype is. 8-bit floats are computed in float32, and so is an average of
/// float16.
fn combine(datatype: Datatype, op: ReduceOp, a: f64, b: f64) -> f64 {
    let exact = if op == ReduceOp::Product { a * b } else { a + b };
    let is_wide = datatype.bytes() == 1 || datatype == Datatype::Float16 && op == ReduceOp::Avg;
    let rounded = if is_wide { Datatype::Float32 } else { datatype };
    decode(rounded, encode(rounded, exact))
}

/// The result of the complete binary tree over these numbers, its lowest level filled from the left.
fn tree(leaves: &[f64], combine: &dyn Fn(f64, f64) -> f64) -> f64 {
    if let [only] = leaves {
        return *only;
    }
    // The largest complete subtree on the left that leaves the right one no deeper.
    let depth = leaves.len().next_power_of_two();
    let (full, least) = (depth / 2, depth / 4);
    let left = full.min(leaves.len() - least.max(1));
    let (left, right) = leaves.split_at(left);
    combine(tree(left, combine), tree(right, combine))
}

/// The bits of element `at` of the result of the ranks below `end`.
fn expected_bits(turn: &Turn, end: Rank, at: usize) -> u128 {
    let Turn { datatype, op, .. } = *turn;
    let leaves: Vec<f64> = (0..end).map(|rank| decode(datatype, bits(datatype, op, rank, at))).collect();
    let combine = |a, b| combine(datatype, op, a, b);
    let result = match turn.collective {
        Collective::Scan | Collective::Exscan => {
            leaves[1..].iter().fold(leaves[0], |left, right| combine(left, *right))
        }
        _ => tree(&leaves, &combine),
    };
    match op {
        ReduceOp::Avg => {
            let rounded = if datatype == Datatype::Float64 { Datatype::Float64 } else { Datatype::Float32 };
            encode(datatype, decode(rounded, encode(rounded, result / f64::from(end))))
        }
        _ => encode(datatype, result),
    }
}

fn packed(datatype: Datatype, elements: impl Iterator<Item = u128>) -> Vec<u8> {
    elements.flat_map(|bits| bits.to_le_bytes()[..datatype.bytes()].to_vec()).collect()
}

/// Length of the block of each rank in a collective with unequal blocks.
fn block_len(turn: &Turn, rank: Rank) -> usize {
    (noise(rank, turn.offset) as usize) % (turn.len + 1)
}

/// The elements of the message that this rank reads, and those that its result has.
fn slices(turn: &Turn, size: u32, rank: Rank) -> [std::ops::Range<usize>; 2] {
    let Turn { collective, offset, len, root, .. } = *turn;
    let after = |count: usize| offset..offset + count;
    match collective {
        Collective::ReduceScatter => {
            let start = offset + rank as usize * len;
            [after(len * size as usize), start..start + len]
        }
        Collective::ReduceScatterV => {
            let before: usize = (0..rank).map(|rank| block_len(turn, rank)).sum();
            let all: usize = (0..size).map(|rank| block_len(turn, rank)).sum();
            [after(all), offset + before..offset + before + block_len(turn, rank)]
        }
        Collective::Reduce if rank != root => [after(len), 0..0],
        Collective::Exscan if rank == 0 => [after(len), 0..0],
        _ => [after(len), after(len)],
    }
}

/// Makes the call, and compares its result.
fn check(comm: &Arc<Communicator>, turn: &Turn) {
    let (size, rank) = (comm.size(), comm.rank());
    // The numbers of 8-bit floats are found by search.
    let len = if turn.datatype.bytes() == 1 { turn.len.min(700) } else { turn.len };
    let turn = &Turn { root: turn.root % size, len, ..*turn };
    let Turn { collective, datatype, op, len, root, form, .. } = *turn;
    let [read, written] = slices(turn, size, rank);
    let end = match collective {
        Collective::Scan => rank + 1,
        Collective::Exscan => rank,
        _ => size,
    };
    let expected = packed(datatype, written.clone().map(|at| expected_bits(turn, end, at)));
    let input = packed(datatype, read.map(|at| bits(datatype, op, rank, at)));
    let mut output = vec![0xa5; expected.len().max(len * datatype.bytes())];
    let root = if collective.has_root() { root } else { 0 };
    let call =
        Call { kind: CallKind::Collective(collective), datatype, op: Some(op), root, count: len as u64 };
    let may_be_in_place = matches!(collective, Collective::AllReduce | Collective::Scan | Collective::Exscan);
    let mut send = input.as_ptr();
    if matches!(form, Form::InPlace) && may_be_in_place {
        output[..input.len()].copy_from_slice(&input);
        send = output.as_ptr();
    }
    let operation = Operation { call, send, recv: output.as_mut_ptr() };
    if collective == Collective::ReduceScatterV {
        let mut offset = 0;
        let blocks = (0..size).map(|rank| {
            let len = block_len(turn, rank);
            offset += len;
            Block { offset: offset - len, len }
        });
        let blocks: Vec<Block> = blocks.collect();
        let own = [Block { offset: 0, len: block_len(turn, rank) }];
        let layout = BlockLayout { input: &blocks, output: &own, ..BlockLayout::NONE };
        let places = Places::Buffers { send, recv: operation.recv };
        let unequal = Unequal { collective, datatype, op: Some(op), root: 0, layout, places };
        match form {
            // SAFETY: both buffers have the blocks of the layout, and outlive the call.
            Form::Started => unsafe { comm.start(&unequal) }.unwrap().wait().unwrap(),
            // SAFETY: as above.
            _ => unsafe { comm.run(&unequal) }.unwrap(),
        }
    } else {
        run_in_form(comm, &operation, form);
    }
    assert!(
        output[..expected.len()] == expected,
        "{turn:?}, rank {rank} of {size}: {:?}",
        output.iter().zip(&expected).position(|(found, expected)| found != expected)
    );
}

/// Runs an operation whose buffers outlive the call.
pub fn run_in_form(comm: &Arc<Communicator>, operation: &Operation, form: Form) {
    let Call { kind, datatype, op, count, .. } = operation.call;
    match form {
        // SAFETY: the caller vouches for the buffers.
        Form::Blocking | Form::InPlace => unsafe { comm.run(operation) }.unwrap(),
        // SAFETY: as above.
        Form::Started => unsafe { comm.start(operation) }.unwrap().wait().unwrap(),
        Form::Persistent => {
            // SAFETY: as above.
            let mut call = unsafe { Persistent::new(Arc::clone(comm), operation) }.unwrap();
            for _ in 0..2 {
                call.start().unwrap();
                call.wait().unwrap();
            }
        }
        Form::Listed if kind == CallKind::Collective(Collective::AllReduce) => {
            let count = count as usize;
            // Some parts are small enough to share a message, and some are not.
            let cuts = [0, count / 7, count / 3, count / 3, count / 2, count];
            let parts: Vec<Part> = cuts
                .windows(2)
                .map(|cut| Part {
                    send: operation.send.wrapping_add(cut[0] * datatype.bytes()),
                    recv: operation.recv.wrapping_add(cut[0] * datatype.bytes()),
                    count: cut[1] - cut[0],
                    datatype,
                })
                .collect();
            let list = List { collective: Collective::AllReduce, op, root: 0, parts: &parts };
            // SAFETY: the parts lie in buffers for which the caller vouches.
            unsafe { comm.run(&list) }.unwrap();
        }
        Form::Listed => run_in_form(comm, operation, Form::Blocking),
    }
}

/// Calls of every kind on a communicator. `set` chooses among them.
fn every_kind(comm: &Arc<Communicator>, set: usize) {
    for (at, collective) in REDUCING.into_iter().enumerate() {
        for (which, datatype) in FLOATS.into_iter().enumerate() {
            let number = set + 7 * at + which;
            let op = [ReduceOp::Sum, ReduceOp::Product, ReduceOp::Avg][number % 3];
            // An average of 8-bit floats ends in a division that only some formats show.
            let op = if op == ReduceOp::Avg && datatype.bytes() == 1 { ReduceOp::Sum } else { op };
            let len = [1, 2, 63, 1000, 7001, 40_000][(number / 3) % 6];
            let len = if collective == Collective::ReduceScatter { len / 4 + 1 } else { len };
            let (offset, form) = (number * 1013, FORMS[number % FORMS.len()]);
            check(comm, &Turn { collective, datatype, op, offset, len, root: number as Rank, form });
        }
    }
}

#[test]
fn every_form_of_call_gives_the_bits_of_the_fixed_tree_on_any_hosts() {
    for (number, layout) in LAYOUTS.into_iter().enumerate() {
        for transport in TRANSPORTS {
            on_layout(
                layout,
                |_| fixed(transport),
                |comm| (0..2).for_each(|set| every_kind(comm, 2 * set + number)),
            );
        }
    }
}

#[test]
fn every_algorithm_with_fixed_bits_gives_the_same_bits() {
    let names = |collective| {
        let rows = algo::fixed(collective).map(|row| row.name);
        rows.filter(move |name| algo::find(collective, name).is_some()).collect::<Vec<_>>()
    };
    for (collective, layout) in REDUCING.into_iter().flat_map(|one| [(one, "aaaaa"), (one, "aabb")]) {
        for name in names(collective) {
            if name == "hierarchical" && layout != "aabb" {
                continue;
            }
            let algorithm = Some(format!("{}:{name}", collective.name()));
            let settings = |_| Config { algorithm: algorithm.clone(), ..fixed(TransportChoice::Auto) };
            on_layout(layout, settings, |comm| {
                for (at, len) in [1, 5, 64, 3001, 60_000].into_iter().enumerate() {
                    let (datatype, op) = (FLOATS[at % FLOATS.len()], ReduceOp::Sum);
                    let form = Form::Blocking;
                    check(comm, &Turn { collective, datatype, op, offset: 17, len, root: 1, form });
                }
            });
        }
    }
}

#[test]
fn a_communicator_asks_for_fixed_bits_and_those_made_from_it_have_them() {
    let transport = TransportChoice::Auto;
    on_layout(
        "aaaaa",
        |_| config(transport),
        |comm| {
            assert!(!comm.is_deterministic());
            let wanted = CommConfig { deterministic: Some(true), ..CommConfig::default() };
            let dup = comm.dup(&wanted).unwrap().shared();
            assert!(dup.is_deterministic());
            every_kind(&dup, 1);
            let half = dup.split(Some(comm.rank() % 2), 0, &CommConfig::default()).unwrap().unwrap().shared();
            assert!(half.is_deterministic());
            every_kind(&half, 2);
            let unwanted = CommConfig { deterministic: Some(false), ..CommConfig::default() };
            let free = dup.create_from_ranks(&[0, 1, 2, 3, 4], &unwanted).unwrap().unwrap();
            assert!(!free.is_deterministic());
            // The survivors of a failure cannot tell each other what they want.
            assert!(dup.shrink(&CommConfig::default()).unwrap().is_deterministic());
        },
    );
}

#[test]
fn ranks_that_disagree_on_fixed_bits_all_learn_who() {
    log::set_level(log::Level::Off);
    let id = UniqueId::create(&config(TransportChoice::Auto)).unwrap();
    let errors = on_threads(3, |rank| {
        let settings = Config { deterministic: rank == 2, ..config(TransportChoice::Auto) };
        let own = CommConfig::default();
        Communicator::create(&id, 3, rank, &settings, &own).map(drop).expect_err("they disagree")
    });
    let split = on_layout(
        "aaa",
        |_| config(TransportChoice::Auto),
        |comm| {
            let own =
                CommConfig { deterministic: (comm.rank() == 2).then_some(true), ..CommConfig::default() };
            // Communicators whose members agree are made.
            comm.split(Some(comm.rank()), 0, &own).unwrap();
            comm.split(Some(0), 0, &own).map(drop).expect_err("they disagree")
        },
    );
    for error in errors.into_iter().chain(split) {
        // Ranks that join report the failure to the store, and some get the words of another one from there.
        assert!(matches!(error, Error::Mismatch(_) | Error::Bootstrap(_)), "{error}");
        let text = error.to_string();
        assert!(text.contains("rank 2 asks for fixed bits") && text.contains("rank 0 does not"), "{text}");
    }
}

#[test]
fn engines_of_others_are_refused_where_bits_are_fixed() {
    log::set_level(log::Level::Off);
    let backend = BackendChoice::parse("a test", "cpu:mpi|builtin").unwrap();
    let id = UniqueId::create(&config(TransportChoice::Auto)).unwrap();
    let errors = on_threads(2, |rank| {
        let settings = Config { backend, ..fixed(TransportChoice::Auto) };
        let made = Communicator::create(&id, 2, rank, &settings, &CommConfig::default());
        made.map(drop).expect_err("it is refused")
    });
    for error in errors {
        assert!(matches!(error, Error::Unsupported(_)), "{error}");
        assert!(error.to_string().contains("names mpi"), "{error}");
    }
}

fn any_turn() -> impl Strategy<Value = Turn> {
    let len = prop_oneof![3 => 0usize..40, 3 => 40usize..3000, 1 => 3000usize..40_000];
    let kind = (prop::sample::select(REDUCING.to_vec()), prop::sample::select(FLOATS.to_vec()));
    let op = prop::sample::select(vec![ReduceOp::Sum, ReduceOp::Product]);
    (kind, op, 0usize..1_000_000, len, 0u32..8, prop::sample::select(FORMS.to_vec())).prop_map(
        |((collective, datatype), op, offset, len, root, form)| {
            let len = if collective == Collective::ReduceScatter { len / 4 } else { len };
            Turn { collective, datatype, op, offset, len, root, form }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24,
        // Communicators are expensive. A few dozen attempts find the shortest failing sequence.
        max_shrink_iters: 60,
        rng_seed: RngSeed::Fixed(53),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_slice_has_the_bits_of_the_whole(
        layout in prop::sample::select(LAYOUTS.to_vec()),
        is_tcp in any::<bool>(),
        turns in prop::collection::vec(any_turn(), 1..25),
    ) {
        let transport = TRANSPORTS[usize::from(is_tcp)];
        on_layout(layout, |_| fixed(transport), |comm| turns.iter().for_each(|turn| check(comm, turn)));
    }
}
