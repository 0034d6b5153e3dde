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
//! All of them hear it, because all must know which blocks are worth a parcel ([`is_parcel`]): long ones go directly, and both
//! ends know their lengths.
//!
//! A parcel is one message with one count in its header. That is a *label* of all its lengths, so two hosts that disagree
//! about any of them find out, also where the sums are equal.

use super::blocks::{own_input, own_output};
use super::hosts::Hosts;
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

/// Blocks of this many bytes, on average, go directly: to copy them once more costs more than the messages that are saved.
const DIRECT_BYTES: usize = 16 << 10;

/// Whether blocks of these lengths, between the ranks of one host and a rank of another, travel as one parcel.
pub(super) fn is_parcel(request: &PlanRequest, lens: impl ExactSizeIterator<Item = usize>) -> bool {
    let blocks = lens.len();
    lens.sum::<usize>() * request.element_bytes < DIRECT_BYTES * blocks
}

/// The counts in the headers of a rank's parcels.
#[derive(Debug, Default)]
pub struct Labels {
    /// Of those that it sends, with their receivers.
    pub sent: Vec<(Rank, u64)>,
    /// Of those that it receives, with their senders.
    pub received: Vec<(Rank, u64)>,
}

impl Labels {
    /// Those of the rank and the call of `request`, which has been told.
    pub fn of<'a>(request: &PlanRequest<'a>) -> Labels {
        let hosts = Hosts::of(request);
        let told = request.layout.told;
        let lens = |blocks: &'a [Block], host: usize| {
            hosts.members(host).iter().map(|&rank| blocks[rank as usize].len)
        };
        let (root, leads) = (request.root, hosts.local()[0] == request.rank);
        let is_root = request.rank == root;
        let leads_abroad = leads && hosts.own() != hosts.host_of(root);
        let mut labels = Labels::default();
        match request.collective {
            Collective::GatherV | Collective::ScatterV
                if leads_abroad && is_parcel(request, told.iter().copied()) =>
            {
                let side = match request.collective {
                    Collective::GatherV => &mut labels.sent,
                    _ => &mut labels.received,
                };
                side.push((root, label(told.iter().copied())));
            }
            Collective::GatherV | Collective::ScatterV if is_root => {
                let (blocks, side) = match request.collective {
                    Collective::GatherV => (request.layout.output, &mut labels.received),
                    _ => (request.layout.input, &mut labels.sent),
                };
                let parcels = hosts.others().filter(|&host| is_parcel(request, lens(blocks, host)));
                side.extend(parcels.map(|host| (hosts.members(host)[0], label(lens(blocks, host)))));
            }
            Collective::AllToAllV => {
                let foreign = hosts.foreign().count();
                for (at, to) in hosts.foreign().enumerate() {
                    let lens = told.iter().skip(at).step_by(foreign).copied();
                    let is_carrier = hosts.carrier(hosts.own(), hosts.column(to)) == request.rank;
                    if is_carrier && is_parcel(request, lens.clone()) {
                        labels.sent.push((to, label(lens)));
                    }
                }
                let (column, blocks) = (hosts.column(request.rank), request.layout.output);
                let parcels = hosts.others().filter(|&host| is_parcel(request, lens(blocks, host)));
                let of = |host| (hosts.carrier(host, column), label(lens(blocks, host)));
                labels.received.extend(parcels.map(of));
            }
            _ => {}
        }
        labels
    }
}

/// Of a parcel of blocks with these lengths: the length of a single one, else a hash of them.
fn label(lens: impl Iterator<Item = usize> + Clone) -> u64 {
    let mut one = lens.clone();
    match (one.next(), one.next()) {
        (Some(len), None) => len as u64,
        _ => crate::base::Call::of_parcel(lens.map(|len| len as u64)),
    }
}
