//! What the ranks of a host tell each other before unequal blocks can travel together.
//!
//! Where only the sender and the receiver of a block know its length, who collects blocks of others for a rank on
//! another host cannot make a plan. So the ranks of a host tell those who carry for them first, in a call of
//! neighbour exchange: each a number per block. Between hosts nothing is asked: who receives a parcel knows the lengths of its
//! blocks, and so how long it is.
//!
//! ```text
//!                  says                             to
//! gather_v         the length of the own block      the first rank of its host, unless the root is there
//! scatter_v        the length of the own block      the first rank of its host, unless the root is there
//! all_to_all_v     the length of its block for      the carrier of that rank's column
//!                  each rank of another host
//! ```
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
        if request.collective == Collective::AllToAllV {
            for &carrier in hosts.local() {
                let carried = carried(&hosts, carrier);
                survey.say(carrier, carried.iter().map(|&to| request.layout.input[to as usize].len));
            }
            let carried = carried(&hosts, request.rank).len();
            hosts.local().iter().for_each(|&from| survey.hear(from, carried));
        } else if hosts.own() != hosts.host_of(request.root) {
            let own = match request.collective {
                Collective::GatherV => own_input(request),
                _ => own_output(request),
            };
            survey.say(hosts.local()[0], [own.len()]);
            if hosts.local()[0] == request.rank {
                hosts.local().iter().for_each(|&from| survey.hear(from, 1));
            }
        }
        survey
    }

    fn say(&mut self, to: Rank, numbers: impl IntoIterator<Item = usize>) {
        let offset = self.numbers.len();
        self.numbers.extend(numbers.into_iter().map(|number| number as u64));
        if self.numbers.len() > offset {
            self.destinations.push(to);
            self.input.push(Block { offset, len: self.numbers.len() - offset });
        }
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

/// The ranks of other hosts for which a rank collects, ascending.
pub(super) fn carried(hosts: &Hosts, carrier: Rank) -> Vec<Rank> {
    let host = hosts.host_of(carrier);
    let is_carried =
        |to: &Rank| hosts.host_of(*to) != host && hosts.carrier(host, hosts.column(*to)) == carrier;
    hosts.ranks().filter(is_carried).collect()
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
    pub fn of(request: &PlanRequest) -> Labels {
        let hosts = Hosts::of(request);
        let told = request.layout.told;
        let of_host = |blocks: &[Block], host: usize| {
            label(hosts.members(host).iter().map(|&rank| blocks[rank as usize].len))
        };
        let (root, leads) = (request.root, hosts.local()[0] == request.rank);
        let is_root = request.rank == root;
        let leads_abroad = leads && hosts.own() != hosts.host_of(root);
        let mut labels = Labels::default();
        match request.collective {
            Collective::GatherV if leads_abroad => {
                labels.sent.push((root, label(told.iter().copied())));
            }
            Collective::ScatterV if leads_abroad => {
                labels.received.push((root, label(told.iter().copied())));
            }
            Collective::GatherV if is_root => {
                let of = |host| (hosts.members(host)[0], of_host(request.layout.output, host));
                labels.received.extend(hosts.others().map(of));
            }
            Collective::ScatterV if is_root => {
                let of = |host| (hosts.members(host)[0], of_host(request.layout.input, host));
                labels.sent.extend(hosts.others().map(of));
            }
            Collective::AllToAllV => {
                let carried = carried(&hosts, request.rank);
                let parcel = |at: usize| label(told.iter().skip(at).step_by(carried.len()).copied());
                labels.sent.extend(carried.iter().enumerate().map(|(at, &to)| (to, parcel(at))));
                let column = hosts.column(request.rank);
                let of = |host| (hosts.carrier(host, column), of_host(request.layout.output, host));
                labels.received.extend(hosts.others().map(of));
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
