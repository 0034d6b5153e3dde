//! What a plan costs: how many messages follow each other, and how much a rank sends. Both are counted in the
//! plans of all ranks, so no formula can be wrong.

use std::collections::HashMap;

use anyccl_engine::algo::Algorithm;
use anyccl_engine::base::Rank;
use anyccl_engine::plan::{BlockLayout, Plan, PlanRequest, Step};
use anyccl_engine::topology::Topology;

/// Ranks of a host, for algorithms that know hosts.
pub const RANKS_PER_HOST: u32 = 4;

/// Elements of a call whose messages are counted: one chunk of any pipeline.
const FEW: usize = 240;
/// Elements of a call whose bytes are counted. They divide by all numbers of ranks.
const MANY: usize = 240 << 10;
const CHUNK_BYTES: usize = 64 << 10;

/// The cost of an algorithm for a number of ranks. `None`: it does not serve so many.
pub struct Measured {
    /// Longest chain of messages, each of which waits for the one before it.
    pub steps: usize,
    /// Most elements that a rank sends, for each element of the call's count.
    pub sent: f64,
}

/// Counts what an algorithm does.
pub fn measure(algorithm: &Algorithm, size: u32) -> Option<Measured> {
    let knows_hosts = algorithm.name == "hierarchical";
    if knows_hosts && size <= RANKS_PER_HOST {
        return None;
    }
    let hosts: Vec<u32> = (0..size).map(|rank| if knows_hosts { rank / RANKS_PER_HOST } else { 0 }).collect();
    let topology = Topology::from_labels(&hosts);
    let plans = |count: usize| -> Option<Vec<Plan>> {
        let request = |rank| PlanRequest {
            collective: algorithm.collective,
            size,
            rank,
            root: 0,
            count,
            element_bytes: 4,
            in_place: false,
            chunk_bytes: CHUNK_BYTES,
            topology: &topology,
            layout: BlockLayout::NONE,
        };
        let made = |rank| (algorithm.supports)(&request(rank)).then(|| (algorithm.build)(&request(rank)));
        (0..size).map(made).collect()
    };
    let sent = |plan: &Plan| transfers(plan).map(|(_, step)| sent_by(step)).sum::<usize>();
    let most = plans(MANY)?.iter().map(sent).max()?;
    Some(Measured { steps: steps(&plans(FEW)?), sent: most as f64 / MANY as f64 })
}

/// The steps of a plan with the places of their rounds, in the order in which messages match.
fn transfers(plan: &Plan) -> impl Iterator<Item = ((usize, usize), &Step)> {
    let longest = plan.lanes.iter().map(|lane| lane.rounds.len()).max().unwrap_or(0);
    (0..longest).flat_map(move |round| {
        plan.lanes.iter().enumerate().flat_map(move |(lane, its)| {
            let steps = its.rounds.get(round).map_or(&[][..], |round| &round.steps);
            steps.iter().map(move |step| ((lane, round), step))
        })
    })
}

fn sent_by(step: &Step) -> usize {
    match step {
        Step::Send { to, span } => to.len() * span.len,
        _ => 0,
    }
}

/// A round of a rank: rank, lane, number.
type Place = (Rank, usize, usize);

/// The longest chain of messages: a message waits for those that came in before its round.
fn steps(plans: &[Plan]) -> usize {
    let mut sends: HashMap<(Rank, Rank), Vec<Place>> = HashMap::new();
    for (plan, rank) in plans.iter().zip(0..) {
        for ((lane, round), step) in transfers(plan) {
            if let Step::Send { to, .. } = step {
                to.iter().for_each(|to| sends.entry((rank, *to)).or_default().push((rank, lane, round)));
            }
        }
    }
    // For each round, the rounds whose messages it receives.
    let mut from: HashMap<Place, Vec<Place>> = HashMap::new();
    for (plan, rank) in plans.iter().zip(0..) {
        let mut received: HashMap<Rank, usize> = HashMap::new();
        for ((lane, round), step) in transfers(plan) {
            if let Step::Recv { from: peer, .. } | Step::RecvReduce { from: peer, .. } = step {
                let next = received.entry(*peer).or_default();
                from.entry((rank, lane, round)).or_default().push(sends[&(*peer, rank)][*next]);
                *next += 1;
            }
        }
    }
    let mut known = HashMap::new();
    let places = plans.iter().zip(0..).flat_map(|(plan, rank)| {
        let lanes = plan.lanes.iter().enumerate();
        lanes.filter(|(_, its)| !its.rounds.is_empty()).map(move |(lane, its)| (rank, lane, its.rounds.len()))
    });
    places.map(|place| before(place, &from, &mut known)).max().unwrap_or(0)
}

/// Number of messages that follow each other before a round can begin.
fn before(place: Place, from: &HashMap<Place, Vec<Place>>, known: &mut HashMap<Place, usize>) -> usize {
    let (rank, lane, round) = place;
    if round == 0 {
        return 0;
    }
    if let Some(found) = known.get(&place) {
        return *found;
    }
    let last = (rank, lane, round - 1);
    let own = before(last, from, known);
    let heard = from.get(&last).into_iter().flatten().map(|sender| 1 + before(*sender, from, known)).max();
    let found = own.max(heard.unwrap_or(0));
    known.insert(place, found);
    found
}

#[cfg(test)]
mod tests {
    use anyccl_engine::algo::find;
    use anyccl_engine::base::Collective::{AllGather, AllReduce, Barrier, Broadcast};

    use super::*;

    #[test]
    fn steps_and_bytes_are_those_of_the_books() {
        let cost = |collective, name, size| {
            let found = measure(find(collective, name).unwrap(), size).unwrap();
            (found.steps, (found.sent * 1000.0).round() / 1000.0)
        };
        assert_eq!(cost(AllReduce, "ring", 8), (14, 1.75));
        assert_eq!(cost(AllReduce, "recursive_doubling", 8), (3, 3.0));
        assert_eq!(cost(AllReduce, "one_shot", 4), (1, 3.0));
        assert_eq!(cost(Broadcast, "binomial", 16), (4, 4.0));
        assert_eq!(cost(Broadcast, "chain", 8), (7, 1.0));
        assert_eq!(cost(AllGather, "ring", 8), (7, 7.0));
        assert_eq!(cost(Barrier, "dissemination", 8).0, 3);
    }

    #[test]
    fn a_hierarchical_algorithm_needs_several_hosts() {
        let algorithm = find(AllReduce, "hierarchical").unwrap();
        assert!(measure(algorithm, 4).is_none());
        assert!(measure(algorithm, 8).is_some());
    }
}
