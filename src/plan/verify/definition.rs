//! The definition of each collective: the contents of its output.

use crate::base::{Collective, Rank};
use crate::plan::{Block, PlanRequest};

/// The contributions that an element of the output must hold, each once.
#[derive(Clone, Copy, Debug)]
pub enum Expected {
    /// Element `element` of one rank's input.
    One {
        /// The rank whose input it is.
        rank: Rank,
        /// The element of that input.
        element: usize,
    },
    /// Element `element` of the inputs of ranks 0 to `end`-1, reduced.
    First {
        /// One more than the last rank.
        end: Rank,
        /// The element of each input.
        element: usize,
    },
}

/// The value that `rank` must find in element `element` of its output. `None`: the element must not be
/// written. `requests` has one request per rank.
pub fn expected(requests: &[PlanRequest], rank: Rank, element: usize) -> Option<Expected> {
    let request = &requests[rank as usize];
    if request.collective.has_layout() {
        return by_layout(requests, rank, element);
    }
    let count = request.count;
    let mine = rank as usize * count;
    let from = |rank: usize, element| Expected::One { rank: rank as Rank, element };
    let first = |end, element| Expected::First { end, element };
    Some(match request.collective {
        Collective::AllReduce | Collective::Reduce => first(request.size, element),
        Collective::ReduceScatter => first(request.size, mine + element),
        Collective::Scan => first(rank + 1, element),
        Collective::Exscan => first(rank, element),
        Collective::Broadcast => from(request.root as usize, element),
        Collective::Scatter => from(request.root as usize, mine + element),
        Collective::AllGather | Collective::Gather => from(element / count, element % count),
        Collective::AllToAll => from(element / count, mine + element % count),
        Collective::Barrier => unreachable!("a barrier has no output"),
        _ => unreachable!("it has a layout"),
    })
}

fn by_layout(requests: &[PlanRequest], rank: Rank, element: usize) -> Option<Expected> {
    let request = &requests[rank as usize];
    let holds = |block: &Block| (block.offset..block.end()).contains(&element);
    let Some(index) = request.layout.output.iter().position(holds) else {
        // Elements between blocks stay as they were: in place, they are the rank's own input.
        let is_input = request.in_place && request.collective == Collective::AllToAllV;
        return is_input.then_some(Expected::One { rank, element });
    };
    let within = element - request.layout.output[index].offset;
    let input = |rank: usize, index: usize| requests[rank].layout.input[index].offset + within;
    let mine = rank as usize;
    let (from, element) = match request.collective {
        Collective::AllGatherV | Collective::GatherV => (index, input(index, 0)),
        Collective::ScatterV => (request.root as usize, input(request.root as usize, mine)),
        Collective::AllToAllV => (index, input(index, mine)),
        Collective::ReduceScatterV => {
            return Some(Expected::First { end: request.size, element: input(mine, mine) });
        }
        Collective::NeighborAllGatherV | Collective::NeighborAllToAllV => {
            let (from, edge) = edge(requests, rank, index);
            let is_one = request.collective == Collective::NeighborAllGatherV;
            (from as usize, input(from as usize, if is_one { 0 } else { edge }))
        }
        _ => unreachable!("one count says it all"),
    };
    Some(Expected::One { rank: from as Rank, element })
}

/// The sender of a block from a neighbour, and the index of this rank among its destinations. If there are
/// several edges between the two, the k-th on one side is the k-th on the other.
fn edge(requests: &[PlanRequest], rank: Rank, index: usize) -> (Rank, usize) {
    let sources = requests[rank as usize].layout.sources;
    let from = sources[index];
    let before = sources[..index].iter().filter(|source| **source == from).count();
    let destinations = requests[from as usize].layout.destinations.iter().enumerate();
    let mut edges = destinations.filter(|(_, to)| **to == rank);
    (from, edges.nth(before).map_or(usize::MAX, |(index, _)| index))
}

impl Expected {
    /// The expectation in words, in the form of `Exact::terms`.
    pub(super) fn terms(self) -> String {
        match self {
            Expected::One { rank, element } => format!("{rank}[{element}]"),
            Expected::First { end, element } => {
                (0..end).map(|rank| format!("{rank}[{element}]")).collect::<Vec<_>>().join(" + ")
            }
        }
    }
}
