//! Exchange along graphs: every graph of a few ranks, and random graphs of more. Also tests ranks that
//! disagree about an edge or about a length.

use std::sync::Arc;

use crate::common;
use anyccl_engine::base::{Collective, Datatype, Error, Rank, Result};
use anyccl_engine::bootstrap::UniqueId;
use anyccl_engine::comm::{CommConfig, Communicator, Graph, Places, Unequal};
use anyccl_engine::config::{Config, TransportChoice};
use anyccl_engine::observe::log;
use anyccl_engine::plan::{Block, BlockLayout};
use common::attempt::{Attempt, Placement};
use common::case::Case;
use common::ranks::{TRANSPORTS, config, on_threads};
use common::values::noise;

/// Runs `body` on ranks whose communicators are in an `Arc`, as graphs require.
fn on_shared<R: Send>(size: u32, config: &Config, body: impl Fn(&Arc<Communicator>) -> R + Sync) -> Vec<R> {
    let id = UniqueId::create(config).expect("a unique id");
    let all_joined = std::sync::Barrier::new(size as usize);
    on_threads(size, |rank| {
        let joined = Communicator::create(&id, size, rank, config, &CommConfig::default());
        let comm = Arc::new(joined.unwrap_or_else(|e| panic!("rank {rank} cannot join: {e}")));
        all_joined.wait();
        let result = body(&comm);
        comm.finalize().expect("it ends in good order, or has failed");
        result
    })
}

/// Number of edges from one rank to another or to itself.
fn edges(seed: u32, from: Rank, to: Rank) -> usize {
    [0, 1, 0, 2, 1][noise(seed * 64 + from, to as usize) as usize % 5]
}

/// Sources and destinations of a rank, in a random order of that rank.
fn neighbours(seed: u32, size: u32, rank: Rank) -> (Vec<Rank>, Vec<Rank>) {
    let shuffled = |mut ranks: Vec<Rank>| {
        ranks.sort_by_key(|&peer| noise(seed + rank, peer as usize));
        ranks
    };
    let sources = (0..size).flat_map(|from| vec![from; edges(seed, from, rank)]).collect();
    let destinations = (0..size).flat_map(|to| vec![to; edges(seed, rank, to)]).collect();
    (shuffled(sources), shuffled(destinations))
}

/// Elements of edge `number` between two ranks. Some edges have none.
fn length(from: Rank, to: Rank, number: usize) -> usize {
    (noise(from + 7, to as usize) as usize % 4) * 20_011 % 30_000 + number
}

fn element(from: Rank, to: Rank, number: usize, at: usize) -> u32 {
    from << 24 | to << 16 | (number as u32) << 15 | at as u32 & 0x7fff
}

/// Position of an edge among those to or from the same rank.
fn number(ranks: &[Rank], index: usize) -> usize {
    ranks[..index].iter().filter(|&&peer| peer == ranks[index]).count()
}

fn packed(lens: impl Iterator<Item = usize>) -> Vec<Block> {
    let mut end = 0;
    lens.map(|len| {
        end += len;
        Block { offset: end - len, len }
    })
    .collect()
}

/// Sends along the graph and compares the output. With `cut`, this rank passes a length that is too short for
/// its first block.
fn exchange(
    comm: &Communicator,
    graph: &Graph,
    collective: Collective,
    started: bool,
    cut: bool,
) -> Result<()> {
    let (me, sources, destinations) = (comm.rank(), graph.sources(), graph.destinations());
    let gathers = collective == Collective::NeighborAllGatherV;
    // An allgather sends the same block to all destinations: the one that would go to rank 0.
    let of = |from: Rank, to: Rank, number: usize| if gathers { (from, 0, 0) } else { (from, to, number) };
    let block = |(from, to, number): (Rank, Rank, usize)| -> Vec<u32> {
        (0..length(from, to, number)).map(|at| element(from, to, number, at)).collect()
    };
    let sent: Vec<Vec<u32>> = match gathers {
        true => vec![block(of(me, 0, 0))],
        false => (0..destinations.len())
            .map(|index| block(of(me, destinations[index], number(destinations, index))))
            .collect(),
    };
    let expected: Vec<Vec<u32>> =
        (0..sources.len()).map(|index| block(of(sources[index], me, number(sources, index)))).collect();
    let mut input = packed(sent.iter().map(Vec::len));
    let output = packed(expected.iter().map(Vec::len));
    if cut {
        input[0].len -= 1;
    }
    let (sent, expected) = (sent.concat(), expected.concat());
    let mut received = vec![u32::MAX; expected.len()];
    let operation = Unequal {
        collective,
        datatype: Datatype::Uint32,
        op: None,
        root: 0,
        layout: BlockLayout { input: &input, output: &output, sources, destinations, ..BlockLayout::NONE },
        places: Places::Buffers { send: sent.as_ptr().cast(), recv: received.as_mut_ptr().cast() },
    };
    let outcome = if started {
        // SAFETY: both buffers have all blocks, and are left alone until the call or the request has ended.
        unsafe { comm.start(&operation) }.and_then(|mut request| request.wait())
    } else {
        // SAFETY: as above.
        unsafe { comm.run(&operation) }
    };
    outcome?;
    assert!(cut || received == expected, "{collective:?} on rank {me}");
    Ok(())
}

const KINDS: [Collective; 2] = [Collective::NeighborAllGatherV, Collective::NeighborAllToAllV];

#[test]
fn every_block_takes_its_edge_on_random_graphs() {
    for transport in TRANSPORTS {
        for size in [1, 2, 3, 4, 5, 8] {
            on_shared(size, &config(transport), |comm| {
                for seed in 0..12 {
                    let (sources, destinations) = neighbours(seed, size, comm.rank());
                    let graph = Graph::create(comm, &sources, &destinations).expect("all agree");
                    for collective in KINDS {
                        exchange(comm, &graph, collective, false, false).expect("it ends");
                        exchange(comm, &graph, collective, true, false).expect("it ends");
                    }
                }
            });
        }
    }
}

#[test]
fn a_graph_that_two_ranks_see_differently_is_refused_on_all_ranks_and_the_communicator_works_on() {
    on_shared(4, &config(TransportChoice::Auto), |comm| {
        let ring = ([(comm.rank() + 3) % 4], [(comm.rank() + 1) % 4]);
        // Rank 2 also sends to rank 0, which does not list it as a source. Later, rank 1 lists rank 3 as a
        // source that does not send.
        let more = if comm.rank() == 2 { vec![3, 0] } else { ring.1.to_vec() };
        let refused =
            |sources: &[Rank], destinations: &[Rank]| match Graph::create(comm, sources, destinations) {
                Err(Error::InvalidArgument { what: "graph", got }) => got,
                other => panic!("not refused: {other:?}"),
            };
        let text = refused(&ring.0, &more);
        assert_eq!(text, "rank 2 sends more often to rank 0 than rank 0 receives from rank 2");
        let more = if comm.rank() == 1 { vec![0, 3] } else { ring.0.to_vec() };
        let text = refused(&more, &ring.1);
        assert_eq!(text, "rank 1 receives more often from rank 3 than rank 3 sends to rank 1");
        let graph = Graph::create(comm, &ring.0, &ring.1).expect("all agree");
        exchange(comm, &graph, Collective::NeighborAllToAllV, false, false).expect("it ends");
    });
}

#[test]
fn a_block_of_another_length_is_an_error_on_all_ranks_also_on_those_without_neighbours() {
    log::set_level(log::Level::Off);
    for transport in TRANSPORTS {
        let all_have_the_graph = std::sync::Barrier::new(4);
        on_shared(4, &config(transport), |comm| {
            // One edge whose block is not empty.
            let (from, to) =
                (0..3).find_map(|to| (length(3, to, 0) > 1).then_some((3, to))).expect("some edge");
            let sources = if comm.rank() == to { vec![from] } else { Vec::new() };
            let destinations = if comm.rank() == from { vec![to] } else { Vec::new() };
            let graph = Graph::create(comm, &sources, &destinations).expect("all agree");
            // A failure also ends the call before it on a rank that is late.
            all_have_the_graph.wait();
            let outcome = exchange(comm, &graph, Collective::NeighborAllToAllV, false, comm.rank() == from);
            let barrier = || Attempt::on(comm, Case::barrier(), Placement::Apart).run(comm);
            let error = outcome.and_then(|()| barrier()).and_then(|()| barrier()).expect_err("they disagree");
            let text = error.to_string();
            assert!(matches!(error, Error::Mismatch(_)) && text.matches("a block of").count() == 2, "{text}");
        });
    }
}
