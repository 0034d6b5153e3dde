//! Tests of collectives whose blocks differ: proofs with random, zero and unequal counts, gaps between
//! blocks, blocks in any order, and in place.

use super::super::algorithm::HIERARCHICAL;
use super::*;
use crate::plan::verify::{Violation, verify_each, verify_fixed, verify_order};
use crate::plan::{Block, Span};

/// A number that depends on the arguments only (the finaliser of SplitMix64).
fn noise(seed: u64, a: usize, b: usize) -> u64 {
    let mut z = seed ^ (a as u64) << 32 ^ b as u64;
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// Lengths of the blocks.
#[derive(Clone, Copy, Debug)]
enum Lengths {
    /// All blocks of one length.
    Equal(usize),
    /// A length of its own for each block, below this limit; about a third of the blocks are empty.
    Random { seed: u64, most: usize },
    /// All blocks empty, except those of one rank.
    Single { rank: usize, len: usize },
}

impl Lengths {
    fn of(self, from: usize, to: usize) -> usize {
        match self {
            Lengths::Equal(len) => len,
            Lengths::Random { seed, most } => {
                let number = noise(seed, from, to);
                if number.is_multiple_of(3) { 0 } else { (number >> 8) as usize % most.max(1) }
            }
            Lengths::Single { rank, len } => {
                if from == rank {
                    len
                } else {
                    0
                }
            }
        }
    }
}

/// Blocks of these lengths, side by side, or in another order with gaps.
fn lay_out(lens: impl Iterator<Item = usize>, seed: Option<u64>) -> Vec<Block> {
    let mut blocks: Vec<Block> = lens.map(|len| Block { offset: 0, len }).collect();
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    if let Some(seed) = seed {
        order.sort_by_key(|&index| noise(seed, index, 1));
    }
    let mut end = 0;
    for index in order {
        let gap = seed.map_or(0, |seed| noise(seed, index, 2) as usize % 3);
        blocks[index].offset = end + gap;
        end = blocks[index].end();
    }
    blocks
}

/// The blocks of a rank, and its neighbours.
#[derive(Clone, Debug, Default)]
struct Own {
    input: Vec<Block>,
    output: Vec<Block>,
    sources: Vec<Rank>,
    destinations: Vec<Rank>,
    host_lengths: Vec<usize>,
}

/// The layout of each rank.
type Layouts = Vec<Own>;

/// Number of edges from one rank to another, which may be the same.
fn edges(from: usize, to: usize) -> usize {
    [0, 1, 0, 2, 0][noise(77, from, to) as usize % 5]
}

/// The ranks on the other side of a rank's edges, in no special order.
fn neighbours(size: usize, rank: usize, edges: impl Fn(usize) -> usize) -> Vec<Rank> {
    let mut all: Vec<Rank> = (0..size).flat_map(|peer| vec![peer as Rank; edges(peer)]).collect();
    all.sort_by_key(|&peer| noise(78, rank, peer as usize));
    all
}

/// Blocks along a random graph.
fn on_a_graph(collective: Collective, size: usize, lengths: Lengths, gaps: Option<u64>) -> Layouts {
    let of_rank = |rank: usize| {
        let sources = neighbours(size, rank, |from| edges(from, rank));
        let destinations = neighbours(size, rank, |to| edges(rank, to));
        let (gathers, gap) =
            (collective == Collective::NeighborAllGatherV, |side| gaps.map(|seed| noise(seed, rank, side)));
        // Of several edges between the same ranks, the k-th is longer by k.
        let along = |from: Rank, to: Rank, number: usize| match gathers {
            true => lengths.of(from as usize, 0),
            false => lengths.of(from as usize, to as usize) + number,
        };
        let number = |ranks: &[Rank], index: usize| {
            ranks[..index].iter().filter(|&&peer| peer == ranks[index]).count()
        };
        let me = rank as Rank;
        let sent = |index: usize| along(me, destinations[index], number(&destinations, index));
        let received = |index: usize| along(sources[index], me, number(&sources, index));
        let input = match gathers {
            true => vec![Block { offset: 0, len: lengths.of(rank, 0) }],
            false => lay_out((0..destinations.len()).map(sent), gap(0)),
        };
        let output = lay_out((0..sources.len()).map(received), gap(1));
        Own { input, output, sources, destinations, ..Own::default() }
    };
    (0..size).map(of_rank).collect()
}

fn layouts(
    collective: Collective,
    size: usize,
    root: usize,
    lengths: Lengths,
    gaps: Option<u64>,
    in_place: &[bool],
) -> Layouts {
    use Collective::*;
    if collective.has_graph() {
        return on_a_graph(collective, size, lengths, gaps);
    }
    let gaps = |rank: usize, side: usize| gaps.map(|seed| noise(seed, rank, side));
    // In a pair of which one rank is in place, both blocks must have the same length.
    let exchanged = |a: usize, b: usize| match in_place.iter().any(|&in_place| in_place) {
        true => lengths.of(a.min(b), a.max(b)),
        false => lengths.of(a, b),
    };
    let of_rank = |rank: usize| {
        let one = |len| vec![Block { offset: 0, len }];
        let all = |side| lay_out((0..size).map(|peer| lengths.of(peer, 0)), gaps(rank, side));
        let at_root = |side| if rank == root { all(side) } else { Vec::new() };
        let (input, output) = match collective {
            AllGatherV => (one(lengths.of(rank, 0)), all(1)),
            GatherV => (one(lengths.of(rank, 0)), at_root(1)),
            ScatterV => (at_root(0), one(lengths.of(rank, 0))),
            // All ranks have the same lengths: it is reduced element by element.
            ReduceScatterV => {
                (lay_out((0..size).map(|peer| lengths.of(peer, 0)), gaps(0, 0)), one(lengths.of(rank, 0)))
            }
            AllToAllV => {
                let output = lay_out((0..size).map(|from| exchanged(from, rank)), gaps(rank, 1));
                let input = match in_place[rank] {
                    true => output.clone(),
                    false => lay_out((0..size).map(|to| exchanged(rank, to)), gaps(rank, 0)),
                };
                (input, output)
            }
            _ => unreachable!("one count says it all"),
        };
        Own { input, output, ..Own::default() }
    };
    (0..size).map(of_rank).collect()
}

fn requests<'a>(
    algorithm: &Algorithm,
    topology: &'a Topology,
    root: Rank,
    layouts: &'a Layouts,
    in_place: &[bool],
) -> Vec<PlanRequest<'a>> {
    let of_rank = |(rank, (own, &in_place)): (Rank, (&'a Own, &bool))| PlanRequest {
        collective: algorithm.collective,
        size: topology.size(),
        rank,
        root,
        count: 0,
        // Large where it matters: some blocks are worth a parcel, and some are not.
        element_bytes: if algorithm.needs_length_exchange() { 4 << 10 } else { 4 },
        // Neighbour exchanges have no form in place.
        in_place: in_place && !algorithm.collective.has_graph(),
        chunk_bytes: 12,
        topology,
        layout: BlockLayout {
            input: &own.input,
            output: &own.output,
            sources: &own.sources,
            destinations: &own.destinations,
            host_lengths: &own.host_lengths,
        },
    };
    (0..).zip(layouts.iter().zip(in_place)).map(of_rank).collect()
}

/// Lets all ranks exchange the lengths that the algorithm needs, by plans that are proved, too.
fn exchange_lengths(
    algorithm: &Algorithm,
    topology: &Topology,
    root: Rank,
    layouts: &mut Layouts,
    in_place: &[bool],
) {
    let lengths: Vec<Vec<usize>> = {
        let requests = requests(algorithm, topology, root, layouts, in_place);
        let exchanges: Vec<LengthExchange> = requests.iter().map(LengthExchange::of).collect();
        let asked: Vec<PlanRequest> =
            exchanges.iter().zip(&requests).map(|(exchange, whole)| exchange.request(whole)).collect();
        let plans: Vec<Plan> = asked.iter().map(length_exchange_plan).collect();
        if let Err(violation) = verify_each(&plans, &asked) {
            panic!(
                "the length exchange of {}, {topology:?}, root {root}: {violation}",
                algorithm.collective.name()
            );
        }
        let received = |to: usize| {
            let from = |&from: &Rank| {
                let (exchange, asked) = (&exchanges[from as usize], &asked[from as usize]);
                let at = asked.layout.destinations.iter().position(|&rank| rank as usize == to).unwrap();
                let block = asked.layout.input[at];
                exchange.sent[block.offset..block.end()].iter().map(|len| *len as usize).collect()
            };
            asked[to].layout.sources.iter().map(from).collect::<Vec<Vec<usize>>>().concat()
        };
        (0..exchanges.len()).map(received).collect()
    };
    layouts.iter_mut().zip(lengths).for_each(|(own, lengths)| own.host_lengths = lengths);
}

/// Checks that the sender and the receiver of a parcel compute the same digest for it.
fn check_digests(requests: &[PlanRequest]) {
    let digests: Vec<ParcelDigests> = requests.iter().map(ParcelDigests::of).collect();
    for (rank, own) in (0..).zip(&digests) {
        for (from, digest) in &own.received {
            assert!(digests[*from as usize].sent.contains(&(rank, *digest)), "from {from} to {rank}");
        }
    }
    let all = |of: fn(&ParcelDigests) -> usize| digests.iter().map(of).sum::<usize>();
    assert_eq!(all(|own| own.sent.len()), all(|own| own.received.len()));
}

fn prove(
    algorithm: &Algorithm,
    topology: &Topology,
    root: Rank,
    lengths: Lengths,
    gaps: Option<u64>,
    in_place: &[bool],
) {
    let mut layouts = layouts(algorithm.collective, in_place.len(), root as usize, lengths, gaps, in_place);
    if algorithm.needs_length_exchange() {
        exchange_lengths(algorithm, topology, root, &mut layouts, in_place);
    }
    let requests = requests(algorithm, topology, root, &layouts, in_place);
    if algorithm.needs_length_exchange() {
        check_digests(&requests);
    }
    let plans: Vec<Plan> = requests.iter().map(algorithm.build).collect();
    let more = |()| verify_more(algorithm, &plans, &requests);
    if let Err(violation) = verify_each(&plans, &requests).and_then(more) {
        let (name, collective) = (algorithm.name, algorithm.collective.name());
        panic!(
            "{name} of {collective}, {topology:?}, root {root}, {lengths:?}, gaps {gaps:?}, in place {in_place:?}: {violation}"
        );
    }
    if plans.iter().any(Plan::is_fused) {
        let plans: Vec<Plan> = plans.iter().cloned().map(Plan::unfused).collect();
        let more = |()| verify_more(algorithm, &plans, &requests);
        if let Err(violation) = verify_each(&plans, &requests).and_then(more) {
            panic!("{} unfused, {topology:?}, {lengths:?}, {in_place:?}: {violation}", algorithm.name);
        }
    }
}

/// Proves what the algorithm promises besides being correct: the order of the ranks, or the fixed tree.
fn verify_more(algorithm: &Algorithm, plans: &[Plan], requests: &[PlanRequest]) -> Result<(), Violation> {
    if is_ordered(algorithm) {
        verify_order(plans, requests)?;
    }
    if is_fixed(algorithm) { verify_fixed(plans, requests) } else { Ok(()) }
}

fn rows() -> impl Iterator<Item = &'static Algorithm> {
    ALGORITHMS.iter().chain(ORDERED).chain(FIXED).filter(|algorithm| algorithm.collective.has_layout())
}

/// Also those for operators that do not commute.
fn is_fixed(algorithm: &Algorithm) -> bool {
    let mut rows = FIXED.iter().chain(fixed_in_order(algorithm.collective));
    rows.any(|row| std::ptr::eq(row, algorithm))
}

fn is_ordered(algorithm: &Algorithm) -> bool {
    ORDERED.iter().any(|row| std::ptr::eq(row, algorithm))
}

/// A topology that the algorithm can serve, as similar as possible to these hosts.
fn served(algorithm: &Algorithm, mut hosts: Vec<u8>) -> Topology {
    if is_ordered(algorithm) {
        hosts.sort_unstable();
    }
    if is_fixed(algorithm) && algorithm.name == HIERARCHICAL {
        // Hosts of 2 ranks, or of 1.
        let ranks = if hosts.len().is_multiple_of(2) { 2 } else { 1 };
        hosts = (0..hosts.len()).map(|rank| (rank / ranks) as u8).collect();
    }
    Topology::from_labels(&hosts)
}

fn some_lengths(size: u32) -> [Lengths; 5] {
    let seed = u64::from(size);
    [
        Lengths::Equal(0),
        Lengths::Equal(2),
        Lengths::Random { seed, most: 9 },
        Lengths::Random { seed: seed + 100, most: if size > 16 { 3 } else { 40 } },
        Lengths::Single { rank: size as usize / 2, len: 7 },
    ]
}

fn prove_all(collective: Collective) {
    for algorithm in rows().filter(|algorithm| algorithm.collective == collective) {
        for size in sizes(64) {
            for root in roots(collective, size) {
                for lengths in some_lengths(size) {
                    for in_place in [InPlace::Nobody, InPlace::Everybody, InPlace::Some] {
                        let gaps = [None, Some(u64::from(size) * 3)];
                        for gaps in gaps {
                            prove(
                                algorithm,
                                &Topology::one_host(size),
                                root,
                                lengths,
                                gaps,
                                &in_place.of(size),
                            );
                        }
                    }
                }
            }
        }
    }
}

macro_rules! proofs {
    ($($test:ident: $collective:ident;)*) => {
        $(#[test]
        fn $test() {
            prove_all(Collective::$collective);
        })*
    };
}

proofs! {
    all_gather_v_is_correct_for_every_size_up_to_64_and_unequal_counts: AllGatherV;
    gather_v_is_correct_for_every_size_up_to_64_and_unequal_counts: GatherV;
    scatter_v_is_correct_for_every_size_up_to_64_and_unequal_counts: ScatterV;
    reduce_scatter_v_is_correct_for_every_size_up_to_64_and_unequal_counts: ReduceScatterV;
    all_to_all_v_is_correct_for_every_size_up_to_64_and_unequal_counts: AllToAllV;
    neighbor_all_gather_v_is_correct_on_random_graphs_of_every_size_up_to_64: NeighborAllGatherV;
    neighbor_all_to_all_v_is_correct_on_random_graphs_of_every_size_up_to_64: NeighborAllToAllV;
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn unequal_blocks_are_correct_for_any_counts_on_any_hosts(
        row in proptest::sample::select((0..rows().count()).collect::<Vec<_>>()),
        in_place in proptest::collection::vec(any::<bool>(), 1..40),
        hosts in proptest::collection::vec(0u8..6, 40),
        root in any::<proptest::sample::Index>(),
        seed in any::<u64>(),
        most in 0usize..30,
        gaps in any::<Option<u64>>(),
    ) {
        let algorithm = rows().nth(row).unwrap();
        let root = if algorithm.collective.has_root() { root.index(in_place.len()) } else { 0 };
        let topology = served(algorithm, hosts[..in_place.len()].to_vec());
        prove(algorithm, &topology, root as Rank, Lengths::Random { seed, most }, gaps, &in_place);
    }
}

/// The verifier's verdict on each row's plans with one changed step.
fn verdicts_on_spoilt(spoil: fn(&mut Vec<Step>, usize)) -> Vec<(&'static str, Result<(), Violation>)> {
    let mut verdicts = Vec::new();
    for hosts in [vec![0; 5], vec![0, 1, 0, 1, 1]] {
        for algorithm in rows() {
            let topology = served(algorithm, hosts.clone());
            let mut layouts = layouts(
                algorithm.collective,
                5,
                2,
                Lengths::Random { seed: 5, most: 6 },
                Some(7),
                &[false; 5],
            );
            let root = if algorithm.collective.has_root() { 2 } else { 0 };
            if algorithm.needs_length_exchange() {
                exchange_lengths(algorithm, &topology, root, &mut layouts, &[false; 5]);
            }
            let requests = requests(algorithm, &topology, root, &layouts, &[false; 5]);
            let plans: Vec<Plan> = requests.iter().map(algorithm.build).collect();
            for (rank, plan) in plans.iter().enumerate() {
                for (lane, rounds) in plan.lanes.iter().map(|lane| &lane.rounds).enumerate() {
                    for (round, steps) in rounds.iter().map(|round| &round.steps).enumerate() {
                        for step in 0..steps.len() {
                            let mut spoilt = plans.clone();
                            spoil(&mut spoilt[rank].lanes[lane].rounds[round].steps, step);
                            if spoilt != plans {
                                verdicts.push((algorithm.collective.name(), verify_each(&spoilt, &requests)));
                            }
                        }
                    }
                }
            }
        }
    }
    verdicts
}

#[test]
fn leaving_out_any_message_is_noticed_even_an_empty_one() {
    let verdicts = verdicts_on_spoilt(|steps, step| {
        steps.remove(step);
    });
    assert!(verdicts.len() > 200);
    assert!(verdicts.iter().all(|(_, verdict)| verdict.is_err()), "{verdicts:?}");
}

#[test]
fn misplacing_any_block_is_noticed_also_where_it_falls_into_a_gap() {
    let verdicts = verdicts_on_spoilt(|steps, step| {
        let (Step::Copy { dst: span, .. }
        | Step::Reduce { dst: span, .. }
        | Step::Narrow { dst: span, .. }
        | Step::Widen { dst: span, .. }
        | Step::Send { span, .. }
        | Step::Recv { dst: span, .. }
        | Step::RecvReduce { dst: span, .. }) = &mut steps[step];
        if span.len > 0 {
            span.offset += 1;
        }
    });
    assert!(verdicts.len() > 100);
    assert!(verdicts.iter().all(|(_, verdict)| verdict.is_err()), "{verdicts:?}");
}

#[test]
fn an_empty_message_is_one_only_where_messages_are_counted() {
    let topology = Topology::one_host(2);
    let blocks = || lay_out([0, 0].into_iter(), None);
    let layouts: Layouts = vec![Own { input: blocks(), output: blocks(), ..Own::default() }; 2];
    let spread = find(Collective::AllToAllV, "spread").expect("a row of the table");
    let requests = requests(spread, &topology, 0, &layouts, &[false; 2]);
    let plans: Vec<Plan> = requests.iter().map(spread.build).collect();
    let empty = Span { buffer: crate::plan::Buffer::Input, offset: 0, len: 0 };
    assert_eq!(plans[0].lanes[0].rounds[0].steps[0], Step::Send { to: vec![1], span: empty });
    assert_eq!(verify_each(&plans, &requests), Ok(()));
    let uniform = PlanRequest { collective: Collective::AllToAll, ..requests[0] };
    assert!(matches!(verify(&plans, &[false; 2], &uniform), Err(Violation::EmptySpan { .. })));
}
