//! What the ranks of a host tell each other before unequal blocks can travel together.
//!
//! Where only the sender and the receiver of a block know its length, who collects blocks of others for a rank on
//! another host cannot make a plan. So the ranks of a host tell each other first, in a call of
//! neighbour exchange: each a number per block. Between hosts nothing is asked: who receives a parcel knows the lengths of its
//! blocks, and so how long it is.
//!
//! ```text
//!                  says to the ranks of its host
//! gather_v         the length of the own block, unless the root is one of them
//! scatter_v        the length of the own block, unless the root is one of them
//! all_to_all_v     the length of its block for each rank of another host
//! ```
//!
//! All of them hear it, because all must know which blocks are worth a parcel ([`super::parcels`]).

use super::hosts::Hosts;
use crate::algo::patterns::blocks::{own_input, own_output};
use crate::base::{Collective, Rank};
use crate::plan::{Block, BlockLayout, PlanRequest};

/// What one rank says and is told: a neighbour exchange of numbers.
#[derive(Debug, Default)]
pub struct Survey {
    /// What it says, by destination.
    pub numbers: Vec<u64>,
    /// How many numbers it is told, by source.
    pub answers: usize,
    input: Vec<Block>,
    output: Vec<Block>,
    sources: Vec<Rank>,
    destinations: Vec<Rank>,
}

impl Survey {
    /// That of the rank and the call of `request`.
    pub fn of(request: &PlanRequest) -> Survey {
        let hosts = Hosts::of(request);
        let mut survey = Survey::default();
        let own = match request.collective {
            Collective::AllToAllV => {
                hosts.foreign().map(|to| request.layout.input[to as usize].len).collect()
            }
            _ if hosts.own() == hosts.host_of(request.root) => Vec::new(),
            Collective::GatherV => vec![own_input(request).len()],
            _ => vec![own_output(request).len()],
        };
        for &local in hosts.local() {
            survey.say(local, &own);
            survey.hear(local, own.len());
        }
        survey
    }

    /// The same to everybody, from the same place.
    fn say(&mut self, to: Rank, numbers: &[usize]) {
        if numbers.is_empty() {
            return;
        }
        if self.numbers.is_empty() {
            self.numbers.extend(numbers.iter().map(|number| *number as u64));
        }
        self.destinations.push(to);
        self.input.push(Block { offset: 0, len: numbers.len() });
    }

    fn hear(&mut self, from: Rank, len: usize) {
        if len > 0 {
            self.sources.push(from);
            self.output.push(Block { offset: self.answers, len });
            self.answers += len;
        }
    }

    /// The request for the plan that carries it out, for the same ranks as `whole`.
    pub fn request<'a>(&'a self, whole: &PlanRequest<'a>) -> PlanRequest<'a> {
        PlanRequest {
            collective: Collective::NeighborAllToAllV,
            root: 0,
            count: 0,
            element_bytes: size_of::<u64>(),
            in_place: false,
            layout: BlockLayout {
                input: &self.input,
                output: &self.output,
                sources: &self.sources,
                destinations: &self.destinations,
                ..BlockLayout::NONE
            },
            ..*whole
        }
    }
}
