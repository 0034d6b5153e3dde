//! What each collective is defined to leave in the output.

use crate::base::{Collective, Rank};
use crate::plan::PlanRequest;

/// The contributions that an element of the output must hold, each once.
#[derive(Clone, Copy, Debug)]
pub enum Expected {
    /// Element `element` of one rank's input.
    One {
        /// Whose input.
        rank: Rank,
        /// Which element of it.
        element: usize,
    },
    /// Element `element` of every rank's input, reduced.
    Every {
        /// Which element of each.
        element: usize,
    },
}

/// What `rank` must find in element `element` of its output.
pub fn expected(request: &PlanRequest, rank: Rank, element: usize) -> Expected {
    let count = request.count;
    let mine = rank as usize * count;
    let from = |rank: usize, element| Expected::One { rank: rank as Rank, element };
    match request.collective {
        Collective::AllReduce | Collective::Reduce => Expected::Every { element },
        Collective::ReduceScatter => Expected::Every { element: mine + element },
        Collective::Broadcast => from(request.root as usize, element),
        Collective::Scatter => from(request.root as usize, mine + element),
        Collective::AllGather | Collective::Gather => from(element / count, element % count),
        Collective::AllToAll => from(element / count, mine + element % count),
        Collective::Barrier => unreachable!("a barrier has no output"),
    }
}

impl Expected {
    /// In words, as `Exact::terms` puts what was found.
    pub(super) fn terms(self, size: u32) -> String {
        match self {
            Expected::One { rank, element } => format!("{rank}[{element}]"),
            Expected::Every { element } => {
                (0..size).map(|rank| format!("{rank}[{element}]")).collect::<Vec<_>>().join(" + ")
            }
        }
    }
}
