//! Tests with sixteen thousand ranks: how much work a simulation is. They also show how good the choice of
//! algorithms is, there and among few ranks.

use super::*;
use crate::algo;
use crate::config::Config;
use crate::tuning::Tuning;

/// Hosts, and ranks on each.
const CLUSTER: (u32, u32) = (2048, 8);

#[test]
fn sixteen_thousand_ranks_are_few_events() {
    let topology = cluster(CLUSTER.0, CLUSTER.1);
    let request = request(Collective::AllReduce, &topology, 16_384 * 1024);
    for name in ["hierarchical", "rabenseifner", "ring"] {
        let algorithm = algo::find(Collective::AllReduce, name).unwrap();
        let outcome = simulate(algorithm, &request, &MIXED, &Limits::default()).unwrap();
        assert!(outcome.ranks == 8 && outcome.events < 2_000_000, "{name}: {} events", outcome.events);
    }
}

/// Checks that the chosen algorithm takes at most `most` times as long as the best.
fn is_well_chosen(collective: Collective, topology: &Topology, counts: &[usize], most: f64) {
    let tuning = Tuning::from_config(&Config::default()).unwrap();
    let model = Model::of_links(&tuning.shm, &tuning.tcp);
    // An algorithm that sends directly to sixteen thousand others is never the best, and takes long to
    // simulate.
    let direct = ["one_shot", "two_shot"];
    for &count in counts {
        let request = request(collective, topology, count);
        let seconds =
            |algorithm| Some(simulate(algorithm, &request, &model, &Limits::default()).ok()?.seconds);
        let chosen = tuning.choose(&request, false).unwrap();
        let rows = algo::of(collective);
        let rows = rows.filter(|row| topology.size() < 1000 || !direct.contains(&row.name));
        let best = rows.filter_map(seconds).fold(f64::INFINITY, f64::min);
        let taken = seconds(chosen).expect("the chosen one is simulated");
        let shape = format!("{} ranks, {} hosts", topology.size(), topology.hosts());
        assert!(
            taken <= most * best,
            "{} on {shape}, {count} elements: {} takes {taken}, the best {best}",
            collective.name(),
            chosen.name
        );
    }
}

#[test]
fn the_choice_for_sixteen_thousand_ranks_is_at_most_a_tenth_slower_than_the_best() {
    is_well_chosen(Collective::AllReduce, &cluster(CLUSTER.0, CLUSTER.1), &[2, 262_144, 16 << 20], 1.1);
}

#[test]
fn the_choice_for_a_few_hosts_is_at_most_a_tenth_slower_than_the_best() {
    let uneven: Vec<char> = "aabbbbb".chars().collect();
    let even = [(2, 4), (4, 4), (2, 8), (16, 8)].map(|(hosts, ranks)| cluster(hosts, ranks));
    for topology in even.iter().chain([&Topology::from_labels(&uneven)]) {
        let counts = [2, 1 << 10, 16 << 10, 256 << 10, 4 << 20, 16 << 20];
        is_well_chosen(Collective::AllReduce, topology, &counts, 1.1);
    }
}

#[test]
fn blocks_among_a_few_hosts_take_at_most_a_seventh_longer_than_the_best() {
    for (hosts, ranks, bytes) in [(4, 4, 8), (4, 4, 64 << 10), (16, 8, 8)] {
        for collective in [Collective::AllGather, Collective::ReduceScatter, Collective::AllToAll] {
            let block = (bytes / 4 / (hosts * ranks) as usize).max(1);
            is_well_chosen(collective, &cluster(hosts, ranks), &[block], 8.0 / 7.0);
        }
    }
}
